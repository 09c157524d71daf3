"""Round robins: the Berger tables as FIDE prints them, and their laws for any size."""

from itertools import combinations

import pytest

from ratings.contract.competition import CompetitionData
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.pairing_formats.round_robin import RoundRobin, list_berger_round
from tests.ratings.pairing_formats.drawn_rounds import build_entries, list_games

#: FIDE Handbook C.05, annex 1: size -> rounds of "white-black".
PRINTED = {
    4: ("1-4 2-3", "4-3 1-2", "2-4 3-1"),
    6: ("1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"),
    8: (
        "1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2", "2-8 3-1 4-7 5-6", "8-6 7-5 1-4 2-3", "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4", "4-8 5-3 6-2 7-1",
    ),
}  # fmt: skip


def pair(entries: int, number: int, **parameters: str) -> list[tuple[int, int]]:
    """Return the games of a round."""
    return list_games(
        RoundRobin(**parameters).pair(PairingRequest(CompetitionData(build_entries(entries), ()), number))
    )


@pytest.mark.parametrize("size", PRINTED)
def test_the_printed_tables(size: int) -> None:
    for number, printed in enumerate(PRINTED[size], start=1):
        assert list_berger_round(size, number) == [
            tuple(int(seat) for seat in game.split("-")) for game in printed.split()
        ]


@pytest.mark.parametrize("entries", range(2, 25))
def test_everyone_meets_everyone_once_with_balanced_colours(entries: int) -> None:
    rounds = RoundRobin().count_rounds(entries)
    assert rounds == (entries - 1 if entries % 2 == 0 else entries)
    games = [game for number in range(1, rounds + 1) for game in pair(entries, number)]
    assert sorted(tuple(sorted(game)) for game in games) == list(combinations(range(1, entries + 1), 2))
    for entry in range(1, entries + 1):
        difference = sum(white == entry for white, _ in games) - sum(black == entry for _, black in games)
        assert abs(difference) <= 1


@pytest.mark.parametrize("entries", [2, 3, 4, 5, 8])
def test_a_double_round_robin_has_both_colours(entries: int) -> None:
    rounds = RoundRobin(turns="double").count_rounds(entries)
    games = [game for number in range(1, rounds + 1) for game in pair(entries, number, turns="double")]
    assert sorted(games) == sorted(
        (white, black) for white in range(1, entries + 1) for black in range(1, entries + 1) if white != black
    )


def test_the_last_two_rounds_of_the_first_half_are_exchanged() -> None:
    assert pair(4, 2, turns="double") == pair(4, 3)
    assert pair(4, 3, turns="double") == pair(4, 2)
    assert pair(4, 2, turns="double", exchange="no") == pair(4, 2)
    assert pair(4, 5, turns="double") == sorted((black, white) for white, black in pair(4, 2))
    # Nobody has the same colour three times in a row.
    colours = dict.fromkeys(range(1, 5), "")
    for number in range(1, 7):
        for white, black in pair(4, number, turns="double"):
            colours[white] += "w"
            colours[black] += "b"
    assert not any("www" in line or "bbb" in line for line in colours.values())


def test_the_free_round_of_an_odd_number_says_so() -> None:
    proposal = RoundRobin().pair(PairingRequest(CompetitionData(build_entries(5), ()), 1))
    assert [(bye.kind, bye.seats[0].entry) for bye in proposal.fixtures if len(bye.seats) == 1] == [("zero_bye", 1)]
    assert proposal.reasons[0].explain() == "The number of entries is odd: each has one round without a game."


def test_a_round_after_the_last_is_refused() -> None:
    with pytest.raises(CannotPair, match=r"This round robin has 3 rounds; there is no round 4\."):
        pair(4, 4)
    assert RoundRobin().check_size(1) == "A competition needs at least two entries."
    assert RoundRobin().check_size(2) is None


def test_only_a_double_round_robin_has_rounds_to_exchange() -> None:
    assert RoundRobin(turns="single").list_idle_parameters() == ("exchange",)
    assert RoundRobin(turns="double").list_idle_parameters() == ()
