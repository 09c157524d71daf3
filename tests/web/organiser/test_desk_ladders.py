"""Ladders on a league's desk: side by side, made after a look, closed, opened again, decided about as seen."""

import re
from datetime import date, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.core.errors import Busy
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, change_ranking, create_ladder
from league.core.verify.run import verify_league
from league.models import Decision, Edition, Ladder, LadderRule, League, Period
from tests.helpers.builders import make_league, record
from tests.helpers.desk_client import (
    DESK,
    ONCE_KEY,
    form_fields,
    page_messages,
    page_text,
    sheet_fields,
    sign_in_member,
)
from tests.helpers.desk_ladders import APRIL, DECISIONS, LADDERS, MARCH, MONTH, NEW, build_month_club, press_period
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, state, tables, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def test_ladders_stand_side_by_side_with_what_is_in_play_and_what_was_published(olga: Client) -> None:
    league = build_month_club()
    close(league, "2024-03")
    close(league, "2024-04")
    page = olga.get(LADDERS)
    text = page_text(page)
    assert "Month Points table, every month" in text
    ((line, _),) = page.context["lines"]
    now = timezone.now()
    assert line.period.starts_at <= now < line.period.ends_at
    assert (line.edition.key, line.published) == ("2024-04", "April 2024")
    assert "Ben, published " in text
    assert "24 hours after its end" in text
    assert "No decisions are due." in text
    (tab,) = [one for one in page.context["tabs"] if one.name == "ladders"]
    assert tab.address == LADDERS


def test_more_ladders_cost_no_more_questions(olga: Client) -> None:
    league = build_month_club()
    advance(league.pk)
    olga.get(LADDERS)
    with CaptureQueriesContext(connection) as one:
        olga.get(LADDERS)
    for slug in ("one", "two", "three"):
        make_ladder(league, slug, cadence="all_time")
    advance(league.pk)
    with CaptureQueriesContext(connection) as many:
        olga.get(LADDERS)
    assert len(many) == len(one) <= 25


def test_a_new_ladder_is_shown_before_it_is_made_and_made_once(olga: Client) -> None:
    league = build_month_club()
    text = page_text(olga.get(NEW))
    assert "New ladder: choose a ranking method" in text
    assert "Points table" in text
    address = f"{NEW}?method=points"
    form = olga.get(address).context["form"]
    sent = form_fields(form, title="Table of the Year", cadence="year")
    before = tables("RequestKey")
    page = olga.post(address, sent)
    assert tables("RequestKey") == before
    ((shown, _),) = page.context["tried"]
    # Anna won once and never lost, Ben won one and lost one, Cleo lost her only game: a point a win.
    assert (shown.title, [(row["rank"], row["player"], row["score"]) for row, _ in shown.rows]) == (
        "2024", [(1, "anna", 1.0), (1, "ben", 1.0), (3, "cleo", 0.0)],
    )  # fmt: skip
    made = olga.post(address, {**sent, "_commit": "1", "once": ONCE_KEY}, follow=True)
    assert made.redirect_chain == [(f"{LADDERS}table-of-the-year/", 302)]
    assert page_messages(made) == "Table of the Year was created and ranks all games so far."
    other = olga.post(address, {**sent, "title": "Other", "_commit": "1", "once": ONCE_KEY})
    assert "This form has already been submitted with other contents." in page_text(other)
    assert Ladder.objects.count() == 2
    rule = LadderRule.objects.get(ladder__slug="table-of-the-year")
    assert (rule.method, rule.cadence, rule.parameters["win"]) == ("points", "year", 1)
    assert verify_league(league.pk).differences == []


def test_a_ladder_that_cannot_be_is_refused_at_its_field(olga: Client) -> None:
    build_month_club()
    address = f"{NEW}?method=points"
    sent = form_fields(olga.get(address).context["form"])
    for given, said in (
        ({"title": ""}, "Enter a title, e.g. Ladder of the month."),
        ({"title": "月"}, "The title cannot be turned into an address; enter one, e.g. month."),
        ({"title": "Month"}, "The league already has a ladder “month”; choose another slug."),
        ({"title": "Cup", "cadence": "dated"}, "A dated ladder needs a first and a last day."),
        ({"title": "Cup", "cadence": "fortnight"}, "Select a valid choice."),
        ({"title": "Cup", "parameters_minimum": "-4"}, "Ensure this value is greater than or equal to"),
        ({"title": "Cup", "slug": "a b"}, "Enter a valid “slug”"),
        ({"title": "Cup\0"}, "Null characters are not allowed."),
    ):
        for key in ("try", "_commit"):
            page = olga.post(address, {**sent, **given, key: "1"})
            assert "No league was created." in page_text(page), given
            assert said in page_text(page)
            assert page.context["form"]["title"].value() == given["title"]
    assert Ladder.objects.count() == 1


