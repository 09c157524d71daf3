"""The best and the worst rank that each entry of a competition can still reach."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm

from ratings.contract.competition import CompetitionData, FixtureData, Outcome, PointsTable, build_game
from ratings.contract.result_table import ResultTable, decide_games, tabulate_results
from ratings.contract.tie_break import TieBreakChoice, TieBreakRules
from ratings.standings.ranking import Standings, parse_list, rank_groups, rank_standings

OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
#: The maximum of outcomes times entries for which every outcome is ranked.
MAX_RANKED_ROWS = 2500


@dataclass(frozen=True)
class PossibleRanks:
    """``exact``: both ranks can be reached if all remaining games are played. Otherwise no rank outside is possible."""

    best: int
    worst: int
    exact: bool


def possible_ranks(
    competition: CompetitionData,
    tie_breaks: Sequence[str],
    rules: TieBreakRules | None = None,
    standings: Standings | None = None,
) -> dict[int, PossibleRanks]:
    """Return the possible ranks of each entry; ``standings``: those of the competition, if they are known.

    Exact if few games of two remain and all are paired: every outcome is ranked. Otherwise bounds by points.
    Raises UnknownTieBreak.
    """
    open_fixtures = [
        fixture for one_round in competition.rounds for fixture in one_round.fixtures if fixture.kind == "planned"
    ]
    unpaired_rounds = max(0, competition.planned_rounds - len(competition.rounds))
    if not open_fixtures and not unpaired_rounds:
        standings = standings or rank_standings(competition, tie_breaks, rules)
        return {row.entry: PossibleRanks(row.rank, row.rank, True) for row in standings.rows}
    for_two = all(len(fixture.seats) == 2 for fixture in open_fixtures)
    rows = len(competition.entries) * 3 ** len(open_fixtures)
    if for_two and not unpaired_rounds and rows <= MAX_RANKED_ROWS:
        known = standings.table if standings and standings.table.competition is competition else None
        table = known or tabulate_results(competition)
        return _exact_ranks(table, parse_list(tie_breaks, rules), open_fixtures)
    return _bounds(standings or rank_standings(competition, tie_breaks, rules), open_fixtures, unpaired_rounds)


def _exact_ranks(
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
            for entry in group:
                before = ranks.get(entry, PossibleRanks(rank, rank, True))
                ranks[entry] = PossibleRanks(min(before.best, rank), max(before.worst, rank), True)
            rank += len(group)
    return ranks


def _bounds(
    standings: Standings, open_fixtures: Sequence[FixtureData], unpaired_rounds: int
) -> dict[int, PossibleRanks]:
    """Compare what an entry can still reach at most with the fewest points of the others, and the other way round."""
    table, results = standings.table.competition.points, standings.table
    entries = [row.entry for row in standings.rows]
    if standings.choices[0].code != "PTS":
        return {entry: PossibleRanks(1, len(entries), False) for entry in entries}
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
    return {
        entry: PossibleRanks(
            1 + len(entries) - bisect_right(least_points, highest[entry]),
            len(entries) - bisect_left(most_points, lowest[entry]),
            False,
        )
        for entry in entries
    }


def _range_of_points(table: PointsTable, seats: int) -> tuple[Fraction, Fraction]:
    """Return the fewest and the most points that a fixture can give to a seat, played or not."""
    outcomes = [table.forfeit_win, table.forfeit_loss]
    if seats == 2:
        outcomes += [table.win, table.draw, table.loss]
    else:
        outcomes += table.share_places(range(1, seats + 1))
    return min(outcomes), max(outcomes)
