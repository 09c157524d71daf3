"""Ladders in the admin site: made, changed, closed, decided about."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Edition, Ladder, League, Period
from league.services.ladders.decisions import advance
from league.services.ladders.ladders import Ranking, create_ladder
from tests.helpers.admin_client import confirm
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import form_fields, page_html

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow("Classic admin pages; the desk's tests hold their services."),
]

POINTS = {"count": "outcomes", "win": 1, "draw": 0.5, "loss": 0, "ties": "break", "minimum": 1}


def club(closed: bool = True) -> tuple[League, Ladder]:
    """Make a club with a points table of the month and one game in March 2024."""
    league = make_league(close_after_hours=0 if closed else 24)
    ladder = create_ladder(league.pk, "month", "Month", Ranking("points", "month"), by="test")
    record(league, sheet(("anna", "ben"), (1, 0)))
    if closed:
        advance(league.pk)
    return league, ladder


def test_a_ladder_is_made_in_three_steps(olga: Client) -> None:
    make_league()
    assert b"?league=club" in olga.get("/admin/league/ladder/add/").content
    assert b"method=best_scores" in olga.get("/admin/league/ladder/add/?league=club").content
    address = "/admin/league/ladder/add/?league=club&method=best_scores"
    form = olga.get(address).context["form"]
    data = form_fields(form, title="Best five", slug="five", parameters_best="5", cadence="year")
    refused = olga.post(address, {**data, "from_date": "2024-02-01"})
    assert "2024-02-01 is in the middle of 2024" in str(refused.context["form"].errors["from_date"])
    assert not Ladder.objects.exists()
    page = page_html(olga.post(address, data, follow=True))
    assert "The ladder Best five was made and ranks all games so far." in page
    rule = Ladder.objects.get().rules.get()
    assert (rule.method, rule.cadence, rule.parameters) == (
        "best_scores",
        "year",
        {"best": 5, "minimum": 10, "of": "score"},
    )
    taken = olga.post(address, data)
    assert "already" in str(taken.context["form"].errors["slug"])
    assert "Best scores, year" in page_html(olga.get("/admin/league/ladder/"))


def test_a_ladder_is_renamed_and_ended(olga: Client) -> None:
    _, ladder = club(closed=False)
    address = f"/admin/league/ladder/{ladder.pk}/change/"
    page = olga.get(address)
    assert "March 2024" in page_html(page)
    data = form_fields(page.context["form"], title="Table of the month", ended_on="2024-04-01")
    assert "was changed" in page_html(olga.post(address, data, follow=True))
    ladder.refresh_from_db()
    assert (ladder.title, str(ladder.ended_on)) == ("Table of the month", "2024-04-01")


def test_a_ladder_ranks_otherwise_from_a_day_on(olga: Client) -> None:
    _, ladder = club()
    assert b"method=points" in olga.get(f"/admin/league/ladder/{ladder.pk}/rule/").content
    address = f"/admin/league/ladder/{ladder.pk}/rule/?method=points"
    form = olga.get(address).context["form"]
    assert form["parameters_win"].value() == 1
    data = form_fields(form, parameters_win="3")
    refused = olga.post(address, {**data, "from_date": "2024-03-01"})
    assert "is published" in str(refused.context["form"].errors["from_date"])
    olga.post(address, {**data, "from_date": "2024-04-01"})
    assert [rule.parameters for rule in ladder.rules.order_by("from_date")] == [POINTS, {**POINTS, "win": 3}]
    other = olga.get(f"/admin/league/ladder/{ladder.pk}/rule/?method=erf_mean").context["form"]
    assert other["parameters_games"].value() == 20


def test_a_period_is_closed_by_hand(olga: Client) -> None:
    _, ladder = club(closed=False)
    address = f"/admin/league/ladder/{ladder.pk}/periods/2024-03/"
    assert "Close and publish edition 1" in page_html(olga.get(address))
    page = page_html(olga.post(address, {"_close": "1", "reason": ""}, follow=True))
    assert "Edition 1 of March 2024 is published." in page
    assert Edition.objects.get().sha256 in page
    again = olga.post(address, {"_close": "1", "reason": ""})
    assert "is closed, and its games say what edition 1 says" in page_html(again)
    running = Period.objects.exclude(key="2024-03").get()
    page = page_html(olga.get(f"/admin/league/ladder/{ladder.pk}/periods/{running.key}/"))
    assert "closes by itself 24 hours later" in page
    assert olga.get(f"/admin/league/ladder/{ladder.pk}/periods/1999-01/").status_code == 404


def test_a_change_in_a_closed_period_is_told_and_decided(olga: Client) -> None:
    league, ladder = club()
    game = league.games.get()
    page = page_html(confirm(olga, f"/admin/league/game/{game.pk}/void/", {"reason": "A friendly."}, follow=True))
    assert "One closed period of Club now differs" in page
    assert "decide what becomes of that" in page_html(olga.get(f"/admin/league/league/{league.pk}/change/"))
    address = f"/admin/league/ladder/{ladder.pk}/periods/2024-03/"
    page = page_html(olga.get(address))
    assert "Edition 1 and what the games say now" in page
    refused = olga.post(address, {"_close": "1", "reason": ""})
    assert "Say why: edition 2 of March 2024" in str(refused.context["form"].errors["reason"])
    assert "The last edition of March 2024 stands." in page_html(olga.post(address, {"_carry": "1"}, follow=True))
    assert not Period.objects.filter(awaits=True).exists()
    needed = olga.post(address, {"_reopen": "1", "reason": ""})
    assert "Say why" in str(needed.context["form"].errors["reason"])
    page = page_html(olga.post(address, {"_reopen": "1", "reason": "A sheet turned up."}, follow=True))
    assert "is open again" in page
    assert "reopened after edition 1: A sheet turned up." in page


def test_all_periods_are_decided_about_at_once(olga: Client) -> None:
    league, _ = club()
    create_ladder(league.pk, "year", "Year", Ranking("points", "year"), by="test")
    advance(league.pk)
    address = f"/admin/league/league/{league.pk}/decisions/"
    assert "Nothing awaits a decision." in page_html(olga.get(address))
    late = sheet(("ben", "cleo"), (1, 0), played_at=datetime(2024, 3, 9, tzinfo=UTC))
    record(league, late)
    assert page_html(olga.get(address)).count('<li><a href="/admin/league/ladder/') >= 2
    refused = olga.post(address, {"decision": "publish", "reason": ""})
    assert "Say why" in str(refused.context["form"].errors["reason"])
    page = page_html(olga.post(address, {"decision": "publish", "reason": "A late sheet."}, follow=True))
    assert "2 periods have a next edition." in page
    assert list(Edition.objects.filter(number=2).values_list("reason", flat=True)) == ["A late sheet."] * 2
    record(league, sheet(("ben", "cleo"), (0, 1), played_at=datetime(2024, 3, 10, tzinfo=UTC)))
    page = page_html(olga.post(address, {"decision": "carry", "reason": ""}, follow=True))
    assert "2 periods stand as published." in page


def test_editions_are_to_look_at_only(olga: Client) -> None:
    club()
    edition = Edition.objects.get()
    assert edition.sha256 in page_html(olga.get("/admin/league/edition/"))
    assert olga.get("/admin/league/edition/add/").status_code == 403
    address = f"/admin/league/edition/{edition.pk}"
    assert olga.get(f"{address}/change/").status_code == 200
    assert olga.post(f"{address}/change/", {"reason": "changed"}).status_code == 403
    assert olga.post(f"{address}/delete/", {"post": "yes"}).status_code == 403
    edition.refresh_from_db()
    assert edition.reason == ""


def test_a_rule_before_a_closed_period_is_refused_at_its_field(olga: Client) -> None:
    league, _ = club()
    address = f"/admin/league/league/{league.pk}/rule/"
    data = form_fields(olga.get(address).context["form"], from_date="2024-03-01", parameters_k="10")
    for button in ({}, {"_adopt": "1"}):
        page = olga.post(address, {**data, **button})
        assert "March 2024 of the ladder Month is closed" in str(page.context["form"].errors["from_date"])
    assert league.rules.count() == 1


def test_who_may_not_add_ladders_is_told_so(client: Client) -> None:
    _, ladder = club()
    client.force_login(User.objects.create_user("recorder", is_staff=True))
    assert client.get("/admin/league/ladder/add/").status_code == 403
    assert client.get(f"/admin/league/ladder/{ladder.pk}/change/").status_code in (403, 404)
    assert client.post(f"/admin/league/ladder/{ladder.pk}/periods/2024-03/", {"_close": "1"}).status_code in (403, 404)
    assert Edition.objects.count() == 1


def test_a_published_set_of_parameters_fills_the_form_of_a_rule_and_of_a_ladder(client: Client) -> None:
    client.force_login(User.objects.create_superuser("paula"))
    league = make_league("barbu", tuple("abcd"))
    address = f"/admin/league/league/{league.pk}/rule/"
    page = client.get(address)
    assert "January 2004: running mean" in page.content.decode()
    assert "Strength running_mean_j, Who shares the adjustment none" in page.content.decode()
    form = client.get(f"{address}?preset=2004-05").context["form"]
    values = {name: form[f"parameters_{name}"].value() for name in ("half_life", "score_transform", "zero_sum", "j")}
    assert values == {"half_life": 20.0, "score_transform": "erf_400", "zero_sum": "none", "j": 1.04}
    assert client.get(f"{address}?preset=2099").context["form"]["parameters_zero_sum"].value() == "table"
    page = client.get("/admin/league/ladder/add/?league=club&method=erf_mean&preset=2005-04")
    assert page.context["form"]["parameters_factor"].value() == "sqrt_2005"
    assert "league=club&amp;method=erf_mean&amp;preset=2005-06" in page.content.decode()
