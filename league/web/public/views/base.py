"""The public pages."""

from collections.abc import Callable
from datetime import date, datetime
from functools import partial, wraps
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date

from league.core.accounts.services.first_account import has_account
from league.core.db.isolation import postgresql_snapshot
from league.core.errors import NotFound
from league.core.games.search import day_begins
from league.core.games.services.explain import explain_game
from league.core.leagues.selectors.dated_rules import RulesOverTime, over_time
from league.core.leagues.selectors.rules import last_change, rule_on_pages, rules_of, system_of
from league.core.permissions import find_league, visible_leagues
from league.core.players.selectors.search import find_player
from league.models import League, Player, RatingChange
from league.web.public import files, records
from league.web.public.explanations import whys
from league.web.public.present import description_of, parameters_in_force
from league.web.public.selectors.front import fronts
from league.web.public.user_actions import kept_private, of_league
from league.web.viewer import viewer_of
from ratings.contract.system import RatingSystem
from ratings.describe.describing import describe_state
from ratings.describe.values import ParameterValue
from ratings.registry import UnknownSystem, all_systems, get_system

View = Callable[..., HttpResponse]
LEAGUES = settings.RUNGS_PAGE_SIZES["leagues"]
#: Longer texts are no names and no numbers.
MAX_QUERY_LENGTH = 100
#: Maximum number of players whose change in the last game is explained on the page of the rules.
MAX_EXPLAINED_PLAYERS = 6


def reading(view: View) -> View:
    """Let a view read one state of the league's data, and turn what is not there into a 404."""

    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            with postgresql_snapshot():
                return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from None

    return read


def page(view: View) -> View:
    """Let a view be a page of this site, which no one but the browser stores where it shows what its reader may do."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return kept_private(request, view(request, *args, **kwargs))

    return reading(shown)


def frame(
    request: HttpRequest, slug: str, tab: str, *, below: bool = False
) -> tuple[League, RatingSystem | None, dict[str, Any]]:
    """Return a league, its system in force and what every page of a league shows; ``below`` a tab's own page."""
    league = find_league(slug, viewer_of(request))
    rules = rules_of(league)
    now = timezone.now()
    rule = rule_on_pages(league, rules, now)
    system = system_of(rule) if rule else None
    beside = beside_rating(system) if system else []
    # Ratings before it are another system's: nothing draws them beside those of now.
    change = last_change(rules, rule.starts_at) if rule else None
    shown_with: dict[str, Any] = {
        "league": league,
        "rule": rule,
        "rules": rules,
        "change": change,
        "system": system,
        "tab": tab,
    }
    acts = of_league(request, league)
    account = request.user.get_username() if acts else ""
    shown_with |= {"now": now, "below": below, "beside": beside, "acts": acts, "account": account}
    return league, system, shown_with


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
    return render(request, "web/public/home.html", context)


def start_of(league: League, text: str) -> datetime | None:
    """Return the first instant of a day that someone typed, None if it is no day."""
    day = day_typed(text)
    return day_begins(league, day) if day else None


def day_typed(text: str) -> date | None:
    """Return the day that someone typed, None if it is none."""
    try:
        return parse_date(text) if text.isascii() and len(text) == 10 else None
    except ValueError:
        return None


def clean(text: str) -> str:
    """Return a text of an address that a name or a number may be."""
    return text.replace("\0", "").strip()[:MAX_QUERY_LENGTH]


def whole_of(text: str, digits: int) -> int | None:
    """Return the whole number that a text of an address is, None if it is none of so many digits at most."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def bounded(request: HttpRequest, name: str, low: int, high: int, usual: int) -> int:
    """Return a number that was asked for, within bounds; the usual one where none or nonsense was."""
    wanted = whole_of(request.GET.get(name, ""), MAX_QUERY_LENGTH)
    return usual if wanted is None else min(max(wanted, low), high)


def sought(request: HttpRequest, find_place: Callable[[Player], int | None]) -> dict[str, Any]:
    """Return whom a reader wants to see on a board, and at which place they stand, if they do."""
    text = clean(request.GET["around"])
    try:
        player = find_player(text, viewer_of(request))
    except NotFound:
        return {"nobody": text}
    place = find_place(player)
    return {"missing": player} if place is None else {"around": player.pk, "place": place, "here": player.name}


@page
def how(request: HttpRequest, slug: str) -> HttpResponse:
    """Say by which rule the league rates, which is coming, and which were before."""
    league, system, context = frame(request, slug, "how")
    description = description_of(system) if system else None
    parameters = parameters_in_force(system) if system else []
    dated = over_time(context["rules"], context["now"])
    told = {"dated": dated, "description": description, "parameters": parameters, "last": last_explained(league)}
    return files.answer(request, "web/public/how.html", {**context, **told}, files_of(parameters, description, dated))


def files_of(
    parameters: list[dict[str, Any]], description: dict[str, Any] | None, dated: RulesOverTime | None = None
) -> dict[str, files.Rows]:
    """Return the tables of a system's page, or of a league's rules."""
    tables: dict[str, files.Rows] = {"parameters": lambda: records.parameters(parameters)}
    if description:
        tables |= {name: partial(list, rows) for name, rows in records.examples(description).items()}
    for name, some in (("coming", dated.coming), ("before", dated.past)) if dated else ():
        for number, one in enumerate(some, start=1):
            tables[f"{name}-{number}"] = partial(map, ParameterValue._asdict, one.values)
            tables[f"{name}-{number}-changes"] = partial(map, ParameterValue._asdict, one.changed)
    return tables


def last_explained(league: League) -> dict[str, Any] | None:
    """Return the explanation of the last game that is rated; None if there is none, or a replay is on its way."""
    newest = (
        RatingChange.objects.filter(league=league, step=1)
        .order_by("-at", "-order_key")
        .values_list("number", flat=True)
    )
    number = newest.first() if league.stale_from is None else None
    if number is None:
        return None
    explained = explain_game(league, number)
    players = len(explained.handles)
    told = whys(explained, range(min(players, MAX_EXPLAINED_PLAYERS)))
    return {"number": number, "system": explained.system, "whys": told, "more": max(players - MAX_EXPLAINED_PLAYERS, 0)}


def systems(request: HttpRequest) -> HttpResponse:
    """Show all rating systems."""
    return render(request, "web/public/systems.html", {"systems": list(all_systems().values())})


def one_system(request: HttpRequest, key: str) -> HttpResponse:
    """Say how a rating system works, with its published examples computed now."""
    try:
        system = get_system(key)
    except UnknownSystem as error:
        raise Http404(str(error)) from None
    description, parameters = description_of(system()), parameters_in_force(system())
    context = {"description": description, "system": system(), "parameters": parameters}
    return files.answer(request, "web/public/system.html", context, files_of(parameters, description))
