"""The pages of competitions: list, overview, rounds, entries."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from league.apps.competitions.files.fixture_plan import WHEN, read_for_file
from league.apps.competitions.models import Competition, Season
from league.apps.competitions.public.awards import build_award_tables, describe_first_prizes
from league.apps.competitions.public.brackets import draw_bracket
from league.apps.competitions.public.context import (
    CompetitionPage,
    RoundStepper,
    build_link_picture,
    build_page,
    count_results,
)
from league.apps.competitions.public.lines import FixtureLine, ShownEntry, build_entry_line, list_planned_starts
from league.apps.competitions.public.link_words import (
    describe_finalists,
    describe_leaders,
    describe_results,
    describe_win,
    list_names,
    list_pairings,
    name_winners,
)
from league.apps.competitions.public.lists import (
    describe_progress,
    describe_winners,
    group_lines,
    load_lines,
    load_seasons,
)
from league.apps.competitions.public.podium import build_podium
from league.apps.competitions.public.standings_table import (
    StandingsTable,
    build_category_table,
    build_standings_table,
    serialize_standings,
)
from league.apps.competitions.records import ENTRY_RECORD
from league.apps.competitions.selectors.competition_data import FixtureState
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, get_zone, list_competitions
from league.apps.competitions.selectors.final_standings import find_last_edition, read_awards, read_members
from league.apps.competitions.selectors.pairing_checks import list_outdated_pairings
from league.apps.competitions.selectors.prizes import list_members
from league.apps.competitions.selectors.result_texts import format_points_before
from league.apps.competitions.selectors.round_notes import describe_round
from league.apps.competitions.selectors.summaries import count_parts
from league.web.public.files import answer
from league.web.public.views.base import build_league_context, cached_page
from league.web.sign_in.sessions import viewer_of

ROWS = settings.RUNGS_PAGE_SIZES["standings"]
PAIRINGS = settings.RUNGS_PAGE_SIZES["pairings"]
#: Fixtures of a round that the overview shows before it links to the page of the round.
MAX_OVERVIEW_FIXTURES = 40
#: Next and last fixtures on the overview of a competition without rounds.
MAX_NEXT_FIXTURES = 12
DRAFT = Season.Status.DRAFT


@cached_page("page")
def competitions(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the competitions of a league: running, open, finished."""
    league, _system, context = build_league_context(request, slug, "competitions")
    arbitrates = viewer_of(request).may("arbitrate", league)
    listed = list_competitions(league, for_organisers=arbitrates)
    alone = Q(season_parts__isnull=True)
    # What belongs to the draft of a season stands alone for those who do not see that.
    found = count_parts(listed.filter(alone if arbitrates else alone | Q(season_parts__season__status=DRAFT)))
    pages = Paginator(found, ROWS).get_page(request.GET.get("page"))
    seasons = load_seasons(league, for_organisers=arbitrates) if pages.number == 1 else []
    rows = list(pages.object_list)
    winners = describe_winners(league, [*rows, *(one for line in seasons for one in line.competitions)])
    context |= {
        "groups": group_lines(load_lines(rows, winners, describe_progress(league, rows))),
        "winners": winners,
        "pages": pages,
        "arbitrates": arbitrates,
        "seasons": [line for line in seasons if not line.is_past],
        "past_seasons": [line for line in seasons if line.is_past],
    }
    return render(request, "apps/competitions/public/competitions.html", context)


