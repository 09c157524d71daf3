"""What reports and links add to the organiser's pages of a league."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from league.apps.reports.selectors.reports import load_report_views, open_reports, own_links, people_of, to_decide
from league.models import League, Player
from league.web.organiser.panels import HomePanel
from league.web.organiser.submit_once import key_for

#: Maximum number of players' reports on the first page; their own page lists all.
MAX_REPORTS = 5


def home_panel(league: League) -> HomePanel:
    """Return the reports that wait, before the evening if there are any."""
    due = to_decide(league).count()
    reports = load_report_views(open_reports(league)[:MAX_REPORTS])
    context = {"league": league, "reports": reports, "due": due}
    shown = bool(reports) or league.reporting != League.Reporting.OFF
    return HomePanel(
        render_to_string("apps/reports/home_reports.html", context) if shown else SafeString(""),
        comes_first=bool(reports),
        due=due,
        due_html=render_to_string("apps/reports/home_due.html", context) if due else SafeString(""),
    )


def person_panel(request: HttpRequest, league: League, player: Player) -> SafeString:
    """Return the form that makes a link for a player of the league who may report games."""
    if league.reporting == League.Reporting.OFF or not people_of(league).filter(pk=player.pk).exists():
        return SafeString("")
    link = next(iter(own_links(league, timezone.now()).get(player.pk, ())), None)
    context = {"league": league, "player": player, "link": link, "link_once": key_for(request, new=True)}
    return render_to_string("apps/reports/person_link.html", context, request)
