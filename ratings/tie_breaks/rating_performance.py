"""Tie-breaks by the opponents' ratings: ARO, TPR, PTP, APRO, APPO (article 10)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ratings.columns.fide import EDGE, EXPECTED, dp_of_score
from ratings.contract.declarations import Ruling
from ratings.contract.result_table import ResultTable
from ratings.contract.tie_break import (
    NO_GAME,
    SEVERAL_RATINGS,
    TallyLine,
    TieBreak,
    TieBreakOptions,
    TieBreakRules,
    TieBreakTally,
    compute_once,
    find_rating,
    round_half_up,
    tally_mean,
)
from ratings.contract.unplayed_rounds import FIRST_EDITION
from ratings.texts import N_

#: The expected score by rating difference; negative ones count from the end of the list. Beyond it is 100 or 0.
LAST_BAND = len(EXPECTED) - 1
EXPECTED_EITHER_WAY = [*EXPECTED, *(100 - expected for expected in EXPECTED[:0:-1])]

Tallier: TypeAlias = Callable[[ResultTable, int, TieBreakOptions], TieBreakTally]

UNRATED = N_("An opponent is unrated.")
NO_PERFORMANCE = N_("An opponent has no performance.")
BY_SCORE = N_("for the score, by FIDE's table")


@dataclass(frozen=True, slots=True)
class OpponentRatings:
    """An entry's games that count, with the opponents' ratings. ``reason``: why there is no value."""

    lines: Sequence[TallyLine] = ()
    half_points: int = 0
    average: int = 0
    reason: str = ""


def load_rated_games(table: ResultTable, entry: int, options: TieBreakOptions) -> OpponentRatings:
    """Return an entry's games over the board as the rules count them."""
    rules = options.rules
    return compute_once(
        table, ("rated games", entry, rules.unrated, rules.ratings), lambda: _rated_games(table, entry, rules)
    )


def _rated_games(table: ResultTable, entry: int, rules: TieBreakRules) -> OpponentRatings:
    lines, half_points = [], 0
    for result in table.results[entry]:
        if result.kind != "played" or not result.opponent:
            continue
        rating = find_rating(table, result.opponent, rules, result.round)
        if rating is None:
            rating = rules.replacement_rating
        if rating is None and rules.unrated == "drop":
            return OpponentRatings(reason=UNRATED)
        if rating is not None:
            lines.append(TallyLine(result.round, result.opponent, rating))
            half_points += result.half_points
    return OpponentRatings(lines, half_points, compute_mean(lines)) if lines else OpponentRatings(reason=NO_GAME)


def compute_mean(lines: Sequence[TallyLine]) -> int:
    """Return the mean of the amounts, half up."""
    return round_half_up(sum([line.amount for line in lines]), len(lines))


