"""Rounds that an arbiter pairs by hand under the regulations: warnings, and a comparison with the rules at the end."""

from collections.abc import Sequence

import pytest

from league.apps.competitions.models import Entry, Fixture
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.round_robin_checks import find_table_breaches
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.manual_pairing import make_round_by_hand, publish_checked_round
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, NewRound, add_fixtures, make_all_rounds, make_round
from league.core.errors import Conflict, Refused
from league.core.locking import run_with_league_lock
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, meetings, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

CUP = "leagues/club/competitions/cup/"
DESK = "/admin/leagues/club/competitions/cup/"


def build_cup() -> None:
    """Play round 1 of a Swiss system of four under the regulations: 1–3 and 4–2, White wins both."""
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3, parameters={"first_colour": "white"}, regulations=True)
    make_round(league.pk, "cup", by="olga")
    publish_checked_round(league.pk, "cup", 1, by="olga")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="olga")


built = built_once(build_cup)
pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def club() -> League:
    return League.objects.get(slug="club")


def make_by_hand(*pairs: Sequence[int], confirmed: Sequence[str] = ()) -> None:
    """Make round 2 by hand with some pairings."""
    make_round_by_hand(club().pk, "cup", NewRound("olga", confirmed=["by_hand"]))
    add_fixtures(
        club().pk, "cup", [NewFixture(pair, 2, table=at) for at, pair in enumerate(pairs, 1)], by="olga",
        confirmed=confirmed,
    )  # fmt: skip


def warned(error: pytest.ExceptionInfo[ConfirmationNeeded]) -> list[tuple[str, int]]:
    return [(one.code, one.level) for one in error.value.warnings]


@pytest.mark.parametrize(
    ("pairs", "codes"),
    [
        # Each had the colour once that the pairing changes: nothing to warn of.
        ([(3, 4), (2, 1)], []),
        # 1 and 4 had White, 2 and 3 Black: both pairs get the wrong colours, or have met.
        ([(1, 2), (4, 3)], [("both_colours", 2), ("both_colours", 2)]),
        ([(3, 1), (2, 4)], [("rematch", 3), ("rematch", 3)]),
    ],
)
def test_pairings_by_hand_are_checked_one_by_one(pairs: list[tuple[int, int]], codes: list[tuple[str, int]]) -> None:
    if codes:
        with pytest.raises(ConfirmationNeeded) as needed:
            make_by_hand(*pairs)
        assert warned(needed) == codes
        assert Fixture.objects.filter(round__number=2).count() == 0
        add_fixtures(
            club().pk, "cup", [NewFixture(pair, 2) for pair in pairs], by="olga", confirmed=[code for code, _ in codes]
        )
    else:
        make_by_hand(*pairs)
    assert sorted(meetings(club(), 2)) == sorted(pairs)
    assert verify_league(club().pk).state == "is right"


def test_a_forbidden_pair_and_a_third_colour_are_confirmed() -> None:
    Entry.objects.filter(number=1).update(not_against=[2])
    with pytest.raises(ConfirmationNeeded) as needed:
        make_by_hand((2, 1), (3, 4))
    assert warned(needed) == [("forbidden_pair", 3)]
    add_fixtures(
        club().pk, "cup", [NewFixture((1, 4), 2), NewFixture((3, 2), 2)], by="olga", confirmed=["both_colours"]
    )
    publish_checked_round(club().pk, "cup", 2, by="olga", confirmed=["differs_from_rules"])
    for fixture in loaded_cup(club()).list_fixtures(2):
        record_result(club().pk, fixture.number, scores(1, 0), by="olga")
    make_round_by_hand(club().pk, "cup", NewRound("olga", confirmed=["by_hand"]))
    with pytest.raises(ConfirmationNeeded) as needed:
        add_fixtures(club().pk, "cup", [NewFixture((1, 2), 3), NewFixture((4, 3), 3)], by="olga")
    # In the last round a leader may have a colour for the third time.
    assert warned(needed) == [("forbidden_pair", 3), ("both_colours", 2)]


def test_the_end_compares_a_round_that_was_changed_by_hand_with_the_rules() -> None:
    make_round(club().pk, "cup", by="olga")
    first = loaded_cup(club()).list_fixtures(2)[0]
    by_rules = meetings(club(), 2)
    api = Api("organise")
    turned = {"entries": [*reversed(first.entries)]}
    address = f"{CUP}fixtures/{first.number}/"
    # The two leaders had White both, so that the rules ask for a lot, and not for a warning.
    assert api.patch(address, turned).status_code == 200
    answer = api.patch(address, {"entries": [1, 3]})
    assert (answer.status_code, answer.json()["level"]) == (409, 3)
    assert {one["code"] for one in answer.json()["errors"]} == {"rematch", "both_colours"}
    answer = api.post(f"{CUP}rounds/2/publish/", {})
    assert (answer.status_code, [one["code"] for one in answer.json()["errors"]]) == (409, ["differs_from_rules"])
    assert api.post(f"{CUP}rounds/2/publish/", {"confirm": ["differs_from_rules"]}).status_code == 200
    one, other = by_rules[0]
    assert (
        f"### MPA @ Round 2: {other}-{one} instead of {one}-{other}\r\n" in export_report(loaded_cup(club())).decode()
    )
    # Of a published round each change is one by hand.
    answer = api.patch(address, {"entries": list(by_rules[0]), "reason": "Back."})
    assert [one["code"] for one in answer.json()["errors"]] == ["published_round"]