def test_a_method_that_cannot_rank_these_games_says_why_and_stands_last(olga: Client) -> None:
    make_league("preferans")
    page = olga.get(NEW)
    refused = [one for one in page.context["offered"] if one.refusal]
    assert refused
    assert page.context["offered"][-len(refused) :] == refused
    assert refused[0].refusal in page.content.decode().replace("&#x27;", "'")
    assert f"?method={refused[0].method.key}" not in page.content.decode()


def test_a_published_set_fills_the_settings(olga: Client) -> None:
    build_month_club()
    page = olga.get(f"{NEW}?method=erf_mean")
    (first, *_) = page.context["presets"]
    filled_in = olga.get(f"{NEW}?{first['query']}")
    assert [one["chosen"] for one in filled_in.context["presets"]].count(True) == 1


def test_a_ladder_is_renamed_and_ended_by_what_was_changed_only(olga: Client) -> None:
    league = build_month_club()
    form = olga.get(MONTH).context["form"]
    sent = {**form_fields(form), "initial-title": "Month", "initial-ended_on": ""}
    assert page_messages(olga.post(MONTH, sent, follow=True)) == "Nothing was changed."
    # Somebody else has renamed it meanwhile: who ends it does not put the old title back.
    Ladder.objects.update(title="Monthly")
    assert page_messages(olga.post(MONTH, {**sent, "ended_on": "2024-06-01"}, follow=True)) == "Month was changed."
    ladder = Ladder.objects.get()
    assert (ladder.title, str(ladder.ended_on)) == ("Monthly", "2024-06-01")
    assert "No periods begin from 1 June 2024" in page_text(olga.get(LADDERS))
    close(league, "2024-03")
    refused = olga.post(MONTH, {**sent, "ended_on": "2024-03-01"})
    assert "is published; choose 2024-04-01 or a later day." in page_text(refused)
    assert "Enter a title." in page_text(olga.post(MONTH, {**sent, "title": " "}))


def test_periods_stand_with_their_state_page_by_page(olga: Client) -> None:
    league = build_month_club()
    close(league, "2024-03")
    page = olga.get(MONTH)
    rows = [
        (one.period.key, one.period.closed, one.edition and one.edition.number, one.games, one.winners)
        for one in page.context["periods"]
    ][-2:]
    # In March, Anna beat Ben; in April, which is open, Ben beat Cleo.
    assert [row[:4] for row in rows] == [("2024-04", False, None, 1), ("2024-03", True, 1, 1)]
    assert [[winner["player"] for winner in row[4]] for row in rows] == [[], ["anna"]]
    with patch("league.web.organiser.ladder.PAGE_SIZE", 1):
        last = olga.get(MONTH, {"page": page.context["count"]})
        assert [one.period.key for one in last.context["periods"]] == ["2024-03"]
        assert (last.context["before"], last.context["after"]) == (page.context["count"] - 1, 0)
        assert "No earlier periods." in page_text(olga.get(MONTH, {"page": "999"}))
    for odd in ("x", "0", "-1", "9" * 30):
        assert [one.period.key for one in olga.get(MONTH, {"page": odd}).context["periods"]][-1] == "2024-03"


@long_way
def test_a_ladder_ranks_otherwise_from_a_day_on_after_a_look(olga: Client) -> None:
    league = build_month_club()
    close(league, "2024-03")
    assert '<span class="tag">current</span>' in olga.get(f"{MONTH}rule/").content.decode()
    address = f"{MONTH}rule/?method=points"
    form = olga.get(address).context["form"]
    assert form["parameters_win"].value() == 1
    sent = form_fields(form, parameters_win="3", from_date="2024-04-01")
    before = tables("RequestKey")
    page = olga.post(address, sent)
    ((shown, _),) = page.context["tried"]
    assert (shown.title, [(row["player"], row["score"], was) for row, was in shown.rows]) == (
        "April 2024", [("ben", 3.0, 1), ("cleo", 0.0, 2)],
    )  # fmt: skip
    refused = olga.post(address, {**sent, "from_date": "2024-03-01"})
    assert "is published" in page_text(refused)
    assert tables("RequestKey") == before
    done = olga.post(address, {**sent, "_commit": "1", "once": ONCE_KEY}, follow=True)
    assert page_messages(done) == "From 2024-04-01, Month ranks by Points table."
    assert [rule.parameters["win"] for rule in LadderRule.objects.order_by("from_date")] == [1, 3]
    nothing = olga.post(f"{MONTH}rule/?method=points", {**sent, "from_date": "2150-01-01"})
    assert "No games were played in a period that it would rank." in page_text(nothing)
    assert verify_league(league.pk).differences == []


