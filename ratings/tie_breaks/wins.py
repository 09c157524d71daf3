"""Numbers of rounds: WIN, WON, BPG, BWG, REP, STD."""

from collections.abc import Callable

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import REQUESTED_BYES, ResultTable, RoundResult
from ratings.contract.tie_break import TallyLine, TieBreak, TieBreakOptions, TieBreakTally
from ratings.texts import N_


def tally_half_counts(
    table: ResultTable, entry: int, half_count: Callable[[ResultTable, RoundResult], int]
) -> TieBreakTally:
    """Return the rounds for which ``half_count`` is positive; 2 counts as one round."""
    lines = [
        TallyLine(result.round, result.opponent, count)
        for result in table.results[entry]
        if (count := half_count(table, result))
    ]
    return TieBreakTally(lines, 2)


def count_win_points(table: ResultTable, result: RoundResult) -> int:
    """Count a round with as many points as a win, at a table as many as the first place."""
    seats = len(result.fixture.seats) if result.fixture else 0
    full = table.competition.points.share_places(range(1, seats + 1))[0] * table.scale if seats > 2 else table.win
    return 2 * (result.kind != "planned" and result.points == full)


def count_win(table: ResultTable, result: RoundResult) -> int:
    """Count a game won over the board."""
    return 2 * (result.played and result.half_points == 2)


def count_black_game(table: ResultTable, result: RoundResult) -> int:
    """Count a game played with Black."""
    return 2 * (result.played and result.seat == 1)


def count_black_win(table: ResultTable, result: RoundResult) -> int:
    """Count a game won with Black."""
    return 2 * (result.played and result.seat == 1 and result.half_points == 2)


def count_elected_round(table: ResultTable, result: RoundResult) -> int:
    """Count a round that is no requested bye and no forfeit loss."""
    return 2 * (result.kind not in (*REQUESTED_BYES, "planned") and not result.voluntary)


def count_standard_points(table: ResultTable, result: RoundResult) -> int:
    """Count a win as 1 and a draw as ½; an unplayed round by its points."""
    if result.kind == "planned":
        return 0
    if result.played:
        return result.half_points
    return 1 + (result.points > table.draw) - (result.points < table.draw)


def tally_count_of(
    half_count: Callable[[ResultTable, RoundResult], int],
) -> Callable[[ResultTable, int, TieBreakOptions], TieBreakTally]:
    """Return the tally function of a number of rounds."""
    return lambda table, entry, options: tally_half_counts(table, entry, half_count)


OVER_THE_BOARD = Ruling(
    "R143",
    N_("Forfeits are not games won"),
    N_(
        "WON, BPG and BWG count games over the board only, in round robins too. Article 15.2 treats a forfeit win in a "
        "round robin as a regular game, which would contradict the definitions in articles 7.2 to 7.4. FIDE's checker "
        "decides in the same way."
    ),
)
UNPLAYED_STANDARD = Ruling(
    "R148",
    N_("Standard points of a double forfeit"),
    N_(
        "Both entries of a double forfeit score the same, yet neither gets half a standard point (7.7): an unplayed "
        "round counts by its points, a full one above a draw's points, a half one for a draw's points. FIDE's checker "
        "decides in the same way."
    ),
)

WIN = TieBreak(
    "WIN",
    N_("Wins"),
    N_("The number of rounds with as many points as for a win, including byes and forfeits."),
    tally_count_of(count_win_points),
    article="7.1",
    for_tables=True,
)
WON = TieBreak(
    "WON",
    N_("Games won"),
    N_("The number of games won over the board."),
    tally_count_of(count_win),
    article="7.2",
    rulings=(OVER_THE_BOARD,),
)
BPG = TieBreak(
    "BPG",
    N_("Games with Black"),
    N_("The number of games played over the board with Black."),
    tally_count_of(count_black_game),
    article="7.3",
    rulings=(OVER_THE_BOARD,),
)
BWG = TieBreak(
    "BWG",
    N_("Games won with Black"),
    N_("The number of games won over the board with Black."),
    tally_count_of(count_black_win),
    article="7.4",
    rulings=(OVER_THE_BOARD,),
)
REP = TieBreak(
    "REP",
    N_("Rounds elected to play"),
    N_("The number of rounds without requested byes and forfeit losses."),
    tally_count_of(count_elected_round),
    article="7.6",
    for_tables=True,
)
STD = TieBreak(
    "STD",
    N_("Standard points"),
    N_("One for each win and a half for each draw, whatever points the competition gives."),
    tally_count_of(count_standard_points),
    article="7.7",
    rulings=(UNPLAYED_STANDARD,),
)
