"""The page of a player: profile, chart, rivals and games."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.db.columns import convert_to_datetime
from league.core.errors import PlayerName
from league.core.finish import list_finishers, read_game_of_two
from league.core.game_words import find_neutral_games, list_side_names, list_sides_of_game
from league.core.games.selectors.games import ShownGame, find_games, load_games
from league.core.leaderboard.selectors.boards import find_unsettled_move, index_pool_moves_by_game
from league.core.leagues.selectors.adjustments import AdjustmentMove, load_moves
from league.core.players.selectors.cards import Nearest, PlayerCard, is_in_league, load_card, score_distances
from league.core.players.selectors.head_to_head import Rival, compute_rivals
from league.core.players.selectors.played_games import (
    HistoryLine,
    PlayedGame,
    PlayerHistoryLines,
    build_player_games,
    load_history_lines,
)
from league.core.players.selectors.profile import Profile, compute_profile
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.search import MAX_OFFERED_PLAYERS, find_league_players, list_league_players
from league.core.players.selectors.tables import KINDS, GameTables, load_tables
from league.core.players.selectors.titles import Title, load_titles
from league.core.rules.selectors.rules import build_rule_system, build_system_at, load_rules
from league.core.text.names import isolate_direction
from league.models import Game, League, Player, Rule
from league.web.public.charts import player_chart
from league.web.public.charts.player_strips import Activity, TitleStrip, build_title_strips, count_games_by_month
from league.web.public.context_figures import load_context_cards
from league.web.public.declared_values import list_player_values
from league.web.public.files import Rows, answer, render_file
from league.web.public.game_titles import format_names, format_status, load_unrated_titles
from league.web.public.present import get_state_after
from league.web.public.views.base import build_league_context, cached_page, clean_text, public_page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: The scores of a game that state only who won.
OUTCOME_SCORES = (0.0, 0.5, 1.0)
#: Games per page; maximum numbers of rivals in the table, and of rivals suggested before the other players.
GAMES, RIVALS, RIVALS_OFFERED = 25, 10, 100
#: Games and rivals that are not folded.
FIRST = 5
#: A file has all rivals.
EVERY = 1_000_000
#: Maximum number of moves since the last game shown next to the rating; others are listed with the games.
LATELY = 3
#: Maximum number of other players in the chart.
MAX_COMPARED_PLAYERS = 4


@cached_page("page", "range", "with")
def player(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Show a player's standing, chart, record and games."""
    league, system, context = build_league_context(request, slug, "board", below=True)
    player, rules = find_player(handle, viewer_of(request)), context["rules"]
    lines, sat, moves = load_history_lines(league, player), load_tables(league, player), load_moves(league, player)
    played_games = build_player_games(sat, player, rules)
    card = load_card(league, player, context["now"], rules)
    titles, closed = load_titles(league, player)
    drawn = RatingHistory(player, *player_chart.select_since_change(lines, moves, context["change"]))
    peak = _build_peak_context(drawn, system)
    profile = compute_profile(
        played_games, lines, drawn.lines[peak.get("peak_since", 0) :], find_neutral_games(league, player)
    )
    met = compute_rivals(sat, player, rules, RIVALS_OFFERED) if played_games else []
    pages = Paginator(played_games[::-1], GAMES).get_page(request.GET.get("page"))
    # Other pages of games keep the range and the players of the chart.
    parameters = [(name, text) for name in ("range", "with") for text in request.GET.getlist(name)]
    details: dict[str, Any] = {
        "player": player,
        "card": card,
        "seated": card.games > 0 or is_in_league(league, player),
        "side_names": list_side_names(league),
        "sure": system.sure_deviation() if system else None,
        "nearest": _find_score_neighbours(league, card, context["now"], system),
        "profile": profile,
        **_find_early_records(drawn.lines[: peak.get("peak_since", 0)], peak["peak"], profile),
        "last": lines[-1] if lines else None,
        "lately": [move for move in moves if lines and move.line.games == lines[-1].games][-LATELY:],
        **peak,
        **_find_first_and_last_day(sat, player),
        "titles": titles,
        "contexts": load_context_cards(league, player, context["now"]),
        "fields": list_player_values(league, player, viewer_of(request)),
        "unrated": int(np.count_nonzero(~played_games.voided & (played_games.kind != KINDS.index(Game.Kind.PLAYED)))),
        "strips": (strips := build_title_strips(titles, closed)),
        "activity": (activity := count_games_by_month(league, lines.at)),
        **_build_rivals_context(met, sat),
        "offered": met,
        **_build_requested_chart(request, league, system, drawn, titles, context["change"], peak["peak"]),
        **_build_games_context(
            pages, _build_player_rows(league, player, system, rules, list(pages.object_list), moves)
        ),
        "extra": urlencode(parameters),
        "unsettled": find_unsettled_move(league, player),
        "next_games": [show_games(league, player) for show_games in load_declared(lambda app: app.pages.player_next)],
        "sections": [
            show_section(league, player) for show_section in load_declared(lambda app: app.pages.player_section)
        ],
        "facts": [show_fact(league, player) for show_fact in load_declared(lambda app: app.pages.player_fact)],
    }
    details["records_second"] = _is_second_column_shorter(profile, len(met), strips, activity)
    tables: dict[str, Rows] = {
        "games": lambda: _iter_game_records(league, player, rules),
        "history": lambda: _iter_history_records(lines, moves),
        "rivals": lambda: [rival._asdict() for rival in compute_rivals(sat, player, rules, EVERY)],
        "seats": lambda: [group._asdict() for group in details["profile"].seats],
        "sizes": lambda: [group._asdict() for group in details["profile"].sizes],
    }
    return answer(request, "web/public/player.html", {**context, **details}, tables)


