"""What an arbiter changed by hand is read from the log: on pages, and in remarks of the tournament report."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Competition
from league.apps.competitions.public.trail import (
    ShownChange,
    _fold_pairings,
    _format_result,
    _format_setting,
    _list_changed_members,
)
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.report_remarks import list_remarks
from league.apps.competitions.selectors.result_texts import write_places
from league.apps.competitions.selectors.trail import (
    TrailKind,
    TrailLine,
    load_trail,
    was_paired_by_hand,
)
from league.apps.competitions.services.competitions import change_competition
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_report
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.games.services.record import correct_game, restore_game, void_game
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league, sheet
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, meetings, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

PAGE = "/leagues/club/competitions/cup/changes/"
WHITE = {"first_colour": "white"}


def build_changed_cup() -> None:
    """Play a round of a Swiss system of four in which an arbiter changes one thing of each kind."""
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3, parameters=WHITE, tie_breaks=["BH"])
    make_round(league.pk, "cup", by="olga")
    assert meetings(league, 1) == [(1, 3), (4, 2)]
    change_fixture(league.pk, 1, {"entries": [1, 4]}, by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    game = record_result(league.pk, 1, scores(1, 0), by="olga").game
    turned = sheet((FOUR[0], FOUR[3]), (0.5, 0.5))
    corrected = correct_game(league.pk, game.number, turned, reason="Misread.", username="olga").game
    void_game(league.pk, corrected.number, reason="Not played.", username="olga")
    restore_game(league.pk, corrected.number, reason="It was.", username="olga")
    change_fixture(league.pk, 1, {"points": [0.5, 0]}, by="olga", reason="A telephone.")
    change_fixture(league.pk, 2, {"adjourned": True}, by="olga")
    change_entry(league.pk, "cup", 2, {"byes": [{"round": 3, "kind": "full_bye"}]}, by="olga")
    change_entry(league.pk, "cup", 3, {"byes": [{"round": 3, "kind": "half_bye"}]}, by="olga")
    penalty = {"round": 1, "points": "-1", "reason": "Late twice."}
    change_entry(league.pk, "cup", 4, {"added_points": [penalty], "title": "FM"}, by="olga")
    change_competition(league.pk, "cup", {"tie_breaks": ["SB", "DE"], "rounds": 2, "title": "Open"}, by="olga")
    change_entry(league.pk, "cup", 4, {"added_points": [], "expelled": True}, by="olga")


built = built_once(build_changed_cup)
pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
REMARKS = [
    "MPA @ Round 1: 1-4 instead of 1-3",
    "MPA @ Round 1: 3-2 instead of 4-2",
    "Correction @ Round 1: 1-4 1/2-1/2 instead of 1-0",
    "Correction @ Round 1: 1-4 void instead of 1/2-1/2",
    "Correction @ Round 1: 1-4 1/2-1/2 instead of void",
    "Points decided @ Round 1: 1-4 1/2-0",
    "Adjournment @ Round 1: 3-2",
    "FPB @ Round 3: 2",
    "Rounds @ Round 1: 2 instead of 3",
    "Tie-breaks @ Round 1: SB,DE instead of BH",
    "Expulsion @ Round 1: 4",
]


def club() -> League:
    return League.objects.get(slug="club")


def test_remarks_of_a_report_have_each_change_in_the_order_of_time() -> None:
    loaded = loaded_cup(club())
    report = export_report(loaded, with_remarks=True).decode()
    assert [line.removeprefix("### ") for line in report.splitlines() if line.startswith("###")] == REMARKS
    # Only a competition by the regulations has them unless they are asked for.
    assert "###" not in export_report(loaded).decode()
    loaded.competition.regulations_left = 1
    assert export_report(loaded).decode() == report
    assert "###" not in export_report(loaded, with_remarks=False).decode()
    reasons = [line.reason for line in load_trail(loaded) if line.reason]
    assert reasons == ["Misread.", "Not played.", "It was.", "A telephone.", "Late twice."]


def test_a_round_was_paired_by_hand_or_was_not() -> None:
    league = club()
    assert was_paired_by_hand(loaded_cup(league), 1)
    record_result(league.pk, 2, scores(1, 0), by="olga")
    make_round(league.pk, "cup", by="olga")
    assert not was_paired_by_hand(loaded_cup(league), 2)
    # Of a proposal everyone else sees nothing.
    first = loaded_cup(league).list_fixtures(2)[0].number
    one = meetings(league, 2)[0]
    change_fixture(league.pk, first, {"entries": [one[1], one[0]]}, by="olga")
    assert was_paired_by_hand(loaded_cup(league), 2)
    pages = [page_text(client.get(address)) for client, address in (
        (Client(), PAGE), (sign_in_member("olga", "arbiter", league), "/admin/leagues/club/competitions/cup/changes/"),
    )]  # fmt: skip
    assert [page.count("Pairing by hand") for page in pages] == [2, 3]
    assert "Late twice." in pages[0]
    assert "olga" in pages[1]


def test_the_file_of_an_import_is_in_the_trail_with_its_last_round() -> None:
    league = make_league(slug="other", game="Chess", players=())
    report = export_report(loaded_cup(club()), with_remarks=False)
    import_competition(league.pk, read_report(report, "UTC"), ImportRequest(by="olga", create_players=True))
    loaded = load_competition(Competition.objects.select_related("league").get(league=league))
    assert list_remarks(loaded) == ("Import @ Round 1",)
    assert not loaded.competition.regulations


def test_an_imported_competition_can_be_held_to_the_regulations_from_then_on() -> None:
    league = make_league(slug="other", game="Chess", players=())
    report = export_report(loaded_cup(club()), with_remarks=False)
    request = ImportRequest(by="olga", create_players=True, regulations=True, confirmed=["imported_rounds"])
    created = import_competition(league.pk, read_report(report, "UTC"), request).competition
    assert created.regulations
    loaded = load_competition(Competition.objects.select_related("league").get(league=league))
    assert export_report(replace(loaded, fixtures=[])).endswith(b"### Import @ Round 1\r\n")
    browser = sign_in_member("olga", "arbiter", league)
    page = browser.get("/admin/leagues/other/competitions/+import/").content.decode()
    assert 'name="regulations" id="id_regulations" checked' in page


def test_the_page_names_whom_a_change_is_about_and_says_what_was_taken_back() -> None:
    page = page_text(Client().get(PAGE))
    assert "Expulsion Dan" in page
    assert "Points by the arbiter Dan : taken back" in page
    assert "Points by the arbiter Dan : −1" in page
    # Settings are in words, as on the page of rules.
    points = _format_setting(loaded_cup(club()), "win=3,draw=1/2,full_bye=1,places=[]")
    assert points == "Win 3, Draw ½, Full-point bye 1"
    assert _list_changed_members("win=1,draw=1,loss=0", "win=3,draw=1,loss=0") == ("win=1", "win=3")
    assert _list_changed_members("SB,DE", "DE") == ("SB,DE", "DE")
    assert "Tie-breaks: Sonneborn-Berger, Direct encounter instead of Buchholz" in page
    cross = Client().get(PAGE.replace("changes", "cross-table")).content.decode()
    row = cross.partition('id="round-no4"')[2].partition("</tr>")[0]
    assert '<td class="num rank">–</td>' in row


@long_way
def test_who_withdrew_and_came_back_is_on_the_page_and_no_remark() -> None:
    league = club()
    remarks = list_remarks(loaded_cup(league))
    change_entry(league.pk, "cup", 2, {"status": "withdrawn"}, by="olga")
    change_entry(league.pk, "cup", 2, {"status": "entered"}, by="olga")
    page = Client().get(PAGE)
    assert page_text(page).count("Withdrawal Ben") == 2
    assert "Withdrawal Ben : taken back" in page_text(page)
    assert f'href="{PAGE.replace("changes", "rounds/1")}"' in page.content.decode()
    assert "Ben</a>:" in page.content.decode()
    assert list_remarks(loaded_cup(league)) == remarks


def test_a_page_without_changes_says_so() -> None:
    league = make_league(slug="still", players=FOUR)
    run_competition(league, FOUR, rounds=3)
    assert "Nothing was changed by hand" in page_text(Client().get("/leagues/still/competitions/cup/changes/"))


def test_pairings_of_a_file_that_do_not_follow_are_confirmed_under_the_regulations() -> None:
    league = make_league(slug="other", game="Chess", players=())
    report = export_report(loaded_cup(club()), with_remarks=False)
    api, address = Api("organise"), "leagues/other/competitions/import/?create_players=true"
    answer = api.post_file(f"{address}&regulations=true", report, "application/x-trf")
    assert (answer.status_code, [one["code"] for one in answer.json()["errors"]]) == (409, ["imported_rounds"])
    assert not Competition.objects.filter(league=league).exists()
    for more in ("&regulations=true&confirm=imported_rounds", "&title=Free"):
        assert api.post_file(f"{address}{more}", report, "application/x-trf").status_code == 201


def change_of(kind: str, **more: Any) -> ShownChange:
    line = TrailLine(TrailKind(kind, ""), datetime(2024, 3, 1, tzinfo=UTC), "olga", more.pop("round", 2))
    return ShownChange(line, kind, (), **more)


def test_a_round_that_was_paired_by_hand_is_one_row() -> None:
    few = [change_of("pairing", text=f"{number}") for number in range(3)]
    assert list(_fold_pairings(few)) == few
    many = [change_of("pairing", text=f"{number}") for number in range(5)]
    other = [change_of("pairing", text="other", round=1), change_of("result", text="1–0")]
    folded = list(_fold_pairings([*many, *other]))
    assert [(one.text, one.folded) for one in folded] == [
        ("5 pairings", ("4", "3", "2", "1", "0")), ("other", ()), ("1–0", ()),
    ]  # fmt: skip
    results = [change_of("result", text=str(number)) for number in range(5)]
    assert list(_fold_pairings(results)) == results


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1-0", "1–0"), ("1/2-1/2", "½–½"), ("=-=", "½–½"), ("void", "void"), ("2.5-1", "2.5–1"), ("1F-0F", "+–−")],
)
def test_results_of_the_log_are_shown_as_elsewhere(text: str, shown: str) -> None:
    assert _format_result(text) == shown


@pytest.mark.parametrize(
    ("places", "written"),
    [((1, 1), "1/2-1/2"), ((2, 2), "1/2-1/2"), ((1, 2), "1-0"), ((2, 1), "0-1"), ((1, 3, 2), "1-3-2")],
)
def test_a_result_without_scores_names_who_won_a_game_of_two(places: tuple[int, ...], written: str) -> None:
    assert write_places(places) == written
