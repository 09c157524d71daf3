"""Baku acceleration (C.04.7): its groups and points by hand, and pairings against an independent engine."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from ratings.contract.competition import CompetitionData, EntryData, FixtureData, RoundData, build_bye, build_game
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.pairing_formats.swiss import Swiss
from tests.ratings.pairing_formats.drawn_rounds import build_entries, draw_result, list_games
from tests.ratings.pairing_formats.other_engines import pair_with_py4swiss

HALF, ONE = Fraction(1, 2), Fraction(1)
BAKU = Swiss(first_colour="white", acceleration="baku")


def list_group(entries: int, rounds: int = 9, **request: object) -> dict[int, tuple[Fraction, ...]]:
    """Return the virtual points before round 1."""
    data = CompetitionData(build_entries(entries), (), planned_rounds=rounds)
    return BAKU.list_virtual_points(PairingRequest(data, 1, **request))  # type: ignore[arg-type]  # members of it


@pytest.mark.parametrize(("entries", "size"), [(3, 2), (4, 2), (5, 4), (8, 4), (9, 6), (40, 20), (41, 22), (161, 82)])
def test_group_a_is_the_first_half_rounded_up_to_an_even_number(entries: int, size: int) -> None:
    assert list(list_group(entries)) == list(range(1, size + 1))


@pytest.mark.parametrize(
    ("rounds", "points"),
    [
        (9, [1, 1, 1, 0.5, 0.5]),  # as the regulations have it
        (5, [1, 1, 0.5]), (7, [1, 1, 0.5, 0.5]), (8, [1, 1, 0.5, 0.5]), (10, [1, 1, 1, 0.5, 0.5]),
        (11, [1, 1, 1, 0.5, 0.5, 0.5]), (1, [1]), (2, [1]), (3, [1, 0.5]),
    ],
)  # fmt: skip
def test_half_of_the_rounds_are_accelerated_and_half_of_these_by_a_win(rounds: int, points: list[float]) -> None:
    assert list(list_group(8, rounds)[1]) == points


def test_a_win_of_two_points_accelerates_by_two() -> None:
    data = CompetitionData(build_entries(8), (), planned_rounds=9)
    two = replace(data, points=replace(data.points, win=Fraction(2), draw=ONE))
    assert list(BAKU.list_virtual_points(PairingRequest(two, 1))[1]) == [2, 2, 2, 1, 1]


def test_who_is_absent_in_round_1_does_not_count_and_late_entries_leave_the_last_of_the_group() -> None:
    # 2 and 9 are absent: of ten, eight are paired, and 1, 3, 4 and 5 are group A; 2 joins it when it comes.
    assert list(list_group(10, byes={2: "half_bye", 9: "zero_bye"})) == [1, 2, 3, 4, 5]
    games = [build_game(1, 6, "win"), build_game(7, 3, "draw"), build_game(4, 8, "win"), build_game(10, 5, "loss")]
    first = RoundData(1, (*games, build_bye(2, "half_bye"), build_bye(9, "zero_bye")))
    for later in ([], [11, 12, 13, 14]):
        entries = (*build_entries(10), *(EntryData(number, 2700) for number in later))
        data = CompetitionData(entries, (first,), planned_rounds=9)
        assert list(BAKU.list_virtual_points(PairingRequest(data, 2))) == [1, 2, 3, 4, 5]
    # A late entry with a number of the group joins it: its last one stays the last.
    eight = RoundData(1, tuple(build_game(number, number + 4, "win") for number in range(1, 5)))
    moved = [(1, 1), (2, 2), (9, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9)]
    entries = tuple(EntryData(number, moved=place) for number, place in moved)
    data = CompetitionData(entries, (eight,), planned_rounds=9)
    assert list(BAKU.list_virtual_points(PairingRequest(data, 2))) == [1, 2, 9, 3, 4]
    # A pairing-allocated bye is of an entry that came.
    first = RoundData(1, (build_game(1, 3, "win"), build_game(4, 2, "win"), build_bye(5, "pairing_bye")))
    data = CompetitionData(build_entries(5), (first,), planned_rounds=9)
    assert list(BAKU.list_virtual_points(PairingRequest(data, 2))) == [1, 2, 3, 4]


@pytest.mark.parametrize("entries", [8, 12, 20, 41])
def test_round_1_pairs_each_group_within_itself(entries: int) -> None:
    """The upper half of a score group meets the lower one, so that the numbers of pairs are known by hand."""
    data = CompetitionData(build_entries(entries), (), planned_rounds=9)
    pairs = sorted(tuple(sorted(game)) for game in list_games(BAKU.pair(PairingRequest(data, 1))) if game[1])
    size = 2 * -(-entries // 4)
    rest = (entries - size) // 2
    wanted = [(number, number + size // 2) for number in range(1, size // 2 + 1)]
    wanted += [(size + number, size + number + rest) for number in range(1, rest + 1)]
    assert pairs == wanted


def play_accelerated(seed: int, entries: int) -> tuple[int, int]:
    """Play a tournament; return how many rounds py4swiss pairs alike and otherwise, and hold its score groups."""
    random, same, other = Random(seed), 0, 0
    competition = CompetitionData(build_entries(entries), (), planned_rounds=9)
    points = dict.fromkeys(range(1, entries + 1), Fraction(0))
    group = 2 * -(-entries // 4)
    for number in range(1, 8):
        request = PairingRequest(competition, number)
        try:
            proposal = BAKU.pair(request)
        except CannotPair:
            break
        added = ONE if number <= 3 else HALF if number <= 5 else Fraction(0)
        scores = {entry: gained + added * (entry <= group) for entry, gained in points.items()}
        told = {frozenset(reason.entries) for reason in proposal.reasons if len(reason.entries) == 2}
        assert told == {frozenset(game) for game in list_games(proposal) if scores[game[0]] != scores[game[1]]}
        accelerations = {entry: [*[10] * 3, *[5] * 2][:number] for entry in range(1, group + 1)}
        if list_games(proposal) == sorted(pair_with_py4swiss(request, "w", accelerations)):
            same += 1
        else:
            other += 1
        fixtures: list[FixtureData] = [draw_result(random, fixture) for fixture in proposal.fixtures]
        for fixture in fixtures:
            white, black = fixture.seats
            points[white.entry] += Fraction(1 + (black.place > white.place) - (black.place < white.place), 2)
            points[black.entry] += Fraction(1 + (white.place > black.place) - (white.place < black.place), 2)
        competition = replace(competition, rounds=(*competition.rounds, RoundData(number, tuple(fixtures))))
    return same, other


def test_an_independent_engine_pairs_accelerated_rounds_alike() -> None:
    """Its edition is the one before 2026, so that a few rounds may differ."""
    counts = [play_accelerated(seed, 12 + 4 * seed) for seed in range(5)]
    same, other = map(sum, zip(*counts, strict=True))
    assert same >= 15 * other
    assert same > 25


def test_points_that_a_file_gives_count_for_their_rounds_alone() -> None:
    entries = tuple(
        EntryData(number, 2600 - number, virtual=(Fraction(0), ONE) if number in (4, 8) else ())
        for number in range(1, 9)
    )
    games = (build_game(1, 5, "draw"), build_game(6, 2, "draw"), build_game(3, 7, "draw"), build_game(8, 4, "draw"))
    given = Swiss(first_colour="white", acceleration="given")
    data = CompetitionData(entries, (), planned_rounds=5)
    assert {frozenset(game) for game in list_games(given.pair(PairingRequest(data, 1)))} == {
        frozenset((number, number + 4)) for number in range(1, 5)
    }
    second = PairingRequest(replace(data, rounds=(RoundData(1, games),)), 2)
    # 4 and 8 are ahead, have met each other, and so meet those behind.
    told = {frozenset(reason.entries) for reason in given.pair(second).reasons}
    assert {entry for pair in told for entry in pair} >= {4, 8}
    assert Swiss(first_colour="white").pair(second).reasons == ()


@pytest.mark.parametrize("seed", range(8))
def test_points_that_an_arbiter_added_are_paired_as_those_of_games(seed: int) -> None:
    """All games drawn: those with a point more or less are the score groups, and these have even numbers here."""
    random = Random(seed)
    size = 12
    changed = random.sample(range(1, size + 1), 4)
    more, less = changed[:2], changed[2:]
    amounts = {**dict.fromkeys(more, ONE), **dict.fromkeys(less, -HALF)}
    entries = tuple(
        EntryData(number, 2600 - number, added=((1, amounts[number]),) if number in amounts else ())
        for number in range(1, size + 1)
    )
    first = Swiss(first_colour="white").pair(PairingRequest(CompetitionData(entries, (), planned_rounds=5), 1))
    games = [build_game(one.seats[0].entry, one.seats[1].entry, "draw") for one in first.fixtures]
    met = [{seat.entry for seat in one.seats} for one in games]
    data = CompetitionData(entries, (RoundData(1, tuple(games)),), planned_rounds=5)
    pairs = [set(game) for game in list_games(Swiss(first_colour="white").pair(PairingRequest(data, 2)))]
    for group in (set(more), set(less)):
        assert (group in pairs) == (group not in met)
