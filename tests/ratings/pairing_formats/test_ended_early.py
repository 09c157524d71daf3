"""A search that has no time left answers with an allowed pairing that says so; one that finds none says who is left."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from ratings.contract.competition import CompetitionData, RoundData, build_game
from ratings.contract.pairing_format import ENDED_EARLY, CannotPair, PairingProposal, PairingRequest
from ratings.pairing_formats import staged_matching
from ratings.pairing_formats.swiss import Swiss
from ratings.pairing_formats.tables import Tables
from tests.helpers.tiers import mark_slow
from tests.ratings.pairing_formats.drawn_rounds import build_entries, draw_result

SWISS, TABLES = Swiss(first_colour="white"), Tables()


def be_late_after(questions: int) -> Callable[[], bool]:
    """Return a clock that has time for so many questions."""
    asked = Counter[str]()

    def is_late() -> bool:
        asked["times"] += 1
        return asked["times"] > questions

    return is_late


def ended_early(proposal: PairingProposal) -> bool:
    return any(reason.text == ENDED_EARLY and not reason.entries for reason in proposal.reasons)


def find_colours(competition: CompetitionData) -> dict[int, str]:
    colours = dict.fromkeys(range(1, len(competition.entries) + 1), "")
    for one_round in competition.rounds:
        for fixture in one_round.fixtures:
            if fixture.kind == "played":
                colours[fixture.seats[0].entry] += "w"
                colours[fixture.seats[1].entry] += "b"
    return colours


def hold_to_rules(request: PairingRequest, proposal: PairingProposal) -> None:
    """Hold a Swiss round to the absolute rules."""
    met = {
        frozenset(seat.entry for seat in fixture.seats)
        for one_round in request.competition.rounds
        for fixture in one_round.fixtures
        if fixture.kind == "played"
    }
    with_bye = {
        fixture.seats[0].entry
        for one_round in request.competition.rounds
        for fixture in one_round.fixtures
        if fixture.kind == "pairing_bye"
    }
    pairs = [frozenset(seat.entry for seat in fixture.seats) for fixture in proposal.fixtures]
    assert sorted(entry for pair in pairs for entry in pair) == request.list_present()
    assert not {pair for pair in pairs if len(pair) == 2} & (met | request.not_against)
    assert not {entry for pair in pairs if len(pair) == 1 for entry in pair} & with_bye
    before = find_colours(request.competition)
    played = RoundData(
        request.number,
        tuple(
            build_game(fixture.seats[0].entry, fixture.seats[1].entry, "draw") if len(fixture.seats) > 1 else fixture
            for fixture in proposal.fixtures
        ),
    )
    after = find_colours(replace(request.competition, rounds=(*request.competition.rounds, played)))
    if request.number < request.competition.planned_rounds:  # in the last round those with most points are exempt
        for entry, colours in after.items():
            if colours != before[entry]:
                assert not colours.endswith(("www", "bbb"))
                assert abs(colours.count("w") - colours.count("b")) <= 2


@pytest.mark.parametrize("seed", mark_slow(range(40), "One rule; some are drawn quickly.", but=[1, 4]))
def test_a_late_swiss_round_keeps_the_absolute_rules_and_says_so(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staged_matching, "SMALL", 4)
    monkeypatch.setattr(staged_matching, "STEP", 2)
    random = Random(seed)
    count, last = random.randint(20, 50), random.randint(4, 8)
    forbidden = frozenset(frozenset(random.sample(range(1, count + 1), 2)) for _ in range(count // 4))
    competition = CompetitionData(build_entries(count), (), planned_rounds=last)
    early = 0
    for number in range(1, last + 1):
        questions = random.choice([0, 1, 2, 5, 20])
        request = PairingRequest(
            competition, number, not_against=forbidden, seed=seed, is_late=be_late_after(questions)
        )
        proposal = SWISS.pair(request)
        hold_to_rules(request, proposal)
        early += ended_early(proposal)
        assert ended_early(proposal) or questions
        # The same time gives the same pairing.
        assert SWISS.pair(replace(request, is_late=be_late_after(questions))) == proposal
        fixtures = tuple(draw_result(random, fixture) for fixture in proposal.fixtures)
        competition = replace(competition, rounds=(*competition.rounds, RoundData(number, fixtures)))
    assert early


def test_a_round_in_time_says_nothing() -> None:
    request = PairingRequest(CompetitionData(build_entries(40), (), planned_rounds=5), 1, is_late=lambda: False)
    assert not ended_early(SWISS.pair(request))
    assert not ended_early(TABLES.pair(request))


def test_who_is_left_over_is_named() -> None:
    apart = frozenset(frozenset((1, other)) for other in range(2, 7))
    competition = CompetitionData(build_entries(6), (), planned_rounds=3)
    with pytest.raises(CannotPair) as refused:
        SWISS.pair(PairingRequest(competition, 1, not_against=apart))
    assert 1 in refused.value.entries
    assert len(refused.value.entries) == 2
    with pytest.raises(CannotPair) as late:
        SWISS.pair(PairingRequest(competition, 1, not_against=apart, is_late=lambda: True))
    assert late.value.entries == refused.value.entries


@pytest.mark.parametrize("questions", [0, 1, 1000])
def test_a_late_round_of_players_who_have_all_met_is_refused(questions: int) -> None:
    games = [[(1, 2), (3, 4)], [(1, 3), (2, 4)], [(1, 4), (2, 3)]]
    rounds = [
        RoundData(number, tuple(build_game(*pair, "win") for pair in pairs)) for number, pairs in enumerate(games, 1)
    ]
    competition = CompetitionData(build_entries(4), tuple(rounds), planned_rounds=6)
    with pytest.raises(CannotPair) as refused:
        SWISS.pair(PairingRequest(competition, 4, is_late=be_late_after(questions)))
    assert set(refused.value.entries) == {1, 2, 3, 4}


@pytest.mark.parametrize("questions", [0, 3, 50])
def test_late_tables_seat_everyone_and_keep_apart_who_must_not_meet(questions: int) -> None:
    random = Random(questions)
    apart = frozenset(frozenset(random.sample(range(1, 41), 2)) for _ in range(30))
    proposal = TABLES.pair(
        PairingRequest(CompetitionData(build_entries(40), ()), 1, not_against=apart, is_late=be_late_after(questions))
    )
    assert ended_early(proposal)
    seated = [{seat.entry for seat in fixture.seats} for fixture in proposal.fixtures]
    assert sorted(entry for table in seated for entry in table) == list(range(1, 41))
    assert not [pair for pair in apart for table in seated if pair <= table]


def test_tables_that_nobody_can_sit_at_name_who_must_not_meet() -> None:
    apart = frozenset(frozenset((first, other)) for first in range(1, 6) for other in range(1, first))
    with pytest.raises(CannotPair, match="must not meet") as refused:
        TABLES.pair(PairingRequest(CompetitionData(build_entries(8), ()), 1, not_against=apart))
    assert set(refused.value.entries) <= set(range(1, 6))
    assert len(refused.value.entries) >= 2
