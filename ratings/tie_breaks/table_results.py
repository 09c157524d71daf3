"""Scores and places in games of any size: SCORE, BEST, FIRSTS, SECONDS … SEVENTHS."""

from collections.abc import Callable
from math import lcm

from ratings.contract.competition import Seat
from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import TallyLine, TieBreak, TieBreakOptions, TieBreakTally, compute_once
from ratings.texts import N_

NO_SCORE = N_("No game has a score.")


def list_played_seats(table: ResultTable, entry: int) -> list[tuple[int, int, Seat]]:
    """Return the round, opponent and seat of each played game."""

    def compute() -> dict[int, list[tuple[int, int, Seat]]]:
        return {
            number: [
                (result.round, result.opponent, result.fixture.seats[result.seat])
                for result in lines
                if result.kind == "played" and result.fixture
            ]
            for number, lines in table.results.items()
        }

    return compute_once(table, "played seats", compute)[entry]


def collect_scores(table: ResultTable, entry: int) -> tuple[list[TallyLine], int]:
    """Return the scores of the played games, and their unit."""
    scores = [
        (number, opponent, seat.score)
        for number, opponent, seat in list_played_seats(table, entry)
        if seat.score is not None
    ]
    unit = lcm(*(score.denominator for _, _, score in scores))
    return [TallyLine(number, opponent, int(score * unit)) for number, opponent, score in scores], unit


def tally_scores(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the scores of all games."""
    lines, unit = collect_scores(table, entry)
    return TieBreakTally(lines, unit) if lines else TieBreakTally(reason=NO_SCORE)


def tally_best(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the best score of a game."""
    lines, unit = collect_scores(table, entry)
    if not lines:
        return TieBreakTally(reason=NO_SCORE)
    best = min if table.competition.lowest_wins else max
    return TieBreakTally([best(lines, key=lambda line: line.amount)], unit)


def count_place(place: int) -> Callable[[ResultTable, int, TieBreakOptions], TieBreakTally]:
    """Return the tally function of the number of games in which an entry finished in this place."""

    def tally_places(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
        return TieBreakTally(
            [
                TallyLine(number, opponent, 1)
                for number, opponent, seat in list_played_seats(table, entry)
                if seat.place == place
            ]
        )

    return tally_places


SCORE = TieBreak(
    "SCORE",
    N_("Score"),
    N_("The sum of the scores of all games."),
    tally_scores,
    for_tables=True,
    lowest_first=lambda table: table.competition.lowest_wins,
)
BEST = TieBreak(
    "BEST",
    N_("Best game"),
    N_("The best score of a game."),
    tally_best,
    for_tables=True,
    lowest_first=lambda table: table.competition.lowest_wins,
)
FIRSTS = TieBreak(
    "FIRSTS",
    N_("First places"),
    N_("The number of games finished in first place."),
    count_place(1),
    for_tables=True,
)
SECONDS = TieBreak(
    "SECONDS",
    N_("Second places"),
    N_("The number of games finished in second place."),
    count_place(2),
    for_tables=True,
)
THIRDS = TieBreak(
    "THIRDS",
    N_("Third places"),
    N_("The number of games finished in third place."),
    count_place(3),
    for_tables=True,
)
FOURTHS = TieBreak(
    "FOURTHS",
    N_("Fourth places"),
    N_("The number of games finished in fourth place."),
    count_place(4),
    for_tables=True,
)
FIFTHS = TieBreak(
    "FIFTHS",
    N_("Fifth places"),
    N_("The number of games finished in fifth place."),
    count_place(5),
    for_tables=True,
)
SIXTHS = TieBreak(
    "SIXTHS",
    N_("Sixth places"),
    N_("The number of games finished in sixth place."),
    count_place(6),
    for_tables=True,
)
SEVENTHS = TieBreak(
    "SEVENTHS",
    N_("Seventh places"),
    N_("The number of games finished in seventh place."),
    count_place(7),
    for_tables=True,
)
