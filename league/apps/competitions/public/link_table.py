"""A competition in link pictures: its standings or first entries, a round's pairings, and an entry's rounds."""

from collections.abc import Callable, Sequence
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.apps.competitions.models import Competition
from league.apps.competitions.public.context import CompetitionPage
from league.apps.competitions.public.lines import FixtureLine, SeatLine, ShownEntry, build_entry_line
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import build_format, find_competition
from league.apps.competitions.selectors.result_texts import count_decimals, format_in_column, format_points
from league.apps.competitions.selectors.standings import compute_standings
from league.core.capabilities import load_declared
from league.core.errors import NotFound
from league.core.text.display_formats import format_number
from league.models import League
from league.web.public.page_parts import LinkTable
from ratings.contract.result_table import compute_fixture_points

MAX_ROWS = 5


def show_card(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show the link picture of a competition, if a capability draws such pictures."""
    return _draw(request, slug, "competition_card", (competition,), find_link_table)


def show_round_card(request: HttpRequest, slug: str, competition: str, number: int) -> HttpResponse:
    """Show the link picture of a published round."""
    return _draw(request, slug, "competition_round_card", (competition, number), find_round_table)


def show_entry_card(request: HttpRequest, slug: str, competition: str, number: int) -> HttpResponse:
    """Show the link picture of an entry."""
    return _draw(request, slug, "competition_entry_card", (competition, number), find_entry_table)


def _draw(
    request: HttpRequest,
    slug: str,
    url_name: str,
    keys: tuple[str | int, ...],
    find_table: Callable[..., Callable[[], LinkTable]],
) -> HttpResponse:
    for draw in load_declared(lambda app: app.pages.link_picture):
        response: HttpResponse = draw(request, slug, url_name=f"pages:{url_name}", keys=keys, find_table=find_table)
        return response
    raise Http404


def find_link_table(league: League, slug: str) -> Callable[[], LinkTable]:
    """Return what builds the table of a competition; raises NotFound."""
    return partial(_build_link_table, find_competition(league, slug))


def find_round_table(league: League, slug: str, number: int) -> Callable[[], LinkTable]:
    """Return what builds the table of a published round; raises NotFound."""
    page = CompetitionPage(load_competition(find_competition(league, slug)))
    if number not in page.rounds:
        raise NotFound(
            _("“{competition}” has no published round {number}.").format(
                competition=page.competition.title, number=number
            )
        )
    return partial(_build_round_table, page, number)


def find_entry_table(league: League, slug: str, number: int) -> Callable[[], LinkTable]:
    """Return what builds the table of an entry; raises NotFound."""
    page = CompetitionPage(load_competition(find_competition(league, slug)))
    if number not in page.entries:
        raise NotFound(
            _("“{competition}” has no entry {number}.").format(competition=page.competition.title, number=number)
        )
    return partial(_build_entry_table, page, number)


def _build_round_table(page: CompetitionPage, number: int) -> LinkTable:
    competition = page.competition
    rows = [
        (line.state.table or 0, *_join(line.seats), _describe_outcome(line))
        for line in page.build_lines(page.list_round(number)[:MAX_ROWS])
    ]
    title = _("Round {number}").format(number=number)
    path = reverse("pages:competition_round", args=[competition.league.slug, competition.slug, number])
    return LinkTable(f"{competition.title}, {title}", str(build_format(competition).title), path, rows)


def _build_entry_table(page: CompetitionPage, number: int) -> LinkTable:
    """Return the last rounds of an entry with its opponents and points."""
    competition, entry = page.competition, page.entries[number]
    found = [line for line in page.list_fixtures_of([number]) if not line.is_open and len(line.seats) > 1]
    rows = []
    for line in found[-MAX_ROWS:]:
        own = line.state.entries.index(number)
        opponents = _join([seat for at, seat in enumerate(line.seats) if at != own])
        points = compute_fixture_points(page.loaded.data, line.state.data)[own]
        rows.append((line.state.round or 0, *opponents, format_points(points)))
    path = reverse("pages:competition_entry", args=[competition.league.slug, competition.slug, number])
    under = f"{competition.title} · {entry.about}"
    return LinkTable(entry.name, under, path, rows, _("No games have been played yet."))


def _describe_outcome(line: FixtureLine) -> str:
    """Return the result of a game of two, else the points of the winner of a table, who is named first."""
    return line.result if line.of_two else next((seat.points for seat in line.seats if seat.won), "")


def _join(seats: Sequence[SeatLine]) -> tuple[str, str]:
    """Return the names at a table, and those in plain letters; of more than two the winner and a number."""
    names = [_name(seat.entry) for seat in sorted(seats, key=lambda seat: not seat.won)]
    if len(names) > 2:
        hidden = len(names[2:])
        more = ngettext("and %(shown)s more", "and %(shown)s more", hidden) % {"shown": format_number(hidden)}
        (first, first_plain), (second, second_plain) = names[:2]
        return f"{first}, {second} {more}", f"{first_plain}, {second_plain} {more}"
    names = [_name(seat.entry) for seat in seats]
    return " – ".join(name for name, _plain in names), " – ".join(plain for _name, plain in names)


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
    return LinkTable(competition.title, under, path, rows, _("Nobody has entered yet."), is_ranking=finished)


def _name(line: ShownEntry) -> tuple[str, str]:
    """Return the name of an entry, and one in plain letters."""
    return line.name, " / ".join(handle for handle, _name in line.players)
