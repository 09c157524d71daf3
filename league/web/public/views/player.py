"""The page of a player: profile, chart, rivals and games."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.db.columns import moment_of
from league.core.games.selectors.finish import finishers
from league.core.games.selectors.games import ShownGame, games_of, load_games
from league.core.leaderboard.selectors.boards import pool_moves, unsettled
from league.core.leagues.selectors.adjustments import AdjustmentMove, moves_of
from league.core.leagues.selectors.rules import rules_of, system_at, system_of
from league.core.players.selectors.cards import Nearest, PlayerCard, card_of, is_in_league, score_distances
from league.core.players.selectors.head_to_head import Rival, rivals_at
from league.core.players.selectors.played_games import (
    HistoryLine,
    PlayedGame,
    PlayerGames,
    PlayerHistoryLines,
    games_at,
    lines_of,
)
from league.core.players.selectors.profile import profile_of
from league.core.players.selectors.search import find_player, find_together
from league.core.players.selectors.tables import tables_of
from league.core.players.selectors.titles import Title, titles_of
from league.core.text.names import isolated
from league.models import Game, League, Player, Rule
from league.web.public.charts import player_chart
from league.web.public.files import Rows, answer, file_of
from league.web.public.game_titles import together
from league.web.public.present import after_of
from league.web.public.views.base import clean_text, league_context, page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: Games per page; maximum numbers of rivals in the table, rivals suggested, titles listed, and bars of recent games.
GAMES, RIVALS, OFFERED, TITLES, FORM = 25, 10, 100, 8, 10
#: A file has all rivals.
EVERY = 1_000_000
#: Maximum number of moves since the last game shown next to the rating; others are listed with the games.
LATELY = 3
#: Maximum number of other players in the chart.
MAX_COMPARED_PLAYERS = 4


@page
def player(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Show a player's standing, chart, record and games."""
    league, system, context = league_context(request, slug, "board", below=True)
    who, rules = find_player(handle, viewer_of(request)), context["rules"]
    lines, sat, moves = lines_of(league, who), tables_of(league, who), moves_of(league, who)
    played = games_at(sat, who, rules)
    card = card_of(league, who, context["now"], rules)
    titles, closed = titles_of(league, who)
    drawn = RatingHistory(who, *player_chart.of_system(lines, moves, context["change"]))
    met = rivals_at(sat, who, rules, OFFERED) if played else []
    pages = Paginator(played[::-1], GAMES).get_page(request.GET.get("page"))
    # Other pages of games keep the range and the players of the chart.
    parameters = [(name, text) for name in ("range", "with") for text in request.GET.getlist(name)]
    details: dict[str, Any] = {
        "player": who,
        "card": card,
        "seated": card.games > 0 or is_in_league(league, who),
        "nearest": neighbours(league, card, context["now"], system),
        "profile": profile_of(played, lines),
        "last": lines[-1] if lines else None,
        "lately": [one for one in moves if lines and one.line.games == lines[-1].games][-LATELY:],
        **peak_context(drawn.lines, drawn.moves, card.peak, system),
        "since": lines[0].at if lines else None,
        "form": bars(lines[-FORM:], played),
        "titles": titles[:TITLES],
        "won": len(titles),
        "closed": closed,
        **rivals_context(met),
        **chart_of(request, league, system, drawn, titles, context["change"]),
        "games": rows_of(league, who, system, rules, list(pages.object_list), moves),
        "pages": pages,
        "extra": urlencode(parameters),
        "unsettled": unsettled(league, who),
        "facts": [show_fact(league, who) for show_fact in load_declared("player_facts")],
    }
    tables: dict[str, Rows] = {
        "games": lambda: game_records(league, who, rules),
        "history": lambda: history_records(lines, moves),
        "rivals": lambda: [rival._asdict() for rival in rivals_at(sat, who, rules, EVERY)],
        "seats": lambda: [group._asdict() for group in details["profile"].seats],
        "sizes": lambda: [group._asdict() for group in details["profile"].sizes],
    }
    return answer(request, "web/public/player.html", {**context, **details}, tables)


def neighbours(league: League, card: PlayerCard, now: datetime, system: RatingSystem | None) -> Nearest | None:
    """Return the distances to the next scores on the board, None for players who are not on it."""
    if not card.rank or card.score is None:
        return None
    return score_distances(league, card.score, now, system.decimals if system else 0)


