"""The pages of ladders: current and past periods, editions, changes, and winners."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from math import inf
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from league.core.ladders.selectors.ladders import (
    PublishedPeriod,
    Row,
    closed_periods,
    decisions_of,
    differences,
    edition_rows,
    editions_of,
    find_edition,
    find_ladder,
    find_period,
    latest_edition,
    latest_rule,
    live_rows,
    periods_of,
    rows_at,
    shown_rows,
    winners_by_period,
)
from league.core.ladders.selectors.ladders import ladders_of as all_ladders
from league.core.ladders.selectors.races import load_race
from league.core.ladders.selectors.tallies import method_of
from league.core.text.display_formats import exact, known_zone, number
from league.core.text.qr_codes import code_of
from league.models import Decision, Edition, Ladder, League, Period, Player
from league.web.absolute_urls import absolute
from league.web.public.charts.curves import curve_of
from league.web.public.charts.races import draw_race
from league.web.public.files import Rows, answer
from league.web.public.period_head import PeriodView, figures_of, join_names
from league.web.public.present import columns_of, parameters_in_force, standing_rows
from league.web.public.records import curve_tables, period_record, score_records, standing_record
from league.web.public.user_actions import period_actions
from league.web.public.views.base import league_context, page, parse_digits, start_of
from ratings.columns.tallies import ranks_in_order
from ratings.contract.method import Method

ROWS = settings.RUNGS_PAGE_SIZES["board"]
TOP = 3
#: Maximum number of digits of an edition's number.
DIGITS = 6
#: Maximum number of decimals to tell two scores apart; closer ones are shown unrounded.
MAX_DECIMALS = 9


@page
def ladders(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ladders of a league, with the current leader and the last winner of each."""
    league, _, context = league_context(request, slug, "ladders")
    entries = [ladder_entry(league, ladder, context["now"]) for ladder in all_ladders(league)]
    return render(request, "web/public/ladders.html", {**context, "entries": entries})


def ladder_entry(league: League, ladder: Ladder, now: datetime) -> dict[str, Any]:
    """Return a ladder's entry in the list."""
    rule = latest_rule(ladder, now, league)
    method = method_of(rule)
    running = periods_of(ladder).filter(starts_at__lte=now).first()
    last = next(iter(closed_periods(Q(ladder=ladder), 1)), None)
    rows: Sequence[Row] = shown_rows(running)[0] if running and not running.closed else []
    return {
        "ladder": ladder,
        "rule": rule,
        "method": method,
        "running": running,
        "top": [row for row in rows[:TOP] if row["qualified"]],
        "last": last,
    }


@page
def period(request: HttpRequest, slug: str, ladder: str, key: str = "") -> HttpResponse:
    """Show the ranking of a period: its edition if it is closed, else the live one, or that on a date."""
    league, _, context = league_context(request, slug, "ladders", below=True)
    found = find_ladder(league, ladder)
    periods = list(periods_of(found))
    latest = latest_of(periods, context["now"])
    one = find_period(found, key) if key else latest
    if one is None:
        rule = latest_rule(found, context["now"], league)
        return render(request, "web/public/period.html", {**context, "ladder": found, "method": method_of(rule)})
    rows, edition, at = chosen_rows(request, league, one)
    pages = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    method, editions_context = method_of(one.rule), publications(one, edition)
    ended = one.ends_at <= context["now"]
    head = head_of(league, PeriodView(one, method, rows, edition, start_of(league, at) if at else None), context)
    curve = curve_of(method)
    tables: dict[str, Rows] = {
        "standings": lambda: map(standing_record, rows),
        "race": partial(score_records, head.pop("scores")),
        **curve_tables(curve),
    }
    return answer(
        request,
        "web/public/period.html",
        {
            **context,
            **neighbours(periods, one, latest),
            **editions_context,
            **head,
            **print_address(request, league, one, edition, at),
            "acts": period_actions(request, league, one, editions_context["editions"], ripe=ended and bool(rows)),
            "ladder": found,
            "periods": periods,
            "columns": columns_of(method),
            "curve": curve,
            "parameters": parameters_in_force(method),
            "rows": standing_rows(method, pages.object_list, head["moves"]),
            "ended": ended,
            "archive": by_year(league, found, periods),
            "pages": pages,
            "at": at,
            "extra": f"at={at}" if at else f"edition={edition.number}" if edition and "edition" in request.GET else "",
            "asked": ranking_query(one, edition, at),
            "part": "now" if one == latest and not at else "",
        },
        tables,
    )


