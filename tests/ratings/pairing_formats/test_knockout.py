"""Knock-outs, worked out by hand."""

from dataclasses import replace

import pytest

from ratings.contract.competition import (
    CompetitionData,
    FixtureData,
    Outcome,
    RoundData,
    build_fixture,
    build_forfeit,
    build_game,
)
from ratings.contract.pairing_format import CannotPair, PairingProposal, PairingRequest
from ratings.pairing_formats.knockout import Knockout, list_bracket_seeds
from tests.ratings.pairing_formats.drawn_rounds import build_entries, list_games


def start(entries: int) -> CompetitionData:
    """Return a competition without rounds."""
    return CompetitionData(build_entries(entries), ())


def add(competition: CompetitionData, *fixtures: FixtureData) -> CompetitionData:
    """Return the competition with one round more."""
    number = len(competition.rounds) + 1
    return replace(competition, rounds=(*competition.rounds, RoundData(number, fixtures)))


def pair(competition: CompetitionData, *withdrawn: int, **parameters: str | float) -> PairingProposal:
    """Return the next round."""
    request = PairingRequest(competition, len(competition.rounds) + 1, frozenset(withdrawn))
    return Knockout(**parameters).pair(request)  # type: ignore[arg-type]  # the parameters' own types


def win(winner: int, loser: int, outcome: Outcome = "win") -> FixtureData:
    """Return a game."""
    return build_game(winner, loser, outcome)


def test_the_bracket_lets_the_first_seeds_meet_last() -> None:
    assert list_bracket_seeds(2) == [1, 2]
    assert list_bracket_seeds(8) == [1, 8, 5, 4, 3, 6, 7, 2]
    for size in (4, 8, 16, 32):
        seeds = list_bracket_seeds(size)
        assert sorted(seeds) == list(range(1, size + 1))
        # If the higher seed wins every match, the sums of the two seeds are the same in each round.
        while len(seeds) > 1:
            pairs = list(zip(seeds[::2], seeds[1::2], strict=True))
            assert {sum(match) for match in pairs} == {len(seeds) + 1}
            seeds = [min(match) for match in pairs]


def test_a_cup_of_thirteen() -> None:
    assert [Knockout().count_rounds(entries) for entries in (2, 3, 4, 5, 8, 9, 13, 16, 17)] == [
        1,
        2,
        2,
        3,
        3,
        4,
        4,
        4,
        5,
    ]
    first = pair(start(13))
    assert sorted(fixture.seats[0].entry for fixture in first.fixtures if fixture.kind == "pairing_bye") == [1, 2, 3]
    games = [{seat.entry for seat in fixture.seats} for fixture in first.fixtures if fixture.kind == "planned"]
    assert sorted(map(sorted, games)) == [[4, 13], [5, 12], [6, 11], [7, 10], [8, 9]]
    assert {reason.entries for reason in first.reasons} == {(1,), (2,), (3,)}
    played = []
    for fixture in first.fixtures:
        numbers = sorted(seat.entry for seat in fixture.seats)
        played.append(fixture if len(numbers) == 1 else win(numbers[0], numbers[1]))
    second = pair(add(start(13), *played))
    games = [{seat.entry for seat in fixture.seats} for fixture in second.fixtures]
    assert sorted(map(sorted, games)) == [[1, 8], [2, 7], [3, 6], [4, 5]]


def test_the_match_for_the_third_place() -> None:
    semi_finals = add(start(4), win(1, 4), win(3, 2))
    assert [{seat.entry for seat in fixture.seats} for fixture in pair(semi_finals).fixtures] == [{1, 3}]
    both = pair(semi_finals, third_place="yes")
    assert [{seat.entry for seat in fixture.seats} for fixture in both.fixtures] == [{1, 3}, {2, 4}]


def test_the_games_of_a_match_alternate_colours() -> None:
    assert list_games(pair(start(2), games=3)) == [(1, 2), (1, 2), (2, 1)]
    # 1 had White, 3 had Black: 3 begins with White.
    semi_finals = add(start(4), win(1, 4), win(3, 2, "win"))
    assert list_games(pair(add(start(4), win(1, 4), build_game(2, 3, "loss")))) == [(3, 1)]
    assert list_games(pair(semi_finals)) == [(1, 3)]


def test_a_match_of_several_games_is_decided_by_its_points() -> None:
    played = add(start(2), win(1, 2), win(2, 1), win(1, 2, "draw"))
    with pytest.raises(CannotPair, match=r"This knock-out has 1 rounds; there is no round 2\."):
        pair(played)
    four = add(start(4), win(1, 4), win(4, 1), win(4, 1), win(2, 3), win(2, 3), win(3, 2))
    assert [{seat.entry for seat in fixture.seats} for fixture in pair(four, games=3).fixtures[:1]] == [{4, 2}]


def test_a_level_match() -> None:
    level = add(start(4), win(1, 4, "draw"), win(2, 3))
    with pytest.raises(CannotPair, match=r"The match of entries 1 and 4 is level: record another game\."):
        pair(level)
    by_seed = pair(level, level="seed")
    assert list_games(by_seed) == [(1, 2)]
    assert by_seed.reasons[0].explain() == "The match was level: the higher seed goes on."


def test_an_open_match_and_a_missing_round_are_refused() -> None:
    with pytest.raises(CannotPair, match=r"Entries 1 and 4 have not finished their match\."):
        pair(add(start(4), build_fixture(1, 4), win(2, 3)))
    with pytest.raises(CannotPair, match=r"Round 1 has not been paired yet\."):
        Knockout().pair(PairingRequest(start(4), 2))


def test_withdrawals_and_forfeits() -> None:
    # 4 withdrew with the game open; 2 and 3 both lost by forfeit: 1 has a bye in the final.
    final = pair(add(start(4), build_fixture(1, 4), build_forfeit(2, 3, 2, 3)), 4)
    assert [(fixture.kind, fixture.seats[0].entry) for fixture in final.fixtures] == [("pairing_bye", 1)]
    # 1 won and withdrew: 2 is without an opponent.
    final = pair(add(start(4), win(1, 4), win(2, 3)), 1)
    assert [(fixture.kind, fixture.seats[0].entry) for fixture in final.fixtures] == [("pairing_bye", 2)]
    assert final.reasons[0].explain() == "The opponent withdrew."
    # 3 withdrew before the first round: 2 has a bye there and goes on.
    first = pair(start(4), 3)
    assert [(fixture.kind, fixture.seats[0].entry) for fixture in first.fixtures][-1] == ("pairing_bye", 2)
    final = pair(add(start(4), win(1, 4), first.fixtures[-1]), 3)
    assert list_games(final) == [(2, 1)]
