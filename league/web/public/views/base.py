"""Common code of the public pages; the home page, and the pages of rules and rating systems."""

from collections.abc import Callable
from datetime import date, datetime
from functools import partial, wraps
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Exists
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from league.core.db.isolation import postgresql_snapshot
from league.core.errors import Busy, NotFound, Refused
from league.core.games.search import compute_day_start
from league.core.games.selectors.games import find_games
from league.core.games.services.explain import explain_game
from league.core.jobs.demo_load import DemoLoad, find_demo_load
from league.core.permissions import find_league, find_visible_leagues
from league.core.players.selectors.resolve import find_player
from league.core.rules.selectors.dated_rules import RulesOverTime, group_rules_by_time
from league.core.rules.selectors.rules import (
    build_rule_system,
    find_last_system_change,
    find_rule_on_pages,
    load_rules,
)
from league.models import League, Player, RatingChange, Result
from league.web.api.core.limits import compute_in_turn
from league.web.public import files, records
from league.web.public.cached_answers import (
    MAX_LEAGUES,
    cached_response,
    keep_parameters,
    knows_account,
    tag_of,
    tag_of_leagues,
    takes_turns,
)
from league.web.public.charts.score_lines import draw_score_lines
from league.web.public.charts.system_curves import build_system_charts
from league.web.public.explanations import explain_changes
from league.web.public.front_notes import load_front_notes
from league.web.public.page_parts import build_league_tabs
from league.web.public.present import build_description, list_extra_state_fields, list_parameters
from league.web.public.sample_boards import build_empty_site
from league.web.public.selectors.front import load_fronts, sort_by_last_game
from league.web.public.user_actions import list_league_actions, mark_private
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem
from ratings.describe.values import ParameterValue
from ratings.registry import UnknownSystem, get_system, load_systems

View = Callable[..., HttpResponse]
LEAGUES = settings.RUNGS_PAGE_SIZES["leagues"]
#: Maximum length of a text in a query.
MAX_QUERY_LENGTH = 100
#: Maximum number of players whose change in the last game is explained on the rules page.
MAX_EXPLAINED_PLAYERS = 6
#: Number of games that tell whether two play.
LAST_GAMES = 10


def snapshot_view(view: View) -> View:
    """Run a view in a snapshot of the data; NotFound becomes a 404, and another refusal a page with its sentence."""

    @wraps(view)
    def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            with postgresql_snapshot():
                return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from None
        except (Busy, Refused) as error:
            return render(
                request, "error.html", {"title": _(error.title), "sentence": error.detail}, status=error.status
            )

    return read


def public_page(view: View) -> View:
    """Make a view a public page; with a user's actions, only the browser may cache it."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return mark_private(request, view(request, *args, **kwargs))

    return snapshot_view(shown)


def cached_page(*names: str) -> Callable[[View], View]:
    """Make a view a public page that is computed once a minute and state of its leagues for anonymous users.

    ``names``: the parameters of the query that the view reads; it does not see others. A view without a league shows
    all of them.
    """

    def decorate(view: View) -> View:
        page = public_page(view)

        @takes_turns
        @wraps(view)
        def read(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            keep_parameters(request, names)
            compute = partial(page, request, *args, **kwargs)
            tag = ""
            if not request.user.is_authenticated:
                tag = tag_of(request, kwargs["slug"]) if "slug" in kwargs else tag_of_leagues(request)
            return cached_response(request, tag, compute) if tag else compute_in_turn(request, compute)

        return read

    return decorate


def build_league_context(
    request: HttpRequest, slug: str, tab: str, *, below: bool = False
) -> tuple[League, RatingSystem | None, dict[str, Any]]:
    """Return a league, its system in force and the common context of its pages; ``below``: a subpage of the tab."""
    league = find_league(slug, viewer_of(request))
    rules = load_rules(league)
    now = timezone.now()
    rule = find_rule_on_pages(league, rules, now)
    system = build_rule_system(rule) if rule else None
    extra_fields = list_extra_state_fields(system) if system else []
    # Ratings before it belong to another system and are not drawn.
    change = find_last_system_change(rules, rule.starts_at) if rule else None
    shown_with: dict[str, Any] = {
        "league": league,
        "rule": rule,
        "rules": rules,
        "change": change,
        "system": system,
        "tab": tab,
    }
    acts = list_league_actions(request, league)
    tabs = build_league_tabs(league)
    account = request.user.get_username() if acts else ""
    shown_with["organises"] = bool(acts) and viewer_of(request).may("organise", league)
    shown_with |= {"now": now, "below": below, "beside": extra_fields, "acts": acts, "account": account, "tabs": tabs}
    return league, system, shown_with


@takes_turns
def home(request: HttpRequest) -> HttpResponse:
    """Show the leagues; redirect to a single league, unless ``?all``."""
    if (load := find_demo_load()) is not None:
        return compute_in_turn(request, lambda: show_demo_load(request, load))
    slugs = list(find_visible_leagues(viewer_of(request)).values_list("slug", flat=True)[:2])
    if len(slugs) == 1 and "all" not in request.GET and knows_account(request):
        query_string = request.META.get("QUERY_STRING", "")
        address = reverse("pages:league", args=slugs)
        return HttpResponseRedirect(f"{address}?{query_string}" if query_string else address)
    return show_leagues(request)


@cached_page("page", "part")
def show_leagues(request: HttpRequest) -> HttpResponse:
    """Show a page of the leagues, or the part of it that the script asks for."""
    return _render_leagues(request, None)


@public_page
def show_demo_load(request: HttpRequest, load: DemoLoad) -> HttpResponse:
    """Show the leagues while demo leagues are loaded; this changes too often to be cached."""
    return _render_leagues(request, load)


def _render_leagues(request: HttpRequest, load: DemoLoad | None) -> HttpResponse:
    """Render a page of the leagues with their top players and last evenings."""
    leagues = find_visible_leagues(viewer_of(request))
    paginator = Paginator(leagues, LEAGUES)
    if paginator.count <= MAX_LEAGUES:
        paginator.object_list = sort_by_last_game(leagues)
    pages = paginator.get_page(request.GET.get("page"))
    shown = list(pages.object_list)
    now = timezone.now()
    fronts, notes = load_fronts(shown, now), load_front_notes(shown, now)
    races = [draw_score_lines(front.lines, front.system.decimals if front.system else 0) for front in fronts]
    context = {
        "fronts": [(front, race, notes.get(front.league.pk)) for front, race in zip(fronts, races, strict=True)],
        "pages": pages,
        "without_account": not knows_account(request),
        "viewer": viewer_of(request),
        "load": load,
    }
    if not fronts and load is None:
        context |= build_empty_site()
    return render(request, "web/public/home_part.html" if "part" in request.GET else "web/public/home.html", context)


def start_of(league: League, text: str) -> datetime | None:
    """Return the start of a day typed by a user, None if it is not a date."""
    day = parse_typed_date(text)
    return compute_day_start(league, day) if day else None


def parse_typed_date(text: str) -> date | None:
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


def parse_clamped_parameter(request: HttpRequest, name: str, low: int, high: int, usual: int) -> int:
    """Return an integer of the query clamped to bounds; ``usual`` if it is missing or malformed."""
    value = parse_digits(request.GET.get(name, ""), MAX_QUERY_LENGTH)
    return usual if value is None else min(max(value, low), high)


def find_around(request: HttpRequest, find_place: Callable[[Player], int | None]) -> dict[str, Any]:
    """Return the context for ``?around=``: the player and their index on the board, or that there is none."""
    text = clean_text(request.GET["around"])
    try:
        player = find_player(text, viewer_of(request))
    except NotFound:
        return {"nobody": text}
    place = find_place(player)
    return {"missing": player} if place is None else {"around": player.pk, "place": place, "here": player.name}


@cached_page("player")
def how(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the rule in force, coming rules and past ones."""
    league, system, context = build_league_context(request, slug, "how")
    description = build_description(system) if system else None
    parameters = list_parameters(system) if system else []
    dated = group_rules_by_time(context["rules"], context["now"])
    context |= {
        "dated": dated,
        "description": description,
        "parameters": parameters,
        "charts": build_system_charts(system, compared=False) if system else [],
        "of_two": league.seats == 2,
        **_explain_last_game(league, request),
    }
    if system and description and context["of_two"]:
        description["summary"] = system.wording().for_two().opening
    return files.answer(request, "web/public/how.html", context, build_file_tables(parameters, description, dated))


