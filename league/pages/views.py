"""The public pages."""

from collections.abc import Callable
from datetime import datetime
from functools import partial, wraps
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date

from league.db.isolation import postgresql_snapshot
from league.desk.viewer import viewer_of
from league.errors import NotFound
from league.models import League, RatingChange
from league.names import isolated
from league.pages import files, records
from league.pages.acts import kept_private, of_league
from league.pages.present import description_of, parameters_in_force
from league.pages.whys import whys
from league.selectors.dated_rules import RulesOverTime, over_time
from league.selectors.front import fronts
from league.selectors.game_search import day_begins
from league.selectors.permissions import find_league, visible_leagues
from league.selectors.rules import rule_at, rules_of, system_of
from league.services.accounts.first_account import has_account
from league.services.recording.explain import explain_game
from ratings.contract.system import RatingSystem
from ratings.describe.describing import describe_state
from ratings.describe.filling import told_at_table
from ratings.describe.values import Value
from ratings.registry import UnknownSystem, all_systems, get_system

View = Callable[..., HttpResponse]
#: Leagues on a page of them.
LEAGUES = 50
#: So many players' changes of the last game are told beside the rules.
EXPLAINED = 6


def page(view: View) -> View:
    """Let a view read one state of the books, and turn what is not there into a 404."""

    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            with postgresql_snapshot():
                return kept_private(request, view(request, *args, **kwargs))
        except NotFound as error:
            raise Http404(error.detail) from None

    return read


def frame(
    request: HttpRequest, slug: str, tab: str, *, below: bool = False
) -> tuple[League, RatingSystem | None, dict[str, Any]]:
    """Return a league, its system in force and what every page of a league shows; ``below`` a tab's own page."""
    league = find_league(slug, viewer_of(request))
    rules = rules_of(league)
    now = timezone.now()
    rule = rule_at(rules, now) or (rules[0] if rules else None)
    system = system_of(rule) if rule else None
    beside = beside_rating(system) if system else []
    shown_with = {"league": league, "rule": rule, "rules": rules, "system": system, "tab": tab, "now": now}
    acts = of_league(request, league)
    account = request.user.get_username() if acts else ""
    return league, system, {**shown_with, "below": below, "beside": beside, "acts": acts, "account": account}


def beside_rating(system: RatingSystem) -> list[dict[str, Any]]:
    """Return the fields of a player's state that a board shows beside the rating."""
    told = zip(describe_state(type(system)), system.state, strict=True)
    return [field for field, spec in list(told)[1:] if not spec.inner]


@page
def home(request: HttpRequest) -> HttpResponse:
    """Show the leagues, each with the top of its board and its last evening."""
    leagues = visible_leagues(viewer_of(request))
    pages = Paginator(leagues, LEAGUES).get_page(request.GET.get("page"))
    shown_first = fronts(list(pages.object_list), timezone.now())
    context = {"fronts": shown_first, "pages": pages, "without_account": not has_account()}
    return render(request, "rungs/home.html", context)


def start_of(league: League, text: str) -> datetime | None:
    """Return the first instant of a day that somebody typed, None where it is no day."""
    try:
        day = parse_date(text) if text.isascii() and len(text) == 10 else None
    except ValueError:
        return None
    return day_begins(league, day) if day else None


@page
def how(request: HttpRequest, slug: str) -> HttpResponse:
    """Say by which rule the league rates, which is coming, and which were before."""
    league, system, context = frame(request, slug, "how")
    description = description_of(system) if system else None
    parameters = parameters_in_force(system) if system else []
    dated = over_time(context["rules"], context["now"])
    told = {"dated": dated, "description": description, "parameters": parameters, "last": last_explained(league)}
    return files.answer(request, "rungs/how.html", {**context, **told}, files_of(parameters, description, dated))


def files_of(
    parameters: list[dict[str, Any]], description: dict[str, Any] | None, dated: RulesOverTime | None = None
) -> dict[str, files.Rows]:
    """Return the tables of a system's page, or of a league's rules."""
    tables: dict[str, files.Rows] = {"parameters": lambda: records.parameters(parameters)}
    if description:
        tables |= {name: partial(list, rows) for name, rows in records.examples(description).items()}
    for name, some in (("coming", dated.coming), ("before", dated.past)) if dated else ():
        for number, one in enumerate(some, start=1):
            tables[f"{name}-{number}"] = partial(map, Value._asdict, one.values)
            tables[f"{name}-{number}-changes"] = partial(map, Value._asdict, one.changed)
    return tables


def last_explained(league: League) -> dict[str, Any] | None:
    """Return the explanation of the last game that is rated; None where there is none, or a replay is on its way."""
    newest = (
        RatingChange.objects.filter(league=league, step=1)
        .order_by("-at", "-order_key")
        .values_list("number", flat=True)
    )
    number = newest.first() if league.stale_from is None else None
    if number is None:
        return None
    explained = explain_game(league, number)
    people = list(zip(explained.handles, explained.names, strict=True))
    names = [isolated(name) for name in explained.names]
    table = told_at_table(explained.system, explained.sheet, explained.rated, names)
    shown_first = range(min(len(people), EXPLAINED))
    told = whys(explained.system, table, people, shown_first)
    return {"number": number, "system": explained.system, "whys": told, "more": len(people) - len(shown_first)}


def systems(request: HttpRequest) -> HttpResponse:
    """Show all rating systems."""
    return render(request, "rungs/systems.html", {"systems": list(all_systems().values())})


def one_system(request: HttpRequest, key: str) -> HttpResponse:
    """Say how a rating system works, with its published examples computed now."""
    try:
        system = get_system(key)
    except UnknownSystem as error:
        raise Http404(str(error)) from None
    description, parameters = description_of(system()), parameters_in_force(system())
    context = {"description": description, "system": system(), "parameters": parameters}
    return files.answer(request, "rungs/system.html", context, files_of(parameters, description))
