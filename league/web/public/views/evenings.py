"""The list of games by evening, with a search for players, scores, days or numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.errors import NotFound
from league.core.finish import GameOfTwo, read_game_of_two
from league.core.games.search import MAX_PEOPLE, compute_day_start, paginate_games, search_games
from league.core.games.selectors.games import ShownGame, build_evenings_condition, compute_evening_day, load_games
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import find_player
from league.core.text.display_formats import get_known_zone
from league.models import Game, League, Player, Rule
from league.web.public.game_titles import format_status, load_game_events, name_game, select_unrated_titles
from league.web.public.views.base import build_league_context, cached_page, clean_text, parse_typed_date
from league.web.public.views.games import ResultRow, build_result_rows, sort_finishers
from league.web.sign_in.sessions import viewer_of

ROWS = settings.RUNGS_PAGE_SIZES["games"]


@dataclass(frozen=True)
class EveningRow:
    """A game of the list: its title, its lines as its table lists them, and what it was played for.

    ``purpose`` is that event if the game is not rated because of it.
    """

    view: ShownGame
    title: str
    lines: list[ResultRow]
    purpose: str = ""
    event: str = ""

    @cached_property
    def pair(self) -> GameOfTwo[ResultRow] | None:
        """Return a game of two players or sides, whose result stands between their names."""
        return read_game_of_two(self.lines)

    @property
    def status_word(self) -> str:
        """Return the status as its mark names it."""
        return format_status(self.view, self.purpose)

    @property
    def is_friendly_pair(self) -> bool:
        """Whether it is an unrated game of two sides with a result, which is shown as a rated one."""
        return self.view.game.kind == Game.Kind.FRIENDLY and bool(self.pair and self.pair.result)


@dataclass(frozen=True)
class EveningGames:
    """The games of an evening on a page."""

    day: date
    games: list[EveningRow]


@dataclass
class Filter:
    """The search as typed; ``problems`` are messages about invalid parts."""

    text: str
    player: Player | None
    first: date | None
    last: date | None
    problems: list[str] = field(default_factory=list)
    nobody: bool = False

    @property
    def query(self) -> dict[str, str]:
        """Return the filter as query parameters."""
        parameters = {
            "q": self.text,
            "player": self.player.handle if self.player else "",
            "from": str(self.first or ""),
            "to": str(self.last or ""),
        }
        return {key: value for key, value in parameters.items() if value}


@cached_page("before", "q", "player", "from", "to")
def games(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the games by evening, newest first, or the search results."""
    league, _, context = build_league_context(request, slug, "games")
    viewer = viewer_of(request)
    game_filter = filter_of(request, viewer)
    matches = filter_games(league, game_filter, viewer, context["now"])
    page_games, has_more = paginate_games(matches, league, request.GET.get("before", ""), ROWS)
    views = load_games(league, page_games)
    evenings = _group_games_by_evening(league, views, context["rules"])
    older = urlencode({**game_filter.query, "before": str(views[-1].game.number)}) if has_more and views else ""
    return render(
        request,
        "web/public/games.html",
        {
            **context,
            "wanted": game_filter,
            "evenings": evenings,
            "found": matches.count() if game_filter.query and evenings else None,
            "duels": all(row.pair or row.view.game.kind != Game.Kind.PLAYED for one in evenings for row in one.games),
            "older": older,
            "newest": f"?{urlencode(game_filter.query)}" if game_filter.query else "?",
            "later": bool(request.GET.get("before")),
            "files": [] if game_filter.text else _list_file_links(league, game_filter),
        },
    )


def filter_of(request: HttpRequest, viewer: Viewer) -> Filter:
    """Parse the filter of a request."""
    game_filter = Filter(clean_text(request.GET.get("q", "")), None, None, None)
    handle = clean_text(request.GET.get("player", ""))
    try:
        game_filter.player = find_player(handle, viewer) if handle else None
    except NotFound as error:
        game_filter.problems.append(str(error.detail))
        game_filter.nobody = True
    game_filter.first, game_filter.last = (
        _parse_wanted_day(request.GET.get(name, ""), game_filter) for name in ("from", "to")
    )
    if game_filter.first and game_filter.last and game_filter.first > game_filter.last:
        game_filter.problems.append(_("The first day is after the last day, so no games match."))
    return game_filter


def _parse_wanted_day(text: str, game_filter: Filter) -> date | None:
    """Parse a day; None if it is empty or invalid, which adds a problem."""
    text = text.strip()[:20]
    if not text:
        return None
    day = parse_typed_date(text)
    if day is None:
        game_filter.problems.append(_("“{text}” is not a date; enter it like 2026-07-16.").format(text=text))
    return day


def filter_games(league: League, game_filter: Filter, viewer: Viewer, now: Any) -> Any:
    """Return the matching games, newest first."""
    today = now.astimezone(get_known_zone(league.time_zone)).date()
    text = search_games(league, game_filter.text, viewer, today)
    cut = ngettext(
        "“{word}” matches more than {count} player; only the first was searched.",
        "“{word}” matches more than {count} players; only the first {count} were searched.",
        MAX_PEOPLE,
    )
    game_filter.problems += [cut.format(word=search_term, count=MAX_PEOPLE) for search_term in text.cut]
    matches = text.games
    if game_filter.nobody:
        return matches.none()
    if game_filter.player is not None:
        matches = matches.filter(pk__in=game_filter.player.results.filter(league=league).values("game"))
    start = compute_day_start(league, game_filter.first) if game_filter.first else None
    next_day = _compute_next_day(game_filter.last)
    end = compute_day_start(league, next_day) if next_day else None
    # Days at the ends of the calendar have no start: no game is after the last one or before the first.
    late = game_filter.first is not None and start is None and game_filter.first > today
    early = next_day is not None and end is None and next_day < today
    first, last = game_filter.first if start else None, game_filter.last if end else None
    inside = build_evenings_condition(league, first, last, "played_at")
    return matches.none() if late or early else matches.filter(inside)


def _compute_next_day(day: date | None) -> date | None:
    """Return the next day, None if there is none."""
    return day + timedelta(days=1) if day and day < date.max else None


def _group_games_by_evening(league: League, views: Sequence[ShownGame], rules: Sequence[Rule]) -> list[EveningGames]:
    """Group games, newest first, by evening."""
    games = [view.game for view in views]
    events = load_game_events(league, games)
    purposes = select_unrated_titles(games, events)
    return [
        EveningGames(day, [_build_evening_row(view, rules, purposes, events) for view in shown])
        for day, shown in groupby(views, lambda view: compute_evening_day(league, view.game.played_at))
    ]


def _build_evening_row(
    view: ShownGame, rules: Sequence[Rule], purposes: Mapping[int, str], events: Mapping[int, tuple[str, bool]]
) -> EveningRow:
    """Return a game as a row of the list."""
    finish, purpose = sort_finishers(view, rules), purposes.get(view.game.order_key, "")
    event, _is_rated = events.get(view.game.order_key, ("", True))
    return EveningRow(view, name_game(view.game, finish, purpose), build_result_rows(view, finish), purpose, event)


def _list_file_links(league: League, game_filter: Filter) -> list[tuple[str, str]]:
    """Return the formats of the games' file with their addresses."""
    address, query = reverse("api:games", args=[league.slug]), game_filter.query
    if next_day := _compute_next_day(game_filter.last):
        # The API's ``to`` is exclusive.
        query["to"] = str(next_day)
    json, csv = urlencode(query), urlencode({**query, "format": "csv"})
    return [("CSV", f"{address}?{csv}"), ("JSON", f"{address}?{json}" if json else address)]