def peak_context(
    lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove], peak: float | None, system: RatingSystem | None
) -> dict[str, Any]:
    """Return the game of a peak, and whether a move (not a game) lifted the rating higher.

    ``peak_among``: the number of first games, if the peak is among those drawn separately.
    """
    reached = np.flatnonzero(lines.after == peak)
    line = lines[int(reached[0])] if len(reached) else None
    early = player_chart.early_of(lines, player_chart.newcomers_games(system, lines)) if system and line else 0
    return {
        "peak": line,
        "peak_among": early if line and line.games <= early else 0,
        "lifted": peak is not None and any(move.line.after > peak for move in moves),
    }


def rivals_context(met: Sequence[Rival]) -> dict[str, Any]:
    """Return the rivals of a page, and the decimals of their points per game; None without scores."""
    margins = [abs(one.margin) for one in met if one.margin is not None]
    rows = [{"rival": one, "a": share(one.ahead, one), "t": share(one.ahead + one.level, one)} for one in met[:RIVALS]]
    return {"rivals": rows, "offered": met, "margin": (0 if max(margins) >= 20 else 1) if margins else None}


def share(part: int, of: Rival) -> float:
    """Return a share of the games with a rival, in per cent."""
    return round(100.0 * part / of.games, 1)


class RatingHistory(NamedTuple):
    """A player's ratings after each game, and moves between games."""

    who: Player
    lines: PlayerHistoryLines
    moves: Sequence[AdjustmentMove]


def chart_of(
    request: HttpRequest,
    league: League,
    system: RatingSystem | None,
    walk: RatingHistory,
    titles: Sequence[Title],
    change: Rule | None,
) -> dict[str, Any]:
    """Return the requested chart: the player's history in a range, or together with other players.

    ``change`` is the rule that introduced the system whose ratings are drawn; None: the league's first one.
    """
    wanted = request.GET.get("range", "all")
    wanted = wanted if wanted in player_chart.RANGES else "all"
    asked = list(dict.fromkeys(filter(None, map(clean_text, request.GET.getlist("with")[: 3 * MAX_COMPARED_PLAYERS]))))
    details: dict[str, Any] = {
        "ranges": player_chart.ranges(),
        "range": wanted,
        "chart": None,
        "beside_them": [],
        "unknown": [],
    }
    if system is None:
        return details
    if asked:
        found, details["unknown"] = find_together(asked, league, viewer_of(request))
        others = [one for one in found if one != walk.who][:MAX_COMPARED_PLAYERS]
        details["beside_them"] = others
        if others:
            walks = [
                walk,
                *(
                    RatingHistory(one, *player_chart.of_system(lines_of(league, one), moves_of(league, one), change))
                    for one in others
                ),
            ]
            drawn = [
                player_chart.ChartPlayer(one.who.name, player_chart.insert_moves(one.lines, one.moves)) for one in walks
            ]
            label = _("Ratings of {names}").format(names=", ".join(isolated(one.name) for one in drawn))
            return {
                **details,
                "several": True,
                "label": label,
                "chart": player_chart.compare_players(league, system, drawn),
            }
    newcomer = player_chart.newcomers_games(system, walk.lines)
    details["label"] = _("{label} of {name}").format(label=system.state[0].label, name=isolated(walk.who.name))
    lines = player_chart.lines_in_range(walk.lines, wanted)
    return {**details, "chart": player_chart.history(league, system, lines, titles, newcomer, walk.moves)}


def bars(lines: PlayerHistoryLines, played: PlayerGames) -> list[dict[str, Any]]:
    """Return a bar for each change, in a box of 10 × 100 with zero in the middle."""
    largest = max((abs(line.change) for line in lines), default=0.0) or 1.0
    games = {one.number: one for one in played[-10 * FORM :]}
    found = []
    for line in lines:
        height = round(max(abs(line.change) / largest * 46.0, 1.5), 1)
        y = 50.0 if line.change < 0 else round(50.0 - height, 1)
        found.append({"line": line, "played": games.get(line.number), "y": y, "height": height})
    return found


def rows_of(
    league: League,
    who: Player,
    system: RatingSystem | None,
    rules: Sequence[Rule],
    played: Sequence[PlayedGame],
    moves: Sequence[AdjustmentMove],
) -> list[dict[str, Any]]:
    """Return the rows of a player's games, with pool moves before and other moves after each."""
    views = {
        view.game.pk: view
        for view in load_games(league, games_of(league).filter(pk__in=[game.game for game in played]))
    }
    moving = any(system_of(rule).moves_everybody() for rule in rules)
    pool = pool_moves(league, who, [one.number for one in played]) if moving else {}
    rows = [
        row_of(views[one.game], one, who, system, rules) | {"pool": pool.get(one.number)}
        for one in played
        if one.game in views
    ]
    for row in rows:
        row["moves"] = [
            one for one in moves[::-1] if row["change"] is not None and one.line.games == row["change"].games
        ]
    return rows


