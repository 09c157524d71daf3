"""The list of games by evening, with a search for players, scores, days or numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
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
from league.core.games.search import MAX_PEOPLE, day_begins, page_of, search_games
from league.core.games.selectors.games import ShownGame, evening_day, load_games, played_between
from league.core.permissions import Viewer
from league.core.players.selectors.search import find_player
from league.core.text.display_formats import known_zone
from league.models import League, Player, Rule
from league.web.public.game_titles import kind_of
from league.web.public.views.base import clean_text, day_typed, league_context, page
from league.web.public.views.games import ResultRow, in_order, lines_of
from league.web.sign_in.sessions import viewer_of

ROWS = settings.RUNGS_PAGE_SIZES["games"]


@dataclass(frozen=True)
class EveningRow:
    """A game of the list: its title and its lines in finishing order."""

    view: ShownGame
    title: str
    lines: list[ResultRow]


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


@page
def games(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the games by evening, newest first, or the search results."""
    league, _, context = league_context(request, slug, "games")
    viewer = viewer_of(request)
    wanted = filter_of(request, viewer)
    found, more = page_of(
        filter_games(league, wanted, viewer, context["now"]), league, request.GET.get("before", ""), ROWS
    )
    views = load_games(league, found)
    older = urlencode({**wanted.query, "before": str(views[-1].game.number)}) if more and views else ""
    return render(
        request,
        "web/public/games.html",
        {
            **context,
            "wanted": wanted,
            "evenings": evenings_of(league, views, context["rules"]),
            "older": older,
            "newest": f"?{urlencode(wanted.query)}" if wanted.query else "?",
            "later": bool(request.GET.get("before")),
            "files": [] if wanted.text else files_of(league, wanted),
        },
    )


def filter_of(request: HttpRequest, viewer: Viewer) -> Filter:
    """Parse the filter of a request."""
    found = Filter(clean_text(request.GET.get("q", "")), None, None, None)
    handle = clean_text(request.GET.get("player", ""))
    try:
        found.player = find_player(handle, viewer) if handle else None
    except NotFound as error:
        found.problems.append(str(error.detail))
        found.nobody = True
    found.first, found.last = (day_wanted(request.GET.get(name, ""), found) for name in ("from", "to"))
    if found.first and found.last and found.first > found.last:
        found.problems.append(_("The first day is after the last day, so no games match."))
    return found


def day_wanted(text: str, wanted: Filter) -> date | None:
    """Parse a day; None if it is empty or invalid, which adds a problem."""
    text = text.strip()[:20]
    if not text:
        return None
    day = day_typed(text)
    if day is None:
        wanted.problems.append(_("“{text}” is not a date; enter it like 2026-07-16.").format(text=text))
    return day


def filter_games(league: League, wanted: Filter, viewer: Viewer, now: Any) -> Any:
    """Return the matching games, newest first."""
    today = now.astimezone(known_zone(league.time_zone)).date()
    text = search_games(league, wanted.text, viewer, today)
    cut = ngettext(
        "“{word}” matches more than {count} player; only the first was searched.",
        "“{word}” matches more than {count} players; only the first {count} were searched.",
        MAX_PEOPLE,
    )
    wanted.problems += [cut.format(word=word, count=MAX_PEOPLE) for word in text.cut]
    found = text.games
    if wanted.nobody:
        return found.none()
    if wanted.player is not None:
        found = found.filter(pk__in=wanted.player.results.filter(league=league).values("game"))
    start = day_begins(league, wanted.first) if wanted.first else None
    after = day_after(wanted.last)
    end = day_begins(league, after) if after else None
    # Days at the ends of the calendar have no start: no game is after the last one or before the first.
    late = wanted.first is not None and start is None and wanted.first > today
    early = after is not None and end is None and after < today
    return found.none() if late or early else played_between(found, start, end)


def day_after(day: date | None) -> date | None:
    """Return the next day, None if there is none."""
    return day + timedelta(days=1) if day and day < date.max else None


def evenings_of(league: League, views: Sequence[ShownGame], rules: Sequence[Rule]) -> list[EveningGames]:
    """Group games, newest first, by evening."""
    return [
        EveningGames(day, [row_of(view, rules) for view in games])
        for day, games in groupby(views, lambda view: evening_day(league, view.game.played_at))
    ]


def row_of(view: ShownGame, rules: Sequence[Rule]) -> EveningRow:
    """Return a game as a row of the list."""
    finish = in_order(view, rules)
    return EveningRow(
        view, kind_of(view.game, finish) or _("Game {number}").format(number=view.game.number), lines_of(view, finish)
    )


def files_of(league: League, wanted: Filter) -> list[tuple[str, str]]:
    """Return the formats of the games' file with their addresses."""
    address, query = reverse("api:games", args=[league.slug]), wanted.query
    if after := day_after(wanted.last):
        # The API's ``to`` is exclusive.
        query["to"] = str(after)
    json, csv = urlencode(query), urlencode({**query, "format": "csv"})
    return [("CSV", f"{address}?{csv}"), ("JSON", f"{address}?{json}" if json else address)]
