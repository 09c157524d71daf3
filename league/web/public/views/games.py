"""The page of a game, with the explanation of its rating changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.calendar import compute_local_date, start_of_day
from league.core.capabilities import load_declared
from league.core.finish import (
    Finisher,
    GameOfTwo,
    list_figures,
    list_finishers,
    order_lines_for_tables,
    read_game_of_two,
)
from league.core.game_words import list_sides_of_game
from league.core.games.selectors.games import (
    GameAtTime,
    ShownGame,
    compute_evening_day,
    filter_after_game,
    filter_before_game,
    find_game,
    find_games,
    list_common_games,
    load_games,
)
from league.core.games.services.explain import ExplainedGame, explain_shown
from league.core.ladders.selectors.ladders import load_periods_at
from league.core.leagues.selectors.adjustments import load_system_starts
from league.core.rules.selectors.rules import (
    build_rule_system,
    build_system_at,
    find_last_system_change,
    find_rule_at,
)
from league.core.text.display_formats import get_known_zone_name
from league.core.text.game_results import format_sets
from league.core.text.names import isolate_direction
from league.models import Game, League, Player, RatingChange, Rule
from league.web.public.context_figures import load_context_changes
from league.web.public.declared_values import list_declared_values, list_program_data
from league.web.public.explanations import explain_changes, summarize_change
from league.web.public.files import Rows, answer
from league.web.public.game_titles import format_kind, format_lead, format_title, load_unrated_titles
from league.web.public.present import build_explanation, label_fields, list_worksheets
from league.web.public.records import STEPS, step_tables
from league.web.public.user_actions import list_game_actions
from league.web.public.views.base import build_league_context, cached_page
from league.web.public.views.what_if import build_what_if_url
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: How far the expected shares of two sides may be from 1 together.
SAME_SHARE = 1e-9
#: Kind of an unrated game -> the reason.
UNRATED = {
    Game.Kind.FORFEIT: gettext_noop("Only played games are rated; this one is a forfeit."),
    Game.Kind.FULL_BYE: gettext_noop("Only played games are rated; this one is a full-point bye."),
    Game.Kind.HALF_BYE: gettext_noop("Only played games are rated; this one is a half-point bye."),
    Game.Kind.ZERO_BYE: gettext_noop("Only played games are rated; this one is a zero-point bye."),
    Game.Kind.PAIRING_BYE: gettext_noop("Only played games are rated; this one is a pairing bye."),
    Game.Kind.FRIENDLY: gettext_noop("Only played games are rated; this one is a friendly."),
}


@dataclass(frozen=True)
class ResultRow:
    """A line of a game with its rating change, if any."""

    finish: int | None
    winner: bool
    result: Any
    change: RatingChange | None
    figure: str
    """The score; in a game of two without scores 1, ½ or 0."""


@dataclass(frozen=True)
class Duel:
    """A game of two sides; ``expected``: the share of each, if known; with deviations they may miss 1 together."""

    game: GameOfTwo[Finisher]
    expected: tuple[float, float] | None

    @property
    def width(self) -> float:
        """Return the first one's part of what was expected, in per cent."""
        first, second = self.expected or (0.0, 1.0)
        return round(100.0 * first / (first + second), 2)


@dataclass(frozen=True)
class CommonGames:
    """The games that the two players of a game both played: how many, and those before and after."""

    first: Player
    second: Player
    count: int
    earlier: GameAtTime | None
    later: GameAtTime | None


