"""What nobody types into the desk by hand: it is refused, and neither an error of the site nor a way round a role."""

import re
from pathlib import Path

import pytest
from django.test import Client

from league.models import Edition, Game, InitialRating, Invitation, Membership, RequestKey, Rule
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import (
    DESK,
    PAD,
    bound_fields,
    dated_sheet,
    form_fields,
    page_text,
    seat_errors,
    sheet_fields,
    sign_in_member,
)
from tests.helpers.desk_games import game_url, yes_fields
from tests.helpers.ladder_builders import one_week_open, tables
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


@long_way
def test_a_recorder_decides_about_no_closed_period_by_fields_of_their_own() -> None:
    league = one_week_open()
    rita, before = sign_in_member("rita", Membership.Role.RECORDER, league), tables()
    own = {"asked": ["year/2024-W15"], "becomes-all": "publish"}
    page = rita.post(game_url(1, "void"), {**yes_fields(rita.post(game_url(1, "void"))), **own})
    said = "Only organisers can decide about closed periods; you need the role the role “organiser” in the league club."
    assert said in page_text(page)
    assert tables() == before
    assert Edition.objects.count() == 2
    page = rita.post(game_url(1, "void"))
    assert rita.post(game_url(1, "void"), yes_fields(page)).status_code == 302
    assert Game.objects.get(number=1).voided_by == "rita"
    assert Edition.objects.count() == 2


def test_a_sheet_without_seats_is_refused(olga: Client) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    for page in ("record/", "games/1/correct/"):
        for data in ({"seats-TOTAL_FORMS": "0", "seats-INITIAL_FORMS": "0"}, {"x": "1"}):
            assert olga.post(f"{DESK}{page}", data).status_code == 200
    assert Game.objects.count() == 1


def test_the_ends_of_the_calendar_hold_no_game(olga: Client) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    for day in ("0001-01-01", "9999-12-31", "31.12.9999"):
        page = olga.get(f"{DESK}games/", {"q": day})
        assert (page.status_code, page.context["evenings"]) == (200, [])
    answer = olga.post(f"{DESK}record/change/", sheet_fields(("anna", "1"), ("ben", "0"), played_at="9999-12-31T23:59"))
    assert answer.json()["seats"] != []


def test_a_number_without_end_picks_nobody(olga: Client) -> None:
    make_league()
    page = olga.post(f"{DESK}paste/", {"text": "Anna;1;Ben;0", "who": "anna", "pick": f"{'9' * 5000}:anna"})
    assert page.status_code == 200


def test_a_name_that_only_begins_as_a_pastes_is_none(olga: Client) -> None:
    league = make_league()
    for name in ("paste-", "paste-ä b/c", "paste-1-1"):
        record(league, sheet(("anna", "ben"), (1, 0), external_id=name))
    page = olga.get(f"{DESK}paste/")
    assert (page.status_code, page.context["lately"]) == (200, [])


def test_a_form_that_invited_long_ago_makes_no_second_link(olga: Client) -> None:
    make_league()
    form = {"role": "recorder", "note": "Vera", "once": "a" * 32}
    olga.post(f"{DESK}people/invite/", form)
    RequestKey.objects.all().delete()
    page = olga.post(f"{DESK}people/invite/", form)
    assert "This form has already created a link." in page.content.decode()
    assert Invitation.objects.count() == 1


ADMIN = Path(__file__).parents[3] / "league" / "web" / "organiser"


def test_scores_and_game_fields_take_every_minus_and_a_comma(olga: Client) -> None:
    make_league("preferans", ("anna", "ben", "cleo"))
    data = dated_sheet(("anna", "\u2212500"), ("ben", "–40"), ("cleo", "540,0"), details_bula="30,0")
    assert olga.post(PAD, data).status_code == 302
    game = Game.objects.get()
    assert [line.score for line in game.results.order_by("seat")] == [-500, -40, 540]
    assert game.details == {"bula": 30}


def test_a_score_that_can_be_read_two_ways_is_refused_at_its_seat(olga: Client) -> None:
    make_league("serpentine")
    page = olga.post(PAD, dated_sheet(("anna", "1,234"), ("ben", "12,5")))
    assert seat_errors(page, 0, "score") == ["“1,234” is ambiguous: write 1234 for thousands, or 1.234 for a fraction."]
    assert seat_errors(page, 1, "score") == []
    assert Game.objects.count() == 0


def test_starts_and_parameters_take_them_too(olga: Client) -> None:
    make_league("elo")
    start = {"player": "anna", "initial_rating": "1\u202f234,5", "_commit": "1"}
    assert olga.post(f"{DESK}starts/", start).status_code == 302
    assert InitialRating.objects.get().rating == 1234.5
    form = olga.get(f"{DESK}rules/").context["form"]
    data = form_fields(form, parameters_k="12,5", from_date="2030-01-01")
    mark = olga.post(f"{DESK}rules/", data).context["mark"]
    assert olga.post(f"{DESK}rules/", {**data, "_shown": mark, "_commit": "1"}).status_code == 302
    assert Rule.objects.order_by("from_date").last().parameters["k"] == 12.5  # type: ignore[union-attr]


def test_no_form_of_the_admin_reads_numbers_otherwise() -> None:
    found = [
        (path.name, name)
        for path in ADMIN.rglob("*.py")
        for name in re.findall(r"forms\.(?:Float|Integer|Decimal)Field|NumberInput", path.read_text())
    ]
    assert found == []


@long_way
def test_a_refused_form_is_named_in_the_title_and_its_notice_has_the_focus(olga: Client) -> None:
    make_league()
    fine = olga.get(f"{DESK}settings/")
    assert "<title>Settings · Club · Rungs</title>" in fine.content.decode()
    page = olga.post(f"{DESK}settings/", bound_fields(fine, title="")).content.decode()
    assert "<title>Error: Settings · Club · Rungs</title>" in page
    assert 'class="notice err" role="alert" tabindex="-1" autofocus' in " ".join(page.split())
    olga.post(f"{DESK}games/7/undo/")
    olga.post(f"{DESK}adjustments/7/void/")
    assert "<title>Error: Settings · Club · Rungs</title>" in olga.get(f"{DESK}settings/").content.decode()
    assert "<title>Settings · Club · Rungs</title>" in olga.get(f"{DESK}settings/").content.decode()


def test_settings_are_folded_with_their_values_in_force_and_a_refused_section_is_open(olga: Client) -> None:
    make_league(min_games=7, inactive_after_days=1400, time_zone="Europe/Berlin", visibility="private")
    page = olga.get(f"{DESK}settings/")
    lines = {group.title: group.summary for group in page.context["groups"]}
    assert lines["Visibility"] == "Private"
    assert lines["Calendar"] == "Europe/Berlin · Periods close 24 hours after their end"
    assert (
        lines["Board"] == "Games needed for the board: 7 · Days without a game before a player leaves the board: 1400"
    )
    assert _find_open_sections(page.content.decode()) == ["Title and description"]
    refused = olga.post(f"{DESK}settings/", bound_fields(page, min_games="many"))
    assert _find_open_sections(refused.content.decode()) == ["Title and description", "Board"]
    assert [group.summary for group in refused.context["groups"] if group.title == "Board"] == [lines["Board"]]


def _find_open_sections(page: str) -> list[str]:
    return re.findall(r"<details open>\s*<summary><h2>([^<]+)</h2>", " ".join(page.split()).replace(" >", ">"))