def build_file_tables(
    parameters: list[dict[str, Any]], description: dict[str, Any] | None, dated: RulesOverTime | None = None
) -> dict[str, files.Rows]:
    """Return the tables of a system's page or a league's rules page."""
    tables: dict[str, files.Rows] = {"parameters": lambda: records.serialize_parameters(parameters)}
    if description:
        tables |= {name: partial(list, rows) for name, rows in records.build_example_tables(description).items()}
    for name, rules in (("coming", dated.coming), ("before", dated.past)) if dated else ():
        for number, rule in enumerate(rules, start=1):
            tables[f"{name}-{number}"] = partial(map, ParameterValue._asdict, rule.values)
            tables[f"{name}-{number}-changes"] = partial(map, ParameterValue._asdict, rule.changed)
    return tables


def _explain_last_game(league: League, request: HttpRequest) -> dict[str, Any]:
    """Return the explanation of the last rated game, or of that of ``?player=``; empty while a replay is pending.

    ``of_two``: two play, on the league's score pad, or, where tables may differ, in its last games.
    """
    changes = RatingChange.objects.filter(league=league, step=1).order_by("-at", "-order_key")
    asked = clean_text(request.GET.get("player", ""))
    try:
        player = find_player(asked, viewer_of(request)) if asked else None
    except NotFound:
        return {"asked": asked}
    newest = changes.filter(player=player) if player else changes
    third = Result.objects.filter(game__in=find_games(league).values("pk")[:LAST_GAMES], seat__gt=2)
    found = newest.values_list("number", Exists(third)).first() if league.stale_from is None else None
    if found is None:
        return {"asked": asked}
    number, has_third = found
    explained = explain_game(league, number)
    players = len(explained.handles)
    seats = [explained.handles.index(player.handle)] if player else range(min(players, MAX_EXPLAINED_PLAYERS))
    last = {
        "number": number,
        "system": explained.system,
        "whys": explain_changes(explained, seats),
        "more": 0 if player else players - len(seats),
    }
    of_two = league.seats == 2 or (league.seats is None and not has_third)
    return {"last": last, "asked": asked, "own": player, "of_two": of_two}


def systems(request: HttpRequest) -> HttpResponse:
    """Show all rating systems."""
    return render(request, "web/public/systems.html", {"systems": list(load_systems().values())})


def one_system(request: HttpRequest, key: str) -> HttpResponse:
    """Show a rating system with its published examples, computed here."""
    try:
        system = get_system(key)
    except UnknownSystem as error:
        raise Http404(str(error)) from None
    description, parameters = build_description(system()), list_parameters(system())
    charts = build_system_charts(system())
    context = {"description": description, "system": system(), "parameters": parameters, "charts": charts}
    return files.answer(request, "web/public/system.html", context, build_file_tables(parameters, description))