def test_a_round_as_the_rules_pair_it_is_published_without_a_question() -> None:
    make_round(club().pk, "cup", by="olga")
    first = loaded_cup(club()).list_fixtures(2)[0]
    for entries in ([*reversed(first.entries)], first.entries):
        change_fixture(club().pk, first.number, {"entries": entries}, by="olga")
    assert publish_checked_round(club().pk, "cup", 2, by="olga").published_at is not None


@long_way
def test_the_desk_pairs_a_round_by_hand_from_beginning_to_end() -> None:
    browser = sign_in_member("olga", "arbiter", club())
    assert 'value="by_hand"' in browser.get(DESK).content.decode()
    assert "paired by hand" in page_text(browser.post(DESK, {"step": "by_hand"}))
    begun = browser.post(DESK, {"step": "by_hand", "confirm": "by_hand"}, follow=True)
    assert "Add a pairing" in page_text(begun)
    address = f"{DESK}fixtures/+new/"
    assert "by hand" in page_text(browser.get(address))
    pair = {"seat_1": "3", "seat_2": "1"}
    assert "meet again" in page_text(browser.post(address, pair))
    browser.post(address, {**pair, "confirm": "rematch"})
    browser.post(address, {"seat_1": "2", "kind": "pairing_bye"})
    assert browser.post(address, {"seat_1": "2"}).status_code == 200
    browser.post(address, {"seat_1": "4", "kind": "half_bye"})
    assert sorted(meetings(club(), 2)) == [(2,), (3, 1), (4,)]
    page = browser.post(DESK, {"step": "publish", "round": "2"})
    assert "By the rules" in page_text(page)
    published = browser.post(DESK, {"step": "publish", "round": "2", "confirm": "differs_from_rules"}, follow=True)
    assert "Round 2 is published" in page_text(published)
    assert verify_league(club().pk).state == "is right"


def test_a_round_by_hand_has_the_byes_that_were_asked_for_and_comes_in_its_turn() -> None:
    Entry.objects.filter(number=2).update(byes=[{"round": 2, "kind": "half_bye"}])
    make_by_hand((3, 4))
    assert meetings(club(), 2) == [(3, 4), (2,)]
    with pytest.raises(Refused):
        make_round_by_hand(club().pk, "cup", NewRound("olga", confirmed=["by_hand"]))
    with pytest.raises(Conflict):
        make_round_by_hand(club().pk, "cup", NewRound("olga", number=2, confirmed=["by_hand"]))


def test_a_round_robin_is_checked_for_everyone_once_and_for_colours() -> None:
    league = make_league(players=FOUR, slug="round", game="Chess")
    cup = run_competition(league, FOUR, "round_robin", rounds=3, regulations=True)
    run_with_league_lock(league.pk, lambda league, now: make_all_rounds(league, now, cup, "olga"))
    assert list(find_table_breaches(loaded_cup(league))) == []
    first, second = loaded_cup(league).list_fixtures(1)
    # The two games of a round exchange opponents: four pairs meet twice or never.
    with pytest.raises(ConfirmationNeeded) as needed:
        change_fixture(
            league.pk, first.number, {"entries": [first.entries[0], second.entries[1]]}, by="olga", reason="A wish."
        )
    codes = [code for code, level in warned(needed) if level == 3]
    assert {code: codes.count(code) for code in codes if code != "colour_difference"} == {
        "rematch": 2, "no_meeting": 2, "published_round": 1,
    }  # fmt: skip
    # Whoever had White once of three has none then.
    turned = [*reversed(first.entries)]
    confirmed = ["published_round", "colour_difference"]
    change_fixture(league.pk, first.number, {"entries": turned}, by="olga", reason="A wish.", confirmed=confirmed)
    whites = [sum(one.entries[0] == entry for one in loaded_cup(league).fixtures) for entry in (1, 2, 3, 4)]
    told = {breach.sentence for breach in find_table_breaches(loaded_cup(league))}
    assert len(told) == sum(white in (0, 3) for white in whites)


def test_who_is_forgotten_in_a_round_by_hand_is_named_before_it_is_published() -> None:
    make_by_hand((3, 4))
    # The rules would pair 3 and 4 as well, if nobody else had come.
    with pytest.raises(ConfirmationNeeded) as needed:
        publish_checked_round(club().pk, "cup", 2, by="olga", confirmed=["differs_from_rules"])
    assert warned(needed) == [("unpaired_entries", 3)]
    sentence = f"2 entries have no fixture in round 2, and get no point: {FOUR[0].title()}, {FOUR[1].title()}."
    assert [one.sentence for one in needed.value.warnings] == [sentence]
    confirmed = ["differs_from_rules", "unpaired_entries"]
    assert publish_checked_round(club().pk, "cup", 2, by="olga", confirmed=confirmed).published_at is not None
