"""Common code of the public pages; the home page, and the pages of rules and rating systems."""

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
from league.web.public.explanations import explain_changes
from league.web.public.present import description_of, parameters_in_force
from league.web.public.selectors.front import fronts
from league.web.public.user_actions import league_actions, mark_private
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem
from ratings.describe.describing import describe_state
from ratings.describe.values import ParameterValue
from ratings.registry import UnknownSystem, all_systems, get_system

View = Callable[..., HttpResponse]
LEAGUES = settings.RUNGS_PAGE_SIZES["leagues"]
#: Maximum length of a text in a query.
MAX_QUERY_LENGTH = 100
#: Maximum number of players whose change in the last game is explained on the rules page.
MAX_EXPLAINED_PLAYERS = 6


def in_snapshot(view: View) -> View:
    """Run a view in a snapshot of the data, and turn NotFound into a 404."""

    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            with postgresql_snapshot():
                return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from None

    return read


def page(view: View) -> View:
    """Make a view a public page; with a user's actions, only the browser may cache it."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return mark_private(request, view(request, *args, **kwargs))

    return in_snapshot(shown)


def league_context(
    request: HttpRequest, slug: str, tab: str, *, below: bool = False
) -> tuple[League, RatingSystem | None, dict[str, Any]]:
    """Return a league, its system in force and the common context of its pages; ``below``: a subpage of the tab."""
    league = find_league(slug, viewer_of(request))
    rules = rules_of(league)
    now = timezone.now()
    rule = rule_on_pages(league, rules, now)
    system = system_of(rule) if rule else None
    beside = extra_state_fields(system) if system else []
    # Ratings before it belong to another system and are not drawn.
    change = last_change(rules, rule.starts_at) if rule else None
    shown_with: dict[str, Any] = {
        "league": league,
        "rule": rule,
        "rules": rules,
        "change": change,
        "system": system,
        "tab": tab,
    }
    acts = league_actions(request, league)
    account = request.user.get_username() if acts else ""
    shown_with |= {"now": now, "below": below, "beside": beside, "acts": acts, "account": account}
    return league, system, shown_with


def extra_state_fields(system: RatingSystem) -> list[dict[str, Any]]:
    """Return the fields of the system's state that a board shows next to the rating."""
    fields = zip(describe_state(type(system)), system.state, strict=True)
    return [field for field, spec in list(fields)[1:] if not spec.inner]


@page
def home(request: HttpRequest) -> HttpResponse:
    """Show the leagues, each with its top players and last evening."""
    leagues = visible_leagues(viewer_of(request))
    pages = Paginator(leagues, LEAGUES).get_page(request.GET.get("page"))
    shown_first = fronts(list(pages.object_list), timezone.now())
    context = {"fronts": shown_first, "pages": pages, "without_account": not has_account()}
    return render(request, "web/public/home.html", context)


def start_of(league: League, text: str) -> datetime | None:
    """Return the start of a day typed by a user, None if it is not a date."""
    day = day_typed(text)
    return day_begins(league, day) if day else None


def day_typed(text: str) -> date | None:
    """Parse a date typed by a user; None if it is not one."""
    try:
        return parse_date(text) if text.isascii() and len(text) == 10 else None
    except ValueError:
        return None


def clean_text(text: str) -> str:
    """Return a query text without NUL and outer spaces, at most MAX_QUERY_LENGTH long."""
    return text.replace("\0", "").strip()[:MAX_QUERY_LENGTH]


def parse_digits(text: str, digits: int) -> int | None:
    """Parse an integer of at most ``digits`` digits; None if it is not one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def clamped_parameter(request: HttpRequest, name: str, low: int, high: int, usual: int) -> int:
    """Return an integer of the query clamped to bounds; ``usual`` if it is missing or malformed."""
    wanted = parse_digits(request.GET.get(name, ""), MAX_QUERY_LENGTH)
    return usual if wanted is None else min(max(wanted, low), high)


def find_around(request: HttpRequest, find_place: Callable[[Player], int | None]) -> dict[str, Any]:
    """Return the context for ``?around=``: the player and their index on the board, or that there is none."""
    text = clean_text(request.GET["around"])
    try:
        player = find_player(text, viewer_of(request))
    except NotFound:
        return {"nobody": text}
    place = find_place(player)
    return {"missing": player} if place is None else {"around": player.pk, "place": place, "here": player.name}


@page
def how(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rule in force, coming rules and past ones."""
    league, system, context = league_context(request, slug, "how")
    description = description_of(system) if system else None
    parameters = parameters_in_force(system) if system else []
    dated = over_time(context["rules"], context["now"])
    context |= {"dated": dated, "description": description, "parameters": parameters, "last": last_explained(league)}
    return files.answer(request, "web/public/how.html", context, files_of(parameters, description, dated))


def files_of(
    parameters: list[dict[str, Any]], description: dict[str, Any] | None, dated: RulesOverTime | None = None
) -> dict[str, files.Rows]:
    """Return the tables of a system's page or a league's rules page."""
    tables: dict[str, files.Rows] = {"parameters": lambda: records.parameter_records(parameters)}
    if description:
        tables |= {name: partial(list, rows) for name, rows in records.example_tables(description).items()}
    for name, rules in (("coming", dated.coming), ("before", dated.past)) if dated else ():
        for number, rule in enumerate(rules, start=1):
            tables[f"{name}-{number}"] = partial(map, ParameterValue._asdict, rule.values)
            tables[f"{name}-{number}-changes"] = partial(map, ParameterValue._asdict, rule.changed)
    return tables


def last_explained(league: League) -> dict[str, Any] | None:
    """Return the explanation of the last rated game; None if there is none or a replay is pending."""
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
    shown = explain_changes(explained, range(min(players, MAX_EXPLAINED_PLAYERS)))
    more = max(players - MAX_EXPLAINED_PLAYERS, 0)
    return {"number": number, "system": explained.system, "whys": shown, "more": more}


def systems(request: HttpRequest) -> HttpResponse:
    """Show all rating systems."""
    return render(request, "web/public/systems.html", {"systems": list(all_systems().values())})


def one_system(request: HttpRequest, key: str) -> HttpResponse:
    """Show a rating system with its published examples, computed here."""
    try:
        system = get_system(key)
    except UnknownSystem as error:
        raise Http404(str(error)) from None
    description, parameters = description_of(system()), parameters_in_force(system())
    context = {"description": description, "system": system(), "parameters": parameters}
    return files.answer(request, "web/public/system.html", context, files_of(parameters, description))