class RatingHistory(NamedTuple):
    """A player's ratings after each game, and moves between games."""

    who: Player
    lines: PlayerHistoryLines
    moves: Sequence[AdjustmentMove]


def _find_score_neighbours(
    league: League, card: PlayerCard, now: datetime, system: RatingSystem | None
) -> Nearest | None:
    """Return the distances to the next scores on the board, None for players who are not on it."""
    if not card.rank or card.score is None:
        return None
    return score_distances(league, card.score, now, system.decimals if system else 0)


def _find_first_and_last_day(tables: GameTables, player: Player) -> dict[str, Any]:
    """Return when a player first and last played, rated or not; nothing without games."""
    times = tables.at[(tables.player == player.pk) & (tables.voided == 0)]
    if not len(times):
        return {}
    return {"since": convert_to_datetime(int(times.min())), "until": convert_to_datetime(int(times.max()))}


def _build_peak_context(drawn: RatingHistory, system: RatingSystem | None) -> dict[str, Any]:
    """Return the game of the peak after the first games, their number, and whether a move lifted the rating higher."""
    if system is None or not len(drawn.lines):
        return {"peak": None}
    early = player_chart.count_early_lines(drawn.lines, player_chart.count_first_games(system, drawn.lines))
    peak = drawn.lines[early + int(drawn.lines.after[early:].argmax())]
    lifted = any(move.line.after > peak.after for move in drawn.moves if move.line.games > early)
    return {"peak": peak, "peak_since": early, "lifted": lifted}


def _find_early_records(early: PlayerHistoryLines, peak: HistoryLine | None, profile: Profile) -> dict[str, bool]:
    """Return whether the first games, which do not count, have a higher peak, a bigger gain or a bigger loss."""
    gain, loss = (0.0 if one is None else one.change for one in (profile.best, profile.worst))
    return {
        "early_peak": peak is not None and bool((early.after > peak.after).any()),
        "early_gain": bool((early.change > gain).any()),
        "early_loss": bool((early.change < loss).any()),
    }


