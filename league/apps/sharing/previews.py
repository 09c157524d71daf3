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
from django.utils.translation import pgettext

from league.apps.sharing.cards import LINK, STORY, Canvas, CardFigure, CardRow, LeagueLook, PictureCard, draw_png
from league.apps.sharing.fonts import is_drawable
from league.core.db.bounded_cache import cached, find
from league.core.db.isolation import postgresql_snapshot
from league.core.errors import NotFound
from league.core.games.selectors.games import compute_evening_day, find_game, find_games, load_games
from league.core.ladders.selectors.ladders import find_ladder, find_period, load_shown_rows
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.boards import find_history
from league.core.leaderboard.selectors.current_board import build_listing, find_listed_ratings, load_board_state
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.permissions import ANONYMOUS, find_league
from league.core.players.selectors.cards import is_in_league, load_card
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.titles import load_titles
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, load_rules, load_system_on_pages
from league.core.text.display_formats import (
    format_day,
    format_number,
    format_signed,
    format_weekday,
)
from league.models import EmblemPicture, Game, Ladder, League, Period, Player
from league.web.absolute_urls import build_absolute_url, format_single_line
from league.web.public.cached_answers import compute_time_slot, etag
from league.web.public.emblem import get_emblem
from league.web.public.emblem_pictures import convert_hue_to_degrees
from league.web.public.game_titles import format_title, load_unrated_titles
from league.web.public.page_parts import LinkTable
from league.web.public.views.games import ResultRow, build_result_rows, has_result_of_two, sort_finishers

#: Increase this when the drawing changes.
DRAWING_VERSION = 9
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
        canvas = STORY if request.GET.get("format") == "story" else LINK
        try:
            with postgresql_snapshot():
                league = find_league(slug, ANONYMOUS)
                picture = view(request, league, **kwargs)
                if request.path != unquote(picture.path):
                    query_string = request.META.get("QUERY_STRING", "")
                    return HttpResponseRedirect(f"{picture.path}?{query_string}" if query_string else picture.path)
                # The picture depends on the league's data, names, emblem, language and the hour.
                books = (load_board_state(league.slug), league.log_sha256, picture.found)
                face = (league.title, league.game, league.colour, league.division, league.charge, league.picture)
                address = build_absolute_url(request, picture.path)
                tag = etag(DRAWING_VERSION, canvas.height, address, books, face, compute_time_slot(AN_HOUR))
                response = get_conditional_response(request, etag=tag)
                body = find("picture", (tag,))
                if response is None and body is None:
                    card = picture.card()
        except NotFound as error:
            raise Http404(error.detail) from None
        if response is None:
            response = HttpResponse(draw_once(tag, card, canvas) if card else body, content_type="image/png")
        response["ETag"] = tag
        # Shared caches must revalidate: a league may have become private.
        response["Cache-Control"] = "public, no-cache"
        return response

    return read


def draw_once(tag: str, card: PictureCard, canvas: Canvas) -> bytes:
    """Draw a picture, unless another thread drew it while this one waited."""
    with DRAWING_LOCK:
        return cached("picture", (tag,), lambda: draw_png(card, canvas))


def load_look(league: League) -> LeagueLook:
    """Return how a league shows itself."""
    emblem = get_emblem(league)
    png = EmblemPicture.objects.filter(league=league).values_list("png", flat=True).first() if league.picture else None
    return LeagueLook(
        choose_drawable_name(league.title, league.slug), emblem, convert_hue_to_degrees(emblem.hue), bytes(png or b"")
    )


def choose_drawable_name(name: str, instead: str) -> str:
    """Return a name, or a substitute if the font lacks some of its letters."""
    name = format_single_line(name)
    return name if is_drawable(name) else instead


def format_address(request: HttpRequest, path: str) -> str:
    """Return an address without its scheme."""
    return build_absolute_url(request, path).split("://", 1)[-1]


@picture_view
def league_card(request: HttpRequest, league: League) -> PictureRequest:
    """Find a league."""
    path = reverse("pages:league_card", args=[league.slug])
    return PictureRequest(path, (), partial(make_league_card, request, league))


def make_league_card(request: HttpRequest, league: League) -> PictureCard:
    """Show a league by the top of its board."""
    system = load_system_on_pages(league, timezone.now())
    rated = _("rated by {system}").format(system=system.title) if system else ""
    rows = load_board_page(league, build_listing(league, timezone.now()), MAX_ROWS).rows if system else []
    decimals = system.decimals if system else 0
    return PictureCard(
        load_look(league),
        choose_drawable_name(league.title, league.slug),
        "",
        " · ".join(text for text in (format_single_line(league.game), rated) if text),
        format_address(request, reverse("pages:league", args=[league.slug])),
        rows=[
            CardRow(row.rank, choose_drawable_name(row.name, row.handle), format_number(row.score, decimals))
            for row in rows
        ],
        day=format_day(compute_evening_day(league, max(row.last_at for row in rows))) if rows else "",
        empty=_("The board is empty."),
    )


@picture_view
def player_card(request: HttpRequest, league: League, handle: str) -> PictureRequest:
    """Find a player who is in the data of the league."""
    player = find_player(handle, ANONYMOUS)
    if not is_in_league(league, player):
        raise NotFound(_("No player is called “{text}”.").format(text=handle))
    path = reverse("pages:player_card", args=[league.slug, player.handle])
    return PictureRequest(
        path, (player.pk, player.name, player.handle), partial(make_player_card, request, league, player)
    )


