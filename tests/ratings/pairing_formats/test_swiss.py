"""The Swiss system: its laws over drawn tournaments, and two other ways to the same pairing."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from gacrux.pairingdutch import pairing_dutch
from gacrux.trf2json import trf2json

from ratings.contract.competition import (
    CompetitionData,
    RoundData,
    build_bye,
    build_fixture,
    build_forfeit,
    build_game,
)
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.contract.result_table import tabulate_results
from ratings.pairing_formats.swiss import Swiss
from tests.helpers.tiers import long_way
from tests.ratings.pairing_formats.drawn_rounds import build_entries, list_games, play
from tests.ratings.pairing_formats.other_engines import pair_with_py4swiss
from tests.ratings.tie_breaks.drawn_tournaments import write_trf

WHITE = Swiss(first_colour="white")


def pair_from_file(request: PairingRequest, first_colour: str) -> list[tuple[int, int]]:
    """Return the games that FIDE's checker pairs from a TRF file."""
    reader = trf2json()
    reader.parse_file(write_trf(request.competition), False)
    tournament = reader.get_tournament(1)
    tournament["topColor"] = first_colour
    tournament["numRounds"] = max(request.competition.planned_rounds, request.number)
    present = set(request.list_present())
    for competitor in tournament["competitors"]:
        competitor["present"] = competitor["cid"] in present
    engine = pairing_dutch(tournament, request.number, {"experimental": [], "verbose": 0})
    return sorted(
        (pair["w"] or pair["b"], pair["b"] if pair["w"] else 0)
        for bracket in engine.compute_pairing(False)
        for pair in bracket["pairs"]
    )


def hold_laws(seed: int, *, irregular: bool) -> None:
    """Play a drawn tournament and hold each round to the absolute rules."""
    random = Random(seed)
    entries, met, with_bye = random.randint(6, 40), set(), set()
    for request, proposal in play(WHITE, entries, random.randint(3, min(9, entries - 3)), random, irregular=irregular):
        seated = sorted(seat.entry for fixture in proposal.fixtures for seat in fixture.seats)
        assert seated == sorted({*request.list_present(), *(request.byes.keys() - request.withdrawn)})
        for fixture in request.competition.rounds[-1].fixtures if request.competition.rounds else ():
            if fixture.kind == "played":
                met.add(frozenset(seat.entry for seat in fixture.seats))
            elif fixture.kind == "pairing_bye":
                with_bye.add(fixture.seats[0].entry)
        byes = [black == 0 for _, black in list_games(proposal)]
        assert sum(byes) == len(request.list_present()) % 2
        for white, black in list_games(proposal):
            assert frozenset((white, black)) not in met
            assert black or white not in with_bye
        table = tabulate_results(request.competition)
        for reason in proposal.reasons:
            if len(reason.entries) == 2:
                assert table.points[reason.entries[0]] != table.points[reason.entries[1]]


def count_differences(seeds: range) -> tuple[int, int]:
    """Return how many rounds of drawn tournaments py4swiss pairs alike, and how many otherwise."""
    same = other = 0
    for seed in seeds:
        random = Random(seed)
        entries = random.randrange(8, 40, 2)
        for request, proposal in play(WHITE, entries, random.randint(3, min(7, entries - 3)), random):
            if list_games(proposal) == sorted(pair_with_py4swiss(request, "w")):
                same += 1
            else:
                other += 1
    return same, other


@pytest.mark.parametrize("irregular", [False, True])
def test_laws(irregular: bool) -> None:
    for seed in range(6):
        hold_laws(seed, irregular=irregular)


@long_way
def test_a_file_is_paired_alike_by_the_checker() -> None:
    for seed in range(4):
        random = Random(seed)
        for request, proposal in play(WHITE, random.randint(6, 20), 4, random):
            assert list_games(proposal) == pair_from_file(request, "w"), (seed, request.number)


def test_another_engine_of_the_edition_before_pairs_nearly_all_rounds_alike() -> None:
    same, other = count_differences(range(8))
    assert same >= 19 * other
    assert same > 20


@pytest.mark.slow("200 tournaments; some are held above.")
@pytest.mark.uncounted("Runs the lines that they run.")
@pytest.mark.parametrize("first", range(100, 300, 25))
def test_two_hundred_tournaments(first: int) -> None:
    for seed in range(first, first + 25):
        hold_laws(seed, irregular=seed % 2 == 1)
        random = Random(seed)
        for request, proposal in play(WHITE, random.randint(6, 30), 5, random):
            assert list_games(proposal) == pair_from_file(request, "w"), (seed, request.number)
    same, other = count_differences(range(first, first + 25))
    assert same >= 19 * other


def test_the_first_round_pairs_the_upper_half_with_the_lower_half() -> None:
    request = PairingRequest(CompetitionData(build_entries(8), (), planned_rounds=3), 1)
    games = [tuple(seat.entry for seat in fixture.seats) for fixture in WHITE.pair(request).fixtures]
    assert games == [(1, 5), (6, 2), (3, 7), (8, 4)]
    black = Swiss(first_colour="black").pair(request).fixtures
    assert [tuple(seat.entry for seat in fixture.seats) for fixture in black] == [(5, 1), (2, 6), (7, 3), (4, 8)]


