"""Checks of a tournament report file across its lines: opponents, results, colours, rounds, counts, ranks."""

from collections import Counter
from collections.abc import Iterator

from ratings.trf.document import (
    COLOUR_AT,
    FIRST_ROUND,
    FORFEITS,
    MAX_PAIRS,
    MAX_PLAYERS,
    RESULT_AT,
    ROUND_WIDTH,
    TrfAccelerations,
    TrfAward,
    TrfByes,
    TrfCell,
    TrfDocument,
    TrfForbidden,
    TrfLine,
    TrfPlayer,
    TrfTeam,
)
from ratings.trf.fields import list_words, parse_whole
from ratings.trf.formats import detect_format
from ratings.trf.problems import TrfProblem, TrfProblemCollector

WINS = frozenset("1+W")
#: Results of two players that go together, and those that only an arbiter can give.
AGREEING = frozenset(("10", "01", "==", "+-", "-+", "--", "WL", "LW", "DD", "", "?", "??"))
AWARDED = frozenset(("00", "=0", "0=", "LL", "DL", "LD"))


def check_document(document: TrfDocument) -> list[TrfProblem]:
    """Return the problems that no single line shows."""
    checker = _TrfChecker(document)
    checker.check_numbers()
    checker.check_games()
    checker.check_lists()
    checker.check_counts()
    checker.check_ranks()
    return checker.problems


def get_columns(number: int) -> tuple[int, int, int]:
    """Return the columns of the opponent, the colour and the result of a round."""
    start = FIRST_ROUND + ROUND_WIDTH * (number - 1)
    return start, start + COLOUR_AT, start + RESULT_AT


