"""Players enter a season by their private links until the day that the organiser says."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.competitions.models import Season, SeasonEntry
from league.apps.competitions.services.season_entries import NewSeasonEntry, add_season_entries
from league.apps.competitions.services.seasons import change_season, create_season
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.report_builders import link_of, reporting_club
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(reporting_club)
RULE = {"divisions": {"target_size": 4}}


def act(league: League, handle: str, action: str, season: str = "spring") -> str:
    """Press a button on a player's page; return the text of the page after it."""
    address = f"/report/{link_of(league, handle)}/"
    answer = Client().post(f"{address}actions/{action}/", {"season": season}, follow=True)
    return page_text(answer)


def found(league: League, **settings: Any) -> Season:
    """Found a season that is open for entries for a week."""
    until = timezone.now() + timedelta(days=7)
    given = {"title": "Spring", "rule": RULE, "status": "open", "entries_until": until, **settings}
    return create_season(league.pk, "spring", given, by="olga")


def list_entered() -> list[tuple[str, str, str]]:
    """Return player, status and who entered them, by number."""
    rows = SeasonEntry.objects.order_by("number").values_list("player__handle", "status", "entered_by")
    return [(handle, status, by) for handle, status, by in rows]


@long_way
def test_players_enter_and_withdraw_by_their_links() -> None:
    league = league_of()
    found(league)
    page = page_text(Client().get(f"/report/{link_of(league, 'anna')}/"))
    assert "Open for entries Spring Entries until" in page
    shown = act(league, "anna", "enter_season")
    assert "You are entered in Spring." in shown
    assert "Your competitions Spring You are entered. Withdraw from Spring" in shown
    act(league, "anna", "enter_season")  # Twice changes nothing.
    act(league, "ben", "enter_season")
    assert "You have withdrawn from Spring." in act(league, "ben", "leave_season")
    assert list_entered() == [("anna", "entered", "the table"), ("ben", "withdrawn", "the table")]
    act(league, "ben", "enter_season")
    assert list_entered()[1] == ("ben", "entered", "the table")
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(
    "settings",
    [
        {"entries_until": None},
        {"entries_until": datetime(2024, 3, 1, tzinfo=UTC)},
        {"status": "draft"},
    ],
)
def test_other_seasons_take_no_entries_from_players(settings: dict[str, Any]) -> None:
    """Without a day, after it, and before the season is public; nothing is offered and nothing is written."""
    league = league_of()
    found(league, **settings)
    assert "Open for entries" not in page_text(Client().get(f"/report/{link_of(league, 'anna')}/"))
    assert "Nothing was changed." in act(league, "anna", "enter_season")
    assert list_entered() == []


def test_the_last_day_ends_in_the_time_zone_of_the_league() -> None:
    """The API and the desk take a day; in Auckland it has ended while it goes on in Greenwich."""
    league = league_of()
    found(league)
    League.objects.filter(pk=league.pk).update(time_zone="Pacific/Auckland")
    answer = Api("organise").patch("leagues/club/seasons/spring/", {"entries_until": "2024-03-01"})
    assert answer.data["entries_until"] == "2024-03-01T10:59:00Z"
    desk: Any = sign_in_member("olga", "organiser", league_of())
    page = "/admin/leagues/club/seasons/spring/"
    assert desk.post(page, {"step": "until", "until": "2099-07-01"}).status_code == 302
    assert Season.objects.get().entries_until == datetime(2099, 7, 1, 11, 59, tzinfo=UTC)
    assert 'value="2099-07-01"' in desk.get(page).content.decode()
    assert (
        "This must be a day such as 2024-12-24." in desk.post(page, {"step": "until", "until": "soon"}).content.decode()
    )
    desk.post(page, {"step": "until", "until": ""})
    assert Season.objects.get().entries_until is None


def test_a_season_that_was_drawn_takes_no_entries_from_players() -> None:
    league = league_of()
    season = found(league)
    add_season_entries(league.pk, "spring", [NewSeasonEntry("anna")], by="olga")
    Season.objects.filter(pk=season.pk).update(status="running")
    assert "Spring takes no entries from players now. Ask an organiser." in act(league, "anna", "leave_season")
    change_season(league.pk, "spring", {"title": "Spring"}, by="olga")
    assert list_entered() == [("anna", "entered", "olga")]