def _is_second_column_shorter(
    profile: Profile, rivals: int, strips: Sequence[TitleStrip], activity: Activity | None
) -> bool:
    """Return whether titles and results take less room than rivals and months: the records go where there is more.

    The heights are those of a wide page, in pixels; a phone has one column.
    """
    first = (240 + 43 * min(rivals, FIRST + 1) if rivals else 0) + (80 + 24 * len(activity.years) if activity else 0)
    groups = sum(110 + 43 * len(rows) for rows in (profile.seats, profile.sizes) if rows)
    titles = sum(50 + 26 * len(strip.rows) for strip in strips) + 50 * bool(strips)
    return titles + 45 + 30 * (3 if profile.pairs else len(profile.finishes)) + groups < first


def _build_rivals_context(met: Sequence[Rival], tables: GameTables) -> dict[str, Any]:
    """Return the rivals of a page, and the decimals of their average leads; None without scores.

    Scores that are only 1, ½ and 0 say no more than wins, draws and losses.
    """
    has_margins = not np.isin(tables.score[~np.isnan(tables.score)], OUTCOME_SCORES).all()
    margins = [abs(rival.margin) for rival in met if rival.margin is not None and has_margins]
    return {
        "rivals": build_rival_rows(met[:FIRST]),
        "later_rivals": build_rival_rows(met[FIRST:RIVALS]),
        "rivals_drew": any(one.level for one in met[:RIVALS]),
        "margin": (0 if max(margins) >= 20 else 1) if margins else None,
    }


