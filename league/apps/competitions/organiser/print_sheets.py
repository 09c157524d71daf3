"""Sheets to print: pairings, a list of entries with their tables, slips with QR codes, standings, cross table."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from league.apps.competitions.organiser.fixture_rows import FixtureRow, build_fixture_rows
from league.apps.competitions.organiser.next_step import find_current_round, list_shown_fixtures
from league.apps.competitions.organiser.now import build_frame, load_for_viewer
from league.apps.competitions.organiser.prizes import build_current_awards
from league.apps.competitions.public.context import Clock, CompetitionPage, count_results
from league.apps.competitions.public.lines import list_planned_starts
from league.apps.competitions.public.meetings import build_cross_table, build_round_table, list_told_rounds
from league.apps.competitions.public.standings_table import build_category_table, build_standings_table
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.fide_elo import (
    FoundNorm,
    NormSheet,
    build_norm_sheet,
    get_fide_rating,
    shows_fide_elo,
)
from league.apps.competitions.selectors.fide_texts import describe_condition, describe_norm_on_sheet
from league.apps.competitions.selectors.final_standings import differs_from_edition, find_last_edition
from league.apps.competitions.selectors.game_points import list_colours_of
from league.apps.competitions.selectors.halls import build_listed_name_key, write_listed_name
from league.apps.competitions.selectors.prizes import list_members
from league.apps.competitions.selectors.report_head import describe_time_control, list_days
from league.apps.competitions.selectors.result_texts import format_game_points
from league.apps.competitions.selectors.round_notes import describe_round
from league.apps.competitions.selectors.standings import compute_standings
from league.core.game_words import SideName
from league.models import League
from league.web.organiser.forms import parse_whole_number
from league.web.organiser.site import organiser_page, show
from league.web.public.qr_codes import draw_small

SHEETS = ("pairings", "tables", "slips", "standings", "cross-table", "prizes", "norms")


@organiser_page("record")
def print_sheet(request: HttpRequest, league: League, competition: str, sheet: str) -> HttpResponse:
    """Show a sheet of a round: the asked one, else the round in play."""
    if sheet not in SHEETS:
        raise Http404
    loaded = load_for_viewer(request, league, competition)
    found = loaded.competition
    number = parse_whole_number(request.GET.get("round", ""), 3)
    number = number if number in loaded.rounds else find_current_round(loaded)
    fixtures = list_shown_fixtures(loaded, number)
    rows = build_fixture_rows(loaded, fixtures, round_number=number)
    slips = []
    for row in rows:
        if sheet == "slips" and (row.is_open or (row.is_match and row.state.status == "planned")):
            path = reverse("desk:fixture", args=[league.slug, found.slug, row.state.number])
            address = request.build_absolute_uri(path)
            slips.append((row, address, draw_small(address)))
    colours = list_colours_of(found)
    places = [
        (write_listed_name(found, seat.name), *_find_place(row, at, colours), row.state)
        for row in rows
        for at, seat in enumerate(row.seats)
    ]
    return show(
        request,
        league,
        f"apps/competitions/organiser/print_{sheet.replace('-', '_')}.html",
        "competitions",
        **build_frame(request, loaded),
        sheet_name=sheet,
        shown_round=loaded.rounds.get(number or 0),
        round_notes=describe_round(loaded, number) if number else [],
        slips=slips,
        places=sorted(places, key=lambda line: build_listed_name_key(found, line[0])),
        pairs=all(len(row.seats) <= 2 for row in rows),
        clock=Clock(found.time_zone or league.time_zone),
        **count_results(fixtures),
        **list_planned_starts(loaded, number if number in loaded.rounds else None, fixtures),
        has_norms=shows_fide_elo(loaded),
        **(_build_prizes(loaded) if sheet == "prizes" else {}),
        **(_build_norms(loaded, parse_whole_number(request.GET.get("entry", ""), 4)) if sheet == "norms" else {}),
        **(
            _build_standings(loaded, request.GET.get("category", ""))
            if sheet in ("standings", "cross-table")
            else {"rows": rows}
        ),
    )


def _find_place(row: FixtureRow, at: int, colours: Sequence[SideName]) -> tuple[str, str]:
    """Return the table of a seat, and in a game of two the opponent, with the own side where it has a colour."""
    if not row.is_meeting:
        return row.result, ""
    if len(row.seats) != 2:
        return row.label, ""
    return row.label, " – ".join([*(colour.name for colour in colours[at : at + 1]), row.seats[1 - at].name])


def _build_prizes(loaded: LoadedCompetition) -> dict[str, Any]:
    """Return the prizes, with the edition that has them: none if they differ from it."""
    edition = find_last_edition(loaded.competition)
    tables, _overlapping = build_current_awards(loaded)
    return {"tables": tables, "edition": edition if edition and not differs_from_edition(loaded, edition) else None}


def _build_norms(loaded: LoadedCompetition, number: int | None) -> dict[str, Any]:
    """Return the norms of an entry, or those of all that were made or are close."""
    table = compute_standings(loaded).table
    wanted = loaded.entries if number is None else [one for one in loaded.entries if one == number]
    sheets = [
        (sheet, [norm for norm in sheet.norms if number is not None or norm.hint.is_met or norm.hint.is_within_reach])
        for sheet in (build_norm_sheet(loaded, table, one) for one in wanted)
        if sheet is not None
    ]
    return {
        "norm_sheets": [_build_norm_page(loaded, sheet, norm) for sheet, norms in sheets for norm in norms],
        "time_control": describe_time_control(loaded.competition.time_control),
        "days": [day for day in list_days(loaded.competition) if day is not None],
    }


def _build_norm_page(loaded: LoadedCompetition, sheet: NormSheet, norm: FoundNorm) -> dict[str, Any]:
    """Return what the page of a norm shows."""
    return {
        "sheet": sheet,
        "name": loaded.name(sheet.entry.number),
        "rating": get_fide_rating(sheet.entry),
        "born": sheet.entry.about.get("born") or (sheet.person.born if sheet.person else None),
        "title": norm.rule.title,
        "sentence": describe_norm_on_sheet(norm),
        "is_met": norm.hint.is_met,
        "lines": [
            (line, loaded.name(line.game.opponent), format_game_points(Fraction(line.game.half_points, 2)))
            for line in norm.lines
        ],
        "conditions": [(*describe_condition(norm.rule.title, part), part.is_met) for part in norm.hint.parts],
    }


def _build_standings(loaded: LoadedCompetition, category: str) -> dict[str, Any]:
    """Return the standings, of a category if one is asked for, and the cross table as the public pages show them."""
    page = CompetitionPage(loaded)
    # On paper movements and ranks that are still possible are old by the evening.
    table = build_standings_table(loaded, page.entries, with_moves=False, with_possible=False)
    chosen = next((one for one in loaded.competition.categories if one["key"] == category), None)
    members = None if chosen is None else list_members(loaded)[category]
    shown = table if members is None else build_category_table(loaded, page.entries, members)
    rounds = list_told_rounds(page)
    has_cross = page.has_cross_table and not (page.is_sparse and rounds)
    return {
        "table": shown,
        "pages": shown.lines,
        "category": chosen,
        "cross": build_cross_table(table, page.fixtures, loaded.data) if has_cross else None,
        "rows": build_round_table(table, table.lines, page.fixtures, rounds, loaded.data),
        "rounds": rounds,
        "still_open": any(line.is_open for line in page.fixtures),
        "of_two": all(line.of_two for line in page.fixtures),
    }
