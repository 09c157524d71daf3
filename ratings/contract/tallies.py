"""Tallies that several tie-breaks share: points, sums of the opponents' points, and products with them."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from ratings.contract.result_table import ResultTable, RoundResult
from ratings.contract.tie_break import TallyLine, TieBreakOptions, TieBreakTally
from ratings.contract.unplayed_rounds import OpponentScores, score_opponents, select_left_out
from ratings.texts import N_

ADDED = N_("added or taken by the arbiter")
NO_SCORES = N_("A game has no score.")


def tally_points(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points of each round, and those that an arbiter added or took."""
    lines = [TallyLine(result.round, result.opponent, result.points) for result in table.results[entry]]
    if added := table.added.get(entry, 0):
        lines.append(TallyLine(0, 0, added, ADDED))
    return TieBreakTally(lines, table.scale)


def tally_buchholz(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the points of the opponents (8.1)."""
    scores = score_opponents(table, entry, options)
    return TieBreakTally(scores.lines, table.scale, select_left_out(scores, scores.lines, options))


def tally_products(
    scores: OpponentScores, gained: Sequence[int], scale: int, gained_scale: int, options: TieBreakOptions
) -> TieBreakTally:
    """Return the products of what was gained, in units of ``gained_scale``, and the opponents' points."""
    unit = scale * gained_scale
    lines = [
        TallyLine(number, opponent, amount * score, note, (amount, score))
        for (number, opponent, score, note, _factors), amount in zip(scores.lines, gained, strict=True)
    ]
    return TieBreakTally(lines, unit, select_left_out(scores, lines, options), scale=scale)


def tally_extended(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return each round's game score times the opponent's points (13.2.2)."""
    scores = score_opponents(table, entry, options)
    gained = [get_game_score(result) for result in scores.results]
    game_scores = [score for score in gained if score is not None]
    if len(game_scores) < len(gained):
        return TieBreakTally(reason=NO_SCORES)
    scale = lcm(*(score.denominator for score in game_scores))
    return tally_products(scores, [int(score * scale) for score in game_scores], table.scale, scale, options)


def get_game_score(result: RoundResult) -> Fraction | None:
    """Return the entry's score in the game; an unplayed round without one counts as 0."""
    seat = result.own_seat
    score = seat.score if seat else None
    return Fraction(0) if score is None and result.kind != "played" else score