def test_a_period_is_closed_after_a_look_at_what_everybody_will_see(olga: Client) -> None:
    league = build_month_club()
    text = page_text(olga.get(MARCH))
    assert "Close March 2024?" in text
    assert "Anna wins. The ranking is published as edition 1 of March 2024" in text
    assert "It closes automatically" in text
    assert not Edition.objects.exists()
    page = press_period(olga, MARCH, "close", once=ONCE_KEY)
    assert page_messages(page) == "Edition 1 of March 2024 was published."
    assert Edition.objects.get().published_by == "olga"
    assert Edition.objects.get().sha256 in page_text(page)
    assert "Reopen March 2024?" in page_text(page)
    assert verify_league(league.pk).differences == []


def test_a_closing_that_comes_twice_is_done_once(olga: Client) -> None:
    build_month_club()
    shown = olga.get(MARCH).context
    sent = {"act": "close", "reason": "", "seen": shown["seen"], "once": shown["once"]}
    first, second = olga.post(MARCH, sent, follow=True), olga.post(MARCH, sent, follow=True)
    assert page_messages(first) == "Edition 1 of March 2024 was published."
    assert page_messages(second) == "Edition 1 of March 2024 was published. You submitted this twice; it was done once."
    assert Edition.objects.count() == 1


def test_a_ranking_that_moved_since_it_was_shown_is_not_published(olga: Client) -> None:
    league = build_month_club()
    shown = olga.get(MARCH).context
    record(league, duel("cleo", "anna", "2024-03-09"))
    page = olga.post(MARCH, {"act": "close", "reason": "", "seen": shown["seen"], "once": shown["once"]})
    assert "Nothing was saved." in page_text(page)
    assert "The ranking of March 2024 has changed since you looked. This is the current one." in page_text(page)
    assert [row["player"] for row in page.context["rows"]] == ["anna", "cleo", "ben"]
    assert not Edition.objects.exists()
    sent = {"act": "close", "reason": "", "seen": page.context["seen"], "once": page.context["once"]}
    assert "Edition 1" in page_messages(olga.post(MARCH, sent, follow=True))


def test_a_later_period_waits_for_the_earlier_one(olga: Client) -> None:
    build_month_club()
    page = press_period(olga, APRIL, "close")
    assert "March 2024 comes before April 2024 and is still open; close it first." in page_text(page)
    assert not Edition.objects.exists()


@long_way
def test_a_closed_period_that_differs_asks_what_becomes_of_it(olga: Client) -> None:
    league = build_month_club()
    close(league, "2024-03")
    void_game(league.pk, 1, reason="a friendly", username="olga")
    page = olga.get(MARCH)
    text = page_text(page)
    assert "Decision about March 2024" in text
    assert [act.key for act in page.context["acts"]] == [
        "Publish edition 2", "Keep edition 1", "Reopen March 2024",
    ]  # fmt: skip
    assert "checked" not in page.content.decode()
    assert [(line.player, line.rank_before, line.rank_after) for line in page.context["lines"]] == [
        ("anna", 1, None), ("ben", 2, None),
    ]  # fmt: skip
    assert "Choose one of these options." in page_text(press_period(olga, MARCH, ""))
    assert "This is no longer possible." in page_text(press_period(olga, MARCH, "burn"))
    refused = press_period(olga, MARCH, "close")
    assert "Give a reason for edition 2 of March 2024." in page_text(refused)
    assert 'aria-invalid="true"' in refused.content.decode()
    assert (
        page_messages(press_period(olga, MARCH, "carry", "Prizes were given.")) == "Edition 1 of March 2024 was kept."
    )
    assert Decision.objects.get().reason == "Prizes were given."
    assert state(league, "2024-03") == (True, False)
    assert "“Prizes were given.”" in page_text(olga.get(MARCH))


