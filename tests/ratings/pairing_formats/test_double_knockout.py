"""Double eliminations: the numbers of games and byes, who meets whom, places, and what can still happen."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from random import Random
from typing import TypeAlias

import pytest

from ratings.contract.competition import (
    CompetitionData,
    FixtureData,
    RoundData,
    build_fixture,
    build_forfeit,
    build_game,
)
from ratings.contract.pairing_format import CannotPair, PairingProposal, PairingRequest
from ratings.pairing_formats.double_knockout import DoubleKnockout, find_crossing
from ratings.standings.knockout_bracket import build_bracket, find_possible_ranks, rank_knockout
from tests.helpers.tiers import mark_rows_slow, mark_slow
from tests.ratings.pairing_formats.drawn_rounds import build_entries

#: Entries that meet -> the winner.
Judge: TypeAlias = Callable[[int, int], int]
SIZES = [2, 3, 4, 5, 6, 7, 8, 13, 33, *mark_slow([*range(9, 13), *range(14, 33), 64, 255, 256], "larger brackets")]


def pair(competition: CompetitionData, *withdrawn: int, **parameters: str | float) -> PairingProposal:
    """Return the next round."""
    request = PairingRequest(competition, len(competition.rounds) + 1, frozenset(withdrawn))
    return DoubleKnockout(**parameters).pair(request)  # type: ignore[arg-type]  # the parameters' own types


def add(competition: CompetitionData, fixtures: Sequence[FixtureData]) -> CompetitionData:
    """Return the competition with one round more."""
    number = len(competition.rounds) + 1
    return replace(competition, rounds=(*competition.rounds, RoundData(number, tuple(fixtures))))


def decide(fixture: FixtureData, judge: Judge) -> FixtureData:
    """Return a fixture with its result; byes stay."""
    if fixture.kind != "planned":
        return fixture
    first, second = (seat.entry for seat in fixture.seats)
    return build_game(first, second, "win" if judge(first, second) == first else "loss")


def play(size: int, judge: Judge, **parameters: str | float) -> CompetitionData:
    """Play a competition to its end, until no round can be paired."""
    competition = CompetitionData(build_entries(size), ())
    while True:
        try:
            proposal = pair(competition, **parameters)
        except CannotPair:
            return competition
        competition = add(competition, [decide(fixture, judge) for fixture in proposal.fixtures])


def list_games(competition: CompetitionData) -> list[tuple[int, int, int]]:
    """Return round, winner and loser of each game."""
    games = []
    for one_round in competition.rounds:
        for fixture in one_round.fixtures:
            if fixture.kind == "played":
                winner, loser = sorted(fixture.seats, key=lambda seat: seat.place)
                games.append((one_round.number, winner.entry, loser.entry))
    return games


def ranks(competition: CompetitionData, second_final: str = "yes") -> dict[int, int]:
    """Return entry -> rank."""
    standings = rank_knockout(competition, DoubleKnockout(second_final=second_final), ["TPN"])
    return {row.entry: row.rank for row in standings.rows}


@pytest.mark.parametrize("size", SIZES)
def test_everyone_leaves_with_the_second_loss_and_byes_are_no_games(size: int) -> None:
    random = Random(size)
    for _ in range(3):
        competition = play(size, lambda first, second: random.choice((first, second)))
        games = list_games(competition)
        losses = Counter(loser for _, _, loser in games)
        champion = next(entry for entry, rank in ranks(competition).items() if rank == 1)
        assert all(losses[entry] == 2 for entry in range(1, size + 1) if entry != champion)
        assert len(games) == 2 * size - 2 + losses[champion]
        assert losses[champion] <= 1
        # Byes go to the first seeds, only in the first round: as many as places stay free.
        full = 1 << (size - 1).bit_length()
        byes = [seat.entry for one in competition.rounds for fixture in one.fixtures if fixture.kind == "pairing_bye"
                for seat in fixture.seats]  # fmt: skip
        assert sorted(byes) == [*range(1, full - size + 1)]
        # Nobody plays twice in a round, and those out earlier have worse places.
        for number in range(1, len(competition.rounds) + 1):
            assert max(Counter(entry for at, *both in games if at == number for entry in both).values()) == 1
        last = {loser: number for number, _, loser in games}
        places = ranks(competition)
        for one, other in combinations([entry for entry in places if entry != champion], 2):
            assert (places[one] < places[other]) == (last[one] > last[other])


def test_a_double_elimination_of_eight_by_seed() -> None:
    """The better seed wins: 8–5 leave in round 2, ... as counted on paper."""
    competition = play(8, min)
    assert [(number, winner, loser) for number, winner, loser in list_games(competition)] == [
        (1, 1, 8), (1, 4, 5), (1, 3, 6), (1, 2, 7),
        # The winners 1–4 and 3–2; the losers 8–5 and 6–7.
        (2, 1, 4), (2, 2, 3), (2, 5, 8), (2, 6, 7),
        # The losers of the second round change halves: 3 comes to 5, and 4 to 6.
        (3, 3, 5), (3, 4, 6),
        (4, 1, 2), (4, 3, 4),
        (5, 2, 3),
        (6, 1, 2),
    ]  # fmt: skip
    assert ranks(competition) == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 7, 8: 7}
    with pytest.raises(CannotPair, match=r"^The first final has decided: there is no second one\.$"):
        pair(competition)
    with pytest.raises(CannotPair, match="This double elimination has 6 rounds; there is no round 7"):
        pair(competition, second_final="no")


def test_a_game_after_the_first_final_has_decided_is_no_second_final() -> None:
    """An arbiter adds a seventh round: it is shown, and the places stay as the first final left them."""
    decided = play(4, min)
    after = add(decided, [build_game(2, 1, "win")])
    bracket = build_bracket(after, DoubleKnockout())
    assert not bracket.matches[-1].needed
    assert not bracket.matches[-1].fixtures
    assert [sorted(entry for entry in match.entries if entry) for match in bracket.extra] == [[1, 2]]
    assert ranks(after) == ranks(decided) == {1: 1, 2: 2, 3: 3, 4: 4}


def test_the_second_final_is_played_if_whoever_has_lost_wins_the_first() -> None:
    def judge(first: int, second: int) -> int:
        """The second seed loses to the first one once, in the winners' bracket; then it always wins."""
        met.append({first, second})
        return 2 if {first, second} == {1, 2} and met.count({1, 2}) > 1 else min(first, second)

    met: list[set[int]] = []
    once = play(4, judge, second_final="no")
    assert [game[1:] for game in list_games(once)][-2:] == [(2, 3), (2, 1)]
    assert ranks(once, second_final="no") == {2: 1, 1: 2, 3: 3, 4: 4}
    met = []
    twice = play(4, judge)
    assert [game[1:] for game in list_games(twice)][-2:] == [(2, 1), (2, 1)]
    assert len(list_games(twice)) == 2 * 4 - 1
    assert ranks(twice) == {2: 1, 1: 2, 3: 3, 4: 4}
    # After the first final both are still in.
    after = replace(twice, rounds=twice.rounds[:-1])
    assert ranks(after) == {1: 1, 2: 1, 3: 3, 4: 4}
    double = DoubleKnockout()
    possible = find_possible_ranks(build_bracket(after, double), rank_knockout(after, double, ()))
    assert {entry: (one.best, one.worst) for entry, one in possible.items()} == {
        1: (1, 2),
        2: (1, 2),
        3: (3, 3),
        4: (4, 4),
    }