def _build_games_context(pages: Page[PlayedGame], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the games of a page in one part, or two of which the second is folded, and whether any has a score.

    Only the first page is folded, after the last games that count; void ones between them take no place of theirs.
    """
    counting = [at for at, row in enumerate(rows, 1) if not row["played"].voided][:FIRST]
    shown = min(max([FIRST, *counting]), 2 * FIRST) if pages.number == 1 else len(rows)
    parts = [part for part in (rows[:shown], rows[shown:]) if part]
    scored = any(row["result"] or row["played"].score is not None for row in rows)
    return {"pages": pages, "game_parts": parts, "games": rows, "later_games": rows[shown:], "scored": scored}


def build_rival_rows(met: Sequence[Rival]) -> list[dict[str, Any]]:
    """Return rivals with their shares of games ahead, and of games ahead or tied."""
    return [
        {"rival": rival, "a": share(rival.ahead, rival), "t": share(rival.ahead + rival.level, rival)} for rival in met
    ]


def list_offered_opponents(league: League, player: Player, rivals: Sequence[Rival]) -> list[PlayerName]:
    """Return the players to compare a player with: the most frequent opponents, then the league's latest players."""
    opponents = [PlayerName(rival.handle, rival.name) for rival in rivals]
    return [one for one in dict.fromkeys([*opponents, *list_league_players(league)]) if one.handle != player.handle][
        :MAX_OFFERED_PLAYERS
    ]


def share(count: int, rival: Rival) -> float:
    """Return a share of the games with a rival, in per cent."""
    return round(100.0 * count / rival.games, 1)


def _build_requested_chart(
    request: HttpRequest,
    league: League,
    system: RatingSystem | None,
    walk: RatingHistory,
    titles: Sequence[Title],
    change: Rule | None,
    peak: HistoryLine | None,
) -> dict[str, Any]:
    """Return the requested chart: the player's history in a range, or together with other players.

    ``change`` is the rule that introduced the system whose ratings are drawn; None: the league's first one.
    """
    range_key = player_chart.clean_range(request.GET.get("range", ""))
    requested = list(
        dict.fromkeys(filter(None, map(clean_text, request.GET.getlist("with")[: 3 * MAX_COMPARED_PLAYERS])))
    )
    details: dict[str, Any] = {
        "ranges": player_chart.list_ranges(),
        "range": range_key,
        "chart": None,
        "beside_them": [],
        "unclear": [],
    }
    if system is None:
        return details
    if requested:
        players, unclear = find_league_players(requested, league, viewer_of(request))
        details["unclear"] = [
            (text, [one for one in candidates if one.handle != walk.who.handle]) for text, candidates in unclear.items()
        ]
        other_players = [player for player in players if player != walk.who][:MAX_COMPARED_PLAYERS]
        details["beside_them"] = other_players
        if other_players:
            walks = [walk, *_load_other_histories(league, other_players, change)]
            return {**details, **_compare_players(league, system, walks, range_key)}
    newcomer = player_chart.count_first_games(system, walk.lines)
    details["label"] = _("{label} of {name}").format(label=system.state[0].label, name=isolate_direction(walk.who.name))
    lines = player_chart.select_range(walk.lines, range_key)
    return {
        **details,
        "chart": player_chart.build_chart(
            league, system, lines, titles, newcomer, walk.moves, peak.after if peak else None
        ),
        "overview": player_chart.build_overview(walk.lines, lines, newcomer),
    }


def _load_other_histories(league: League, players: Sequence[Player], change: Rule | None) -> Iterator[RatingHistory]:
    """Yield the histories of players since a change of the system."""
    for player in players:
        lines, moves = load_history_lines(league, player), load_moves(league, player)
        yield RatingHistory(player, *player_chart.select_since_change(lines, moves, change))


def _compare_players(
    league: League, system: RatingSystem, walks: Sequence[RatingHistory], range_key: str
) -> dict[str, Any]:
    """Return the chart of several players in a range of the first one."""
    whole = walks[0].lines
    chosen = player_chart.select_range(whole, range_key)
    drawn = [
        player_chart.ChartPlayer(
            walk.who.name, player_chart.insert_moves(*player_chart.select_span(walk.lines, walk.moves, whole, chosen))
        )
        for walk in walks
    ]
    label = _("Ratings of {names}").format(names=", ".join(isolate_direction(player.name) for player in drawn))
    return {"several": True, "label": label, "chart": player_chart.compare_players(league, system, drawn)}


def _build_player_rows(
    league: League,
    player: Player,
    system: RatingSystem | None,
    rules: Sequence[Rule],
    played_games: Sequence[PlayedGame],
    moves: Sequence[AdjustmentMove],
) -> list[dict[str, Any]]:
    """Return the rows of a player's games, with pool moves before and other moves after each."""
    views = {
        view.game.pk: view
        for view in load_games(league, find_games(league).filter(pk__in=[game.game for game in played_games]))
    }
    moving = any(build_rule_system(rule).moves_all_players() for rule in rules)
    pool = (
        index_pool_moves_by_game(league, player, [played_game.number for played_game in played_games]) if moving else {}
    )
    titles = load_unrated_titles(league, [view.game for view in views.values()])
    rows = [
        _build_player_row(league, views[played_game.game], played_game, player, system, rules)
        | {"status": format_status(view := views[played_game.game], titles.get(view.game.order_key, ""))}
        | {"pool": pool.get(played_game.number)}
        for played_game in played_games
        if played_game.game in views
    ]
    for row in rows:
        row["moves"] = [
            played_game
            for played_game in moves[::-1]
            if row["change"] is not None and played_game.line.games == row["change"].games
        ]
    return rows


def _build_player_row(
    league: League,
    view: ShownGame,
    played_game: PlayedGame,
    player: Player,
    system: RatingSystem | None,
    rules: Sequence[Rule],
) -> dict[str, Any]:
    """Return a game as a row of the player's page, with the other players in finishing order."""
    system_then = build_system_at(rules, view.game.played_at)
    lines = list_finishers([line.result for line in view.results], system_then)
    own_line = next(line for line in view.results if line.result.player_id == player.pk)
    state_after: Mapping[str, float | None] | None = get_state_after(view, player.pk, system)
    if state_after and system and system_then and system_then.key != system.key:
        # Only the rating of another system has a column.
        state_after = dict.fromkeys(state_after) | {system.state[0].key: own_line.change and own_line.change.after}
    other_results = [line.result for line in lines if line.result.player_id != player.pk]
    side = own_line.result.side
    partners = [line for line in other_results if side is not None and line.side == side]
    pair = read_game_of_two(view.results, own_line.result)
    sides = list_sides_of_game(league, view.game) if pair and len(view.results) == 2 else ()
    return {
        "view": view,
        "played": played_game,
        "result": pair.result if pair else "",
        "change": own_line.change if view.status == "rated" else None,
        "after": state_after,
        "partners": format_names([line.player.name for line in partners]),
        "others": [line for line in other_results if line not in partners],
        # Of a game of two players, unless on neutral ground.
        "side": sides[own_line.result.seat - 1].played if sides else "",
    }


POINTS = ("at", "cause", "number", "games", "before", "change", "after", "reason")
COLUMNS = (
    *("game", "played_at", "status", "players", "seat", "finish", "score", "change", "rating_after", "against"),
    "with",
)


@public_page
def games_csv(request: HttpRequest, slug: str, handle: str) -> HttpResponse:
    """Return a player's games as CSV, earliest first; cells that could be formulas are quoted."""
    league, _, _ = build_league_context(request, slug, "board", below=True)
    player = find_player(handle, viewer_of(request))
    return render_file(
        list(_iter_game_records(league, player, load_rules(league))), "csv", f"{league.slug}-{player.handle}", COLUMNS
    )


def _iter_game_records(league: League, player: Player, rules: Sequence[Rule]) -> Iterator[dict[str, Any]]:
    """Yield the games of a player as data, earliest first.

    ``players`` counts all players including partners; ``finish`` counts a side once.
    """
    lines, tables = {line.number: line for line in load_history_lines(league, player)}, load_tables(league, player)
    played_games = build_player_games(tables, player, rules)
    own_lines = tables.of(tables.player == player.pk)
    seated = dict(
        zip(own_lines.game.tolist(), zip(own_lines.at.tolist(), own_lines.side.tolist(), strict=True), strict=True)
    )
    names = dict(Player.objects.filter(pk__in=np.unique(tables.player).tolist()).values_list("pk", "name"))
    against: dict[int, list[str]] = defaultdict(list)
    partners: dict[int, list[str]] = defaultdict(list)
    other_lines = tables.of(np.lexsort((tables.seat, tables.game)))
    for game, other, side in zip(
        other_lines.game.tolist(), other_lines.player.tolist(), other_lines.side.tolist(), strict=True
    ):
        if other != player.pk:
            (partners if side == seated[game][1] else against)[game].append(names[other])
    for played_game, player_count in zip(played_games, played_games.people.tolist(), strict=True):
        line = lines.get(played_game.number)
        rating_values = (None, None) if line is None or played_game.voided else (line.change, line.after)
        played_at = convert_to_datetime(seated[played_game.game][0])
        about = (
            played_game.number,
            played_at,
            get_line_status(played_game, line),
            player_count,
            played_game.seat,
            played_game.finish or None,
            played_game.score,
        )
        player_lists = (", ".join(names_by_game[played_game.game]) for names_by_game in (against, partners))
        yield dict(zip(COLUMNS, (*about, *rating_values, *player_lists), strict=True))


def _iter_history_records(lines: PlayerHistoryLines, moves: Sequence[AdjustmentMove]) -> Iterator[dict[str, Any]]:
    """Yield all points of the chart as data, earliest first; ``number`` is that of the game or adjustment."""
    remaining = iter(moves)
    for line in player_chart.insert_moves(lines, moves):
        move = next(remaining) if line.number == player_chart.NO_GAME else None
        adjustment = move.adjustment if move else None
        number = line.number if move is None else adjustment.number if adjustment else None
        about = (line.at, "game" if move is None else move.cause, number, line.games)
        rating_values = (line.before, line.change, line.after)
        yield dict(zip(POINTS, (*about, *rating_values, adjustment.reason if adjustment else ""), strict=True))


def get_line_status(played_game: PlayedGame, line: HistoryLine | None) -> str:
    """Return the status of a game: void, unrated, rated, or pending."""
    if played_game.voided:
        return "void"
    if played_game.kind != Game.Kind.PLAYED:
        return "unrated"
    return "pending" if line is None else "rated"