@cached_page()
def game(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a game's result and its rating changes."""
    league, system, context = build_league_context(request, slug, "games", below=True)
    selected_game = find_game(league, number)
    (view,) = load_games(league, find_games(league).filter(pk=selected_game.pk))
    rule = find_rule_at(context["rules"], selected_game.played_at)
    system = build_rule_system(rule) if rule else system
    finish = sort_finishers(view, context["rules"])
    lines = build_result_rows(view, finish)
    explained = explain_shown(league, view, context["rules"]) if view.status == "rated" else None
    change = find_last_system_change(context["rules"], selected_game.played_at) if explained else None
    order = [explained.handles.index(line.result.player.handle) for line in lines] if explained else []
    stepped = build_explanation(explained) if explained else None
    purpose = load_unrated_titles(league, [selected_game]).get(selected_game.order_key, "")
    told = [seat for seat, line in zip(order, lines, strict=False) if line.winner] or order
    return answer(
        request,
        "web/public/game.html",
        {
            **context,
            "acts": list_game_actions(request, league, view),
            "system": system,
            "view": view,
            "fields": [
                *label_fields(type(system) if system else None, view.game.fields),
                *list_declared_values(league, view, viewer_of(request)),
            ],
            "stored": list_program_data(league, view, viewer_of(request)),
            "heading": format_title(view, finish, purpose),
            "places": [show(league, selected_game) for show in load_declared(lambda app: app.pages.game_place)],
            **_build_duel_context(league, view, build_duel(view, finish, explained)),
            "said": format_kind(view.game, finish, purpose) if view.status == "void" else "",
            "remark": format_lead(finish) if view.status != "void" else "",
            "unrated": _explain_unrated(selected_game, purpose) if view.status == "unrated" else "",
            "lines": lines,
            "whys": explain_changes(explained, order) if explained else None,
            "lead": summarize_change(explained, told[0]) if explained else "",
            "contexts": load_context_changes(league, selected_game) if view.status == "rated" else [],
            "begun": load_system_starts(league, change, [line.change for line in lines if line.change]),
            "begun_on": change.from_date if change else None,
            "explanation": stepped,
            "worksheet": list_worksheets(system, view) if system else [],
            "sets": format_sets(view.game.set_rows, [line.result.side for line in view.results]),
            "of_two": has_result_of_two(finish),
            "has_places": any(line.result.place is not None for line in lines),
            "sided": any(line.result.side for line in lines),
            "has_scores": any(line.result.score is not None for line in lines),
            "again": build_what_if_url(league, context["system"], view) if context["system"] else "",
            "total": sum(line.result.score or 0.0 for line in lines),
            "earlier": _find_neighbour(league, selected_game, later=False),
            "later": _find_neighbour(league, selected_game, later=True),
            **_build_days_context(league, view),
        },
        {
            "results": partial(map, record_of, lines),
            "worksheets": partial(_serialize_worksheets, system, view),
            **_build_step_tables(stepped),
        },
    )


def _build_days_context(league: League, view: ShownGame) -> dict[str, Any]:
    """Return the periods towards which a game counts, and the day of its evening if the game was after its midnight.

    Periods go by the calendar: one that begins with that midnight has the game, but not the rest of its evening.
    """
    played_at, zone = view.game.played_at, get_known_zone_name(league.time_zone)
    evening = compute_evening_day(league, played_at)
    starts_at = start_of_day(evening, zone)
    periods = load_periods_at(league, played_at) if view.status in ("rated", "pending") else []
    return {
        "late_evening": evening if compute_local_date(played_at, zone) > evening else None,
        "periods": [(period, period.starts_at > starts_at) for period in periods],
    }


def _explain_unrated(game: Game, purpose: str) -> str:
    """Return why a game is not rated: because of its ``purpose``, else because of its kind."""
    if purpose:
        return _("The games of {title} are not rated.").format(title=isolate_direction(purpose))
    return _(UNRATED[Game.Kind(game.kind)])


def _build_step_tables(stepped: Any) -> dict[str, Rows]:
    """Return the tables of an explanation, none without one."""
    return {name: partial(lambda name: step_tables(stepped)[name], name) for name in STEPS if stepped}


def has_result_of_two(finish: Sequence[Finisher]) -> bool:
    """Return whether a game is shown by the result of two sides instead of places."""
    pair = read_game_of_two(finish)
    return bool(pair and pair.result)


def build_duel(view: ShownGame, finish: Sequence[Finisher], explained: ExplainedGame | None) -> Duel | None:
    """Return a played game as a duel; None for void games, and without a result between two sides."""
    pair = read_game_of_two(finish)
    is_played = view.game.kind in (Game.Kind.PLAYED, Game.Kind.FRIENDLY)
    if view.status == "void" or not is_played or not pair or not pair.result:
        return None
    return Duel(pair, _find_expected_shares(explained, pair) if explained else None)


def _find_expected_shares(explained: ExplainedGame, pair: GameOfTwo[Finisher]) -> tuple[float, float] | None:
    """Return what the system expected of two sides as shares; None if it expects nothing, or scores."""
    first, second = (_find_expectation(explained, side[0]) for side in pair.sides)
    if first is None or second is None:
        return None
    # Scores that a system expects are shares if they are 1 together.
    is_share = not explained.system.expects or abs(first + second - 1.0) < SAME_SHARE
    return (first, second) if is_share else None


def _build_duel_context(league: League, view: ShownGame, duel: Duel | None) -> dict[str, Any]:
    """Return a duel; of two players, what their sides are called, and their other games."""
    if duel is None or any(len(side) > 1 for side in duel.game.sides):
        return {"duel": duel}
    first, second = (side[0].result.player for side in duel.game.sides)
    return {
        "duel": duel,
        "side_names": list_sides_of_game(league, view.game),
        "common": _load_common_games(league, first, second, view.game.number),
    }


def _load_common_games(league: League, first: Player, second: Player, number: int) -> CommonGames | None:
    """Return the games of two players as seen from one of them; None if it is the only one."""
    games = list_common_games(league, first, second)
    if len(games) < 2:
        return None
    at = [game.number for game in games].index(number)
    earlier, later = games[at - 1] if at else None, games[at + 1] if at + 1 < len(games) else None
    return CommonGames(first, second, len(games), earlier, later)


def _find_expectation(explained: ExplainedGame, line: Finisher) -> float | None:
    """Return what the system expected of a player, None if it expects nothing."""
    system, keys = explained.system, [figure.key for figure in explained.system.figures]
    if not system.expectation:
        return None
    seat = explained.handles.index(line.result.player.handle)
    return float(explained.rated.figures[seat][keys.index(system.expectation)])


def record_of(line: ResultRow) -> dict[str, Any]:
    """Return a line of a game as data."""
    player, change = line.result.player, line.change
    record = {"finish": line.finish, "player": player.handle, "name": player.name, "seat": line.result.seat}
    names = ("change", "before", "after", "games")
    rated = {name: None if change is None else getattr(change, name) for name in names}
    return {**record, "place": line.result.place, "side": line.result.side, "score": line.result.score, **rated}


def _serialize_worksheets(system: RatingSystem | None, view: ShownGame) -> list[dict[str, Any]]:
    """Return the worksheets of a game as data."""
    keys = [spec.key for spec in system.worksheet.fields] if system and system.worksheet else []
    rows = list_worksheets(system, view) if system else []
    return [{"name": row["name"], **dict(zip(keys, row["values"], strict=True)), "score": row["score"]} for row in rows]


def sort_finishers(view: ShownGame, rules: Sequence[Rule]) -> list[Finisher]:
    """Return the lines of a game as its table lists them, by the rule in force when it was played."""
    lines = list_finishers([line.result for line in view.results], build_system_at(rules, view.game.played_at))
    return order_lines_for_tables(lines)


def build_result_rows(view: ShownGame, finish: Sequence[Finisher]) -> list[ResultRow]:
    """Return lines with their rating changes."""
    changes = {line.result.pk: line.change for line in view.results}
    rated = view.status == "rated"
    results = [line.result for line in finish]
    return [
        ResultRow(line.finish, line.winner, line.result, changes[line.result.pk] if rated else None, figure)
        for line, figure in zip(finish, list_figures(results), strict=True)
    ]


def _find_neighbour(league: League, game: Game, *, later: bool) -> GameAtTime | None:
    """Return the previous or next game that is not void; None if there is none."""
    games = Game.objects.counting().filter(league=league)
    if later:
        games = filter_after_game(games, *game.position, game.number).order_by("played_at", "order_key", "number")
    else:
        games = filter_before_game(games, *game.position, game.number).order_by("-played_at", "-order_key", "-number")
    row = games.values_list("number", "played_at").first()
    return GameAtTime(*row) if row else None
