"""Views of link pictures, for public leagues only.

A picture is drawn once per state of the league's data and cached by the process. Its subject is looked up before
the cache, so that no hidden data is shown.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from threading import Lock
from typing import Any
from urllib.parse import unquote

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _

from league.apps.sharing.cards import CardFigure, CardRow, LeagueLook, PictureCard, draw_png
from league.apps.sharing.fonts import is_drawable
from league.core.db.bounded_cache import cached, find
from league.core.db.isolation import postgresql_snapshot
from league.core.errors import NotFound
from league.core.games.selectors.games import find_game, games_of, load_games
from league.core.ladders.selectors.ladders import find_ladder, find_period, shown_rows
from league.core.ladders.selectors.tallies import method_of
from league.core.leaderboard.selectors.boards import history
from league.core.leaderboard.selectors.current_board import board_state, listed_ratings, listing_of
from league.core.leaderboard.selectors.pages import board_page
from league.core.leagues.emblem import emblem_of
from league.core.leagues.selectors.rules import rule_at, rules_of, system_of, system_on_pages
from league.core.permissions import ANONYMOUS, find_league
from league.core.players.selectors.cards import card_of, is_in_league
from league.core.players.selectors.search import find_player
from league.core.text.display_formats import exact, known_zone, number, signed, weekday_of
from league.models import EmblemPicture, Game, Ladder, League, Period, Player
from league.web.absolute_urls import absolute, plain
from league.web.public.cached_answers import etag, time_slot
from league.web.public.emblem_pictures import degrees_of
from league.web.public.game_titles import title_of
from league.web.public.views.games import ResultRow, in_order, lines_of

#: Increase this when the drawing changes.
DRAWING_VERSION = 4
#: Rows of a ranking, games of a line.
MAX_ROWS, MAX_GAMES = 5, 30
#: Seconds after which a picture is drawn again: players leave a board by time.
AN_HOUR = 3600
#: Only one picture at a time is drawn in a process.
DRAWING_LOCK = Lock()


@dataclass(frozen=True)
class PictureRequest:
    """A requested picture: its canonical path, the subject's identity and names, and a function that makes the card."""

    path: str
    found: tuple[Any, ...]
    card: Callable[[], PictureCard]


