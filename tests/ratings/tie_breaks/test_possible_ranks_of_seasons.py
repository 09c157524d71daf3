"""Possible ranks of drawn seasons: equal to all outcomes, sound to the end, and never wider after a game.

The outcomes are counted here in plain Python, without anything of the code under test.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    Outcome,
    PointsTable,
    RoundData,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
)
from ratings.standings import entries_ahead
from ratings.standings import possible_ranks as module
from ratings.standings.possible_ranks import PossibleRanks, possible_ranks
from ratings.standings.ranking import rank_standings
from tests.helpers.tiers import mark_slow

OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
TABLES = (
    PointsTable(),
    PointsTable.from_json({"win": 2, "draw": 1, "loss": 0, "forfeit_win": 2}),
    PointsTable.from_json({"win": 3, "draw": 1, "loss": 0, "forfeit_win": 3}),
    PointsTable.from_json({"win": 3, "draw": 2, "loss": 1, "forfeit_win": 3, "forfeit_loss": 0}),
)
LISTS: tuple[tuple[str, ...], ...] = ((), ("DE", "SB"), ("WIN",), ("SB", "DE"))
#: script/test draws the first seasons, --all 10,000, and counts every outcome of 1,000.
QUICK, CHUNK = range(12), 500
CHUNKS = mark_slow([range(first, first + CHUNK) for first in range(0, 10_000, CHUNK)], "it draws 500 seasons")


def draw_season(random: Random, size: int) -> list[FixtureData]:
    """Return the games of a season in the order in which they are played, not each two of the same number."""
    pairs = [pair for pair in combinations(range(1, size + 1), 2) for _ in range(random.choice((1, 1, 2)))]
    random.shuffle(pairs)
    strength = [random.random() + 0.1 for _ in range(size + 1)]
    chances = ([strength[one], 0.3, strength[other]] for one, other in pairs)
    return [
        build_game(one, other, random.choices(OUTCOMES, chance)[0])
        for (one, other), chance in zip(pairs, chances, strict=True)
    ]


def cut_season(games: Sequence[FixtureData], played: int, size: int, table: PointsTable) -> CompetitionData:
    """Return the season as it was after so many games."""
    fixtures = [
        game if at < played else build_fixture(*(seat.entry for seat in game.seats)) for at, game in enumerate(games)
    ]
    entries = tuple(EntryData(number) for number in range(1, size + 1))
    return CompetitionData(entries, (RoundData(0, tuple(fixtures)),), table, predetermined=True)


def list_every_rank(competition: CompetitionData, codes: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Return the best and the worst rank of all outcomes; the tied may be first or last of those who share a rank."""
    fixtures = competition.rounds[0].fixtures
    played = [fixture for fixture in fixtures if fixture.kind != "planned"]
    pairs = [(fixture.seats[0].entry, fixture.seats[1].entry) for fixture in fixtures if fixture.kind == "planned"]
    reached: dict[int, list[int]] = {entry.number: [] for entry in competition.entries}
    for outcomes in product(OUTCOMES, repeat=len(pairs)):
        decided = [build_game(one, other, outcome) for (one, other), outcome in zip(pairs, outcomes, strict=True)]
        ended = CompetitionData(
            competition.entries, (RoundData(0, (*played, *decided)),), competition.points, predetermined=True
        )
        ranks = {row.entry: row.rank for row in rank_standings(ended, codes).rows}
        for entry, rank in ranks.items():
            reached[entry] += [rank, rank + sum(other == rank for other in ranks.values()) - 1]
    return {entry: (min(ranks), max(ranks)) for entry, ranks in reached.items()}


def list_ranks_by_points(competition: CompetitionData, *more: tuple[int, int]) -> dict[int, tuple[int, int]]:
    """Return the same by points alone; ``more``: points of a game that is not played."""
    table = competition.points
    given = {"win": (table.win, table.loss), "draw": (table.draw, table.draw), "loss": (table.loss, table.win)}
    start = {entry.number: Fraction(0) for entry in competition.entries}
    open_pairs = []
    for fixture in competition.rounds[0].fixtures:
        one, other = fixture.seats
        if fixture.kind == "planned":
            open_pairs.append((one.entry, other.entry))
            continue
        outcome = "draw" if one.place == other.place else "win" if one.place < other.place else "loss"
        start[one.entry] += given[outcome][0]
        start[other.entry] += given[outcome][1]
    reached: dict[int, list[int]] = {entry: [] for entry in start}
    every: list[tuple[Fraction, Fraction]] = [
        *given.values(),
        *((Fraction(own), Fraction(other)) for own, other in more),
    ]
    for outcomes in product(every, repeat=len(open_pairs)):
        ended = dict(start)
        for pair, gained in zip(open_pairs, outcomes, strict=True):
            for entry, points in zip(pair, gained, strict=True):
                ended[entry] += points
        for entry, own in ended.items():
            reached[entry] += [
                1 + sum(points > own for points in ended.values()),
                sum(points >= own for points in ended.values()),
            ]
    return {entry: (min(ranks), max(ranks)) for entry, ranks in reached.items()}