def test_a_period_is_opened_again_and_closed_by_hand(olga: Client) -> None:
    league = build_month_club()
    close(league, "2024-03")
    assert "It must then be closed by hand." in page_text(olga.get(MARCH))
    assert "Give a reason for reopening the period." in page_text(press_period(olga, MARCH, "reopen"))
    assert state(league, "2024-03") == (True, False)
    assert "is open again" in page_messages(press_period(olga, MARCH, "reopen", "A sheet turned up."))
    assert state(league, "2024-03") == (False, False)
    page = olga.get(MARCH)
    assert "Close March 2024 again?" in page_text(page)
    assert "Reopened after edition 1" in page_text(page)
    assert "reopened" in page_text(olga.get(MONTH))
    done = press_period(olga, MARCH, "close", "It is complete.")
    assert page_messages(done) == "Edition 2 of March 2024 was published."


def test_what_cannot_be_done_says_when_or_why(olga: Client) -> None:
    league = build_month_club()
    running = f"{MONTH}periods/{Period.objects.order_by('-starts_at')[0].key}/"
    assert "It closes automatically 24 hours after its end" in page_text(olga.get(running))
    assert "This is no longer possible." in page_text(press_period(olga, running, "close"))
    League.objects.update(closing="by_hand")
    assert "You can close it here after it ends." in page_text(olga.get(running))
    make_ladder(league, "ever", cadence="all_time")
    assert "never closes" in page_text(olga.get(LADDERS))
    assert "An all-time ladder has no end" in page_text(olga.get(f"{LADDERS}ever/periods/all/"))
    assert not Edition.objects.exists()


@long_way
def test_all_are_decided_about_at_once(olga: Client) -> None:
    league = build_month_club()
    close(league, "2024-03")
    close(league, "2024-04")
    record(league, duel("dan", "anna", "2024-03-09"))
    record(league, duel("dan", "anna", "2024-04-09"))
    page = olga.get(DECISIONS)
    assert "Decide about all 2" in page_text(page)
    assert "Decide about all 2 at once" in page_text(olga.get(LADDERS))
    assert "Choose one of these options." in page_text(olga.post(DECISIONS, {"reason": "x"}))
    assert "Give a reason for the new edition." in page_text(
        olga.post(DECISIONS, {"decision": "publish", "reason": ""})
    )
    sent = {"decision": "publish", "reason": "Late sheets.", "once": ONCE_KEY}
    assert page_messages(olga.post(DECISIONS, sent, follow=True)) == "2 periods have a new edition."
    assert page_messages(olga.post(DECISIONS, sent, follow=True)) == "2 periods have a new edition."
    assert Edition.objects.count() == 4
    record(league, duel("dan", "anna", "2024-03-10"))
    assert page_messages(olga.post(DECISIONS, {"decision": "carry"}, follow=True)) == "1 period stays as published."
    none = olga.post(DECISIONS, {"decision": "carry"})
    assert "No decisions about closed periods are due in this league." in page_text(none)


def test_what_is_not_there_is_not_found(olga: Client) -> None:
    build_month_club()
    for path in (
        "year/", "month%00/", "year/rule/", "month/periods/1999-01/", "month/periods/x%00/", "year/periods/2024-03/",
    ):  # fmt: skip
        assert olga.get(LADDERS + path).status_code == 404, path


def test_a_busy_database_is_told_as_such(olga: Client) -> None:
    build_month_club()
    with patch("league.web.organiser.period.close_period", side_effect=Busy("Many games are being recorded.")):
        page = press_period(olga, MARCH, "close")
    assert (page.status_code, page["Retry-After"]) == (503, Busy.retry_after)
    assert "Many games are being recorded." in page_text(page)


def test_a_period_that_closes_soon_stands_on_the_desk_with_the_way_there(olga: Client) -> None:
    league = build_month_club()
    now = timezone.now()
    april = Period.objects.filter(key="2024-04")
    april.update(starts_at=now - timedelta(days=2000), ends_at=now + timedelta(hours=9))
    # What still runs cannot be closed yet: nothing leads there for that.
    assert f'href="{APRIL}"' not in olga.get(DESK).content.decode()
    april.update(ends_at=now - timedelta(hours=9))
    assert f'href="{APRIL}"' in olga.get(DESK).content.decode()
    assert f'href="{APRIL}"' in olga.get(LADDERS).content.decode()
    assert league.slug == "club"


