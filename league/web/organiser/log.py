"""The log of a league, filtered by user, kind and day."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from league.core.calendar import compute_local_date
from league.core.capabilities import list_capabilities
from league.core.log.selectors.log import find_entries, load_author_names
from league.core.text.display_formats import format_weekday
from league.core.text.languages import languages
from league.core.text.names import PROGRAM_AUTHORS
from league.models import League, LogEntry
from league.web.organiser.forms import parse_day, parse_whole_number
from league.web.organiser.log_sentences import CALENDAR, build_log_rows
from league.web.organiser.site import organiser_page, show
from league.web.public.selectors.status import find_last_verification
from league.web.sign_in.sessions import viewer_of

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_log"]
Kind = LogEntry.Kind
EntryFilter = tuple[Any, Sequence[str]]
"""A filter by kind: its label, and the kinds of log entries."""
FIRST_FILTERS: dict[str, EntryFilter] = {
    "games": (
        gettext_lazy("Games"),
        (Kind.GAME_RECORDED, Kind.GAME_CORRECTED, Kind.GAME_VOIDED, Kind.GAME_RESTORED, Kind.GAMES_MOVED),
    ),
    "corrections": (
        gettext_lazy("Corrections only"),
        (Kind.GAME_CORRECTED, Kind.GAME_VOIDED, Kind.GAME_RESTORED, Kind.GAMES_MOVED),
    ),
    "periods": (
        gettext_lazy("Periods"),
        (Kind.EDITION_PUBLISHED, Kind.EDITION_REDACTED, Kind.PERIOD_REOPENED, Kind.PERIOD_CARRIED),
    ),
    "people": (
        gettext_lazy("People"),
        (
            Kind.PLAYER_CREATED, Kind.PLAYER_CHANGED, Kind.PLAYER_MERGED, Kind.PLAYER_UNMERGED, Kind.START_SET,
            Kind.ADJUSTMENT_MADE, Kind.ADJUSTMENT_VOIDED, Kind.PLAYER_ERASED, Kind.TEXT_ERASED,
        ),
    ),
}  # fmt: skip
#: The filters after those of apps.
LAST_FILTERS: dict[str, EntryFilter] = {
    "settings": (
        gettext_lazy("Settings, rules and ladders"),
        (
            Kind.LEAGUE_CREATED, Kind.LEAGUE_CHANGED, Kind.LEAGUE_RESTORED, Kind.RULE_ADOPTED,
            Kind.RULE_WITHDRAWN, Kind.LADDER_CREATED, Kind.LADDER_CHANGED, Kind.LADDER_RANKED,
        ),
    ),
}  # fmt: skip


def list_filters() -> dict[str, EntryFilter]:
    """Return the filters in the order of the page."""
    declared = {
        app.label: (app.log.title, import_string(app.log.kinds).values) for app in list_capabilities() if app.log.kinds
    }
    return {**FIRST_FILTERS, **declared, **LAST_FILTERS}


@organiser_page("record")
def log(request: HttpRequest, league: League) -> HttpResponse:
    """Show the newest entries that match, with a link to older ones."""
    author = request.GET.get("who", "").replace("\0", "").strip()[:200]
    kind_filter = request.GET.get("what", "")
    day = parse_day(request.GET.get("day", ""))
    filters = list_filters()
    before_position = parse_whole_number(request.GET.get("before", ""), 15)
    entries = find_entries(
        league,
        author=_find_author_in_log(author),
        kinds=filters[kind_filter][1] if kind_filter in filters else None,
        day=day,
        before_position=before_position,
        max_entries=PAGE_SIZE + 1,
    )
    query = request.GET.copy()
    query.pop("before", None)
    latest_query = query.urlencode()
    if len(entries) > PAGE_SIZE:
        query["before"] = str(entries[PAGE_SIZE - 1].position)
    lines = build_log_rows(league, entries[:PAGE_SIZE], viewer=viewer_of(request))
    return show(
        request,
        league,
        "web/organiser/log.html",
        "settings",
        lines=lines,
        days=[
            (format_weekday(first_day, always_year=True), list(rows))
            for first_day, rows in groupby(lines, lambda line: compute_local_date(line.entry.at, league.time_zone))
        ],
        who=author,
        what=kind_filter,
        day=day,
        choices=[(key, label) for key, (label, _kinds) in filters.items()],
        names=[*load_author_names(league), _(CALENDAR)],
        asked=bool(author or kind_filter in filters or day),
        older=query.urlencode() if len(entries) > PAGE_SIZE else "",
        newest=latest_query if request.GET.get("before") else None,
        erases=viewer_of(request).may("organise", league),
        verified=find_last_verification(league),
        broken=bool(request.GET.get("day")) and day is None,
    )


def _find_author_in_log(author: str) -> str | None:
    if not author:
        return None
    for code, _own in languages():
        with override(code):
            if author in (CALENDAR, _(CALENDAR)):
                return ""
            for name, title in PROGRAM_AUTHORS.items():
                if author in (name, _(title)):
                    return name
    return author