@pytest.mark.parametrize("size", mark_slow([8, 16, 32], "the largest bracket", but=[8, 16]))
def test_rematches_come_as_late_as_any_crossing_allows(size: int) -> None:
    """Of all ways to exchange places by halves, none has its first possible rematch later."""
    total = size.bit_length() - 1

    def find_first_rematch(masks: Sequence[int]) -> int:
        """Return the first losers' round in which two can meet who have met in the winners' bracket."""
        first = 2 * total
        for one in range(1, total):
            for other in range(one + 1, total):
                apart = (masks[one - 1] >> (other - one)) ^ masks[other - 1]
                height = apart.bit_length()
                first = min(first, 2 * other - 2 if height == 0 else 2 * (other + height) - 3)
        return first

    own = [find_crossing(column, 1 << (total - column)) for column in range(1, total)]
    every = product([0], *(range(1 << (total - column)) for column in range(2, total)))
    assert find_first_rematch(own) == max(find_first_rematch(masks) for masks in every)
    # The same, as it is played: who meets again, in a few drawn competitions.
    random, met_again = Random(size), 2 * total
    for _ in range(10):
        met: dict[frozenset[int], int] = {}
        games = list_games(play(size, lambda first, second: random.choice((first, second))))
        for number, winner, loser in games:
            pair_of = frozenset((winner, loser))
            if pair_of in met and number < 2 * total:
                met_again = min(met_again, number - 1)
            met[pair_of] = number
    assert met_again >= find_first_rematch(own)


