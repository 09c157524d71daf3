"""The best and the worst rank that each entry of a competition can still reach."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import lcm

from ratings.contract.competition import CompetitionData, FixtureData, Outcome, PointsTable, build_game
from ratings.contract.result_table import ResultTable, decide_games, tabulate_results
from ratings.contract.tie_break import TieBreakChoice, TieBreakRules
from ratings.standings.entries_ahead import AheadCounter, OpenGame, find_best_outcome
from ratings.standings.ranking import Standings, parse_list, rank_groups, rank_standings

OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
#: The maximum of outcomes times entries for which every outcome is ranked.
MAX_RANKED_ROWS = 2500
#: The most entries for which branch and bound searches what is too much to count one by one.
MAX_SEARCHED_ENTRIES = 16


@dataclass(frozen=True)
class PossibleRanks:
    """Nothing outside is possible if the open games of two are played; ``exact``: and both ranks can be reached.

    Entries that the tie-breaks leave tied count as behind for the best rank, and as ahead for the worst.
    """

    best: int
    worst: int
    exact: bool


def possible_ranks(
    competition: CompetitionData,
    tie_breaks: Sequence[str],
    rules: TieBreakRules | None = None,
    standings: Standings | None = None,
    *,
    unplayed: bool = False,
) -> dict[int, PossibleRanks]:
    """Return the possible ranks of each entry; ``standings``: those of the competition, if they are known.

    If few games of two remain and all are paired, every outcome is ranked. Else ties in points are open: the points of
    open games are counted exactly, or, if that takes too long, by the most and the fewest of each entry.
    ``unplayed``: open games may also stay unplayed, so that one or both entries lose by forfeit.
    Raises UnknownTieBreak.
    """
    open_fixtures = [
        fixture for one_round in competition.rounds for fixture in one_round.fixtures if fixture.kind == "planned"
    ]
    unpaired_rounds = max(0, competition.planned_rounds - len(competition.rounds))
    if not open_fixtures and not unpaired_rounds:
        standings = standings or rank_standings(competition, tie_breaks, rules)
        return {row.entry: PossibleRanks(row.rank, row.rank, True) for row in standings.rows}
    all_paired = not unpaired_rounds and all(len(fixture.seats) == 2 for fixture in open_fixtures)
    known = standings.table if standings and standings.table.competition is competition else None
    choices = parse_list(tie_breaks, rules)
    rows = len(competition.entries) * 3 ** len(open_fixtures)
    if all_paired and not unplayed and rows <= MAX_RANKED_ROWS:
        return _rank_every_outcome(known or tabulate_results(competition), choices, open_fixtures)
    table = known or tabulate_results(competition)
    if choices[0].code != "PTS":
        return dict.fromkeys(table.results, PossibleRanks(1, len(table.results), False))
    counted = _count_points(table, open_fixtures, unplayed, only_points=len(choices) == 1) if all_paired else None
    return counted or _bounds(table, open_fixtures, unpaired_rounds)


def _rank_every_outcome(
    table: ResultTable, choices: Sequence[TieBreakChoice], open_games: Sequence[FixtureData]
) -> dict[int, PossibleRanks]:
    ranks: dict[int, PossibleRanks] = {}
    for outcomes in product(OUTCOMES, repeat=len(open_games)):
        games = {
            id(fixture): build_game(fixture.seats[0].entry, fixture.seats[1].entry, outcome)
            for fixture, outcome in zip(open_games, outcomes, strict=True)
        }
        rank = 1
        for group in rank_groups(decide_games(table, games), choices):
            last = rank + len(group) - 1
            for entry in group:
                before = ranks.get(entry, PossibleRanks(rank, last, True))
                ranks[entry] = PossibleRanks(min(before.best, rank), max(before.worst, last), True)
            rank += len(group)
    return ranks


def _count_points(
    table: ResultTable, open_fixtures: Sequence[FixtureData], unplayed: bool, *, only_points: bool
) -> dict[int, PossibleRanks] | None:
    """Count the points of open games of two; None if no outcome is the best for one and the worst for the other."""
    outcomes = table.competition.points.list_pairs(unplayed=unplayed)
    scale = lcm(table.scale, *(one.denominator for outcome in outcomes for one in outcome))
    in_units = {(int(own * scale), int(other * scale)) for own, other in outcomes}
    best = find_best_outcome(in_units)
    if best is None:
        return None
    won = {entry: gained * (scale // table.scale) for entry, gained in table.points.items()}
    games: list[OpenGame] = [(fixture.seats[0].entry, fixture.seats[1].entry) for fixture in open_fixtures]
    counter = AheadCounter(won, games, in_units, search=len(won) <= MAX_SEARCHED_ENTRIES)
    ranks = {}
    for entry in won:
        # Ties count as behind for the best rank, and as ahead for the worst.
        top = 1 + counter.count(entry, best, fewest=True, at_least=False)
        bottom = 1 + counter.count(entry, best[::-1], fewest=False, at_least=True)
        # If the contrary gives the same, no tie-break can change it; a search would take too long for that.
        exact = only_points or (
            counter.lists_all
            and top == 1 + counter.count(entry, best, fewest=True, at_least=True)
            and bottom == 1 + counter.count(entry, best[::-1], fewest=False, at_least=False)
        )
        ranks[entry] = PossibleRanks(top, bottom, exact)
    return ranks if counter.exact else {entry: replace(found, exact=False) for entry, found in ranks.items()}


def _bounds(
    results: ResultTable, open_fixtures: Sequence[FixtureData], unpaired_rounds: int
) -> dict[int, PossibleRanks]:
    """Compare what an entry can still reach at most with the fewest points of the others, and the other way round.

    Of two who meet and have no other open fixture, one's win is the other's loss: both count as ahead only where one
    outcome puts both there. The rounds to come are not paired yet: anybody may win or lose those.
    """
    table, entries = results.competition.points, list(results.points)
    ranges = {size: _range_of_points(table, size) for size in {len(fixture.seats) for fixture in open_fixtures}}
    ranges[0] = (unpaired_rounds * table.lowest, unpaired_rounds * table.highest)
    # In whole units, as fractions are slow to compare.
    scale = lcm(results.scale, *(points.denominator for both in ranges.values() for points in both))
    units = {size: (int(least * scale), int(most * scale)) for size, (least, most) in ranges.items()}
    lowest, highest = (
        {entry: results.points[entry] * (scale // results.scale) + rest for entry in entries} for rest in units[0]
    )
    for fixture in open_fixtures:
        least, most = units[len(fixture.seats)]
        for seat in fixture.seats:
            lowest[seat.entry] += least
            highest[seat.entry] += most
    least_points, most_points = sorted(lowest.values()), sorted(highest.values())
    count_apart = _count_pairs_apart(table, open_fixtures, highest, scale)
    return {
        entry: PossibleRanks(
            1 + len(entries) - bisect_right(least_points, highest[entry]),
            len(entries) - bisect_left(most_points, lowest[entry]) - count_apart(lowest[entry]),
            False,
        )
        for entry in entries
    }


def _count_pairs_apart(
    table: PointsTable, open_fixtures: Sequence[FixtureData], highest: Mapping[int, int], scale: int
) -> Callable[[int], int]:
    """Return for points: of how many pairs both cannot reach them, though each can by itself.

    ``highest``: the most points of each entry, in units; ``scale``: the units of a point.
    """
    seats = Counter(seat.entry for fixture in open_fixtures for seat in fixture.seats)
    pairs = [
        (highest[fixture.seats[0].entry], highest[fixture.seats[1].entry])
        for fixture in open_fixtures
        if len(fixture.seats) == 2 and all(seats[seat.entry] == 1 for seat in fixture.seats)
    ]
    most = _range_of_points(table, 2)[1]
    missed = [
        (int((most - own) * scale), int((most - other) * scale)) for own, other in table.list_pairs(unplayed=True)
    ]
    alone = sorted(min(pair) for pair in pairs)
    at_once = sorted(max(min(first - own, second - other) for own, other in missed) for first, second in pairs)
    return lambda points: bisect_left(at_once, points) - bisect_left(alone, points)


def _range_of_points(table: PointsTable, seats: int) -> tuple[Fraction, Fraction]:
    """Return the fewest and the most points that a fixture can give to a seat, played or not."""
    outcomes = [table.forfeit_win, table.forfeit_loss]
    if seats == 2:
        outcomes += [table.win, table.draw, table.loss]
    else:
        outcomes += table.share_places(range(1, seats + 1))
    return min(outcomes), max(outcomes)