@pytest.fixture
def olga_ahead(client: Client) -> Client:
    """Return the browser of site staff, in a league whose points table counts best scores from 2150 on."""
    client.force_login(User.objects.create_superuser("olga"))
    league = make_league()
    make_ladder(league)
    ranking = RankingRule("best_scores", "quarter", {}, date(2150, 1, 1))
    change_ranking(league.pk, "month", ranking, username="otto")
    return client


def methods_as_now(page: Any) -> list[str]:
    """Return the methods that the choice marks as the present one."""
    return [part.split("</b>")[0] for part in page.content.decode().split('class="strong">') if ">current<" in part]


def test_the_head_says_how_a_ladder_ranks_now_and_beneath_what_comes(olga_ahead: Client) -> None:
    text = page_text(olga_ahead.get(MONTH))
    head, rest = text.split("Ranking rule")
    assert "Month Points table, every month · Public page" in head
    assert "Best scores" not in head
    now, coming = rest.split("From 1 January 2150")
    assert "From the first game Points table, every month." in now
    assert "Best scores, every quarter." in coming
    assert "adopted by otto" in coming


def test_a_coming_rule_is_not_what_the_form_begins_with(olga_ahead: Client) -> None:
    assert methods_as_now(olga_ahead.get(f"{MONTH}rule/")) == ["Points table"]
    form = olga_ahead.get(f"{MONTH}rule/?method=points").context["form"]
    assert (form["cadence"].value(), form["parameters_win"].value()) == ("month", 1)
    assert olga_ahead.get(f"{MONTH}rule/?method=best_scores").context["form"]["cadence"].value() == "month"


def test_a_ladder_that_has_not_begun_says_when_it_does(olga_ahead: Client) -> None:
    league = make_league(slug="new")
    create_ladder(league.pk, "cup", "Cup", RankingRule("points", "month", {}, date(2150, 1, 1)), username="olga")
    text = page_text(olga_ahead.get("/admin/leagues/new/ladders/cup/"))
    assert "Cup Begins 1 January 2150: Points table, every month" in text
    assert "No rule is in force yet." in text
    assert "From 1 January 2150" in text


@pytest.fixture
def club() -> League:
    """Return a league whose March and April 2024 are published, and whose March differs since."""
    league = make_league()
    make_ladder(league)
    for day in ("2024-03-05", "2024-04-05"):
        record(league, duel("anna", "ben", day))
    close(league, "2024-03")
    close(league, "2024-04")
    record(league, duel("ben", "cleo", "2024-03-06"))
    return league


def form_of(page: Any, **more: str) -> dict[str, Any]:
    """Return the form of the page as a browser sends it."""
    found = re.findall(r'<input type="hidden" name="(once|period)" value="([^"]+)">', page.content.decode())
    return {"once": dict(found)["once"], "period": [value for name, value in found if name == "period"], **more}


def test_only_what_was_seen_is_published(olga: Client, club: League) -> None:
    seen = form_of(olga.get(DECISIONS), decision="publish", reason="A late sheet.")
    assert len(seen["period"]) == 1
    record(club, duel("ben", "cleo", "2024-04-06"))
    page = olga.post(DECISIONS, seen)
    assert "The decisions due have changed since you looked." in page.content.decode()
    assert not Edition.objects.filter(number=2).exists()
    again = form_of(page, decision="publish", reason="A late sheet.")
    assert len(again["period"]) == 2
    olga.post(DECISIONS, again)
    assert sorted(Edition.objects.filter(number=2).values_list("key", flat=True)) == ["2024-03", "2024-04"]


def test_a_recorder_is_told_that_an_organiser_decides(club: League) -> None:
    otto = sign_in_member("otto", "recorder", club)
    page = otto.post(
        f"{DESK}record/", sheet_fields(("anna", "1"), ("ben", "0"), played_at="2024-03-07T20:00"), follow=True
    )
    assert "An organiser will decide." in page_messages(page)
    assert DECISIONS not in page.content.decode()


def test_a_period_that_still_runs_is_not_said_to_have_ended(olga: Client) -> None:
    league = make_league()
    League.objects.update(closing="by_hand")
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    end = utc("2024-04-01")
    with clock(end - timedelta(hours=20)):
        advance(league.pk)
        page = olga.get(DESK).content.decode()
    assert "must then be closed by hand" in page
    assert "Close now" not in page
    with clock(end + timedelta(hours=20)):
        advance(league.pk)
        page = olga.get(DESK).content.decode()
    assert "has ended and must be closed by hand." in page
    assert "Close now" in page