def row_of(
    view: ShownGame, one: PlayedGame, who: Player, system: RatingSystem | None, rules: Sequence[Rule]
) -> dict[str, Any]:
    """Return a game as a row of the player's page, with the other players in finishing order."""
    then = system_at(rules, view.game.played_at)
    lines = finishers([line.result for line in view.results], then)
    own = next(line for line in view.results if line.result.player_id == who.pk)
    after: Mapping[str, float | None] | None = after_of(view, who.pk, system)
    if after and system and then and then.key != system.key:
        # Only the rating of another system has a column.
        after = dict.fromkeys(after) | {system.state[0].key: own.change and own.change.after}
    others = [line.result for line in lines if line.result.player_id != who.pk]
    side = own.result.side
    partners = [line for line in others if side is not None and line.side == side]
    return {
        "view": view,
        "played": one,
        "change": own.change if view.status == "rated" else None,
        "after": after,
        "partners": together([line.player.name for line in partners]),
        "others": [line for line in others if line not in partners],
    }


POINTS = ("at", "cause", "number", "games", "before", "change", "after", "reason")
COLUMNS = (
    *("game", "played_at", "status", "players", "seat", "finish", "score", "change", "rating_after", "against"),
    "with",
)


@page
def games_csv(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Return a player's games as CSV, earliest first; cells that could be formulas are quoted."""
    league, _, _ = league_context(request, slug, "board", below=True)
    who = find_player(handle, viewer_of(request))
    return file_of(list(game_records(league, who, rules_of(league))), "csv", f"{league.slug}-{who.handle}", COLUMNS)


def game_records(league: League, who: Player, rules: Sequence[Rule]) -> Iterator[dict[str, Any]]:
    """Yield the games of a player as data, earliest first.

    ``players`` counts all players including partners; ``finish`` counts a side once.
    """
    lines, tables = {line.number: line for line in lines_of(league, who)}, tables_of(league, who)
    played = games_at(tables, who, rules)
    own = tables.of(tables.player == who.pk)
    seated = dict(zip(own.game.tolist(), zip(own.at.tolist(), own.side.tolist(), strict=True), strict=True))
    names = dict(Player.objects.filter(pk__in=np.unique(tables.player).tolist()).values_list("pk", "name"))
    against: dict[int, list[str]] = defaultdict(list)
    partners: dict[int, list[str]] = defaultdict(list)
    others = tables.of(np.lexsort((tables.seat, tables.game)))
    for game, other, side in zip(others.game.tolist(), others.player.tolist(), others.side.tolist(), strict=True):
        if other != who.pk:
            (partners if side == seated[game][1] else against)[game].append(names[other])
    for one, people in zip(played, played.people.tolist(), strict=True):
        line = lines.get(one.number)
        figures = (None, None) if line is None or one.voided else (line.change, line.after)
        at = moment_of(seated[one.game][0])
        about = (one.number, at, status(one, line), people, one.seat, one.finish or None, one.score)
        both = (", ".join(some[one.game]) for some in (against, partners))
        yield dict(zip(COLUMNS, (*about, *figures, *both), strict=True))


def history_records(lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove]) -> Iterator[dict[str, Any]]:
    """Yield all points of the chart as data, earliest first; ``number`` is that of the game or adjustment."""
    remaining = iter(moves)
    for line in player_chart.insert_moves(lines, moves):
        move = next(remaining) if line.number == player_chart.NO_GAME else None
        made = move.adjustment if move else None
        number = line.number if move is None else made.number if made else None
        about = (line.at, "game" if move is None else move.cause, number, line.games)
        figures = (line.before, line.change, line.after)
        yield dict(zip(POINTS, (*about, *figures, made.reason if made else ""), strict=True))


def status(one: PlayedGame, line: HistoryLine | None) -> str:
    """Return the status of a game: void, unrated, rated, or pending."""
    if one.voided:
        return "void"
    if one.kind != Game.Kind.PLAYED:
        return "unrated"
    return "pending" if line is None else "rated"
