"""A game before six in the morning is of the evening before, on every page; ladders go by the calendar."""

import random
import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from league.core.calendar import compute_evening_of_game
from league.core.db.columns import convert_to_micros
from league.core.games.selectors.games import build_evenings_condition
from league.core.text.display_formats import format_recent_day
from league.models import Game, League
from league.web.public.charts.player_strips import count_games_by_month
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock, make_ladder

pytestmark = pytest.mark.django_db
#: In Belgrade, an hour later than UTC: the last evening of November with a game after its midnight, and one at seven.
BEFORE, AFTER, MORNING = (
    datetime(2023, 11, 30, 22, 40, tzinfo=UTC), datetime(2023, 11, 30, 23, 21, tzinfo=UTC),
    datetime(2023, 12, 1, 6, 0, tzinfo=UTC),
)  # fmt: skip
NOON = datetime(2023, 12, 1, 11, tzinfo=UTC)


def read(address: str) -> str:
    """Return a page of the club in one line."""
    answer = Client().get(f"/leagues/club/{address}")
    assert answer.status_code == 200, answer.content[:2000]
    return " ".join(answer.content.decode().split())


def make_club() -> League:
    """Return a league in Belgrade whose last games were at 23:40 and, after midnight, at 00:21."""
    league = make_league(time_zone="Europe/Belgrade")
    with clock(NOON):
        make_ladder(league)
        for index, played_at in enumerate((BEFORE - timedelta(days=21), BEFORE, AFTER)):
            record(league, sheet(("anna", "ben"), (1, index), played_at=played_at))
    return league


def test_pages_and_pictures_say_the_day_of_a_games_evening() -> None:
    make_club()
    with clock(NOON):
        board, player, games = read(""), read("players/anna/"), read("games/")
        versus = read(reverse("pages:versus", args=["club", "anna", "ben"]).removeprefix("/leagues/club/"))
        feed = read(reverse("pages:feed", args=["club"]).removeprefix("/leagues/club/"))
    assert "last played <time" in player and ">30 Nov 2023</time>." in player
    assert re.findall(r'played">.*?>(\w+)</time>', board) == ["yesterday"] * 2
    assert "November 2023: 3 games" in player or "1 Dec 2023" not in player
    assert "1 Dec 2023" not in versus and "30 Nov 2023" in versus
    assert re.findall(r"<h2 [^>]*>(.*?)</h2>", games)[0] == "Thursday 30 November"
    assert "Friday" not in games and "Thursday 30 November 2023:" in feed and "Friday" not in feed


def test_where_a_ladder_goes_by_the_calendar_the_page_of_the_game_says_so() -> None:
    make_club()
    with clock(NOON):
        late, early = read("games/3/"), read("games/2/")
    assert re.search(r"1 Dec 2023, 00:21 UTC\+1</time>, on the evening of 30 Nov<", late)
    assert "December 2023: it began after midnight" in late
    assert "November 2023</span>" in early and "evening of" not in early and "midnight" not in early


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (datetime(2023, 12, 1, 0, tzinfo=UTC), "today"),  # one in the night
        (datetime(2023, 12, 1, 4, 59, tzinfo=UTC), "today"),
        (datetime(2023, 12, 1, 5, tzinfo=UTC), "yesterday"),  # six
        (datetime(2023, 12, 2, 4, 59, tzinfo=UTC), "yesterday"),
        (datetime(2023, 12, 2, 5, tzinfo=UTC), "30 Nov"),
        (datetime(2024, 1, 2, 5, tzinfo=UTC), "30 Nov 2023"),
    ],
)
def test_an_evening_is_today_until_six(now: datetime, words: str) -> None:
    with clock(now):
        assert [f">{words}<" in format_recent_day(one, "Europe/Belgrade") for one in (BEFORE, AFTER)] == [True] * 2


def test_six_in_the_morning_is_another_day() -> None:
    with clock(NOON):
        assert ">today<" in format_recent_day(MORNING, "Europe/Belgrade")


def list_times(zone: str) -> list[datetime]:
    """Return times around midnight, six and changes of clocks, and starts of days, in a time zone."""
    source = random.Random(zone)
    days = [date(2023, 3, 26), date(2023, 10, 29), date(2023, 10, 1), date(2026, 11, 1), date(2024, 1, 1)]
    times = [
        datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone)).astimezone(UTC)
        + timedelta(minutes=source.choice((0, -1, 1, source.randint(-90, 90))))
        for day in [*days, *(one + timedelta(days=1) for one in days)]
        for hour in (0, 2, 6, 12)
    ]
    return sorted(set(times))


@pytest.mark.parametrize("zone", ["Europe/Belgrade", "America/Asuncion", "America/Havana", "Asia/Kathmandu", "UTC"])
def test_searches_and_months_agree_with_the_day_that_is_shown(zone: str) -> None:
    league = make_league(time_zone=zone)
    with clock(datetime(2027, 1, 1, tzinfo=UTC)):
        for played_at in list_times(zone):
            record(league, sheet(("anna", "ben"), (1, 0), played_at=played_at))
    times = dict(Game.objects.filter(league=league).values_list("number", "played_at"))
    shown = {number: compute_evening_of_game(at, zone) for number, at in times.items()}
    for day in set(shown.values()):
        for first, last in ((day, None), (None, day), (day, day), (day, day + timedelta(days=1))):
            found = Game.objects.filter(build_evenings_condition(league, first, last, "played_at"), league=league)
            assert set(found.values_list("number", flat=True)) == {
                number
                for number, one in shown.items()
                if (first is None or first <= one) and (last is None or one <= last)
            }, (first, last)
    activity = count_games_by_month(league, np.array([convert_to_micros(at) for at in sorted(times.values())]))
    assert activity is not None
    for year, months in activity.years:
        counts = [sum((one.year, one.month) == (year, month) for one in shown.values()) for month in range(1, 13)]
        assert [month.games for month in months] == counts