def test_the_bye_goes_to_the_last_and_requested_byes_are_fixtures() -> None:
    competition = CompetitionData(build_entries(6), (), planned_rounds=3)
    proposal = WHITE.pair(PairingRequest(competition, 1, byes={2: "half_bye"}))
    assert [(bye.kind, bye.seats[0].entry) for bye in proposal.fixtures if len(bye.seats) == 1] == [
        ("pairing_bye", 6),
        ("half_bye", 2),
    ]
    assert [reason.entries for reason in proposal.reasons] == [(6,), (2,)]
    assert proposal.reasons[1].explain() == "The entry asked for this bye."


def test_who_must_not_meet_does_not() -> None:
    competition = CompetitionData(build_entries(6), (), planned_rounds=3)
    apart = frozenset({frozenset((1, 4)), frozenset((2, 5))})
    games = list_games(WHITE.pair(PairingRequest(competition, 1, not_against=apart)))
    assert all(frozenset(game) not in apart for game in games)


def test_a_forfeit_is_no_meeting() -> None:
    rounds = (RoundData(1, (build_forfeit(1, 2, 2),)),)
    games = list_games(WHITE.pair(PairingRequest(CompetitionData(build_entries(2), rounds, planned_rounds=2), 2)))
    assert [set(game) for game in games] == [{1, 2}]


def test_a_round_that_the_rules_do_not_allow_is_refused() -> None:
    rounds = (RoundData(1, (build_game(1, 2, "win"),)),)
    competition = CompetitionData(build_entries(2), rounds, planned_rounds=2)
    with pytest.raises(CannotPair, match=r"Round 2 cannot be paired: everyone who may meet has met\."):
        WHITE.pair(PairingRequest(competition, 2))


def test_an_open_game_and_an_empty_room_are_refused() -> None:
    open_round = CompetitionData(build_entries(4), (RoundData(1, (build_fixture(1, 3), build_game(2, 4, "win"))),))
    with pytest.raises(CannotPair, match=r"Round 1: the game of entries 1 and 3 has no result\."):
        WHITE.pair(PairingRequest(open_round, 2))
    with pytest.raises(CannotPair, match=r"At least two entries must be present\."):
        WHITE.pair(PairingRequest(CompetitionData(build_entries(2), ()), 1, withdrawn=frozenset({1})))


def test_the_lot_is_the_competitions_seed() -> None:
    competition = CompetitionData(build_entries(4), (), planned_rounds=3)
    firsts = {Swiss().pair(PairingRequest(competition, 1, seed=seed)).fixtures[0].seats[0].entry for seed in range(8)}
    assert firsts == {1, 3}
    assert Swiss().pair(PairingRequest(competition, 1, seed=5)) == Swiss().pair(PairingRequest(competition, 1, seed=5))


def test_all_kinds_of_byes_count_as_the_engine_counts_them() -> None:
    byes = (build_bye(1, "full_bye"), build_bye(2, "half_bye"), build_bye(3, "zero_bye"), build_bye(4, "pairing_bye"))
    competition = CompetitionData(
        build_entries(6), (RoundData(1, (*byes, build_game(5, 6, "draw"))),), planned_rounds=4
    )
    # Points: 1 and 4 have 1, 2, 5 and 6 a half, 3 has 0; 5 and 6 have met.
    games = {frozenset(game) for game in list_games(WHITE.pair(PairingRequest(competition, 2)))}
    assert frozenset((1, 4)) in games
    assert frozenset((5, 6)) not in games


@pytest.mark.parametrize("seed", range(12))
def test_awarded_points_pair_as_the_same_points_from_byes_would(seed: int) -> None:
    """Drawn rounds of decisions; the opponents of the next round have equal points wherever the numbers allow it."""
    random = Random(seed)
    entries = build_entries(8)
    awards = [(Fraction(0), Fraction(0)), (Fraction(1, 2), Fraction(0)), (Fraction(0), Fraction(1, 2))]
    given: dict[int, Fraction] = {}
    fixtures = []
    for white in range(1, 5):
        game = build_game(white, white + 4, "draw")
        points = random.choice(awards)
        fixtures.append(
            replace(game, seats=tuple(seat._replace(points=one) for seat, one in zip(game.seats, points, strict=True)))
        )
        given |= dict(zip((white, white + 4), points, strict=True))
    data = CompetitionData(entries, (RoundData(1, tuple(fixtures)),), planned_rounds=5)
    pairs = list_games(WHITE.pair(PairingRequest(data, 2)))
    # With no one to float but for parity, at most one pair of 8 crosses the two score groups.
    crossing = [pair for pair in pairs if given[pair[0]] != given[pair[1]]]
    assert len(crossing) == sum(points > 0 for points in given.values()) % 2
