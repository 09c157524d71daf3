"""Tie-breaks of teams (articles 12 and 13)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, lcm
from typing import TypeAlias

from ratings.contract.competition import ScoreName, TeamRules
from ratings.contract.encounters import load_direct_encounters, tally_direct
from ratings.contract.result_table import ResultTable
from ratings.contract.tallies import tally_buchholz, tally_extended, tally_points, tally_products
from ratings.contract.tie_break import (
    TEAMS_ONLY,
    TallyLine,
    TieBreak,
    TieBreakOptions,
    TieBreakTally,
    compute_once,
    round_half_up,
    select_score,
    tally_mean,
)
from ratings.contract.unplayed_rounds import (
    FORFEITS_AS_PLAYED,
    ROUNDS_SO_FAR,
    UNPLAYED,
    score_opponents,
)
from ratings.texts import N_

Tally: TypeAlias = Callable[[ResultTable, int, TieBreakOptions], TieBreakTally]
NO_DIVISOR = N_("There are too few rounds.")


def count_board_numbers(boards: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the points of each board times its number, less being better."""
    return (-sum((points * number for number, points in enumerate(boards, 1)), Fraction(0)),)


def eliminate_bottom(boards: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the points without the last board, without the last two, and so on."""
    return tuple(sum(boards[:-cut], Fraction(0)) for cut in range(1, len(boards)))


#: How boards separate teams: the higher value is better.
ORDERS: dict[str, Callable[[Sequence[Fraction]], tuple[Fraction, ...]]] = {
    "C": count_board_numbers, "T": tuple, "B": eliminate_bottom,
}  # fmt: skip


def get_other(teams: TeamRules) -> ScoreName:
    """Return the points that do not come first."""
    return "board" if teams.primary == "match" else "match"


def count_score(score: ScoreName | None) -> Tally:
    """Return the tally function of match points or board points; None: of those that do not come first."""

    def tally_score(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
        teams = table.competition.teams
        if teams is None:
            return TieBreakTally(reason=TEAMS_ONLY)
        return tally_points(select_score(table, score or get_other(teams)), entry, options)

    return tally_score


def multiply_scores(opponents: ScoreName, own: ScoreName) -> Tally:
    """Return the tally function of one kind of points of the opponents times one of the own points (13.2)."""

    def tally_scores(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
        if table.competition.teams is None:
            return TieBreakTally(reason=TEAMS_ONLY)
        first, second = select_score(table, opponents), select_score(table, own)
        gained = [result.points for result in score_opponents(second, entry, options).results]
        return tally_products(score_opponents(first, entry, options), gained, first.scale, second.scale, options)

    return tally_scores


def tally_match_by_score(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return EMGSB; a game with a score, such as goals, is a match of one board."""
    if table.competition.teams is None:
        return tally_extended(table, entry, options)
    return multiply_scores("match", "board")(table, entry, options)


def rank_extended(boards: str) -> Callable[[ResultTable, Sequence[int], TieBreakOptions], list[list[int]]]:
    """Return the function that splits the tied: by the first points, then by the others; each part again (13.3).

    ``boards``: how the boards of their match separate the last two (13.3.2): C board count, T top, B bottom.
    """

    def rank_tied(table: ResultTable, tied: Sequence[int], options: TieBreakOptions) -> list[list[int]]:
        teams = table.competition.teams
        scores = (teams.primary, get_other(teams)) if teams else ()
        for score in scores:
            parts = load_direct_encounters(select_score(table, score), options).split(tied)
            if len(parts) > 1:
                return [again for part in parts for again in rank_tied(table, part, options)]
        if teams and boards and len(tied) == 2:
            return _rank_by_match(table, tied, boards)
        return [list(tied)]

    return rank_tied


def _rank_by_match(table: ResultTable, tied: Sequence[int], boards: str) -> list[list[int]]:
    """Return two teams in the order that the boards of their matches have."""
    first, second = tied
    points = {entry: [Fraction(0)] * len(sum_boards(table, entry)) for entry in tied}
    for result in table.results[first]:
        if result.opponent == second and result.fixture and result.kind == "played":
            for at, board in enumerate(result.fixture.boards[: len(points[first])]):
                points[first][at] += board[result.seat]
                points[second][at] += board[1 - result.seat]
    for letter in boards:
        keys = {entry: ORDERS[letter](points[entry]) for entry in tied}
        if keys[first] != keys[second]:
            best = max(tied, key=lambda entry: keys[entry])
            return [[best], [first + second - best]]
    return [list(tied)]


def tally_extended_direct(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points against the tied that come first."""
    return tally_direct(table, entry, options) if table.competition.teams else TieBreakTally(reason=TEAMS_ONLY)


def tally_strength(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the other points and a part of Buchholz, in hundredths (13.4)."""
    teams = table.competition.teams
    if teams is None:
        return TieBreakTally(reason=TEAMS_ONLY)
    divisor = options.divisor or _find_divisor(table, teams)
    if not divisor:
        return TieBreakTally(reason=NO_DIVISOR)
    other = select_score(table, get_other(teams))
    strength = tally_buchholz(table, entry, options)
    unit = lcm(other.scale, table.scale * divisor)
    gained = tally_points(other, entry, options).lines
    own = [line._replace(amount=line.amount * (unit // other.scale)) for line in gained]
    part = [
        line._replace(amount=line.amount * (unit // (table.scale * divisor)))
        for position, line in enumerate(strength.lines)
        if position not in strength.left_out
    ]
    lines = [*own, *part]
    return tally_mean(lines, unit, round_half_up(100 * sum(line.amount for line in lines), unit), 100)


def _find_divisor(table: ResultTable, teams: TeamRules) -> int:
    """Return what makes the opponents' points comparable with the other ones."""
    win, most = Fraction(table.win, table.scale) * table.rounds, table.competition.points.win
    if teams.primary == "match":
        most = teams.points.win * teams.boards
    return floor(win / most) if most else 0


def sum_boards(table: ResultTable, entry: int) -> list[Fraction]:
    """Return the points of a team on each board; a bye or forfeit of a match is one of each board (12)."""
    teams = table.competition.teams
    assert teams is not None
    size, points = teams.boards, teams.points
    whole = {"pairing_bye": points.win, "full_bye": points.win, "half_bye": points.draw}

    def compute() -> dict[int, list[Fraction]]:
        sums = {}
        for number, results in table.results.items():
            boards = [Fraction(0)] * size
            for result in results:
                played = result.fixture.boards if result.fixture else ()
                if not played:
                    won = result.kind == "forfeit" and result.half_points
                    each = points.forfeit_win if won else whole.get(result.kind, Fraction(0))
                    boards = [one + each for one in boards]
                for at, board in enumerate(played[:size]):
                    boards[at] += board[result.seat]
            sums[number] = boards
        return sums

    return compute_once(table, "boards", compute)[entry]


def tally_boards(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points of each board times its number (12.1)."""
    if table.competition.teams is None:
        return TieBreakTally(reason=TEAMS_ONLY)
    boards = [points * number for number, points in enumerate(sum_boards(table, entry), 1)]
    return _tally_fractions(boards)


def _tally_fractions(amounts: Sequence[Fraction]) -> TieBreakTally:
    unit = lcm(*(amount.denominator for amount in amounts))
    return TieBreakTally([TallyLine(0, 0, int(amount * unit)) for amount in amounts], unit)


def tally_top_board(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points on board 1."""
    if table.competition.teams is None:
        return TieBreakTally(reason=TEAMS_ONLY)
    return _tally_fractions(sum_boards(table, entry)[:1])


def tally_without_bottom(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points on all boards but the last."""
    if table.competition.teams is None:
        return TieBreakTally(reason=TEAMS_ONLY)
    return _tally_fractions(sum_boards(table, entry)[:-1])


def rank_by_boards(letter: str) -> Callable[[ResultTable, Sequence[int], TieBreakOptions], list[list[int]]]:
    """Return the function that splits the tied by the points on their boards (12.2, 12.3)."""

    def rank_tied(table: ResultTable, tied: Sequence[int], options: TieBreakOptions) -> list[list[int]]:
        if table.competition.teams is None:
            return [list(tied)]
        by_value: dict[tuple[Fraction, ...], list[int]] = {}
        for entry in tied:
            by_value.setdefault(ORDERS[letter](sum_boards(table, entry)), []).append(entry)
        return [by_value[value] for value in sorted(by_value, reverse=True)]

    return rank_tied


MPTS = TieBreak("MPTS", N_("Match points"), N_("The points of all matches."), count_score("match"), article="13.1")
GPTS = TieBreak("GPTS", N_("Board points"), N_("The points on all boards."), count_score("board"), article="13.1")
MPVGP = TieBreak(
    "MPVGP",
    N_("The other points"),
    N_("The board points if match points come first in the standings, else the match points."),
    count_score(None),
    article="13.1",
)
AGAINST_TIED = N_("The points against the tied teams: those that come first in the standings, then the others.")
EDE = TieBreak(
    "EDE",
    N_("Extended direct encounter"),
    AGAINST_TIED,
    tally_extended_direct,
    article="13.3",
    rank_tied=rank_extended(""),
)
EDEBT = TieBreak(
    "EDEBT",
    N_("Extended direct encounter, board count, top boards"),
    N_("As EDE; then, of two teams, the board count of their match, and its top boards."),
    tally_extended_direct,
    article="13.3.2",
    rank_tied=rank_extended("CT"),
)
EDEBB = TieBreak(
    "EDEBB",
    N_("Extended direct encounter, board count, bottom boards"),
    N_("As EDE; then, of two teams, the board count of their match, and its boards without the last ones."),
    tally_extended_direct,
    article="13.3.2",
    rank_tied=rank_extended("CB"),
)
EDET = TieBreak(
    "EDET",
    N_("Extended direct encounter, top boards"),
    N_("As EDE; then, of two teams, the top boards of their match."),
    tally_extended_direct,
    article="13.3.2",
    rank_tied=rank_extended("T"),
)
EDEB = TieBreak(
    "EDEB",
    N_("Extended direct encounter, bottom boards"),
    N_("As EDE; then, of two teams, the boards of their match without the last ones."),
    tally_extended_direct,
    article="13.3.2",
    rank_tied=rank_extended("B"),
)
OF_PRODUCTS = (UNPLAYED, ROUNDS_SO_FAR, FORFEITS_AS_PLAYED)
EMMSB = TieBreak(
    "EMMSB",
    N_("Sonneborn-Berger of match points"),
    N_("The match points of each round times the opponent's match points."),
    multiply_scores("match", "match"),
    article="13.2.1",
    modifiers="CP",
    rulings=OF_PRODUCTS,
)
EMGSB = TieBreak(
    "EMGSB",
    N_("Sonneborn-Berger of match and board points"),
    N_("The board points of each round times the opponent's match points."),
    tally_match_by_score,
    article="13.2.2",
    modifiers="CP",
    rulings=OF_PRODUCTS,
)
EGMSB = TieBreak(
    "EGMSB",
    N_("Sonneborn-Berger of board and match points"),
    N_("The match points of each round times the opponent's board points."),
    multiply_scores("board", "match"),
    article="13.2.3",
    modifiers="CP",
    rulings=OF_PRODUCTS,
)
EGGSB = TieBreak(
    "EGGSB",
    N_("Sonneborn-Berger of board points"),
    N_("The board points of each round times the opponent's board points."),
    multiply_scores("board", "board"),
    article="13.2.4",
    modifiers="CP",
    rulings=OF_PRODUCTS,
)
SSSC = TieBreak(
    "SSSC",
    N_("Score and strength of schedule"),
    N_("The points that do not come first, and a part of the opponents' points that is comparable with them."),
    tally_strength,
    article="13.4",
    modifiers="PFK",
    rulings=OF_PRODUCTS,
)
BC = TieBreak(
    "BC",
    N_("Board count"),
    N_("The points of each board times its number; the lower value is better."),
    tally_boards,
    article="12.1",
    lowest_first=lambda table: True,
)
TBR = TieBreak(
    "TBR",
    N_("Top board results"),
    N_("The points on board 1; if these are equal, on board 2, and so on."),
    tally_top_board,
    article="12.2",
    rank_tied=rank_by_boards("T"),
)
BBE = TieBreak(
    "BBE",
    N_("Bottom board elimination"),
    N_("The points without the last board; if these are equal, without the last two, and so on."),
    tally_without_bottom,
    article="12.3",
    rank_tied=rank_by_boards("B"),
)
