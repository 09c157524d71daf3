"""The pages with all details of a competition: fixtures, cross table, rules, an entry's card."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition
from league.apps.competitions.public.awards import ONE_EACH, SHARINGS, describe_prizes
from league.apps.competitions.public.context import CompetitionPage, build_link_picture, build_page
from league.apps.competitions.public.lines import POINT_NAMES, FixtureLine
from league.apps.competitions.public.link_words import describe_standing, list_first, list_pairings
from league.apps.competitions.public.meetings import build_cross_table, build_round_table, list_told_rounds
from league.apps.competitions.public.standings_table import build_standings_table, describe_tie_break
from league.apps.competitions.public.views import get_due_time, serialize_fixtures
from league.apps.competitions.selectors.competitions import build_tie_break_rules, get_zone
from league.apps.competitions.selectors.entry_cards import CardRound, EntryCard, build_entry_card
from league.apps.competitions.selectors.fide_elo import build_fide_elo
from league.apps.competitions.selectors.fide_texts import build_fide_context, list_fide_games
from league.apps.competitions.selectors.result_texts import (
    count_decimals,
    format_game_points,
    format_in_column,
    format_points,
    format_result,
)
from league.web.public.files import answer
from league.web.public.present import list_parameters
from league.web.public.views.base import cached_page, parse_digits
from ratings.contract.tie_break import TieBreakChoice, TieBreakExplanation, TieBreakPart
from ratings.fide.regulation_rulings import REGULATION_RULINGS
from ratings.standings.ranking import parse_list
from ratings.standings.tie_break_codes import MODIFIERS, parse_code

FIXTURES = settings.RUNGS_PAGE_SIZES["fixtures"]
ROWS = settings.RUNGS_PAGE_SIZES["standings"]


@dataclass(frozen=True)
class FixtureDay:
    """Fixtures of a day; ``day`` is None for those without a time. ``open``: their results are missing."""

    day: date | None
    open: bool
    lines: list[FixtureLine]


@cached_page("page", "entry")
def show_fixtures(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show all fixtures by day, of everyone or of one entry: those without a result first."""
    page, context = build_page(request, slug, competition, "fixtures")
    number = parse_digits(request.GET.get("entry", ""), 4)
    entry = page.entries.get(number) if number is not None else None
    lines = [
        line
        for line in page.fixtures
        if line.state.status != "bye" and (entry is None or entry.number in line.state.entries)
    ]
    waiting = sorted((line for line in lines if line.is_open), key=get_due_time)
    done = sorted((line for line in lines if not line.is_open), key=get_due_time, reverse=True)
    pages = Paginator([*waiting, *done], FIXTURES).get_page(request.GET.get("page"))
    context |= {
        "days": _group_by_day(page, pages.object_list),
        "pages": pages,
        "entry": entry,
        "extra": urlencode({"entry": entry.number}) if entry else "",
        "choices": sorted(page.entries.values(), key=lambda line: line.name.casefold()),
        "link_words": list_pairings([*pages]),
        "overdue": sum(line.state.is_overdue and line.is_open for line in lines),
    }
    tables = {"fixtures": lambda: serialize_fixtures(lines)}
    return answer(request, "apps/competitions/public/fixtures.html", context, tables)


def _group_by_day(page: CompetitionPage, lines: Iterable[FixtureLine]) -> list[FixtureDay]:
    zone = get_zone(page.competition)

    def find_day(line: FixtureLine) -> tuple[bool, date | None]:
        time = line.at or line.state.deadline
        return line.is_open, time.astimezone(zone).date() if time else None

    return [FixtureDay(day, is_open, list(some)) for (is_open, day), some in groupby(lines, find_day)]


