"""Adjustments and seasons on the desk and on public pages: shown first, done once, voided with a reason."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from league.core.leagues.services.leagues import adopt_rule
from league.models import Adjustment, GamelessChange, League, Player, Rule
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.desk_client import ONCE_KEY, page_html, sign_in_member
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

PAGE = "/admin/leagues/club/adjustments/"
RULES = "/admin/leagues/club/rules/"


@pytest.fixture
def league() -> League:
    """Return a league by Belgrade's clock in which anna has beaten ben: 1510 and 1490."""
    league = make_league(parameters={"k": 20}, time_zone="Europe/Belgrade")
    record(league, sheet(["anna", "ben"], [1, 0], played_at=datetime(2024, 2, 1, 19, tzinfo=UTC)))
    return league


@pytest.fixture
def browser(league: League) -> Client:
    """Return the browser of an organiser."""
    return sign_in_member("olga", "organiser", league)


def penalty(**more: Any) -> dict[str, Any]:
    """Return a form that takes 25 points from anna."""
    form = {"player": "anna", "amount": "−25", "reason": "Left the table.", "at": "2024-02-10", "once": ONCE_KEY}
    return {**form, **more}


@long_way
def test_points_are_shown_first_taken_once_and_given_back_with_a_reason(browser: Client, league: League) -> None:
    assert "No adjustments yet." in page_html(browser.get(PAGE))
    tried = browser.post(PAGE, penalty())
    assert "will be adjusted by −25" in page_html(tried)
    assert not Adjustment.objects.exists()
    data = penalty(_commit="1", _shown=tried.context["mark"])
    assert browser.post(PAGE, data).status_code == 302
    made = Adjustment.objects.get()
    # Midnight by the clock of Belgrade, an hour ahead in winter.
    assert (made.at, made.amount, made.recorded_by) == (datetime(2024, 2, 9, 23, tzinfo=UTC), -25.0, "olga")
    page = page_html(browser.get(PAGE))
    assert "Left the table." in page
    assert "1510.0 → 1485.0" in page
    assert ratings(league)["anna"] == 1485.0
    refused = page_html(browser.post(f"{PAGE}1/void/", {"reason": " "}, follow=True))
    assert "Give a reason" in refused
    assert Adjustment.objects.get().voided_at is None
    page = page_html(browser.post(f"{PAGE}1/void/", {"reason": "They had told us."}, follow=True))
    assert "Adjustment 1 was voided." in page
    assert "They had told us." in page
    assert ratings(league)["anna"] == 1510.0


@long_way
def test_what_cannot_be_stands_on_the_form(browser: Client, league: League) -> None:
    for more, sentence in (
        ({"amount": ""}, "Enter the number of points."),
        ({"amount": "some"}, "Enter a number."),
        ({"amount": "0"}, "not 0"),
        ({"reason": ""}, "Give a reason"),
        ({"player": "nobody"}, "nobody"),
        ({"player": "cleo"}, "Cleo has no rated game before that time"),
        ({"at": "2100-01-01"}, "is in the future"),
        ({"at": "0001-01-01"}, "outside the calendar"),
        ({"at": "9999-01-01"}, "outside the calendar"),
    ):
        page = page_html(browser.post(PAGE, penalty(**more)))
        assert "Nothing was adjusted." in page, more
        assert sentence in page
    assert not Adjustment.objects.exists()


def test_a_rule_with_seasons_is_tried_adopted_and_goes_on(browser: Client, league: League) -> None:
    form = {name: value for name, value in browser.get(RULES).context["form"].initial.items() if value is not None}
    form |= {"from_date": "2024-02-15", "season_days": "09-01, 03-01", "season_pull": "50", "once": "b" * 32}
    for days, pull, sentence in (
        ("09-01", "", "Enter 0.1 to 100%, e.g. 25."),
        ("09-01", "150", "Enter 0.1 to 100%, e.g. 25."),
        ("31-12", "50", "is not a day of every year"),
    ):
        page = browser.post(RULES, {**form, "season_days": days, "season_pull": pull})
        assert sentence in page_html(page)
    tried = browser.post(RULES, form)
    assert browser.post(RULES, {**form, "_commit": "1", "_shown": tried.context["mark"]}).status_code == 302
    assert Rule.objects.latest("from_date").season == {"days": ["03-01", "09-01"], "pull": 0.5}
    record(league, sheet(["ben", "cleo"], [1, 1], played_at=datetime(2024, 3, 5, tzinfo=UTC)))
    # By the clock of Belgrade, where March begins an hour before it does in Greenwich.
    assert {line.at for line in GamelessChange.objects.all()} == {datetime(2024, 2, 29, 23, tzinfo=UTC)}
    page = browser.get(RULES)
    assert page.context["form"].initial["season_days"] == "03-01, 09-01"
    assert page.context["form"].initial["season_pull"] == "50"
    assert "1 March, 1 September" in page_html(page)
    how = page_html(Client().get("/leagues/club/how/"))
    assert "1 March, 1 September" in how
    assert "50%" in how


def test_moves_between_games_are_told_to_players_and_organisers(browser: Client, league: League) -> None:
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 2, 15), {"days": ["03-01"], "pull": 0.5}, username="olga")
    browser.post(PAGE, penalty(_commit="1"))
    record(league, sheet(["anna", "cleo"], [1, 1], played_at=datetime(2024, 3, 5, tzinfo=UTC)))
    page = page_html(Client().get("/leagues/club/players/anna/"))
    order = [page.index(text) for text in ("A new season began", "Left the table.")]
    assert order == sorted(order)
    assert "this one from 1485.0 to 1492.5" in page
    # What was done lately names people, and the log has their handles.
    Player.objects.filter(handle="anna").update(name="\u0645\u062d\u0645\u062f")
    words = "adjusted \u2068\u0645\u062d\u0645\u062f\u2069 by −25: adjustment 1"
    assert words in page_html(browser.get("/admin/leagues/club/"))
    assert "adjusted anna by −25: adjustment 1" in page_html(browser.get("/admin/leagues/club/log/"))


def test_a_peak_below_the_rating_says_that_it_counts_games_only(browser: Client, league: League) -> None:
    record(league, sheet(["anna", "ben"], [0, 1], played_at=datetime(2024, 2, 2, 19, tzinfo=UTC)))
    page = "/leagues/club/players/anna/"
    only = "The peak counts only games, not adjustments or new seasons."
    assert only not in page_html(browser.get(page))
    browser.post(PAGE, penalty(amount="100", _commit="1"))
    said = page_html(browser.get(page))
    assert only in said
    assert "<small>games only</small>" in said