@cached_page("page", "category")
def overview(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show a competition: what now, standings, next fixtures."""
    page, context = build_page(request, slug, competition, "overview")
    status = page.competition.status
    context |= {"started": status in (Competition.Status.RUNNING, Competition.Status.FINISHED)}
    tables: dict[str, Any] = {}
    if context["started"]:
        table = build_standings_table(page.loaded, page.entries)
        podium = build_podium(table) if status == Competition.Status.FINISHED and page.is_played else []
        chosen, shown = _choose_category(request, page, table)
        tables["standings"] = lambda: serialize_standings(shown)
        context |= {
            **_build_now(page),
            **_build_table_context(request, shown),
            "category": chosen,
            "extra": urlencode({"category": chosen}) if chosen else "",
            "podium": podium,
            "bracket": draw_bracket(page.loaded, page.entries),
            **_build_edition_context(page),
            "unplayed": status == "running" and not page.is_played,
            "prize_words": describe_first_prizes(page.competition) if status == "running" else "",
            "outdated": _list_outdated_rounds(page) if context["arbitrates"] and status == "running" else [],
        }
        if status == Competition.Status.RUNNING and page.is_played:
            bracket = context["bracket"]
            context["leaders"], context["leading"] = describe_finalists(bracket) if bracket else describe_leaders(table)
        if podium:
            winners, won = name_winners(podium), describe_win(podium)
            context |= {"winners": winners, "won": won, "link_words": f"{winners} {won}"}
    if not context["started"] or context["unplayed"]:
        context |= build_entries_context(page)
    return answer(request, "apps/competitions/public/overview.html", context, tables)


def _build_edition_context(page: CompetitionPage) -> dict[str, Any]:
    """Return the final standings that are published, and who wins which prizes by them."""
    edition = page.find_edition() if page.competition.status == Competition.Status.FINISHED else None
    if edition is None:
        return {"edition": None}
    first = page.competition.editions.order_by("number").values_list("published_at", flat=True).first()
    found: dict[str, Any] = {"edition": edition, "finished_at": first}
    if page.competition.prizes:
        awards = build_award_tables(page.loaded, read_awards(edition), read_members(edition))
        found["awards"] = [one for one in awards if one.lines or one.unwon]
    return found


def _choose_category(request: HttpRequest, page: CompetitionPage, table: StandingsTable) -> tuple[str, StandingsTable]:
    """Return the category that was asked for, with its table; "" and the whole table without one."""
    key = request.GET.get("category", "")
    if key not in {one["key"] for one in page.competition.categories}:
        return "", table
    edition = find_last_edition(page.competition)
    members = list_members(page.loaded, None if edition is None else read_members(edition))
    return key, build_category_table(page.loaded, page.entries, members[key])


def _build_now(page: CompetitionPage) -> dict[str, Any]:
    """Return the fixtures of the round in play; without rounds, those that come next and the last ones."""
    number = page.current_round
    if number is not None:
        found = page.list_round(number)
        return {
            **_build_round_context(page, number, found),
            "round": number,
            # The organisers' own words come first, until there is a winner.
            "link_words": ""
            if page.competition.description
            else describe_results(number, page.loaded.planned_rounds, **count_results(found)),
            "fixtures": page.build_lines(found[:MAX_OVERVIEW_FIXTURES]),
            "more": len(found[MAX_OVERVIEW_FIXTURES:]),
        }
    waiting = sorted((line for line in page.fixtures if line.is_open), key=get_due_time)
    done = sorted((line for line in page.fixtures if not line.is_open and line.at), key=get_due_time, reverse=True)
    return {"next_fixtures": waiting[:MAX_NEXT_FIXTURES], "last_fixtures": done[:MAX_NEXT_FIXTURES]}


def _build_round_context(page: CompetitionPage, number: int, fixtures: Sequence[FixtureState]) -> dict[str, Any]:
    row, zone = page.loaded.rounds[number], get_zone(page.competition)
    days = {at.astimezone(zone).date() if at else None for at in (row.starts_at, row.published_at)}
    deadlines = {(one.deadline, one.is_overdue) for one in fixtures if one.status == "planned"}
    ((deadline, is_late), *others) = deadlines or {(None, False)}
    return {
        **list_planned_starts(page.loaded, number, fixtures),
        "row": row,
        "last_played": max((one.game.played_at for one in fixtures if one.game), default=row.starts_at),
        # What all games of a round share is said once.
        "due": None if others or is_late else deadline,
        # The day of a round that was published on its day is said once.
        "published_style": "clock" if len(days) == 1 else "minute",
        "total": page.loaded.planned_rounds,
        "points_before": _build_points_before(page, number),
        "colours": page.colours,
        **count_results(fixtures),
    }


def _build_points_before(page: CompetitionPage, number: int) -> dict[int, str]:
    """Return entry -> its points before a round; empty before the first one, and in a bracket, where none count."""
    counts = number > 1 and page.competition.format not in BRACKET_FORMATS
    return format_points_before(page.loaded, number) if counts else {}


def _list_outdated_rounds(page: CompetitionPage) -> list[int]:
    """Return the rounds whose pairings no longer follow from the rules, because of a correction."""
    return [outdated.round for outdated in list_outdated_pairings(page.loaded)]


def _describe_superseded_pairing(page: CompetitionPage, number: int) -> str:
    """Return a sentence about a round that was paired by results that were corrected since, "" for others."""
    if not list_outdated_pairings(page.loaded, [number]):
        return ""
    template = _("Round {number} stands as it was published. Results before it were corrected since.")
    return template.format(number=number)


def get_due_time(line: FixtureLine) -> tuple[bool, float, int]:
    """Return a sort key: by when a fixture was played, begins or is due; those without a time come last."""
    time = line.at or line.state.deadline
    return time is None, time.timestamp() if time else 0.0, line.state.number


def _build_table_context(request: HttpRequest, table: StandingsTable) -> dict[str, Any]:
    return {"table": table, "pages": Paginator(table.lines, ROWS).get_page(request.GET.get("page"))}


@cached_page("page", "pairings")
def show_round(request: HttpRequest, slug: str, competition: str, number: int) -> HttpResponse:
    """Show the pairings of a round with their results, and the standings after it."""
    page, context = build_page(request, slug, competition, "round")
    if number not in page.rounds:
        template = _("“{competition}” has no published round {number}.")
        raise Http404(template.format(competition=page.competition.title, number=number))
    # After the last round they are those of now, with the ranks that are still possible.
    table = build_standings_table(page.loaded, page.entries, None if number == max(page.rounds) else number)
    found = page.list_round(number)
    shown = Paginator(found, PAIRINGS).get_page(request.GET.get("pairings"))
    context |= {
        **_build_round_context(page, number, found),
        **_build_table_context(request, table),
        "number": number,
        **build_link_picture(page.competition, _("Round {number}").format(number=number), name="round", number=number),
        "stepper": RoundStepper(page.rounds, number),
        "link_words": list_pairings(page.build_lines(shown)),
        "superseded": _describe_superseded_pairing(page, number),
        "round_notes": describe_round(page.loaded, number),
        "fixtures": page.build_lines(shown),
        "pairing_pages": shown,
    }
    # The links of each list keep the page of the other.
    context["extra"], context["kept"] = f"pairings={shown.number}", f"page={context['pages'].number}"
    tables = {
        "standings": lambda: serialize_standings(table),
        "pairings": lambda: serialize_fixtures(page.build_lines(found)),
    }
    return answer(request, "apps/competitions/public/round.html", context, tables)


def serialize_fixtures(lines: Sequence[FixtureLine]) -> list[dict[str, Any]]:
    """Return fixtures as data for files."""
    return [
        {
            "fixture": line.state.number,
            "round": line.state.round,
            "table": line.state.table,
            "entries": " – ".join(seat.entry.name for seat in line.seats),
            "status": line.state.status,
            "result": line.result if line.of_two else " – ".join(seat.result for seat in line.seats),
            **read_for_file(line.state, WHEN),
            "game": line.state.game and line.state.game.number,
        }
        for line in lines
    ]


def build_entries_context(page: CompetitionPage) -> dict[str, Any]:
    """Return the entries, by number, and the waiting list."""
    entries = list(page.entries.values())
    return {
        "listed": entries,
        "waiting": [build_entry_line(entry) for entry in page.loaded.waiting],
        "rated_entries": any(entry.row.rating is not None for entry in entries),
        "with_federation": any(entry.row.federation for entry in entries),
    }


@cached_page()
def show_entries(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show the entries and the waiting list."""
    page, context = build_page(request, slug, competition, "entries")
    context |= {**build_entries_context(page), "link_words": list_names([*page.entries.values()])}
    tables = {"entries": lambda: [serialize_entry(line) for line in page.entries.values()]}
    return answer(request, "apps/competitions/public/entries.html", context, tables)


def serialize_entry(line: ShownEntry) -> dict[str, Any]:
    """Return an entry as data for files."""
    return {
        "number": line.number,
        "pairing_number": line.row.pairing_number,
        "name": line.name,
        "players": ", ".join(handle for handle, _name in line.players),
        **ENTRY_RECORD.serialize(line.row, ("title", "federation", "rating")),
    }
