"""The panels of reports and links on the organiser's pages."""

from functools import partial

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from league.apps.reports.selectors.fixture_reports import describe_reported
from league.apps.reports.selectors.reports import (
    group_player_links,
    list_active_players,
    list_open_reports,
    list_reports_to_decide,
    load_report_views,
)
from league.core.permissions import Viewer
from league.models import League, Player
from league.web.organiser.forms import get_form_key
from league.web.organiser.panels import AttachedNote, HomePanel

#: Maximum number of reports on the organiser's first page; the reports page lists all.
MAX_HOME_REPORTS = 5


def build_home_panel(league: League, viewer: Viewer) -> HomePanel:
    """Return the panel of open reports; it comes first if there is one."""
    due_count = list_reports_to_decide(league).count()
    reports = load_report_views(list_open_reports(league)[:MAX_HOME_REPORTS])
    context = {"league": league, "reports": reports, "due": due_count}
    is_visible = bool(reports) or league.reporting != League.Reporting.OFF
    return HomePanel(
        render_to_string("apps/reports/home_reports.html", context) if is_visible else SafeString(""),
        comes_first=bool(reports),
        due=due_count,
        due_html=render_to_string("apps/reports/home_due.html", context) if due_count else SafeString(""),
        is_empty=not reports,
    )


def build_attached_notes(request: HttpRequest, league: League) -> dict[int, AttachedNote]:
    """Return what was reported for fixtures (their numbers) and waits, with the button that records it."""
    reports = load_report_views(list_open_reports(league).filter(sheet__fixture__isnull=False))
    back = request.get_full_path()
    return {
        one.fixture: AttachedNote(
            render_to_string(
                "apps/reports/fixture_note.html",
                {"league": league, "one": one, "once": get_form_key(request, new=True), "back": back},
                request,
            ),
            partial(describe_reported, one),
        )
        for one in reversed(reports)
        if one.fixture is not None
    }


def build_person_panel(request: HttpRequest, league: League, player: Player) -> SafeString:
    """Return the form that creates a link for an active player, or "" if players cannot report."""
    if league.reporting == League.Reporting.OFF or not list_active_players(league).filter(pk=player.pk).exists():
        return SafeString("")
    link = next(iter(group_player_links(league, timezone.now()).get(player.pk, ())), None)
    context = {"league": league, "player": player, "link": link, "link_once": get_form_key(request, new=True)}
    return render_to_string("apps/reports/person_link.html", context, request)
