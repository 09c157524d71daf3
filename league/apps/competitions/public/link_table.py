"""A competition in link pictures: its first three or first entries, a round's pairings, and an entry's rounds."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.apps.competitions.models import Competition
from league.apps.competitions.public.context import CompetitionPage, count_results
from league.apps.competitions.public.lines import FixtureLine, SeatLine, ShownEntry
from league.apps.competitions.public.link_words import describe_results, describe_standing, list_names
from league.apps.competitions.public.standings_table import build_standings_table
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import (
    BRACKET_FORMATS,
    build_format,
    find_competition,
    get_zone,
)
from league.apps.competitions.selectors.result_texts import format_game_points, format_result
from league.core.capabilities import load_declared
from league.core.errors import NotFound
from league.core.text.display_formats import format_day, format_number
from league.core.text.names import join_partners
from league.models import League
from league.web.public.page_parts import LinkTable
from ratings.contract.result_table import compute_fixture_points

#: Pairings, rounds and names of a picture, and ranks, which are drawn larger.
MAX_ROWS, MAX_RANKS = 5, 3


def show_card(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show the link picture of a competition, if a capability draws such pictures."""
    return draw_table(request, slug, "competition_card", (competition,), find_link_table)


def show_cross_table_card(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show the link picture of a cross table."""
    return draw_table(request, slug, "competition_cross_table_card", (competition,), find_cross_table)


def show_round_card(request: HttpRequest, slug: str, competition: str, number: int) -> HttpResponse:
    """Show the link picture of a published round."""
    return draw_table(request, slug, "competition_round_card", (competition, number), find_round_table)


def show_entry_card(request: HttpRequest, slug: str, competition: str, number: int) -> HttpResponse:
    """Show the link picture of an entry."""
    return draw_table(request, slug, "competition_entry_card", (competition, number), find_entry_table)


def draw_table(
    request: HttpRequest,
    slug: str,
    url_name: str,
    keys: tuple[str | int, ...],
    find_table: Callable[..., Callable[[], LinkTable]],
) -> HttpResponse:
    """Show the link picture of a table, if a capability draws such pictures; raises Http404."""
    for draw in load_declared(lambda app: app.pages.link_picture):
        response: HttpResponse = draw(request, slug, url_name=f"pages:{url_name}", keys=keys, find_table=find_table)
        return response
    raise Http404


def find_link_table(league: League, slug: str) -> Callable[[], LinkTable]:
    """Return what builds the table of a competition; raises NotFound."""
    return partial(_build_link_table, CompetitionPage(load_competition(find_competition(league, slug))))


def find_cross_table(league: League, slug: str) -> Callable[[], LinkTable]:
    """Return what builds the table of a cross table, which shows more ranks; raises NotFound."""
    return partial(_build_cross_table, CompetitionPage(load_competition(find_competition(league, slug))))


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
    competition, found = page.competition, page.list_round(number)
    rows = [
        (line.state.table or 0, *_join(line.seats), _describe_outcome(line))
        for line in page.build_lines(found[:MAX_ROWS])
    ]
    title = _("Round {number}").format(number=number)
    path = reverse("pages:competition_round", args=[competition.league.slug, competition.slug, number])
    under = [str(build_format(competition).title), *_format_start(page, page.loaded.rounds[number].starts_at)]
    under.append(_count_results(page, number).partition(" · ")[2])
    if found[MAX_ROWS:]:
        under.append(_count_more(len(found[MAX_ROWS:])))
    return LinkTable(f"{competition.title}, {title}", " · ".join(under), path, rows)


def _build_entry_table(page: CompetitionPage, number: int) -> LinkTable:
    """Return the rank of an entry, and its last rounds with its opponents and points."""
    competition, entry = page.competition, page.entries[number]
    found = [line for line in page.list_fixtures_of([number]) if not line.is_open and len(line.seats) > 1]
    rows = []
    for line in found[-MAX_ROWS:]:
        own = line.state.entries.index(number)
        opponents = _join([seat for at, seat in enumerate(line.seats) if at != own])
        points = compute_fixture_points(page.loaded.data, line.state.data)[own]
        result = format_result(line.state, own) if line.of_two else ""
        rows.append((line.state.round or 0, *opponents, result or format_game_points(points)))
    path = reverse("pages:competition_entry", args=[competition.league.slug, competition.slug, number])
    table = build_standings_table(page.loaded, page.entries, with_moves=False, with_possible=False)
    place = next((row for row in table.lines if row.entry.number == number), None) if page.is_played else None
    under = f"{competition.title} · {describe_standing(place, len(table.lines)) if place else entry.about}"
    return LinkTable(entry.name, under, path, rows, _("No games have been played yet."))


def _describe_outcome(line: FixtureLine) -> str:
    """Return the result of a game of two, else the points of the winner of a table, who is named first."""
    return line.result if line.of_two else next((seat.points for seat in line.seats if seat.won), "")


def _join(seats: Sequence[SeatLine]) -> tuple[str, str]:
    """Return the names at a table, and those in plain letters; of more than two the winner and a number."""
    names = [_name(seat.entry) for seat in sorted(seats, key=lambda seat: not seat.won)]
    if len(names) > 2:
        more = _count_more(len(names[2:]))
        (first, first_plain), (second, second_plain) = names[:2]
        return f"{first}, {second} {more}", f"{first_plain}, {second_plain} {more}"
    names = [_name(seat.entry) for seat in seats]
    return " – ".join(name for name, _plain in names), " – ".join(plain for _name, plain in names)


def _count_more(hidden: int) -> str:
    return ngettext("and %(shown)s more", "and %(shown)s more", hidden) % {"shown": format_number(hidden)}


def _build_link_table(page: CompetitionPage) -> LinkTable:
    """Return the first three; of a knock-out in play the pairings, and before the first game the entries."""
    competition, under = page.competition, [str(build_format(page.competition).title)]
    path = reverse("pages:competition", args=[competition.league.slug, competition.slug])
    nobody, finished = _("Nobody has entered yet."), competition.status == Competition.Status.FINISHED
    number = page.current_round
    counted = [] if number is None or finished else [_count_results(page, number)]
    if page.is_played and not finished and number is not None and competition.format in BRACKET_FORMATS:
        of_round = _build_round_table(page, number)
        return of_round._replace(title=competition.title, under=" · ".join((*under, *counted)), path=path)
    if page.is_played:
        under += [_("Final standings") if finished else pgettext("of a competition", "Standings"), *counted]
        rows = _list_ranks(page, MAX_RANKS if finished else MAX_ROWS)
    else:
        under += _format_start(page, competition.starts_at)
        under.append(list_names([*page.entries.values()]).partition(":")[0])
        rows = [
            (number, *_name(line), "" if line.row.rating is None else str(line.row.rating))
            for number, line in list(page.entries.items())[:MAX_ROWS]
        ]
    return LinkTable(competition.title, " · ".join(under), path, rows, nobody, is_ranking=finished)


def _build_cross_table(page: CompetitionPage) -> LinkTable:
    competition = page.competition
    path = reverse("pages:competition_cross_table", args=[competition.league.slug, competition.slug])
    rows = _list_ranks(page, MAX_ROWS) if page.is_played else []
    under = f"{build_format(competition).title} · {page.cross_table_title}"
    finished = competition.status == Competition.Status.FINISHED
    return LinkTable(competition.title, under, path, rows, _("No games have been played yet."), is_ranking=finished)


def _count_results(page: CompetitionPage, number: int) -> str:
    return describe_results(number, page.loaded.planned_rounds, **count_results(page.list_round(number)))


def _format_start(page: CompetitionPage, starts_at: datetime | None) -> list[str]:
    """Return the day on which something begins, nothing if that is not known."""
    return [format_day(starts_at.astimezone(get_zone(page.competition)))] if starts_at else []


def _list_ranks(page: CompetitionPage, count: int) -> list[tuple[int, str, str, str]]:
    """Return the first ranks with their points; in a knock-out these say nothing."""
    table = build_standings_table(page.loaded, page.entries, with_moves=False, with_possible=False)
    ranked = [line for line in table.lines[:count] if not line.left_out]
    return [(line.rank, *_name(line.entry), line.points if table.by_points else "") for line in ranked]


def _name(line: ShownEntry) -> tuple[str, str]:
    """Return the name of an entry, and one in plain letters."""
    return line.name, join_partners([handle for handle, _name in line.players])
