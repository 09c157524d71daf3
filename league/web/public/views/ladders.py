"""The pages of ladders: current and past periods, editions, changes, and winners."""

from collections import Counter
from collections.abc import Mapping, Sequence
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

from league.core.contexts.scopes import load_contexts
from league.core.errors import Refused
from league.core.ladders.selectors.ladders import (
    PublishedPeriod,
    Row,
    compute_differences,
    compute_rows_at,
    find_edition,
    find_ladder,
    find_latest_edition,
    find_period,
    find_periods,
    find_rule_to_show,
    list_edition_rows,
    load_decisions,
    load_editions,
    load_last_editions,
    load_live_rows,
    load_published_periods,
    load_shown_rows,
)
from league.core.ladders.selectors.ladders import load_ladders as all_ladders
from league.core.ladders.selectors.races import load_race
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.compared import RankMove
from league.core.leagues.services.contexts import find_scope
from league.core.rules.selectors.rules import load_rules
from league.core.text.display_formats import format_exact, format_number, get_known_zone
from league.models import Decision, Edition, Ladder, League, Period, Player, Rule
from league.web.absolute_urls import build_absolute_url
from league.web.public.charts.curves import build_curve
from league.web.public.charts.plates import Step, build_plate
from league.web.public.charts.plots import APART_TALL
from league.web.public.charts.races import draw_race
from league.web.public.charts.score_lines import draw_period_race
from league.web.public.charts.slopes import draw_slopes
from league.web.public.charts.winners import build_grid, choose_hues, format_initials
from league.web.public.emblem import get_emblem
from league.web.public.files import Rows, answer
from league.web.public.period_head import (
    PeriodView,
    build_key_figures,
    count_days_left,
    describe_differences,
    describe_needs,
    describe_period_days,
    explain_needs,
    find_lead,
    is_over,
    join_names,
    list_facts,
)
from league.web.public.present import build_standing_rows, list_columns, list_parameters, split_repeats
from league.web.public.qr_codes import encode_qr_code
from league.web.public.records import (
    build_curve_tables,
    score_records,
    serialize_leading,
    serialize_period,
    serialize_standing,
)
from league.web.public.user_actions import list_period_actions
from league.web.public.views.base import build_league_context, cached_page, parse_digits, public_page, start_of
from ratings.columns.tallies import rank_sorted_values
from ratings.contract.method import Method

ROWS = settings.RUNGS_PAGE_SIZES["board"]
TOP = 3
#: Rows that a phone shows at first of a table with more than this number.
PHONE_ROWS, LONG_TABLE = 5, 10
#: Maximum number of digits of an edition's number.
DIGITS = 6
#: Maximum number of decimals to tell two scores apart; closer ones are shown unrounded.
MAX_DECIMALS = 9


