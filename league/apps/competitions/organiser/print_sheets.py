"""Sheets to print: slips with QR codes, pairings, and a list of entries with their tables."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from league.apps.competitions.organiser.fixture_rows import build_fixture_rows
from league.apps.competitions.organiser.next_step import find_current_round, list_shown_fixtures
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.core.text.qr_codes import draw_small
from league.models import League
from league.web.organiser.forms import parse_whole_number
from league.web.organiser.site import organiser_page, show

SHEETS = ("slips", "pairings", "tables")


@organiser_page("record")
def print_sheet(request: HttpRequest, league: League, competition: str, sheet: str) -> HttpResponse:
    """Show a sheet of a round: the asked one, else the round in play."""
    found = find_competition(league, competition, for_organisers=True)
    if sheet not in SHEETS:
        raise Http404
    loaded = load_competition(found)
    number = parse_whole_number(request.GET.get("round", ""), 3)
    number = number if number in loaded.rounds else find_current_round(loaded)
    rows = build_fixture_rows(loaded, list_shown_fixtures(loaded, number))
    slips = []
    for row in rows:
        if sheet == "slips" and row.is_open:
            path = reverse("desk:fixture", args=[league.slug, found.slug, row.state.number])
            address = request.build_absolute_uri(path)
            slips.append((row, address, draw_small(address)))
    places = sorted(
        ((seat.name, row.label if row.state.kind == "game" else row.result) for row in rows for seat in row.seats),
        key=lambda line: line[0].casefold(),
    )
    return show(
        request,
        league,
        f"apps/competitions/organiser/print_{sheet}.html",
        "",
        **build_frame(request, loaded),
        sheet_name=sheet,
        shown_round=loaded.rounds.get(number or 0),
        rows=rows,
        slips=slips,
        places=places,
    )