def tally_average(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the opponents' average rating (10.1); cuts leave out the lowest, then the highest."""
    games = load_rated_games(table, entry, options)
    lines, low, high = games.lines, options.cut_low, options.cut_high
    if options.rules.regulations == FIRST_EDITION:
        unplayed = table.rounds - len(lines)
        low, high = max(0, low - unplayed), max(0, high - max(0, unplayed - low))
    order = sorted(range(len(lines)), key=lambda at: lines[at].amount)
    remaining = order[low : max(low, len(order) - high)]
    if games.reason or not remaining:
        return TieBreakTally(reason=games.reason or NO_GAME)
    counted = [lines[at] for at in sorted(remaining)]
    tally = tally_mean(counted, len(counted), compute_mean(counted))
    rest = [lines[at] for at in sorted(set(order) - set(remaining))]
    left_out = frozenset(range(len(tally.lines), len(tally.lines) + len(rest)))
    return TieBreakTally([*tally.lines, *rest], tally.unit, left_out)


def tally_with_difference(games: OpponentRatings, difference: int) -> TieBreakTally:
    """Return the tally of the average rating and a difference for the score."""
    tally = tally_mean(games.lines, len(games.lines), games.average)
    return TieBreakTally([*tally.lines, TallyLine(0, 0, difference * tally.unit, BY_SCORE)], tally.unit)


def tally_performance(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the average rating plus the difference for the score by FIDE's table (10.2)."""
    games = load_rated_games(table, entry, options)
    if games.reason:
        return TieBreakTally(reason=games.reason)
    return tally_with_difference(games, compute_performances(table, options)[entry] - games.average)


def tally_perfect(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
    """Return the lowest rating that expects the score (10.3)."""
    games = load_rated_games(table, entry, options)
    if games.reason:
        return TieBreakTally(reason=games.reason)
    return tally_with_difference(games, compute_perfect_performances(table, options)[entry] - games.average)


def compute_performances(table: ResultTable, options: TieBreakOptions) -> dict[int, int]:
    """Return the performance rating of each entry that has one."""

    def compute() -> dict[int, int]:
        by_entry = {entry: load_rated_games(table, entry, options) for entry in table.results}
        return {
            entry: games.average + dp_of_score(games.half_points, len(games.lines))
            for entry, games in by_entry.items()
            if games.lines
        }

    return compute_once(table, ("TPR", options.rules.unrated, options.rules.ratings), compute)


def compute_perfect_performances(table: ResultTable, options: TieBreakOptions) -> dict[int, int]:
    """Return the perfect performance of each entry that has one."""
    bonus = int(options.rules.perfect_score_bonus)

    def compute() -> dict[int, int]:
        by_entry = {entry: load_rated_games(table, entry, options) for entry in table.results}
        return {
            entry: compute_perfect_performance([line.amount for line in games.lines], games.half_points, bonus)
            for entry, games in by_entry.items()
            if games.lines
        }

    return compute_once(table, ("PTP", options.rules.unrated, options.rules.ratings, bonus), compute)


def compute_perfect_performance(ratings: list[int], half_points: int, bonus: int) -> int:
    """Return the lowest whole rating whose expected score reaches the score; for no points and all points, the edge."""
    low, high = min(ratings) - EDGE, max(ratings) + EDGE
    if half_points == 0:
        return low
    if half_points == 2 * len(ratings):
        return max(ratings) + bonus
    wanted = 50 * half_points
    while low < high:
        middle, expected = (low + high) // 2, 0
        for rating in ratings:
            difference = middle - rating
            if -LAST_BAND <= difference <= LAST_BAND:
                expected += EXPECTED_EITHER_WAY[difference]
            elif difference > 0:
                expected += 100
        low, high = (low, middle) if expected >= wanted else (middle + 1, high)
    return low


def average_over_opponents(measure: Callable[[ResultTable, TieBreakOptions], dict[int, int]]) -> Tallier:
    """Return the tally function of the opponents' mean performance, once for each game (10.4, 10.5)."""

    def tally_opponents(table: ResultTable, entry: int, options: TieBreakOptions) -> TieBreakTally:
        games, values = load_rated_games(table, entry, options), measure(table, options)
        counted = [
            TallyLine(line.round, line.opponent, values[line.opponent])
            for line in games.lines
            if line.opponent in values
        ]
        if games.reason or not counted or (options.rules.unrated == "drop" and len(counted) < len(games.lines)):
            return TieBreakTally(reason=games.reason or NO_PERFORMANCE)
        return tally_mean(counted, len(counted), compute_mean(counted))

    return tally_opponents


UNRATED_ENTRIES = Ruling(
    "R145",
    N_("Unrated entries"),
    N_(
        "Article 10 drops these tie-breaks if unrated entries take part and no rule covers them. By default a value is "
        "missing only if one of the opponents is unrated, but then nobody is ranked by it. The game can be ignored, or "
        "a fixed number used as the rating."
    ),
    "unrated",
)

FIRST_CUTS = Ruling(
    "R153",
    N_("Cuts of ARO in the edition of 2023"),
    N_(
        "In the edition of 1 July 2023 unplayed rounds are cut first, so each of them replaces the cut of a rating. "
        "Later editions cut ratings only. FIDE's checker decides in the same way."
    ),
    "regulations",
)

ARO = TieBreak(
    "ARO",
    N_("Average rating of the opponents"),
    N_("The mean rating of the opponents met over the board."),
    tally_average,
    article="10.1",
    modifiers="CM",
    needs_ratings=True,
    is_mean=True,
    rulings=(UNRATED_ENTRIES, SEVERAL_RATINGS, FIRST_CUTS),
)
TPR = TieBreak(
    "TPR",
    N_("Performance rating"),
    N_("The opponents' average rating plus the difference that FIDE's table gives for the score."),
    tally_performance,
    article="10.2",
    needs_ratings=True,
    is_mean=True,
    rulings=(UNRATED_ENTRIES, SEVERAL_RATINGS),
)
PTP = TieBreak(
    "PTP",
    N_("Perfect performance"),
    N_("The lowest rating that expects at least the score by FIDE's table."),
    tally_perfect,
    article="10.3",
    needs_ratings=True,
    is_mean=True,
    rulings=(UNRATED_ENTRIES, SEVERAL_RATINGS),
)
APRO = TieBreak(
    "APRO",
    N_("Average performance of the opponents"),
    N_("The mean performance rating of the opponents met over the board."),
    average_over_opponents(compute_performances),
    article="10.4",
    needs_ratings=True,
    is_mean=True,
    rulings=(UNRATED_ENTRIES, SEVERAL_RATINGS),
)
APPO = TieBreak(
    "APPO",
    N_("Average perfect performance of the opponents"),
    N_("The mean perfect performance of the opponents met over the board."),
    average_over_opponents(compute_perfect_performances),
    article="10.5",
    needs_ratings=True,
    is_mean=True,
    rulings=(UNRATED_ENTRIES, SEVERAL_RATINGS),
)
