"""A competition in link pictures: the top of its standings, or its first entries."""

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.apps.competitions.models import Competition
from league.apps.competitions.public.lines import ShownEntry, build_entry_line
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import build_format, find_competition
from league.apps.competitions.selectors.result_texts import count_decimals, format_in_column
from league.apps.competitions.selectors.standings import compute_standings
from league.core.capabilities import load_declared
from league.models import League
from league.web.public.page_parts import LinkTable

MAX_ROWS = 5


def show_card(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show the link picture of a competition, if a capability draws such pictures."""
    for draw in load_declared(lambda app: app.pages.link_picture):
        response: HttpResponse = draw(
            request, slug, url_name="pages:competition_card", key=competition, find_table=find_link_table
        )
        return response
    raise Http404


def find_link_table(league: League, slug: str) -> Callable[[], LinkTable]:
    """Return what builds the table of a competition; raises NotFound."""
    return partial(_build_link_table, find_competition(league, slug))


def _build_link_table(competition: Competition) -> LinkTable:
    loaded = load_competition(competition)
    lines = {number: build_entry_line(entry) for number, entry in loaded.entries.items()}
    played = any(one.status in ("played", "forfeited") for one in loaded.fixtures)
    finished = competition.status == Competition.Status.FINISHED
    under = str(build_format(competition).title)
    rows: list[tuple[int, str, str, str]] = []
    if played:
        under += f" · {_('Final standings') if finished else pgettext('of a competition', 'Standings')}"
        found = compute_standings(loaded).rows
        decimals = count_decimals(row.points for row in found)
        rows = [
            (row.rank, *_name(lines[row.entry]), format_in_column(row.points, decimals)) for row in found[:MAX_ROWS]
        ]
    else:
        rows = [
            (number, *_name(line), "" if line.row.rating is None else str(line.row.rating))
            for number, line in list(lines.items())[:MAX_ROWS]
        ]
    path = reverse("pages:competition", args=[competition.league.slug, competition.slug])
    return LinkTable(competition.title, under, path, rows, _("Nobody has entered yet."))


def _name(line: ShownEntry) -> tuple[str, str]:
    """Return the name of an entry, and one in plain letters."""
    return line.name, " / ".join(handle for handle, _name in line.players)