def head_of(league: League, shown: PeriodView, context: dict[str, Any]) -> dict[str, Any]:
    """Return the key figures and the race of a period."""
    settled = shown.edition is not None or shown.until is not None
    race, ranks = load_race(league, shown.period, shown.rows, context["rules"], until=shown.until, moves=not settled)
    return {
        "moves": ranks,
        "period": shown.period,
        "method": shown.method,
        "figures": figures_of(league, shown, context["now"]),
        "race": draw_race(league, shown.period, shown.method, race) if race else None,
        "scores": race,
    }


def ranking_query(one: Period, edition: Edition | None, at: str) -> str:
    """Return the query with which a file contains the ranking shown."""
    if at:
        return f"&at={at}"
    return f"&edition={edition.number}" if edition else "&edition=live" if one.closed else ""


def print_address(
    request: HttpRequest, league: League, one: Period, edition: Edition | None, at: str
) -> dict[str, Any]:
    """Return the address printed on paper, and its QR code; an edition's always shows that edition."""
    path = reverse("pages:period", args=[league.slug, one.ladder.slug, one.key])
    address = absolute(request, path + (f"?edition={edition.number}" if edition else f"?at={at}" if at else ""))
    return {"address": address, "code": code_of(address)}


def by_year(league: League, ladder: Ladder, periods: Sequence[Period]) -> list[tuple[int, list[tuple[Period, str]]]]:
    """Group periods, latest first, by the year in which they start, with their winners."""
    zone = known_zone(league.time_zone)
    won = {one.key: [winner["name"] for winner in one.winners] for one in winners_by_period(ladder)}
    named = [(one, join_names(won[one.key]) if won.get(one.key) else "") for one in periods]
    years = groupby(named, key=lambda entry: entry[0].starts_at.astimezone(zone).year)
    return [(year, list(some)) for year, some in years]


def latest_of(periods: list[Period], now: datetime) -> Period | None:
    """Return the current period, else the latest one."""
    running = [one for one in periods if one.starts_at <= now < one.ends_at]
    return next(iter(running or periods), None)


def chosen_rows(request: HttpRequest, league: League, one: Period) -> tuple[Sequence[Row], Edition | None, str]:
    """Return the requested ranking, its edition (None: live) and the date of ``?at=``."""
    wanted = request.GET.get("edition", "")
    number = parse_digits(wanted, DIGITS)
    if number is not None:
        edition = find_edition(one, number)
        return edition_rows(edition), edition, ""
    moment = start_of(league, request.GET.get("at", ""))
    if moment is not None:
        return rows_at(league, one, moment), None, request.GET["at"]
    if wanted == "live":
        return live_rows(one), None, ""
    return (*shown_rows(one), "")


def neighbours(periods: list[Period], one: Period, latest: Period | None) -> dict[str, Any]:
    """Return the previous and next period, and whether one of them is the latest."""
    index = [period.pk for period in periods].index(one.pk)
    later = periods[index - 1] if index > 0 else None
    earlier = periods[index + 1] if index + 1 < len(periods) else None
    return {"earlier": earlier, "later": later, "latest_beside": latest in (earlier, later)}


def publications(one: Period, edition: Edition | None) -> dict[str, Any]:
    """Return the editions and decisions of a period."""
    decisions = decisions_of(one)
    carried = [entry for entry in decisions if entry.kind == Decision.Kind.CARRY]
    return {"edition": edition, "editions": editions_of(one), "carried": carried[-1] if carried else None}


