"""A result that is corrected in the tournament report alone: an error that was found too late for pairings."""

from typing import Any

import pytest

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.selectors.trail import load_trail
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.entries import withdraw_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.manual_pairing import make_round_by_hand
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, NewRound, add_fixtures, publish_round
from league.core.errors import Invalid, Refused
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, run_competition, scores
from tests.helpers.shared import built_once

CUP = "leagues/club/competitions/cup/"
DESK = "/admin/leagues/club/competitions/cup/"


def build_cup() -> None:
    """Run a Swiss system of one round under the regulations: 1–3 and 4–2 in round 1, White wins both."""
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=1, regulations=True)
    make_round_by_hand(league.pk, "cup", NewRound("olga", confirmed=["by_hand"]))
    add_fixtures(league.pk, "cup", [NewFixture([1, 3], 1), NewFixture([4, 2], 1)], by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    record_result(league.pk, 1, scores(1, 0), by="olga")


built = built_once(build_cup)
pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def club() -> League:
    return League.objects.get(slug="club")


def list_cells() -> list[str]:
    """Return points and round 1 of each player in the report."""
    lines = export_report(loaded_cup(club())).decode().splitlines()
    return [f"{line[80:84].strip()} {line[91:99].strip()}" for line in lines if line.startswith("001")]


def report(result: str, number: int = 1, **more: Any) -> Fixture:
    return change_fixture(club().pk, number, {"reported": result}, by="olga", reason="Found later.", **more)


@pytest.mark.parametrize(
    ("result", "cells"),
    [
        ("0-1", ["0.0 3 w 0", "1.0 1 b 1"]),
        ("=-=", ["0.5 3 w =", "0.5 1 b ="]),
        ("0-0", ["0.0 3 w 0", "0.0 1 b 0"]),
        ("1-0", ["1.0 3 w 1", "0.0 1 b 0"]),
    ],
)
def test_the_report_has_the_other_result_and_nothing_else_changes(result: str, cells: list[str]) -> None:
    record_result(club().pk, 2, scores(1, 0), by="olga")
    before = compute_standings(loaded_cup(club())).rows
    with pytest.raises(ConfirmationNeeded) as needed:
        report(result)
    assert [(one.code, one.level) for one in needed.value.warnings] == [("report_alone", 3)]
    report(result, confirmed=["report_alone"])
    assert [list_cells()[at] for at in (0, 2)] == cells
    assert compute_standings(loaded_cup(club())).rows == before
    text = export_report(loaded_cup(club())).decode()
    assert f"### Correction @ Round 1: 1-3 {result} in the report alone instead of 1-0\r\n" in text
    assert verify_league(club().pk).state == "is right"


def test_it_is_possible_after_the_end_and_can_be_taken_back() -> None:
    record_result(club().pk, 2, scores(1, 0), by="olga")
    finish_competition(club().pk, "cup", by="olga")
    api, address = Api("organise"), f"{CUP}fixtures/1/"
    sent = {"reported": "0-1", "reason": "Found later."}
    answer = api.patch(address, sent)
    assert (answer.status_code, [one["code"] for one in answer.json()["errors"]]) == (409, ["report_alone"])
    assert api.patch(address, {**sent, "confirm": ["report_alone"]}).json()["reported"] == "0-1"
    # All else is as it was.
    assert api.patch(address, {**sent, "table": 3}).status_code == 409
    assert api.patch(address, {**sent, "reported": "", "confirm": ["report_alone"]}).json()["reported"] == ""
    assert list_cells()[0] == "1.0 3 w 1"
    assert [line.new for line in load_trail(loaded_cup(club())) if line.kind.key == "reported"] == [
        "0-1 in the report alone", "as it was",
    ]  # fmt: skip


def test_only_a_game_of_two_with_a_result_and_a_reason_has_another_one() -> None:
    with pytest.raises(Refused):
        report("0-1", 2, confirmed=["report_alone"])
    with pytest.raises(Invalid):
        report("2-0", confirmed=["report_alone"])
    with pytest.raises(Invalid):
        change_fixture(club().pk, 1, {"reported": "0-1"}, by="olga", confirmed=["report_alone"])


def test_the_page_of_a_game_offers_it() -> None:
    browser = sign_in_member("olga", "arbiter", club())
    sent = {"_reported": "1", "reported": "0-1", "report_reason": "Found later."}
    assert "Only the tournament report" in page_text(browser.post(f"{DESK}fixtures/1/", sent))
    assert browser.post(f"{DESK}fixtures/1/", {**sent, "confirm": "report_alone"}).status_code == 302
    assert Fixture.objects.get(number=1).reported == "0-1"
    assert "in the report alone" in page_text(browser.get(f"{DESK}changes/"))


def test_who_withdrew_is_absent_from_no_round_after_the_last_one() -> None:
    record_result(club().pk, 2, scores(1, 0), by="olga")
    withdraw_entry(club().pk, "cup", 3, by="olga")
    assert "240 " not in export_report(loaded_cup(club())).decode()