@cached_page()
def ladders(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ladders of a league, with the current leader and the last winner of each."""
    league, _, context = build_league_context(request, slug, "ladders")
    entries = [_build_ladder_entry(league, ladder, context) for ladder in all_ladders(league)]
    return answer(
        request,
        "web/public/ladders.html",
        {**context, "entries": entries},
        {
            "ladders": lambda: [
                serialize_leading(one["ladder"].slug, one["running"].key if one["rows"] else "", one["rows"])
                for one in entries
            ]
        },
    )


def _build_ladder_entry(league: League, ladder: Ladder, context: dict[str, Any]) -> dict[str, Any]:
    """Return a ladder's entry in the list, with the race of its current period, or else of its last one."""
    rule = find_rule_to_show(ladder, context["now"], league)
    method = build_method(rule)
    running = find_periods(ladder).filter(starts_at__lte=context["now"]).first()
    last = next(iter(load_published_periods(Q(ladder=ladder), 1)), None)
    rows: Sequence[Row] = load_shown_rows(running)[0] if running and not running.closed else []
    drawn = running if rows else find_period(ladder, last.edition.key) if last else None
    drawn_rows = rows or (list_edition_rows(last.edition) if last else [])
    race = load_race(league, drawn, drawn_rows, context["rules"], max_runners=TOP).race if drawn else None
    in_play = running if running and rows and running.ends_at > context["now"] else None
    return {
        "left": count_days_left(league, in_play, context["now"]) if in_play else None,
        "lead": find_lead(method, rows),
        "rows": rows,
        "ladder": ladder,
        "rule": rule,
        "method": method,
        "running": running,
        "last": last,
        "race": draw_period_race(race, method.decimals) if race else None,
    }


@cached_page("page", "edition", "at", "context")
def period(request: HttpRequest, slug: str, ladder: str, key: str = "") -> HttpResponse:
    """Show the ranking of a period: its edition if it is closed, else the live one, on a date or in a context."""
    league, _, context = build_league_context(request, slug, "ladders", below=True)
    scope = find_scope(league, request.GET.get("context", ""))
    selected_ladder = find_ladder(league, ladder)
    periods = list(find_periods(selected_ladder))
    running = [period for period in periods if period.starts_at <= context["now"] < period.ends_at]
    latest = next(iter(running or periods), None)
    selected_period = find_period(selected_ladder, key) if key else latest
    if selected_period is None:
        rule = find_rule_to_show(selected_ladder, context["now"], league)
        return render(
            request, "web/public/period.html", {**context, "ladder": selected_ladder, "method": build_method(rule)}
        )
    rows, edition, at = _load_chosen_rows(request, scope, selected_period)
    pages = Paginator(rows, ROWS).get_page(request.GET.get("page"))
    method = build_method(selected_period.rule)
    editions_context = {} if scope.context else _load_publications(selected_period, edition)
    asked = _build_ranking_query(scope, selected_period, edition, at)
    ended = selected_period.ends_at <= context["now"]
    view = PeriodView(selected_period, method, rows, edition, start_of(league, at) if at else None)
    rules = load_rules(scope) if scope.context else context["rules"]
    head = _build_period_head(scope, view, rules, context["now"])
    curve = build_curve(method)
    tables: dict[str, Rows] = {
        "standings": lambda: map(serialize_standing, rows),
        "race": partial(score_records, head.pop("scores")),
        **build_curve_tables(curve),
    }
    return answer(
        request,
        "web/public/period.html",
        {
            **context,
            **(neighbours := _find_neighbour_periods(periods, selected_period, latest)),
            "previous": [] if rows or at or scope.context else _build_plate_of(neighbours["earlier"]),
            **editions_context,
            **head,
            **print_address(request, scope, selected_period, edition, at),
            "acts": list_period_actions(
                request, scope, selected_period, editions_context.get("editions", []), ripe=ended and bool(rows)
            ),
            "within": scope.context,
            "contexts": load_contexts(league, pending=False),
            "ladder": selected_ladder,
            "periods": periods,
            "curve": curve,
            "parameters": list_parameters(method),
            **_build_standings(method, pages.object_list, head),
            "ended": ended,
            "archive": _group_periods_by_year(league, selected_ladder, periods),
            "pages": pages,
            "at": at,
            "extra": "" if edition and "edition" not in request.GET else asked.removeprefix("&"),
            "asked": asked,
        },
        tables,
    )


def _build_standings(method: Method, rows: Any, head: dict[str, Any]) -> dict[str, Any]:
    """Return the columns and rows of a ranking; columns that repeat the score are left out."""
    standings = build_standing_rows(method, rows, head["moves"], head["needs"])
    columns, shown = split_repeats(list_columns(method), standings)
    fillers = Counter(row["filler"] for row in shown).most_common(1)
    # The heading stands where most scores end.
    return {
        "columns": columns,
        "abbreviated": any(column["is_short"] for column in columns),
        "ties_decided": any(row["decided"] for row in shown),
        "filler": fillers[0][0] if fillers else "",
        **_fold_rows(shown),
    }


def _fold_rows(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the rows, and those that a phone shows before the race and on request."""
    first = PHONE_ROWS if len(rows) > LONG_TABLE else len(rows)
    return {"rows": rows, "first": rows[:first], "rest": rows[first:]}


def _build_period_head(league: League, view: PeriodView, rules: Sequence[Rule], now: datetime) -> dict[str, Any]:
    """Return the key figures and the race of a period."""
    settled, over = view.edition is not None or view.until is not None, is_over(view, now)
    race, ranks, needs = load_race(league, view.period, view.rows, rules, until=view.until, moves=not settled)
    needed = {} if over else describe_needs(view.method, view.rows, needs)
    return {
        "moves": ranks,
        "needs": needed,
        "needs_help": "" if settled or over else explain_needs(view.method, needed),
        "period": view.period,
        "days": describe_period_days(league, view.period),
        "method": view.method,
        "left": None if settled or over else count_days_left(league, view.period, now),
        "figures": [] if over else build_key_figures(league, view, needs, now),
        "facts": list_facts(league, view) if over else [],
        "plate": build_plate(view.method, view.rows) if over else [],
        "race": draw_race(view.period, view.method, race, view.rows, APART_TALL) if race else None,
        "scores": race,
    }


def _build_plate_of(period: Period | None) -> list[Step]:
    """Return the plate of a closed period, empty for others."""
    if period is None or not period.closed:
        return []
    return build_plate(build_method(period.rule), load_shown_rows(period)[0])


def _build_ranking_query(league: League, period: Period, edition: Edition | None, date_text: str) -> str:
    """Return the query with which a file contains the ranking shown."""
    within = f"&context={league.context.slug}" if league.context else ""
    if date_text or within:
        return f"{within}&at={date_text}" if date_text else within
    return f"&edition={edition.number}" if edition else "&edition=live" if period.closed else ""


def print_address(
    request: HttpRequest, league: League, period: Period, edition: Edition | None, date_text: str
) -> dict[str, Any]:
    """Return the address printed on paper, and its QR code; an edition's always shows that edition."""
    path = reverse("pages:period", args=[league.slug, period.ladder.slug, period.key])
    query = _build_ranking_query(league, period, edition, date_text).removeprefix("&")
    address = build_absolute_url(request, f"{path}?{query}" if query else path)
    return {"address": address, "code": encode_qr_code(address)}


def _group_periods_by_year(
    league: League, ladder: Ladder, periods: Sequence[Period]
) -> list[tuple[int, list[tuple[Period, str]]]]:
    """Group periods, latest first, by the year in which they start, with their winners."""
    zone = get_known_zone(league.time_zone)
    won = {period.key: [winner["name"] for winner in period.winners] for period in load_last_editions(ladder)}
    period_winners = [(period, join_names(won[period.key]) if won.get(period.key) else "") for period in periods]
    years = groupby(period_winners, key=lambda entry: entry[0].starts_at.astimezone(zone).year)
    return [(year, list(entries)) for year, entries in years]


def _load_chosen_rows(
    request: HttpRequest, league: League, period: Period
) -> tuple[Sequence[Row], Edition | None, str]:
    """Return the requested ranking, its edition (None: live) and the date of ``?at=``; raises NotFound and Refused."""
    edition_name = request.GET.get("edition", "")
    for name in ("at", "context"):
        if edition_name and request.GET.get(name):
            raise Refused(_("The address has {name} and edition: choose one.").format(name=name))
    number = parse_digits(edition_name, DIGITS)
    if number is not None:
        edition = find_edition(period, number)
        return list_edition_rows(edition), edition, ""
    time = start_of(league, request.GET.get("at", ""))
    if time is not None or league.context:
        return compute_rows_at(league, period, time or period.ends_at), None, request.GET["at"] if time else ""
    if edition_name == "live":
        return load_live_rows(period), None, ""
    return (*load_shown_rows(period), "")


def _find_neighbour_periods(periods: list[Period], selected_period: Period, latest: Period | None) -> dict[str, Any]:
    """Return the previous and next period, and whether one of them or this one is the latest."""
    index = [period.pk for period in periods].index(selected_period.pk)
    later = periods[index - 1] if index > 0 else None
    earlier = periods[index + 1] if index + 1 < len(periods) else None
    return {"earlier": earlier, "later": later, "latest_beside": latest in (earlier, selected_period, later)}


def _load_publications(period: Period, edition: Edition | None) -> dict[str, Any]:
    """Return the editions and decisions of a period."""
    decisions = load_decisions(period)
    carried = [entry for entry in decisions if entry.kind == Decision.Kind.CARRY]
    return {"edition": edition, "editions": load_editions(period), "carried": carried[-1] if carried else None}


@public_page
def changes(request: HttpRequest, slug: str, ladder: str, key: str) -> HttpResponse:
    """Compare an edition with another one or with the live ranking."""
    league, _system, context = build_league_context(request, slug, "ladders", below=True)
    selected_ladder = find_ladder(league, ladder)
    selected_period = find_period(selected_ladder, key)
    last = find_latest_edition(selected_period)
    if last is None:
        raise Http404(
            _("{period} has never been closed, so there is no edition to compare.").format(period=selected_period.name)
        )
    before, after = request.GET.get("from", str(last.number)), request.GET.get("to", "live")
    if {"from", "to"} <= request.GET.keys() and _get_ranking_sort_key(before) > _get_ranking_sort_key(after):
        message = _("Compare an earlier edition with a later one, not {before} with {after}.")
        context = {"title": _("This page cannot be shown"), "sentence": message.format(before=before, after=after)}
        return render(request, "error.html", context, status=400)
    rows = (_load_named_rows(selected_period, before), _load_named_rows(selected_period, after))
    found_lines, method = compute_differences(*rows), build_method(selected_period.rule)
    players = {row["player"] for ranking in rows for row in ranking}
    return answer(
        request,
        "web/public/period_changes.html",
        {
            **context,
            "ladder": selected_ladder,
            "period": selected_period,
            "method": method,
            "before": before,
            "after": after,
            "lines": [
                (line, *format_distinct_scores(method, line.score_before, line.score_after)) for line in found_lines
            ],
            "headline": describe_differences(*rows, found_lines),
            "slopes": draw_slopes(_list_rank_moves(*rows)),
            "all": len(players),
            "same": len(players) - len(found_lines),
            "editions": load_editions(selected_period),
        },
        {"changes": lambda: [line._asdict() for line in found_lines]},
    )


def _list_rank_moves(before: Sequence[Row], after: Sequence[Row]) -> list[RankMove]:
    """Return the players of two rankings, by handle, with their ranks in both."""
    old, new = ({row["player"]: row for row in ranking} for ranking in (before, after))
    none: Row = {"rank": None, "score": None}
    return [
        RankMove(0, handle, row["name"], was["score"], now["score"], was["rank"], now["rank"])
        for handle, row in {**old, **new}.items()
        for was, now in [(old.get(handle, none), new.get(handle, none))]
    ]


def format_distinct_scores(method: Method, before: float | None, after: float | None) -> tuple[str, str]:
    """Format two scores with the method's decimals, or with enough to tell them apart."""
    if before == after:
        return (format_number(before, method.decimals), format_number(after, method.decimals))
    places = range(method.decimals, MAX_DECIMALS)
    formatted = ((format_number(before, digits), format_number(after, digits)) for digits in places)
    return next(((was, now) for was, now in formatted if was != now), (format_exact(before), format_exact(after)))


def _get_ranking_sort_key(name: str) -> float:
    """Return the sort key of a ranking: an edition's number; the live ranking is last."""
    number = parse_digits(name, DIGITS)
    return inf if number is None else number


def _load_named_rows(period: Period, name: str) -> list[Row]:
    """Return the ranking of an edition's number, or the live one."""
    number = parse_digits(name, DIGITS)
    return load_live_rows(period) if number is None else list_edition_rows(find_edition(period, number))


@public_page
def winners(request: HttpRequest, slug: str, ladder: str) -> HttpResponse:
    """Show the winners of each period, and the players who won most often."""
    league, _, context = build_league_context(request, slug, "ladders", below=True)
    selected_ladder = find_ladder(league, ladder)
    entries = load_published_periods(Q(ladder=selected_ladder))
    zone = get_known_zone(league.time_zone)
    years = groupby(entries, key=lambda entry: entry.edition.starts_at.astimezone(zone).year)
    merged = _load_merged_players({winner["player"] for entry in entries for winner in entry.edition.winners})
    heroes = count_titles(entries, merged)
    hues = choose_hues(heroes, get_emblem(league).hue)
    return answer(
        request,
        "web/public/winners.html",
        {
            **context,
            "ladder": selected_ladder,
            "years": [(year, list(year_entries)) for year, year_entries in years],
            "grid": build_grid(entries, merged, hues) if entries else None,
            "held": len(entries),
            "heroes": [
                {**hero, "hue": hues.get(hero["player"], 0), "initials": format_initials(hero["name"])}
                for hero in heroes
            ],
            "method": build_method(find_rule_to_show(selected_ladder, context["now"], league)),
        },
        {"champions": lambda: heroes, "periods": lambda: map(serialize_period, entries)},
    )


def _load_merged_players(handles: set[str]) -> dict[str, tuple[str, str]]:
    """Return merged handle -> handle and name of the remaining player."""
    merged = Player.objects.filter(handle__in=handles, merged_into__isnull=False).select_related("merged_into")
    return {
        player.handle: (player.merged_into.handle, player.merged_into.name) for player in merged if player.merged_into
    }


def count_titles(entries: Sequence[PublishedPeriod], merged: Mapping[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the players by number of periods won; ties by the latest title.

    ``entries`` are the closed periods, latest first. A shared first place counts for each player.
    """
    heroes_by_handle: dict[str, dict[str, Any]] = {}
    for entry in entries:
        for winner in entry.edition.winners:
            handle, name = merged.get(winner["player"], (winner["player"], winner["name"]))
            hero = heroes_by_handle.setdefault(
                handle, {"player": handle, "name": name, "wins": 0, "shared": 0, "last": entry.name}
            )
            hero["wins"] += 1
            hero["shared"] += len(entry.edition.winners) > 1
    heroes = sorted(heroes_by_handle.values(), key=lambda hero: -hero["wins"])
    ranks = rank_sorted_values([float(hero["wins"]) for hero in heroes]).tolist() if heroes else []
    return [{**hero, "rank": rank} for hero, rank in zip(heroes, ranks, strict=True)]