@page
def changes(request: HttpRequest, slug: str, ladder: str, key: str) -> HttpResponse:
    """Compare an edition with another one or with the live ranking."""
    league, _system, context = league_context(request, slug, "ladders", below=True)
    found = find_ladder(league, ladder)
    one = find_period(found, key)
    last = latest_edition(one)
    if last is None:
        raise Http404(_("{period} has never been closed, so there is no edition to compare.").format(period=one.name))
    before, after = request.GET.get("from", str(last.number)), request.GET.get("to", "live")
    if {"from", "to"} <= request.GET.keys() and ranking_order(before) > ranking_order(after):
        sentence = _("Compare an earlier edition with a later one, not {before} with {after}.")
        return error_page(request, sentence.format(before=before, after=after))
    rows = (named_rows(one, before), named_rows(one, after))
    found_lines, method = differences(*rows), method_of(one.rule)
    return answer(
        request,
        "web/public/period_changes.html",
        {
            **context,
            "ladder": found,
            "period": one,
            "method": method,
            "before": before,
            "after": after,
            "lines": [(line, *distinct_scores(method, line.score_before, line.score_after)) for line in found_lines],
            "all": len({row["player"] for some in rows for row in some}),
            "same": len({row["player"] for some in rows for row in some}) - len(found_lines),
            "editions": editions_of(one),
        },
        {"changes": lambda: [line._asdict() for line in found_lines]},
    )


def distinct_scores(method: Method, before: float | None, after: float | None) -> tuple[str, str]:
    """Format two scores with the method's decimals, or with enough to tell them apart."""
    if before == after:
        return (number(before, method.decimals), number(after, method.decimals))
    places = range(method.decimals, MAX_DECIMALS)
    tried = ((number(before, more), number(after, more)) for more in places)
    return next(((was, now) for was, now in tried if was != now), (exact(before), exact(after)))


def ranking_order(name: str) -> float:
    """Return the sort key of a ranking: an edition's number; the live ranking is last."""
    number = parse_digits(name, DIGITS)
    return inf if number is None else number


def error_page(request: HttpRequest, sentence: str) -> HttpResponse:
    """Return an error page."""
    return render(request, "error.html", {"title": _("This page cannot be shown"), "sentence": sentence}, status=400)


def named_rows(one: Period, name: str) -> list[Row]:
    """Return the ranking of an edition's number, or the live one."""
    number = parse_digits(name, DIGITS)
    return live_rows(one) if number is None else edition_rows(find_edition(one, number))


@page
def winners(request: HttpRequest, slug: str, ladder: str) -> HttpResponse:
    """Show the winners of each period, and the players who won most often."""
    league, _, context = league_context(request, slug, "ladders", below=True)
    found = find_ladder(league, ladder)
    entries = closed_periods(Q(ladder=found))
    zone = known_zone(league.time_zone)
    years = groupby(entries, key=lambda entry: entry.edition.starts_at.astimezone(zone).year)
    heroes = champions(entries)
    return answer(
        request,
        "web/public/winners.html",
        {
            **context,
            "ladder": found,
            "years": [(year, list(some)) for year, some in years],
            "held": len(entries),
            "heroes": heroes,
            "method": method_of(latest_rule(found, context["now"], league)),
        },
        {"champions": lambda: heroes, "periods": lambda: map(period_record, entries)},
    )


def merged_players(handles: set[str]) -> dict[str, tuple[str, str]]:
    """Return merged handle -> handle and name of the remaining player."""
    merged = Player.objects.filter(handle__in=handles, merged_into__isnull=False).select_related("merged_into")
    return {one.handle: (one.merged_into.handle, one.merged_into.name) for one in merged if one.merged_into}


def champions(entries: Sequence[PublishedPeriod]) -> list[dict[str, Any]]:
    """Return the players by number of periods won; ties by the latest title.

    ``entries`` are the closed periods, latest first. A shared first place counts for each player.
    """
    found: dict[str, dict[str, Any]] = {}
    merged = merged_players({winner["player"] for one in entries for winner in one.edition.winners})
    for one in entries:
        for winner in one.edition.winners:
            handle, name = merged.get(winner["player"], (winner["player"], winner["name"]))
            hero = found.setdefault(handle, {"player": handle, "name": name, "wins": 0, "shared": 0, "last": one.name})
            hero["wins"] += 1
            hero["shared"] += len(one.edition.winners) > 1
    heroes = sorted(found.values(), key=lambda hero: -hero["wins"])
    ranks = ranks_in_order([float(hero["wins"]) for hero in heroes]).tolist() if heroes else []
    return [{**hero, "rank": rank} for hero, rank in zip(heroes, ranks, strict=True)]
