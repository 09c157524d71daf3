"""Starts the next event of a series: a competition like the one before."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import GIVEN_SETTINGS, Competition, Season, SeasonEntry, SeasonPart
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.seasons import (
    build_rule,
    find_season,
    list_entries,
    list_free_events,
    list_parts,
    refuse_ended_season,
)
from league.apps.competitions.services.competitions import create_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.season_log import append_season_change
from league.apps.competitions.services.slugs import choose_slug
from league.core.errors import Conflict, Refused
from league.core.locking import get_write_time, locked
from league.models import League

#: What an event does not have from the one before.
OWN = ("title", "starts_at", "ends_at")


@locked
def start_event(league: League, now: datetime, slug: str, *, by: str, number: int | None = None) -> Competition:
    """Make the next event of a series, open for entries: with the settings of the last one, and the season's entries.

    ``number``: of the event that is wanted. Raises Conflict if it is not the next one any more, if the season has ended
    or has no event yet, Refused if it has all its events.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    rule, parts = build_rule(season), list_parts(season)
    events = {part.event: part.competition for part in parts if part.event is not None}
    if not events:
        raise Conflict(_("There is no event yet that the next one could be like."))
    free = list_free_events(rule, parts)
    if not free:
        raise Refused(_("The series has all its events."))
    if number not in (None, free[0]):
        raise Conflict(_("Event {number} has been started already.").format(number=number))
    number, last = free[0], events[max(events)]
    settings: dict[str, Any] = {name: getattr(last, name) for name in GIVEN_SETTINGS if name not in OWN}
    if build_format(last).count_rounds(2) is not None:
        # The format follows the number of entries.
        settings["rounds"] = None
    settings["title"] = _("{season}, event {number}").format(season=season.title, number=number)[:120]
    # A draft of a season is not public, and neither is what belongs to it.
    is_draft = season.status == Season.Status.DRAFT
    settings["status"] = (Competition.Status.DRAFT if is_draft else Competition.Status.OPEN).value
    competition = create_competition(
        league.pk, choose_slug(Competition, league, f"{season.slug}-{number}"), settings, by=by
    )
    members = [one.survivor.handle for one in list_entries(season) if one.status == SeasonEntry.Status.ENTERED]
    # Partners are not known: sides of several are entered by hand.
    if members and competition.sides_of == 1:
        add_entries(league.pk, competition.slug, [NewEntry([handle]) for handle in members], by=by)
    # The other services locked the league again: the log goes on after what they wrote.
    league.refresh_from_db()
    season.league = league
    part = SeasonPart(league=league, season=season, competition=competition, event=number)
    part.save()
    append_season_change(league, get_write_time(league), by, ChangeKind.SEASON_LINKED, season, parts=[part])
    return competition
