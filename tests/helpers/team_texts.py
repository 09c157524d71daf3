"""Competitions of teams as tournament reports: drawn ones, one by hand, and what FIDE's checker says of them."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from gacrux.tiebreak import tiebreak
from gacrux.trf2json import trf2json

#: Results of White and Black, with how often each is drawn.
RESULTS = [("1", "0")] * 4 + [("=", "=")] * 3 + [("0", "1")] * 4 + [("+", "-"), ("-", "+")]
POINTS = {"1": 2, "=": 1, "+": 2}


def draw_team_file(random: Random, *, teams: int, rounds: int, boards: int, code: str, tie_breaks: str) -> str:
    """Return the text of a report of teams that met at random; at most one has a bye in a round."""
    squads = {team: [team * 10 + place for place in range(boards + 2)] for team in range(1, teams + 1)}
    cells: dict[int, list[str]] = {player: [] for squad in squads.values() for player in squad}
    halves = dict.fromkeys(cells, 0)
    byes = []
    met: set[frozenset[int]] = set()
    for number in range(1, rounds + 1):
        pairs, bye = _pair(random, list(squads), met)
        byes.append(bye)
        row: dict[int, str] = {}
        for first, second in pairs:
            _play(random, [_line_up(random, squads[team], boards) for team in (first, second)], row, halves)
        for player, played in cells.items():
            played.append(row.get(player, "0000 - U" if player // 10 == bye and player % 10 < boards else "0000 - Z"))
        assert all(len(played) == number for played in cells.values())
    lines = ["012 Drawn teams", f"142 {rounds}", f"192 {code}", f"212 {tie_breaks}", "352 " + ("WB" * boards)[:boards]]
    lines.append("362  W 2.0    D 1.0    L 0.0")
    for player, played in cells.items():
        points = f"{halves[player] / 2:.1f}"
        head = (
            f"001 {player:4}      {f'Player {player}':33} {1500 + player:4} {'':3} {'':11} {'':10} {points:>4} {'':4}"
        )
        lines.append(head + "".join(f"  {cell}" for cell in played))
    for team, squad in squads.items():
        lines.append(f"310 {team:3} {f'Team {team}':32} {'':5} {'':6} {'':6} {'':6} {'':3}  " + " ".join(
            f"{player:4}" for player in squad))  # fmt: skip
    if any(byes):
        lines.append(f"320  1.0 {boards / 2:4.1f} " + " ".join(f"{bye:3}" for bye in byes))
    return "\n".join(lines) + "\n"


def _pair(random: Random, teams: list[int], met: set[frozenset[int]]) -> tuple[list[tuple[int, int]], int]:
    for _try in range(500):
        random.shuffle(teams)
        pairs = list(zip(teams[::2], teams[1::2], strict=False))
        if all(frozenset(pair) not in met for pair in pairs):
            break
    met |= {frozenset(pair) for pair in pairs}
    return pairs, teams[-1] if len(teams) % 2 else 0


def _line_up(random: Random, squad: list[int], boards: int) -> list[int]:
    return sorted(random.sample(squad, boards))


def _play(random: Random, sides: list[list[int]], row: dict[int, str], halves: dict[int, int]) -> None:
    """Note the games of a match: the first team has White on odd boards."""
    for board, players in enumerate(zip(*sides, strict=True)):
        white, black = players if board % 2 == 0 else players[::-1]
        for player, other, colour, result in zip(
            (white, black), (black, white), "wb", random.choice(RESULTS), strict=True
        ):
            row[player] = f"{other:4} {colour} {result}"
            halves[player] += POINTS.get(result, 0)


def ask_checker(text: str, codes: Sequence[str], *, round_robin: bool) -> dict[int, tuple[int, list[Fraction | None]]]:
    """Return the checker's rank and values of each team, or of each player where none are paired."""
    reader = trf2json()
    reader.parse_file(text, False)
    tournament = reader.get_tournament(1)
    parameters = {
        "tiebreak": list(codes), "check": False, "unrated": None, "pre_determined": round_robin,
        "swiss": not round_robin,
    }  # fmt: skip
    found = tiebreak(tournament, -1, parameters).compute_tiebreaks(tournament, parameters)
    return {
        line["cid"]: (line["rank"], [None if value is None else Fraction(value) for value in line["tiebreakScore"]])
        for line in found["competitors"]
    }


def write_player(number: int, points: str, *cells: str) -> str:
    head = f"001 {number:4}      {f'Player {number}':33} {2000 - number:4} {'':3} {'':11} {'':10} {points:>4} {'':4}"
    return head + "".join(f"  {cell}" for cell in cells)


def write_team(number: int, points: str, boards: str, rank: int, *players: int) -> str:
    head = f"310 {number:3} {f'Team {number}':32} {'':5} {'':6} {points:>6} {boards:>6} {rank:3}  "
    return head + " ".join(f"{player:4}" for player in players)


#: Three teams on two boards. Team 3 has a bye, then a match without play, then nobody on board 2.
FILE = "\n".join((
    "012 Three teams",
    "142 3",
    "192 FIDE_TEAM_TYPEA_MP_GP",
    "212 MPTS,GPTS,BC",
    "352 WB",
    "362  W 2.0    D 1.0    L 0.0",
    write_player(1, "1.5", "   3 w 1", "0000 - Z", "   5 b ="),
    write_player(2, "2.0", "   4 b 1", "0000 - Z", "0000 - +"),
    write_player(3, "0.0", "   1 b 0", "   5 w -", "0000 - Z"),
    write_player(4, "0.0", "   2 w 0", "   6 b -", "0000 - Z"),
    write_player(5, "1.5", "0000 - U", "   3 b +", "   1 w ="),
    write_player(6, "1.0", "0000 - U", "   4 w +", "0000 - Z"),
    write_team(1, "4.0", "3.5", 1, 1, 2),
    write_team(2, "0.0", "0.0", 3, 3, 4),
    write_team(3, "3.0", "3.5", 2, 5, 6),
    "320  1.0  1.0   3",
)) + "\n"  # fmt: skip