def make_player_card(request: HttpRequest, league: League, player: Player) -> PictureCard:
    """Show a player by score, rank, games and the last games."""
    now = timezone.now()
    system = load_system_on_pages(league, now)
    decimals = system.decimals if system else 0
    card = load_card(league, player, now)
    figures = []
    if system:
        score = f"≈ {format_number(card.score)}" if card.provisional else format_number(card.score, decimals)
        rank = "–"
        if card.rank:
            player_count = find_listed_ratings(league, build_listing(league, now)).count()
            rank = _("{rank} of {count}").format(rank=format_number(card.rank), count=format_number(player_count))
        figures = [
            CardFigure(str(system.score_label), score),
            CardFigure(_("Rank"), rank),
            CardFigure(_("Games"), format_number(card.games)),
        ]
        titles, _closed = load_titles(league, player)
        figures += [CardFigure(pgettext("periods won", "Titles"), format_number(len(titles)))] if titles else []
    history = find_history(league, player).filter(step=1).order_by("-games").values_list("after", "at")[:MAX_GAMES]
    line = [after for after, _at in history][::-1]
    return PictureCard(
        load_look(league),
        choose_drawable_name(player.name, player.handle),
        choose_drawable_name(league.title, league.slug),
        "",
        format_address(request, reverse("pages:player", args=[league.slug, player.handle])),
        figures=figures,
        line=line,
        ends=(format_number(line[0], decimals), format_number(line[-1], decimals)) if line else ("", ""),
        day=format_day(compute_evening_day(league, history[0][1])) if line else "",
        empty=card.unlisted,
    )


@picture_view
def period_card(request: HttpRequest, league: League, ladder: str, key: str) -> PictureRequest:
    """Find a period of a ladder."""
    found = find_ladder(league, ladder)
    period = find_period(found, key)
    path = reverse("pages:period_card", args=[league.slug, found.slug, period.key])
    return PictureRequest(path, (period.pk,), partial(make_period_card, request, league, found, period))


def make_period_card(request: HttpRequest, league: League, ladder: Ladder, period: Period) -> PictureCard:
    """Show a period of a ladder by those who are ranked first."""
    rows, edition = load_shown_rows(period)
    method = build_method(period.rule)
    first = rows[:MAX_ROWS]
    first = [row for row in first if row["qualified"]] or first
    standings = _("Final standings") if edition else _("Standings")
    return PictureCard(
        load_look(league),
        period.name,
        f"{choose_drawable_name(league.title, league.slug)} · {choose_drawable_name(ladder.title, ladder.slug)}",
        f"{standings} · {method.score_label}",
        format_address(request, reverse("pages:period", args=[league.slug, ladder.slug, period.key])),
        rows=[
            CardRow(
                row["rank"],
                choose_drawable_name(row["name"], row["player"]),
                format_number(row["score"], method.decimals),
            )
            for row in first
        ],
        empty=league.words.none_ranked,
    )


@picture_view
def draw_table_card(
    request: HttpRequest,
    league: League,
    url_name: str,
    keys: tuple[str | int, ...],
    find_table: Callable[..., Callable[[], LinkTable]],
) -> PictureRequest:
    """Find a page of another capability, which declares its table."""
    path = reverse(url_name, args=[league.slug, *keys])
    return PictureRequest(path, (url_name, *keys), partial(make_table_card, request, league, find_table(league, *keys)))


def make_table_card(request: HttpRequest, league: League, build_table: Callable[[], LinkTable]) -> PictureCard:
    """Show the first rows of a table."""
    table = build_table()
    name = choose_drawable_name(league.title, league.slug)
    return PictureCard(
        load_look(league),
        choose_drawable_name(table.title, name),
        name,
        table.under,
        format_address(request, table.path),
        rows=[
            CardRow(number, choose_drawable_name(*names), figure, has_medal=table.is_ranking)
            for number, *names, figure in table.rows
        ],
        empty=table.empty,
    )


@picture_view
def game_card(request: HttpRequest, league: League, number: int) -> PictureRequest:
    """Find a game."""
    game = find_game(league, number)
    path = reverse("pages:game_card", args=[league.slug, game.number])
    return PictureRequest(path, (game.pk,), partial(make_game_card, request, league, game))


def make_game_card(request: HttpRequest, league: League, game: Game) -> PictureCard:
    """Show a game by its result and what it changed."""
    rules = load_rules(league)
    (view,) = load_games(league, find_games(league).filter(pk=game.pk))
    rule = find_rule_at(rules, game.played_at)
    decimals = build_rule_system(rule).decimals if rule else 0
    for entry in view.results:
        # In this picture alone: nothing of it is written.
        entry.result.player.name = choose_drawable_name(entry.result.player.name, entry.result.player.handle)
    finish = sort_finishers(view, rules)
    purpose = load_unrated_titles(league, [game]).get(game.order_key, "")
    day = format_weekday(compute_evening_day(league, game.played_at), always_year=True)
    return PictureCard(
        load_look(league),
        format_single_line(format_title(view, finish, purpose)),
        choose_drawable_name(league.title, league.slug),
        f"{_('Game {number}').format(number=game.number)} · {day}",
        format_address(request, reverse("pages:game", args=[league.slug, game.number])),
        rows=[make_row(line, decimals, of_two=has_result_of_two(finish)) for line in build_result_rows(view, finish)],
    )


def make_row(line: ResultRow, decimals: int, *, of_two: bool) -> CardRow:
    """Return a line of a game as it is drawn; without a place in a game of two."""
    change = line.change.change if line.change else None
    change_text = format_signed(change, decimals) if change is not None else ""
    rises = None if change is None or not round(change, decimals) else change > 0
    rank = None if of_two else line.finish
    score = line.figure if of_two or line.result.score is not None else ""
    name = choose_drawable_name(line.result.player.name, line.result.player.handle)
    return CardRow(rank, name, score, change_text, rises)