def limit_ways(monkeypatch: pytest.MonkeyPatch, *, ranked: int = 0, combinations: int = 0, searched: int = 99) -> None:
    """Choose the way of counting: outcomes that are ranked, combinations that are listed, entries of a search."""
    monkeypatch.setattr(module, "MAX_RANKED_ROWS", ranked)
    monkeypatch.setattr(module, "MAX_SEARCHED_ENTRIES", searched)
    monkeypatch.setattr(entries_ahead, "MAX_COMBINATIONS", combinations)


def spans(ranks: dict[int, PossibleRanks]) -> dict[int, tuple[int, int]]:
    """Return best and worst by entry."""
    return {entry: (found.best, found.worst) for entry, found in ranks.items()}


def example() -> CompetitionData:
    """Return the example of the rules: A 4, B 2, C 0, D 0 points, two for a win; A–D, B–D and C–D are open."""
    games = [
        build_game(1, 2, "win"), build_game(1, 3, "win"), build_game(2, 3, "win"),
        build_fixture(1, 4), build_fixture(2, 4), build_fixture(3, 4),
    ]  # fmt: skip
    return cut_season(games, 3, 4, TABLES[1])


@pytest.mark.parametrize("codes", LISTS)
@pytest.mark.parametrize("way", [{"ranked": 2500}, {"combinations": 59049}, {}])
def test_the_example_of_the_rules(codes: tuple[str, ...], way: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    limit_ways(monkeypatch, **way)
    assert spans(possible_ranks(example(), codes)) == {1: (1, 3), 2: (1, 4), 3: (2, 4), 4: (1, 4)}


@pytest.mark.uncounted("it draws 10,000 seasons")
@pytest.mark.parametrize("seeds", [QUICK, *CHUNKS])
def test_no_range_excludes_what_came_and_none_widens(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    limit_ways(monkeypatch, ranked=200, combinations=3**7)
    for seed in seeds:
        random = Random(seed)
        size = random.choice((3, 4, 5, 6, 6, 7, 9))
        table, codes = random.choice(TABLES), random.choice(LISTS)
        games = draw_season(random, size)
        before = dict.fromkeys(range(1, size + 1), (1, size))
        for played in range(max(0, len(games) - random.randint(3, 20)), len(games) + 1):
            if random.random() < 0.6 and played < len(games):
                continue
            competition = cut_season(games, played, size, table)
            found = possible_ranks(competition, codes)
            for entry, (best, worst) in spans(found).items():
                assert before[entry][0] <= best <= worst <= before[entry][1], (seed, played, entry)
            before = spans(found)
        final = rank_standings(competition, codes)
        assert before == {row.entry: (row.rank, row.rank) for row in final.rows}


@pytest.mark.parametrize("seeds", [QUICK, *CHUNKS[:2]])
def test_ranges_are_those_of_all_outcomes(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        random = Random(seed)
        size, table, codes = random.randint(3, 7), random.choice(TABLES), random.choice(LISTS)
        games = draw_season(random, size)
        competition = cut_season(games, max(0, len(games) - random.choice((3, 4, 4, 5))), size, table)
        by_points = list_ranks_by_points(competition)
        for listed in (0, 59049):
            limit_ways(monkeypatch, combinations=listed)
            assert spans(possible_ranks(competition, ())) == by_points, seed
            for entry, found in possible_ranks(competition, codes).items():
                assert (found.best, found.worst) == by_points[entry]
        few = cut_season(games, max(0, len(games) - random.randint(1, 3)), size, table)
        by_tie_breaks = list_every_rank(few, codes)
        for entry, found in possible_ranks(few, codes).items():
            assert not found.exact or (found.best, found.worst) == by_tie_breaks[entry], seed
        limit_ways(monkeypatch, ranked=10_000)
        assert spans(possible_ranks(few, codes)) == by_tie_breaks, seed
        limit_ways(monkeypatch, searched=0)
        for entry, found in possible_ranks(competition, ()).items():
            assert found.best <= by_points[entry][0] <= by_points[entry][1] <= found.worst
            assert not found.exact or (found.best, found.worst) == by_points[entry]


@pytest.mark.parametrize("size", [12, 14, 16])
def test_listing_and_searching_agree_for_a_division(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(size)
    games = draw_season(random, size)
    for table in TABLES[1:3]:
        competition = cut_season(games, len(games) - 10, size, table)
        limit_ways(monkeypatch, combinations=59049)
        listed = possible_ranks(competition, ())
        assert all(found.exact for found in listed.values())
        limit_ways(monkeypatch)
        assert possible_ranks(competition, ()) == listed
        # A search that has to end early still gives bounds that hold.
        monkeypatch.setattr(entries_ahead, "MAX_NODES", 0)
        for entry, found in possible_ranks(competition, ()).items():
            assert found.best <= listed[entry].best <= listed[entry].worst <= found.worst
        monkeypatch.undo()


def test_two_that_do_not_play_pass_nobody() -> None:
    """1, 2 and 3 have a point each; 1 and 2 meet again: whoever comes passes 3, but both may lose by forfeit."""
    games = [build_game(1, 3, "win"), build_game(3, 2, "win"), build_game(2, 1, "win"), build_fixture(1, 2)]
    competition = cut_season(games, 3, 3, PointsTable())
    assert spans(possible_ranks(competition, ())) == {1: (1, 3), 2: (1, 3), 3: (2, 3)}
    assert spans(possible_ranks(competition, (), unplayed=True)) == {1: (1, 3), 2: (1, 3), 3: (1, 3)}


@pytest.mark.parametrize("seed", range(6))
def test_ranges_of_games_that_may_stay_unplayed(seed: int) -> None:
    random = Random(seed)
    size, table = random.randint(3, 6), random.choice(TABLES)
    games = draw_season(random, size)
    competition = cut_season(games, max(0, len(games) - 4), size, table)
    win, loss = int(table.forfeit_win), int(table.forfeit_loss)
    wanted = list_ranks_by_points(competition, (win, loss), (loss, win), (loss, loss))
    assert spans(possible_ranks(competition, ("SB",), unplayed=True)) == wanted


def test_clusters_of_a_large_field_are_counted_exactly_and_large_ones_by_bounds() -> None:
    """Forty entries in the last round: 1 to 39 have as many points as their number, and neighbours meet."""
    entries = tuple(EntryData(number) for number in range(1, 41))
    points = PointsTable.from_json({"win": 3, "draw": 1, "loss": 0, "full_bye": 1})
    byes = tuple(
        RoundData(number, tuple(build_bye(entry, "full_bye") for entry in range(number, 41))) for number in range(1, 41)
    )
    last = RoundData(41, tuple(build_fixture(number, number + 1) for number in range(1, 41, 2)))
    found = possible_ranks(CompetitionData(entries, (*byes, last), points, predetermined=True), ())
    # If 40 loses, 39 has 42, and 38 41 or 37 40 points. 37 with a win has 40; 39 or 40 has more. If it loses, 34 with a
    # win has as many, 35 or 36 more, and 38, 39 and 40, too.
    assert found[40] == PossibleRanks(1, 3, True)
    assert found[37] == PossibleRanks(2, 6, True)
    one_cluster = RoundData(41, tuple(build_fixture(number, number + 1) for number in range(1, 40)))
    chain = possible_ranks(CompetitionData(entries, (*byes, one_cluster), points, predetermined=True), ())
    assert not any(line.exact for line in chain.values())
    assert (chain[40].best, chain[1].worst) == (1, 40)


def test_points_without_a_best_outcome_have_bounds() -> None:
    """A win by forfeit gives more than a win, and its loser more than a loss: neither is the best for both counts."""
    table = PointsTable.from_json({"win": 1, "loss": 0, "forfeit_win": 2, "forfeit_loss": 1})
    competition = cut_season([build_game(1, 2, "win"), build_forfeit(1, 2, 2)], 1, 2, table)
    assert possible_ranks(competition, (), unplayed=True) == dict.fromkeys((1, 2), PossibleRanks(1, 2, False))


def test_lists_that_do_not_begin_with_points_have_no_ranges_if_games_may_stay_unplayed() -> None:
    found = possible_ranks(example(), ("WIN", "PTS"), unplayed=True)
    assert set(found.values()) == {PossibleRanks(1, 4, False)}