@cached_page("page")
def show_cross_table(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show every meeting: as a cross table if there are few entries, and by rounds."""
    page, context = build_page(request, slug, competition, "cross")
    table = build_standings_table(page.loaded, page.entries, with_moves=False, with_possible=False)
    data = page.loaded.data
    pages = Paginator(table.lines, ROWS).get_page(request.GET.get("page"))
    shown = page.list_fixtures_of({line.entry.number for line in pages})
    rounds = list_told_rounds(page)
    context |= {
        **build_link_picture(page.competition, page.cross_table_title, name="cross_table"),
        "link_words": list_first(table),
        "table": table,
        "cross": build_cross_table(table, page.fixtures, data) if page.has_cross_table else None,
        "is_sparse": page.is_sparse and bool(rounds),
        "pages": pages,
        "rows": build_round_table(table, pages, shown, rounds, data),
        "rounds": rounds,
        "colours": page.colours,
        "of_two": all(line.of_two for line in shown),
    }
    return answer(request, "apps/competitions/public/cross_table.html", context, {})


@cached_page()
def show_rules(request: HttpRequest, slug: str, competition: str) -> HttpResponse:
    """Show the format, the points, the tie-breaks and the rulings."""
    page, context = build_page(request, slug, competition, "rules")
    rules = build_tie_break_rules(page.competition)
    choices = [choice for choice in parse_list(page.competition.tie_breaks, rules) if choice.code != "PTS"]
    rulings = {
        ruling.number: ruling
        for ruling in (
            *context["format"].list_rulings(),
            *(one for choice in choices for one in choice.tie_break.rulings),
            *(REGULATION_RULINGS if page.competition.regulations else ()),
        )
    }
    idle = context["format"].list_idle_parameters()
    context |= {
        "link_words": context["format"].summary,
        "parameters": [one for one in list_parameters(context["format"]) if one["name"] not in idle],
        "points": _list_points(page),
        "tie_breaks": [_describe_choice(choice) for choice in choices],
        # Those about ratings matter only to tie-breaks that need them.
        "rules_of_tie_breaks": list_parameters(rules)[
            : None if any(one.tie_break.needs_ratings for one in choices) else 1
        ],
        "rulings": [rulings[number] for number in sorted(rulings)],
        **_describe_prizes(page.competition),
    }
    return answer(request, "apps/competitions/public/rules.html", context, {})


def _describe_prizes(competition: Competition) -> dict[str, Any]:
    """Return the prizes of each list and how they are shared, nothing without prizes."""
    prizes = competition.prizes
    if not prizes:
        return {}
    return {
        "prizes": describe_prizes(competition),
        "sharing": SHARINGS[prizes["sharing"]],
        "one_each": ONE_EACH if prizes["one_each"] else "",
    }


def _list_points(page: CompetitionPage) -> list[tuple[str, str]]:
    """Return the outcomes with their points, the places of tables last."""
    table = page.loaded.data.points
    labels = {name: str(label) for name, label in POINT_NAMES.items()}
    if page.competition.format == "tables":
        labels = {name: label for name, label in labels.items() if name not in ("win", "draw", "loss")}
    points = [(label, format_game_points(getattr(table, name))) for name, label in labels.items()]
    places = [
        (_("Place {place} at a table").format(place=place), format_game_points(value))
        for place, value in enumerate(table.places, 1)
    ]
    return [*places, *points]


def _describe_choice(choice: TieBreakChoice) -> dict[str, Any]:
    """Return the code, title, meaning and modifiers of a tie-break."""
    letters = [part[:1] for part in choice.code.split("/")[1:]]
    return {
        "code": choice.code,
        "title": describe_tie_break(choice),
        "summary": choice.tie_break.summary,
        "article": choice.tie_break.article,
        "modifiers": [str(MODIFIERS[letter][1]) for letter in letters if letter in MODIFIERS],
    }


@cached_page("explain")
def show_entry(request: HttpRequest, slug: str, competition: str, number: int) -> HttpResponse:
    """Show an entry's card: its rounds, and each value of its tie-breaks by its parts."""
    page, context = build_page(request, slug, competition, "entry")
    if number not in page.entries:
        template = _("“{competition}” has no entry {number}.")
        raise Http404(template.format(competition=page.competition.title, number=number))
    table = build_standings_table(page.loaded, page.entries, with_moves=False)
    card = build_entry_card(page.loaded, table.standings, number)
    line = table.lines[table.standings.rows.index(card.row)]
    fixtures = page.list_fixtures_of([number])
    by_fixture = {line.state.number: line for line in fixtures}
    choices = [choice for choice in table.standings.choices if choice.code != "PTS"]
    change = _add_up_changes(card)
    # A value looks as in the standings.
    decimals = {column.code: column.decimals for column in table.columns}
    context |= {
        "entry": page.entries[number],
        **build_link_picture(page.competition, page.entries[number].name, name="entry", number=number),
        "row": page.loaded.entries[number],
        "card": card,
        "line": line,
        "link_words": describe_standing(line, len(table.lines)),
        "of": len(table.lines),
        "rounds": [
            _describe_round(page, one, by_fixture.get(one.fixture.number) if one.fixture else None, number)
            for one in card.rounds
        ],
        "values": [
            describe_explanation(
                page, describe_tie_break(choice), choice, card.explanations[choice.code], decimals.get(choice.code)
            )
            for choice in choices
            if card.explanations[choice.code].value is not None
        ],
        "measures": _describe_measures(page, card),
        **_find_next(fixtures, number),
        "change": change,
        "rounded_apart": change is not None and do_rounded_changes_differ(card, change),
        "rated": any(one.changes for one in card.rounds),
        "of_two": all(line.of_two for line in fixtures),
        "colours": page.colours,
        "table": table,
    }
    sums = build_fide_elo(page.loaded, table.standings.table, number)
    context |= build_fide_context(sums, {entry.number: entry.name for entry in page.entries.values()})
    tables = {} if sums is None else {"fide": lambda: list_fide_games(sums)}
    return answer(request, "apps/competitions/public/entry.html", context, tables)


def _find_next(fixtures: Iterable[FixtureLine], number: int) -> dict[str, Any]:
    """Return the next game of an entry with its opponents, and all open ones if there are more."""
    waiting = sorted((line for line in fixtures if line.is_open), key=get_due_time)
    if not waiting:
        return {}
    return {
        "next": waiting[0],
        "opponents": [seat.entry for seat in waiting[0].seats if seat.entry.number != number],
        "next_fixtures": waiting if len(waiting) > 1 else [],
    }


def _add_up_changes(card: EntryCard) -> float | None:
    """Return what all games changed of the rating of an entry's player; None for a side of several, and without any."""
    changes = [one.changes for one in card.rounds if one.changes]
    return sum(change for (change,) in changes) if changes and all(len(one) == 1 for one in changes) else None


def do_rounded_changes_differ(card: EntryCard, change: float) -> bool:
    """Return whether the changes as the rounds show them, with a decimal, do not add up to the shown sum."""
    shown = sum(round(one, 1) for each in card.rounds for one in each.changes)
    return round(shown, 1) != round(change, 1)


def _describe_round(page: CompetitionPage, one: CardRound, line: FixtureLine | None, number: int) -> dict[str, Any]:
    """Return a round of an entry with its fixture, if any."""
    return {
        "round": one,
        "points": format_game_points(one.points),
        "line": line,
        "result": _format_own_result(line, number),
        "opponents": [page.entries[opponent] for opponent in one.opponents],
    }


def _format_own_result(line: FixtureLine | None, number: int) -> str:
    """Return the result of a game of two with the side of the entry first, "" without one."""
    if line is None or not line.of_two or len(line.seats) < 2:
        return line.result if line else ""
    return format_result(line.state, line.state.entries.index(number))


def describe_explanation(
    page: CompetitionPage,
    title: str,
    choice: TieBreakChoice,
    explanation: TieBreakExplanation,
    column_decimals: int | None = None,
) -> dict[str, Any]:
    """Return a value with its parts: the round, the opponent, the amount or what was left out."""
    parts = [(part, part.amount if part.left_out is None else part.left_out) for part in explanation.parts]
    if choice.tie_break.is_mean:
        parts = _write_out_mean(parts)
    decimals = count_decimals([amount for _part, amount in parts])
    if column_decimals is None:
        column_decimals = count_decimals([explanation.value])
    return {
        "code": choice.code,
        "title": title,
        "summary": choice.tie_break.summary,
        "value": format_in_column(explanation.value, column_decimals),
        "reason": explanation.reason,
        "parts": [
            {
                "part": part,
                "opponent": page.entries.get(part.opponent),
                "amount": format_points(amount) if choice.tie_break.is_mean else format_in_column(amount, decimals),
                "left_out": part.left_out is not None,
                "factors": " × ".join(map(format_points, part.factors or ())),
            }
            for part, amount in parts
        ],
    }


def _write_out_mean(parts: Sequence[tuple[TieBreakPart, Fraction]]) -> list[tuple[TieBreakPart, Fraction]]:
    """Return the parts of a mean with the ratings themselves, then their sum divided by their number."""
    ratings = [(part, amount) for part, amount in parts if part.opponent]
    count = sum(part.left_out is None for part, _amount in ratings)
    mean = sum((part.amount for part, _amount in ratings), Fraction())
    note = _("sum ÷ {count}").format(count=count)
    return [
        *((part, amount * count) for part, amount in ratings),
        (TieBreakPart(0, 0, mean, note), round(mean, 2)),
        *((part, amount) for part, amount in parts if not part.opponent),
    ]


def _describe_measures(page: CompetitionPage, card: EntryCard) -> list[dict[str, Any]]:
    """Return FIDE's performance measures that have a value."""
    described = []
    for code, explanation in card.measures.items():
        if explanation.value is None:
            continue
        choice = parse_code(code)
        described.append(describe_explanation(page, str(choice.tie_break.title), choice, explanation))
    return described
