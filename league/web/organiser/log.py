"""The log of a league, filtered by user, kind and day."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from league.core.log.selectors.log import find_entries, names_in_log
from league.core.text.languages import languages
from league.core.text.names import PROGRAM_AUTHORS
from league.models import League, LogEntry
from league.web.organiser.forms import day_in, whole_in
from league.web.organiser.log_sentences import CALENDAR, build_log_rows
from league.web.organiser.site import at_desk, show
from league.web.public.selectors.status import verification_of
from league.web.sign_in.sessions import viewer_of

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_log"]
Kind = LogEntry.Kind
#: The filters by kind: label, and kinds of log entries.
ENTRY_FILTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "games": (
        gettext_noop("Games"),
        (Kind.GAME_RECORDED, Kind.GAME_CORRECTED, Kind.GAME_VOIDED, Kind.GAME_RESTORED, Kind.GAMES_MOVED),
    ),
    "corrections": (
        gettext_noop("Corrections only"),
        (Kind.GAME_CORRECTED, Kind.GAME_VOIDED, Kind.GAME_RESTORED, Kind.GAMES_MOVED),
    ),
    "periods": (
        gettext_noop("Periods"),
        (Kind.EDITION_PUBLISHED, Kind.EDITION_REDACTED, Kind.PERIOD_REOPENED, Kind.PERIOD_CARRIED),
    ),
    "people": (
        gettext_noop("People"),
        (
            Kind.PLAYER_CREATED, Kind.PLAYER_CHANGED, Kind.PLAYER_MERGED, Kind.PLAYER_UNMERGED, Kind.START_SET,
            Kind.ADJUSTMENT_MADE, Kind.ADJUSTMENT_VOIDED, Kind.PLAYER_ERASED, Kind.TEXT_ERASED,
        ),
    ),
    "reports": (
        gettext_noop("Player reports"),
        (
            Kind.LINK_MADE, Kind.LINK_REVOKED, Kind.REPORT_ENTERED, Kind.REPORT_ANSWERED, Kind.REPORT_DISPUTED,
            Kind.REPORT_CONFIRMED, Kind.REPORT_REFUSED, Kind.REPORT_WITHDRAWN, Kind.REPORT_OVERDUE, Kind.REPORT_TWIN,
            Kind.REPORT_LAPSED, Kind.REPORT_REWORDED, Kind.LINK_REWORDED,
        ),
    ),
    "settings": (
        gettext_noop("Settings, rules and ladders"),
        (
            Kind.LEAGUE_CREATED, Kind.LEAGUE_CHANGED, Kind.LEAGUE_RESTORED, Kind.RULE_ADOPTED,
            Kind.RULE_WITHDRAWN, Kind.LADDER_CREATED, Kind.LADDER_CHANGED, Kind.LADDER_RANKED,
        ),
    ),
}  # fmt: skip


@at_desk("record")
def log(request: HttpRequest, league: League) -> HttpResponse:
    """Show the newest entries that match, with a link to older ones."""
    who = request.GET.get("who", "").replace("\0", "").strip()[:200]
    what = request.GET.get("what", "")
    day = day_in(request.GET.get("day", ""))
    before = whole_in(request.GET.get("before", ""), 15)
    entries = find_entries(
        league,
        by=_author_in_log(who),
        kinds=ENTRY_FILTERS[what][1] if what in ENTRY_FILTERS else None,
        day=day,
        before=before,
        most=PAGE_SIZE + 1,
    )
    query = request.GET.copy()
    query.pop("before", None)
    newest = query.urlencode()
    if len(entries) > PAGE_SIZE:
        query["before"] = str(entries[PAGE_SIZE - 1].position)
    return show(
        request,
        league,
        "web/organiser/log.html",
        "log",
        lines=build_log_rows(league, entries[:PAGE_SIZE]),
        who=who,
        what=what,
        day=day,
        choices=[(key, _(entry_filter[0])) for key, entry_filter in ENTRY_FILTERS.items()],
        names=[*names_in_log(league), _(CALENDAR)],
        asked=bool(who or what in ENTRY_FILTERS or day),
        older=query.urlencode() if len(entries) > PAGE_SIZE else "",
        newest=newest if request.GET.get("before") else None,
        erases=viewer_of(request).may("organise", league),
        verified=verification_of(league),
        broken=bool(request.GET.get("day")) and day is None,
    )


def _author_in_log(who: str) -> str | None:
    if not who:
        return None
    for code, _own in languages():
        with override(code):
            if who in (CALENDAR, _(CALENDAR)):
                return ""
            for name, title in PROGRAM_AUTHORS.items():
                if who in (name, _(title)):
                    return name
    return who