@pytest.mark.parametrize(
    ("size", "games"), mark_rows_slow([(3, 4), (6, 7), (4, 5), (5, 7), (6, 4)], "it has more results", every=2)
)
def test_possible_ranks_are_those_of_all_results_to_come(size: int, games: int) -> None:
    """From the round on in which at most so many games are left."""
    random, double = Random(size), DoubleKnockout()
    for _ in range(2):
        ended = play(size, lambda first, second: random.choice((first, second)))
        for number in range(1, len(ended.rounds) + 1):
            before = replace(ended, rounds=ended.rounds[: number - 1])
            if 2 * size - 2 - len(list_games(before)) > games:
                continue
            competition = add(before, pair(before).fixtures)
            reached: dict[int, set[int]] = {entry: set() for entry in range(1, size + 1)}
            for end in play_everything(competition):
                for entry, rank in ranks(end).items():
                    reached[entry].add(rank)
            possible = find_possible_ranks(build_bracket(competition, double), rank_knockout(competition, double, ()))
            assert {entry: (one.best, one.worst) for entry, one in possible.items()} == {
                entry: (min(found), max(found)) for entry, found in reached.items()
            }


def play_everything(competition: CompetitionData) -> list[CompetitionData]:
    """Return all ends of a competition whose last round is open."""
    *before, last = competition.rounds
    open_games = [fixture for fixture in last.fixtures if fixture.kind == "planned"]
    ends = []
    for bits in product((True, False), repeat=len(open_games)):
        outcomes = iter(bits)
        fixtures = [
            one if one.kind != "planned" else decide(one, min if next(outcomes) else max) for one in last.fixtures
        ]
        played = replace(competition, rounds=(*before, RoundData(last.number, tuple(fixtures))))
        try:
            following = add(played, pair(played).fixtures)
        except CannotPair:
            ends.append(played)
        else:
            ends += play_everything(following)
    return ends


def test_opponents_of_those_who_withdraw_go_on() -> None:
    """1 wins twice and withdraws; 8 loses and withdraws: 5 goes on in the losers' bracket, 2 wins the finals."""
    competition = CompetitionData(build_entries(8), ())
    competition = add(competition, [decide(one, min) for one in pair(competition).fixtures])
    second = pair(competition, 8)
    assert [[seat.entry for seat in one.seats] for one in second.fixtures] == [[1, 4], [2, 3], [6, 7], [5]]
    assert second.fixtures[-1].kind == "pairing_bye"
    competition = add(competition, [decide(one, min) for one in second.fixtures])
    competition = add(competition, [decide(one, min) for one in pair(competition, 8).fixtures])
    fourth = pair(competition, 1, 8)
    assert [[seat.entry for seat in one.seats] for one in fourth.fixtures] == [[3, 4], [2]]
    competition = add(competition, [decide(one, min) for one in fourth.fixtures])
    fifth = pair(competition, 1, 8)
    # Nobody comes from the winners' final: 3 has a bye.
    assert [[seat.entry for seat in one.seats] for one in fifth.fixtures] == [[3]]
    competition = add(competition, [decide(one, min) for one in fifth.fixtures])
    competition = add(competition, [decide(one, min) for one in pair(competition, 1, 8).fixtures])
    assert ranks(competition)[2] == 1
    assert ranks(competition)[3] == 2


def test_of_two_who_do_not_come_the_higher_seed_goes_on_as_the_loser() -> None:
    competition = CompetitionData(build_entries(4), ())
    competition = add(competition, [build_forfeit(1, 4, 1, 4), build_game(2, 3, "win")])
    following = pair(competition)
    assert [{seat.entry for seat in one.seats} for one in following.fixtures] == [{1, 3}, {2}]
    assert ranks(add(competition, following.fixtures))[4] == 4


def test_a_round_waits_for_open_and_level_matches() -> None:
    competition = add(CompetitionData(build_entries(4), ()), [build_fixture(1, 4), build_game(2, 3, "win")])
    with pytest.raises(CannotPair, match="Entries 1 and 4 have not finished their match"):
        pair(competition)
    level = add(CompetitionData(build_entries(4), ()), [build_game(1, 4, "draw"), build_game(2, 3, "win")])
    with pytest.raises(CannotPair, match="The match of entries 1 and 4 is level"):
        pair(level)
    pairs = [[seat.entry for seat in one.seats] for one in pair(level, level="seed").fixtures]
    assert pairs == [[1, 2], [3, 4]]


def test_sizes_from_two_to_256() -> None:
    double = DoubleKnockout()
    assert [double.check_size(size) is None for size in (1, 2, 256, 257)] == [False, True, True, False]
    assert [double.count_rounds(size) for size in (2, 3, 4, 5, 8, 9, 256)] == [2, 4, 4, 6, 6, 8, 16]