class _TrfChecker:
    """Collects the problems of a document."""

    def __init__(self, document: TrfDocument) -> None:
        collector = TrfProblemCollector()
        self.problems, self._report = collector.problems, collector.report
        self._document = document
        self._players: dict[int, tuple[int, TrfPlayer]] = {}

    def check_numbers(self) -> None:
        """Check that there are players, each once, with no more rounds than the file states."""
        rounds = self._document.planned_rounds
        for line in self._document.lines:
            player = line.value
            if not isinstance(player, TrfPlayer):
                continue
            if player.number in self._players:
                other = self._players[player.number][0]
                self._report(line.number, 5, "start_number_twice", player=player.number, other_line=other)
                continue
            self._players[player.number] = line.number, player
            if rounds and len(player.rounds) > rounds:
                column = get_columns(rounds + 1)[0]
                self._report(line.number, column, "too_many_rounds", count=len(player.rounds), rounds=rounds)
        if not any(True for _ in self._document.list_lines("001")):
            self._report(0, 0, "no_players")
        if len(self._players) > MAX_PLAYERS:
            self._report(0, 0, "too_many_players", limit=MAX_PLAYERS)

    def check_games(self) -> None:
        """Check each game from both sides."""
        pairing_byes: Counter[int] = Counter()
        for line, player in self._players.values():
            for number, cell in enumerate(player.rounds, 1):
                if cell is None:
                    continue
                if cell.opponent:
                    self._check_game(line, player, number, cell)
                elif cell.result == "U":
                    pairing_byes[number] += 1
        for number, count in sorted(pairing_byes.items()):
            if count > 1 and not self._document.of_teams:
                self._report(0, 0, "two_pairing_byes", round=number, count=count)

    def _check_game(self, line: int, player: TrfPlayer, number: int, cell: TrfCell) -> None:
        """Check a player's game against the line of the opponent."""
        opponent_at, colour_at, result_at = get_columns(number)
        names = {"player": player.number, "opponent": cell.opponent, "round": number}
        if cell.opponent not in self._players:
            self._report(line, opponent_at, "unknown_opponent", opponent=cell.opponent)
            return
        other = self._players[cell.opponent][1].get_cell(number)
        if other is None:
            return
        if other.opponent != player.number:
            code = "paired_twice" if other.opponent else "one_sided"
            self._report(line, opponent_at, code, **names, other=other.opponent)
            return
        results = {"first": cell.result or "?", "second": other.result or "?"}
        both = cell.result + other.result
        if cell.result in WINS and other.result in WINS:
            self._report(line, result_at, "both_win", **names)
        elif both in AWARDED and len(both) == 2:
            if player.number < cell.opponent:
                self._report(line, result_at, "awarded", **names, **results)
        elif both not in AGREEING:
            self._report(line, result_at, "results_differ", **names, **results)
        if cell.colour and cell.colour == other.colour:
            self._report(line, colour_at, "same_colour", **names)
        elif not (cell.colour and other.colour) and (cell.result or "?") not in FORFEITS:
            self._report(line, colour_at, "colour_missing", **names)

    def check_lists(self) -> None:
        """Check the players that other lines name."""
        warned: set[str] = set()
        is_swiss = detect_format(self._document).key == "swiss"
        sizes = [len(group.players) for group in self._document.list_values(TrfForbidden)]
        if sum(size * (size - 1) // 2 for size in sizes) > MAX_PAIRS and not self._document.of_teams:
            self._report(0, 0, "too_many_pairs", limit=MAX_PAIRS)
        for line in self._document.lines:
            value = line.value
            if isinstance(value, TrfByes | TrfForbidden | TrfAward | TrfTeam) and not self._document.of_teams:
                self._check_listed(line, value.players)
                if isinstance(value, TrfByes):
                    self._check_byes(line, value)
            elif isinstance(value, TrfAccelerations):
                self._check_listed(line, [at for run in value.runs for at in (run.first_player, run.last_player)])
            alone = "" if self._document.of_teams else "teams"
            code = {TrfTeam: alone, TrfAccelerations: "" if is_swiss else "acceleration"}.get(type(value), "")
            if code and code not in warned:
                warned.add(code)
                self._report(line.number, 0, code)

    def _check_listed(self, line: TrfLine, players: tuple[int, ...] | list[int]) -> None:
        for player in dict.fromkeys(players):
            if player not in self._players:
                words = list_words(line.text or "", 5)
                column = next((column for column, word in words if parse_whole(word) == player), 0)
                self._report(line.number, column, "unknown_player", player=player)

    def _check_byes(self, line: TrfLine, byes: TrfByes) -> None:
        """Check that nobody with a bye has another result in the round."""
        codes = {"full_bye": "F", "half_bye": "H", "zero_bye": "Z"}
        for player in byes.players:
            other_line, found = self._players.get(player, (0, None))
            cell = found.get_cell(byes.round) if found and byes.round else None
            if cell and (cell.opponent or cell.result not in ("", "-", "+", codes[byes.kind])):
                self._report(line.number, 0, "bye_of_player", round=byes.round, player=player, other_line=other_line)

    def check_counts(self) -> None:
        """Check the numbers of players, rated players and teams."""
        players = self._document.players.values()
        counts = {
            "062": len(players),
            "072": sum(player.rating is not None for player in players),
            "082": len(self._document.list_values(TrfTeam)),
        }
        for tag, count in counts.items():
            stated = parse_whole(self._document.get_text(tag).partition(" ")[0])
            if stated is not None and stated != count:
                self._report(
                    next(self._document.list_lines(tag)).number, 5, "count_differs", stated=stated, count=count
                )

    def check_ranks(self) -> None:
        """Check that the ranks follow each other; equal ranks are a tie (1 2 2 4 or 1 2 2 3)."""
        ranked = sorted((player.rank, number) for number, player in self._document.players.items() if player.rank)
        if not ranked:
            return
        for number in self._document.players.keys() - {number for _, number in ranked}:
            self._report(self._players[number][0], 86, "rank_missing", player=number)
        for rank, number in self._list_holes(ranked):
            self._report(self._players[number][0], 86, "rank_holes", rank=rank)

    @staticmethod
    def _list_holes(ranked: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the ranks that follow neither the number of better players nor the rank before."""
        before = better = 0
        for position, (rank, number) in enumerate(ranked):
            if rank != before:
                better = position
                if rank not in (better + 1, before + 1):
                    yield rank, number
                before = rank
