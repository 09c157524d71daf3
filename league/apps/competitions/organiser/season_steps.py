"""What the buttons of a season's page at the desk do."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import Season
from league.apps.competitions.selectors.seasons import list_entries
from league.apps.competitions.services.season_close import close_season, finish_played, revise_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import (
    NewSeasonEntry,
    add_season_entries,
    change_season_entry,
    move_in_proposal,
)
from league.apps.competitions.services.season_events import start_event
from league.apps.competitions.services.seasons import (
    PartChoice,
    cancel_season,
    change_season,
    create_season,
    link_competition,
)
from league.core.calendar import Span, compute_month, start_of_day
from league.core.errors import Invalid, Problem
from league.web.organiser.forms import get_request_username, parse_day, parse_whole_number
from league.web.sign_in.sessions import viewer_of

LETTERS, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"


def _enter(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    lines = [line.strip() for line in request.POST.get("players", "").splitlines()]
    new = [NewSeasonEntry(line) for line in lines if line]
    added = add_season_entries(
        league_id, season.slug, new, by=get_request_username(request), viewer=viewer_of(request),
        create_players="create" in request.POST,
    )  # fmt: skip
    template = ngettext("{count} player entered.", "{count} players entered.", len(added))
    return {"message": template.format(count=len(added))}


def _withdraw(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    number = parse_whole_number(request.POST.get("entry", ""), 5) or 0
    entry = change_season_entry(
        league_id, season.slug, number, {"status": "withdrawn"}, by=get_request_username(request)
    )
    return {"message": _("{name} has left the season.").format(name=entry.survivor.name)}


def _return(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    """Enter somebody again who withdrew."""
    number = parse_whole_number(request.POST.get("entry", ""), 5) or 0
    entry = change_season_entry(league_id, season.slug, number, {"status": "entered"}, by=get_request_username(request))
    return {"message": _("{name} is entered again.").format(name=entry.survivor.name)}


def _move(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    target = request.POST.get("to", "")
    level, letter = target.rstrip(LETTERS), target.lstrip(DIGITS)
    entry = move_in_proposal(
        league_id, season.slug, request.POST.get("player", ""), parse_whole_number(level, 4), letter,
        by=get_request_username(request), reason=request.POST.get("reason", ""),
    )  # fmt: skip
    name, address = entry.survivor.name, reverse("desk:season", args=[season.league.slug, season.slug])
    template = _("{name} is in division {division} now.") if target else _("{name} is where the rule has it.")
    message = template.format(name=name, division=target)
    return {"message": message, "address": f"{address}#proposal"}


def _draw(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    made = draw_season(league_id, season.slug, request.POST.get("digest", ""), by=get_request_username(request))
    template = ngettext("Drawn: {count} competition.", "Drawn: {count} competitions.", len(made))
    return {"message": template.format(count=len(made))}


def _finish(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    """Finish what is played to the end, so that the next stage can be drawn."""
    count = finish_played(league_id, season.slug, by=get_request_username(request))
    template = ngettext("{count} competition is finished.", "{count} competitions are finished.", count)
    return {"message": template.format(count=count)}


def _start_event(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    number = parse_whole_number(request.POST.get("number", ""), 3)
    competition = start_event(league_id, season.slug, by=get_request_username(request), number=number)
    is_draft = competition.status == competition.Status.DRAFT
    template = _("{title} is made as a draft.") if is_draft else _("{title} is open for entries.")
    return {
        "message": template.format(title=competition.title),
        "address": reverse("desk:entries", args=[season.league.slug, competition.slug]),
    }


def _close(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    edition = close_season(
        league_id, season.slug, by=get_request_username(request), unplayed=request.POST.get("unplayed") or None,
        reason=request.POST.get("reason", ""),
    )  # fmt: skip
    return {"message": _("The season is closed; edition {number} is published.").format(number=edition.number)}


def _revise(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    edition = revise_season(
        league_id, season.slug, by=get_request_username(request), reason=request.POST.get("reason", "")
    )
    return {"message": _("Edition {number} is published.").format(number=edition.number)}


def _cancel(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    cancel_season(league_id, season.slug, by=get_request_username(request), reason=request.POST.get("reason", ""))
    return {"message": _("The season is cancelled; its competitions go on.")}


def _open(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    change_season(league_id, season.slug, {"status": "open"}, by=get_request_username(request))
    return {"message": _("The season is public, and entries are open.")}


def _set_entries_until(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    """Set the last day on which players enter by their links, or (empty) take it back."""
    text = request.POST.get("until", "").strip()
    day = parse_day(text)
    if text and day is None:
        raise Invalid.of([Problem("/until", "invalid", _("This must be a day such as 2024-12-24."))])
    by = get_request_username(request)
    if day is None:
        change_season(league_id, season.slug, {"entries_until": None}, by=by)
        return {"message": _("Players do not enter by their links.")}
    until = start_of_day(day + timedelta(days=1), season.league.time_zone) - timedelta(minutes=1)
    change_season(league_id, season.slug, {"entries_until": until}, by=by)
    return {"message": _("Players can enter by their links until {day}.").format(day=date_format(day))}


def _renew(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    """Found the season that follows, with those who played to the end."""
    settings: dict[str, Any] = {
        "title": request.POST.get("title", ""),
        "previous": season.slug,
        "rule": season.rule,
        "status": "open",
    }
    if following_month := find_next_month(season):
        settings |= {"starts": following_month.first, "ends": following_month.after - timedelta(days=1)}
    by = get_request_username(request)
    following = create_season(league_id, "", settings, by=by)
    staying = [entry for entry in list_entries(season) if entry.status == "entered"]
    if staying:
        new = [NewSeasonEntry(entry.survivor.handle) for entry in staying]
        add_season_entries(league_id, following.slug, new, by=by, viewer=viewer_of(request))
    template = ngettext("{title} follows, with {count} entry.", "{title} follows, with {count} entries.", len(staying))
    return {
        "message": template.format(title=following.title, count=len(staying)),
        "address": reverse("desk:season", args=[season.league.slug, following.slug]),
    }


def find_next_month(season: Season) -> Span | None:
    """Return the month after that of a season, None if the season did not take a month."""
    if season.starts is None or season.ends is None:
        return None
    month = compute_month(season.starts)
    took_it = (month.first, month.after) == (season.starts, season.ends + timedelta(days=1))
    return compute_month(month.after) if took_it else None


def suggest_next_title(season: Season) -> str:
    """Return a title for the season that follows: that of the season with the next month, else none."""
    following = find_next_month(season)
    if following is None or season.starts is None:
        return ""
    month = compute_month(season.starts).name
    if month in season.title:
        return season.title.replace(month, following.name)
    before, after = (date_format(day, "F") for day in (season.starts, following.first))
    if before in season.title.split() and season.starts.year == following.first.year:
        return season.title.replace(before, after)
    return f"{season.title}, {following.name}"[:80]


def _link(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    """Make a competition an event of the series, or take it out."""
    slug, event = request.POST.get("competition", ""), parse_whole_number(request.POST.get("event", ""), 3)
    choice = PartChoice(season.slug, event=event) if event is not None else None
    link_competition(league_id, slug, choice, by=get_request_username(request))
    if choice is None:
        return {"message": _("The competition is no event of the series any more.")}
    return {"message": _("The competition is event {number} of the series.").format(number=event)}


ACTIONS: dict[str, Callable[[HttpRequest, int, Season], dict[str, Any]]] = {
    "enter": _enter,
    "withdraw": _withdraw,
    "return": _return,
    "finish": _finish,
    "event": _start_event,
    "move": _move,
    "draw": _draw,
    "close": _close,
    "revise": _revise,
    "cancel": _cancel,
    "open": _open,
    "until": _set_entries_until,
    "renew": _renew,
    "link": _link,
}
#: The steps that only organisers take; the others are for arbiters, too.
ORGANISERS_STEPS = ("close", "cancel", "revise", "renew")