def picture_view(view: Callable[..., PictureRequest]) -> Callable[..., HttpResponse]:
    """Respond with the picture that a view describes, drawn or cached."""

    @wraps(view)
    def read(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        body: bytes | None = None
        card: PictureCard | None = None
        try:
            with postgresql_snapshot():
                league = find_league(slug, ANONYMOUS)
                wanted = view(request, league, **kwargs)
                if request.path != unquote(wanted.path):
                    asked = request.META.get("QUERY_STRING", "")
                    return HttpResponseRedirect(f"{wanted.path}?{asked}" if asked else wanted.path)
                # The picture depends on the league's data, names, emblem, language and the hour.
                books = (board_state(league.slug), league.log_sha256, wanted.found)
                face = (league.title, league.game, league.colour, league.division, league.charge, league.picture)
                tag = etag(DRAWING_VERSION, absolute(request, wanted.path), books, face, time_slot(AN_HOUR))
                answer = get_conditional_response(request, etag=tag)
                body = find("picture", (tag,))
                if answer is None and body is None:
                    card = wanted.card()
        except NotFound as error:
            raise Http404(error.detail) from None
        if answer is None:
            answer = HttpResponse(draw_once(tag, card) if card else body, content_type="image/png")
        answer["ETag"] = tag
        # Shared caches must revalidate: a league may have become private.
        answer["Cache-Control"] = "public, no-cache"
        return answer

    return read


def draw_once(tag: str, card: PictureCard) -> bytes:
    """Draw a picture, unless another thread drew it while this one waited."""
    with DRAWING_LOCK:
        return cached("picture", (tag,), lambda: draw_png(card))


def load_look(league: League) -> LeagueLook:
    """Return how a league shows itself."""
    emblem = emblem_of(league)
    png = EmblemPicture.objects.filter(league=league).values_list("png", flat=True).first() if league.picture else None
    return LeagueLook(
        choose_drawable_name(league.title, league.slug), emblem, degrees_of(emblem.hue), bytes(png or b"")
    )


def choose_drawable_name(name: str, instead: str) -> str:
    """Return a name, or a substitute if the font lacks some of its letters."""
    name = plain(name)
    return name if is_drawable(name) else instead


def format_address(request: HttpRequest, path: str) -> str:
    """Return an address without its scheme."""
    return absolute(request, path).split("://", 1)[-1]


@picture_view
def league_card(request: HttpRequest, league: League) -> PictureRequest:
    """Find a league."""
    path = reverse("pages:league_card", args=[league.slug])
    return PictureRequest(path, (), partial(make_league_card, request, league))


def make_league_card(request: HttpRequest, league: League) -> PictureCard:
    """Show a league by the top of its board."""
    system = system_on_pages(league, timezone.now())
    rated = _("rated by {system}").format(system=system.title) if system else ""
    rows = board_page(league, listing_of(league, timezone.now()), MAX_ROWS).rows if system else []
    decimals = system.decimals if system else 0
    return PictureCard(
        load_look(league),
        choose_drawable_name(league.title, league.slug),
        "",
        " · ".join(one for one in (plain(league.game), rated) if one),
        format_address(request, reverse("pages:league", args=[league.slug])),
        rows=[
            CardRow(row.rank, choose_drawable_name(row.name, row.handle), number(row.score, decimals)) for row in rows
        ],
        empty=_("The board is empty."),
    )


@picture_view
def player_card(request: HttpRequest, league: League, handle: str) -> PictureRequest:
    """Find a player who is in the data of the league."""
    who = find_player(handle, ANONYMOUS)
    if not is_in_league(league, who):
        raise NotFound(_("No player is called “{text}”.").format(text=handle))
    path = reverse("pages:player_card", args=[league.slug, who.handle])
    return PictureRequest(path, (who.pk, who.name, who.handle), partial(make_player_card, request, league, who))


def make_player_card(request: HttpRequest, league: League, who: Player) -> PictureCard:
    """Show a player by score, rank, games and the last games."""
    now = timezone.now()
    system = system_on_pages(league, now)
    card = card_of(league, who, now)
    figures = []
    if system:
        score = f"≈ {number(card.score)}" if card.provisional else number(card.score, system.decimals)
        rank = "–"
        if card.rank:
            of = listed_ratings(league, listing_of(league, now)).count()
            rank = _("{rank} of {count}").format(rank=number(card.rank), count=number(of))
        figures = [
            CardFigure(str(system.score_label), score),
            CardFigure(_("Rank"), rank),
            CardFigure(_("Games"), number(card.games)),
        ]
    lines = history(league, who).filter(step=1).order_by("-games").values_list("after", flat=True)[:MAX_GAMES]
    return PictureCard(
        load_look(league),
        choose_drawable_name(who.name, who.handle),
        choose_drawable_name(league.title, league.slug),
        "",
        format_address(request, reverse("pages:player", args=[league.slug, who.handle])),
        figures=figures,
        line=list(lines)[::-1],
        empty=card.unlisted,
    )


@picture_view
def period_card(request: HttpRequest, league: League, ladder: str, key: str) -> PictureRequest:
    """Find a period of a ladder."""
    found = find_ladder(league, ladder)
    period = find_period(found, key)
    path = reverse("pages:period_card", args=[league.slug, found.slug, period.key])
    return PictureRequest(path, (period.pk,), partial(make_period_card, request, league, found, period))


def make_period_card(request: HttpRequest, league: League, found: Ladder, period: Period) -> PictureCard:
    """Show a period of a ladder by those who are ranked first."""
    rows, edition = shown_rows(period)
    method = method_of(period.rule)
    first = rows[:MAX_ROWS]
    first = [row for row in first if row["qualified"]] or first
    standings = _("Final standings") if edition else _("Standings")
    return PictureCard(
        load_look(league),
        period.name,
        f"{choose_drawable_name(league.title, league.slug)} · {choose_drawable_name(found.title, found.slug)}",
        f"{standings} · {method.score_label}",
        format_address(request, reverse("pages:period", args=[league.slug, found.slug, period.key])),
        rows=[
            CardRow(
                row["rank"], choose_drawable_name(row["name"], row["player"]), number(row["score"], method.decimals)
            )
            for row in first
        ],
        empty=_("No player is ranked yet."),
    )


@picture_view
def game_card(request: HttpRequest, league: League, number: int) -> PictureRequest:
    """Find a game."""
    found = find_game(league, number)
    path = reverse("pages:game_card", args=[league.slug, found.number])
    return PictureRequest(path, (found.pk,), partial(make_game_card, request, league, found))


def make_game_card(request: HttpRequest, league: League, found: Game) -> PictureCard:
    """Show a game by its result and what it changed."""
    rules = rules_of(league)
    (view,) = load_games(league, games_of(league).filter(pk=found.pk))
    rule = rule_at(rules, found.played_at)
    decimals = system_of(rule).decimals if rule else 0
    for one in view.results:
        # In this picture alone: nothing of it is written.
        one.result.player.name = choose_drawable_name(one.result.player.name, one.result.player.handle)
    finish = in_order(view, rules)
    day = weekday_of(found.played_at.astimezone(known_zone(league.time_zone)), always_year=True)
    return PictureCard(
        load_look(league),
        plain(title_of(view, finish)),
        choose_drawable_name(league.title, league.slug),
        f"{_('Game {number}').format(number=found.number)} · {day}",
        format_address(request, reverse("pages:game", args=[league.slug, found.number])),
        rows=[make_row(line, decimals) for line in lines_of(view, finish)],
    )


def make_row(line: ResultRow, decimals: int) -> CardRow:
    """Return a line of a game as it is drawn."""
    change = line.change.change if line.change else None
    beside = signed(change, decimals) if change is not None else ""
    rises = None if change is None or not round(change, decimals) else change > 0
    score = exact(line.result.score) if line.result.score is not None else ""
    return CardRow(
        line.finish, choose_drawable_name(line.result.player.name, line.result.player.handle), score, beside, rises
    )
