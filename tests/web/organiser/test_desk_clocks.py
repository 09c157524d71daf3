"""Times are written by the league's clock, which is named: in the admin's lists and pages, and on the status page."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from league.core.accounts.services.tokens import make_token
from league.core.jobs.services.work import request_job
from league.core.ladders.services.decisions import advance
from league.core.text.display_formats import format_time
from league.models import Edition, Game, Job, League, Rating, RatingChange
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder

pytestmark = pytest.mark.django_db

#: By the clock of Belgrade it is the next day already.
LATE = datetime(2024, 3, 5, 23, 30, tzinfo=UTC)
SHOWN = "6 Mar 2024, 00:30 UTC+1"


@pytest.fixture
def club() -> League:
    """Return a league in Belgrade with a game, an edition, a job."""
    league = make_league(time_zone="Europe/Belgrade", close_after_hours=0)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=LATE))
    make_ladder(league)
    advance(league.pk)
    request_job(league, Job.Kind.REPLAY, by="test")
    return league


def times(page: Any) -> list[str]:
    """Return every time on a page as it is read."""
    return re.findall(r"<time[^>]*>([^<]*)</time>", page.content.decode())


@pytest.mark.parametrize("name", ["job", "logentry", "edition", "game", "rating", "ratingchange"])
def test_every_time_of_every_list_names_its_clock(olga: Client, club: League, name: str) -> None:
    page = olga.get(f"/admin/league/{name}/")
    assert times(page)
    if name in ("game", "rating", "ratingchange"):
        assert SHOWN in times(page)
        assert 'title="2024-03-06 00:30 Europe/Belgrade"' in page.content.decode()
    for text in times(page):
        assert re.search(r", \d\d:\d\d UTC\+[12]$", text), text
    cells = re.findall(r'<td class="field-(?:\w+_)?at[^"]*">(.*?)</td>', page.content.decode())
    assert not [cell for cell in cells if "<time" not in cell and cell not in ("–", "-")]


@pytest.mark.parametrize("model", [Job, Edition, Rating, RatingChange])
def test_the_page_of_a_row_names_its_clock_too(olga: Client, club: League, model: Any) -> None:
    row = model.objects.first()
    page = olga.get(f"/admin/league/{model._meta.model_name}/{row.pk}/change/")
    assert page.status_code == 200
    assert any(text.endswith(("UTC+1", "UTC+2")) for text in times(page))
    assert not re.search(r"[ap]\.m\.", page.content.decode())


def test_each_row_has_its_own_leagues_clock(olga: Client, club: League) -> None:
    other = make_league(slug="tokyo", time_zone="Asia/Tokyo")
    record(other, sheet(("anna", "ben"), (1, 0), played_at=LATE))
    page = olga.get("/admin/league/game/")
    assert times(page)[:2] == ["6 Mar 2024, 08:30 UTC+9", SHOWN]
    assert "Days in the time zone UTC" in page.content.decode()


def test_the_days_of_the_bar_are_the_leagues(olga: Client, club: League) -> None:
    address = f"/admin/league/game/?league__id__exact={club.pk}&played_at__year=2024&played_at__month=3&played_at__day="
    for day, count in ((6, 1), (5, 0)):
        page = olga.get(f"{address}{day}")
        assert page.context["cl"].result_count == count
        assert "Days in the time zone Europe/Belgrade" in page.content.decode()
    assert olga.get("/admin/league/game/?league__id__exact=x").status_code == 200


def test_lists_are_ordered_by_time_where_that_is_asked_for(olga: Client, club: League) -> None:
    record(club, sheet(("anna", "ben"), (0, 1), played_at=datetime(2024, 3, 4, 12, tzinfo=UTC)))
    page = olga.get("/admin/league/game/?o=3")
    assert [game.number for game in page.context["cl"].result_list] == [2, 1]


def test_the_pages_of_a_game_and_the_status_page_name_the_clock(olga: Client, club: League) -> None:
    game = Game.objects.get()
    for address in (f"/admin/league/game/{game.pk}/change/", "/leagues/club/games/1/", "/status/"):
        assert any(re.search(r"\d\d:\d\d UTC\+[12]$", text) for text in times(olga.get(address))), address
    assert SHOWN in times(olga.get("/leagues/club/games/1/"))
    assert re.search(r"As of <time[^>]*>\d+ \w{3} \d{4}, \d\d:\d\d UTC</time>", olga.get("/status/").content.decode())


def test_a_token_is_of_the_whole_site_and_told_in_utc(olga: Client) -> None:
    token, _ = make_token("server", "read")
    for address in ("/admin/league/token/", f"/admin/league/token/{token.pk}/change/"):
        assert any(text.endswith(" UTC") for text in times(olga.get(address))), address


@pytest.mark.parametrize("language", ["en", "de", "pl", "ru", "sr"])
def test_a_clock_is_named_by_its_offset_in_every_language(language: str) -> None:
    summer = datetime(2024, 7, 5, 23, 30, tzinfo=UTC)
    shown = {
        (LATE, "America/Sao_Paulo"): "20:30 UTC−3",
        (LATE, "Asia/Kolkata"): "05:00 UTC+5:30",
        (LATE, "America/St_Johns"): "20:00 UTC−3:30",
        (LATE, "Europe/London"): "23:30 UTC",
        (LATE, "Nowhere/Atall"): "23:30 UTC",
        (LATE, "Europe/Belgrade"): "00:30 UTC+1",
        (summer, "Europe/Belgrade"): "01:30 UTC+2",
    }
    with override(language):
        for (time, zone), words in shown.items():
            assert str(format_time(time, zone)).endswith(f", {words}</time>")
        assert str(format_time(None, "UTC")) == "–"
