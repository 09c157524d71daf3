"""Tables of results that are derived from another one equal those tabulated from all fixtures."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from ratings.contract.competition import CompetitionData, EntryData, FixtureData, RoundData, build_game
from ratings.contract.result_table import ResultTable, cut_rounds, decide_games, tabulate_results
from ratings.standings.ranking import parse_list, rank_groups
from tests.helpers.tiers import examples
from tests.ratings.tie_breaks.drawn_tournaments import clear_last_rounds, draw_irregular_swiss, draw_round_robin

CODES = ("BH/C1", "FB", "PS", "SB", "DE", "KS")


def describe(table: ResultTable) -> tuple[object, ...]:
    """Return everything that tie-breaks read, with points as fractions of a point."""
    scaled = {entry: Fraction(points, table.scale) for entry, points in table.points.items()}
    results = {
        entry: [(*line[:2], Fraction(line.points, table.scale), *line[3:]) for line in lines]
        for entry, lines in table.results.items()
    }
    amounts = [Fraction(amount, table.scale) for amount in (table.win, table.draw, table.loss)]
    return table.competition, table.rounds, results, scaled, table.ratings, table.two_seats, amounts


def find_places(groups: list[list[int]], wanted: set[int]) -> dict[int, tuple[int, list[int]]]:
    """Return how many are before the group of each wanted entry, and the group."""
    before = [sum(map(len, groups[:at])) for at in range(len(groups))]
    return {entry: (place, group) for place, group in zip(before, groups, strict=True) for entry in wanted & {*group}}


@pytest.mark.parametrize("seed", range(examples(10)))
def test_a_table_cut_after_a_round_is_that_of_the_rounds_until_then(seed: int) -> None:
    competition = draw_irregular_swiss(Random(seed))
    for last in range(1, len(competition.rounds)):
        earlier = replace(competition, rounds=competition.rounds[:last], planned_rounds=last)
        cut, tabulated = cut_rounds(tabulate_results(competition), last), tabulate_results(earlier)
        assert describe(cut) == describe(tabulated)
        groups = rank_groups(cut, parse_list(CODES))
        assert groups == rank_groups(tabulated, parse_list(CODES))
        # The places of some entries are the same if other groups are not split.
        wanted = {entry.number for entry in competition.entries[:2]}
        some = rank_groups(cut, parse_list(CODES), wanted)
        assert find_places(some, wanted) == find_places(groups, wanted)


@pytest.mark.parametrize("seed", range(examples(10)))
def test_decided_games_count_as_if_they_had_been_tabulated(seed: int) -> None:
    random = Random(seed)
    competition = clear_last_rounds(draw_round_robin(random), last_rounds=2)
    games: dict[int, FixtureData] = {}
    rounds = []
    for one in competition.rounds:
        fixtures = []
        for fixture in one.fixtures:
            if fixture.kind == "planned":
                white, black = fixture.seats
                games[id(fixture)] = build_game(white.entry, black.entry, random.choice(("win", "draw", "loss")))
            fixtures.append(games.get(id(fixture), fixture))
        rounds.append(RoundData(one.number, tuple(fixtures)))
    played: CompetitionData = replace(competition, rounds=tuple(rounds))
    assert games
    assert describe(decide_games(tabulate_results(competition), games)) == describe(tabulate_results(played))


def test_points_that_an_arbiter_added_are_no_points_of_rounds() -> None:
    entries = EntryData(1, added=((1, Fraction(-1, 2)),)), EntryData(2)
    table = tabulate_results(CompetitionData(entries, (RoundData(1, (build_game(1, 2, "win"),)),)))
    assert [Fraction(table.points[entry], table.scale) for entry in (1, 2)] == [Fraction(1, 2), 0]
    assert [Fraction(table.sum_rounds(entry), table.scale) for entry in (1, 2)] == [1, 0]
