"""The seasons of a league in its calendar, and on its screen."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.urls import reverse

from league.apps.competitions.models import Season
from league.apps.competitions.public.season_lines import build_divisions, build_series
from league.apps.competitions.selectors.season_standings import SeasonReader
from league.apps.competitions.selectors.seasons import find_season, list_seasons
from league.core.calendar import compute_local_date
from league.models import League, Player
from league.web.public.page_parts import CalendarEvent

#: Seasons of a calendar; on a page of the screen: divisions, and lines of the table of a series.
MAX_SEASONS, MAX_DIVISIONS, MAX_LINES = 40, 6, 12


def list_season_events(league: League, player: Player | None, now: datetime) -> list[CalendarEvent]:
    """Return the seasons with days that have not ended, of everyone or of a player.

    Each is one event from its first to its last day. Cancelled ones stay until their last day, so that calendars
    take them out.
    """
    today = compute_local_date(now, league.time_zone)
    seasons = list_seasons(league).filter(starts__isnull=False, ends__gte=today)
    if player is not None:
        own = Q(entries__player=player) | Q(entries__player__merged_into=player)
        seasons = seasons.filter(own, entries__status="entered").distinct()
    return [_build_event(league, season) for season in seasons[:MAX_SEASONS]]


def _build_event(league: League, season: Season) -> CalendarEvent:
    assert season.starts is not None, "only seasons with days were read"
    assert season.ends is not None, "only seasons with days were read"
    page = reverse("pages:season", args=[league.slug, season.slug])
    after = season.ends + timedelta(days=1)
    event = CalendarEvent(f"season.{season.slug}", season.starts, after, season.title, "", "", page)
    return event._replace(is_cancelled=season.status == Season.Status.CANCELLED)


def build_wall_season(league: League, competition: Any) -> dict[str, Any]:
    """Return what the screen shows of the season of a competition (``with_seasons``): divisions, the series' first."""
    if competition.season_slug is None:
        return {}
    reader = SeasonReader(find_season(league, competition.season_slug))
    divisions = build_divisions(reader.season, reader.read_divisions())
    rows, _parts, people = reader.read_series()
    begun = any(row.events for row in rows)
    return {
        "season": reader.season,
        "division_pages": [divisions[at : at + MAX_DIVISIONS] for at in range(0, len(divisions), MAX_DIVISIONS)],
        "series_lines": build_series(league, rows[: 2 * MAX_LINES], people, []) if begun else [],
    }
