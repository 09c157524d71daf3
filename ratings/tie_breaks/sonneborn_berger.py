"""Products of points and the opponents' points: SB, ESB."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable, RoundResult
from ratings.contract.tie_break import TallyLine, TieBreak, TieBreakOptions, TieBreakTally
from ratings.contract.unplayed_rounds import (
    FORFEITS_AS_PLAYED,
    ROUNDS_SO_FAR,
    UNPLAYED,
    OpponentScores,
    score_opponents,
    select_left_out,
)
from ratings.texts import N_

NO_SCORES = N_("A game has no score.")


def tally_products(scores: OpponentScores, gained: Sequence[int], unit: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the products of what was gained and the opponents' points."""
    lines = [
        TallyLine(number, opponent, amount * score, note)
        for (number, opponent, score, note), amount in zip(scores.lines, gained, strict=True)
    ]
    return TieBreakTally(lines, unit, select_left_out(scores, lines, options))


def tally_sonneborn_berger(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return each round's points times the opponent's points (9.1)."""
    scores = score_opponents(table, entry, options)
    return tally_products(scores, [result.points for result in scores.results], table.scale**2, options)


def tally_extended(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return each round's game score times the opponent's points (13.2.2)."""
    scores = score_opponents(table, entry, options)
    gained = [get_game_score(result) for result in scores.results]
    game_scores = [score for score in gained if score is not None]
    if len(game_scores) < len(gained):
        return TieBreakTally(reason=NO_SCORES)
    scale = lcm(*(score.denominator for score in game_scores))
    return tally_products(scores, [int(score * scale) for score in game_scores], table.scale * scale, options)


def get_game_score(result: RoundResult) -> Fraction | None:
    """Return the entry's score in the game; an unplayed round without one counts as 0."""
    seat = result.own_seat
    score = seat.score if seat else None
    return Fraction(0) if score is None and result.kind != "played" else score


SB = TieBreak(
    "SB",
    N_("Sonneborn-Berger"),
    N_("The points of each round times the opponent's points."),
    tally_sonneborn_berger,
    article="9.1",
    modifiers="CP",
    rulings=(UNPLAYED, ROUNDS_SO_FAR, FORFEITS_AS_PLAYED),
)
ESB = TieBreak(
    "ESB",
    N_("Extended Sonneborn-Berger"),
    N_("The game score of each round times the opponent's points."),
    tally_extended,
    article="13.2",
    modifiers="CP",
    rulings=(
        UNPLAYED,
        ROUNDS_SO_FAR,
        FORFEITS_AS_PLAYED,
        Ruling(
            "R150",
            N_("Extended Sonneborn-Berger"),
            N_(
                "Of the four variants in article 13.2, ESB is EMGSB: the opponent's points of the competition times "
                "the score of the game (board points, goals). An unplayed round without a score counts as 0."
            ),
        ),
    ),
)
