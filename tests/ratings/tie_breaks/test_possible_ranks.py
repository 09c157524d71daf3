"""Ranks that can still be reached: exact where every outcome is ranked, else bounds that hold for each of them."""

from itertools import product
from random import Random

import pytest

from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    RoundData,
    Seat,
    build_bye,
    build_fixture,
    build_game,
    build_table,
)
from ratings.standings import possible_ranks as module
from ratings.standings.possible_ranks import PossibleRanks, possible_ranks
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import UnknownTieBreak
from tests.helpers.tiers import examples
from tests.ratings.tie_breaks.drawn_tournaments import clear_last_rounds, draw_round_robin


def found(competition: CompetitionData, *codes: str) -> dict[int, tuple[int, int, bool]]:
    """Return best, worst and whether they are exact, by entry."""
    ranks = possible_ranks(competition, codes)
    return {entry: (line.best, line.worst, line.exact) for entry, line in sorted(ranks.items())}


def test_finished_standings_have_one_possible_rank() -> None:
    competition = draw_round_robin(Random(5))
    rows = rank_standings(competition, ["SB"]).rows
    assert possible_ranks(competition, ["SB"]) == {row.entry: PossibleRanks(row.rank, row.rank, True) for row in rows}


def test_a_last_game_between_two_decides_what_tie_breaks_can_decide() -> None:
    # 1 has 3 points, 2 has 1, 3 and 4 have ½ and drew against each other; 2 and 4 still play. If 2 wins, 3 and 4 are
    # tied, and whatever separates them later may put each of them last.
    entries = tuple(EntryData(number) for number in range(1, 5))
    rounds = (
        RoundData(1, (build_game(1, 2, "win"), build_game(3, 4, "draw"))),
        RoundData(2, (build_game(1, 3, "win"), build_fixture(2, 4))),
        RoundData(3, (build_game(2, 3, "win"), build_game(4, 1, "loss"))),
    )
    competition = CompetitionData(entries, rounds, predetermined=True)
    assert found(competition, "DE") == {1: (1, 1, True), 2: (2, 3, True), 3: (3, 4, True), 4: (2, 4, True)}


def test_bounds_by_points_hold_for_rounds_that_are_not_paired_yet() -> None:
    entries = tuple(EntryData(number) for number in range(1, 4))
    one = RoundData(1, (build_game(1, 2, "win"),))
    competition = CompetitionData(entries, (one,), planned_rounds=2)
    assert found(competition) == {1: (1, 3, False), 2: (1, 3, False), 3: (1, 3, False)}
    # 1 has 2 points, 2 and 3 have none, and a round gives at most 1.
    ahead = CompetitionData(entries, (one, RoundData(2, (build_game(1, 3, "win"),))), planned_rounds=3)
    assert found(ahead) == {1: (1, 1, False), 2: (2, 3, False), 3: (2, 3, False)}


@pytest.mark.parametrize("seed", range(examples(40)))
def test_of_two_who_meet_only_one_can_win_before_rounds_that_are_not_paired_yet(seed: int) -> None:
    """Every outcome of the open games is counted; in the round to come the others win or lose as is best or worst."""
    random = Random(seed)
    count = random.choice((4, 6, 7))
    order = random.sample(range(1, count + 1), count)
    games = [tuple(order[at : at + 2]) for at in range(0, count - 1, 2)]
    won: dict[int, float] = dict.fromkeys(order, 0.0)
    played = []
    for _ in range(2):
        first, second = random.sample(order, 2)
        played.append(build_game(first, second, "win"))
        won[first] += 1
    shown = [build_fixture(*game) for game in games if random.random() < 0.8]
    rounds = (*(RoundData(at, (game,)) for at, game in enumerate(played, 1)), RoundData(3, tuple(shown)))
    entries = tuple(EntryData(number) for number in range(1, count + 1))
    competition = CompetitionData(entries, rounds, planned_rounds=4)
    pairs = [(fixture.seats[0].entry, fixture.seats[1].entry) for fixture in shown]
    results = ((1, 0), (0.5, 0.5), (0, 1), (0, 0))
    expected = {}
    for entry in order:
        ahead, level = [], []
        for outcome in product(results, repeat=len(pairs)):
            points = dict(won)
            for (first, second), (own, other) in zip(pairs, outcome, strict=True):
                points[first] += own
                points[second] += other
            others = [points[one] for one in order if one != entry]
            ahead.append(sum(one > points[entry] + 1 for one in others))
            level.append(sum(one + 1 >= points[entry] for one in others))
        expected[entry] = (1 + min(ahead), 1 + max(level), False)
    assert found(competition) == dict(sorted(expected.items()))


def test_open_games_of_the_same_two_entries_are_decided_one_by_one() -> None:
    # 1 and 2 play twice: whoever wins once more than the other is first.
    competition = CompetitionData(
        (EntryData(1), EntryData(2), EntryData(3)),
        (
            RoundData(1, (build_fixture(1, 2), build_bye(3, "half_bye"))),
            RoundData(2, (build_fixture(1, 2), build_bye(3, "half_bye"))),
        ),
    )
    standings = rank_standings(competition, ["WIN"])
    # 3 has 1 point. After two draws nothing separates them, after a win each 3 is last, as it has won no game.
    expected = {1: (1, 3, True), 2: (1, 3, True), 3: (1, 3, True)}
    assert found(competition, "WIN") == expected
    given = possible_ranks(competition, ["WIN"], None, standings)
    assert {entry: (line.best, line.worst, line.exact) for entry, line in given.items()} == expected
    assert [row.points for row in rank_standings(competition, ["WIN"]).rows] == [1, 0, 0]


def test_lists_that_do_not_begin_with_points_have_no_bounds() -> None:
    entries = tuple(EntryData(number) for number in range(1, 5))
    open_table = FixtureData(tuple(Seat(number) for number in (1, 2, 3)))
    competition = CompetitionData(entries, (RoundData(1, (open_table,)),))
    assert set(found(competition, "SCORE", "PTS").values()) == {(1, 4, False)}
    done = CompetitionData(entries, (RoundData(1, (build_table({1: 1, 2: 2, 3: 3}),)), RoundData(2, (open_table,))))
    # 1 has 2 points, 2 has 1, 3 and 4 have none. The open table gives at most 2, and nothing to 4.
    assert found(done, "SB") == {1: (1, 3, False), 2: (1, 3, False), 3: (1, 4, False), 4: (3, 4, False)}


@pytest.mark.parametrize("seed", range(examples(20)))
def test_ranks_by_points_contain_those_by_tie_breaks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    competition = draw_round_robin(random)
    while len(competition.entries) > 6:
        competition = draw_round_robin(random)
    competition = clear_last_rounds(competition, last_rounds=1)
    exact = possible_ranks(competition, ["DE", "SB"])
    assert all(line.exact for line in exact.values())
    monkeypatch.setattr(module, "MAX_RANKED_ROWS", 0)
    for entry, bound in possible_ranks(competition, ["DE", "SB"]).items():
        assert bound.best <= exact[entry].best <= exact[entry].worst <= bound.worst
        assert not bound.exact or bound == exact[entry]


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(UnknownTieBreak):
        possible_ranks(CompetitionData((EntryData(1),), ()), ["XX"])
