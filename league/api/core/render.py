"""Builds the answers of the API: plain dicts with numbers at full precision."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.models import League, Player, RatingChange, Rule
from league.selectors.games import ShownGame, ShownResult
from league.selectors.leaderboard.boards import Moved
from league.selectors.player_states import state_after, told_after
from league.selectors.players.cards import Card
from league.selectors.rules import rule_at, system_of
from league.services.recording.explain import Explained
from ratings.contract.system import RatingSystem
from ratings.describe.explaining import explain


def rule_shape(rule: Rule | None) -> dict[str, Any] | None:
    """Return a rule."""
    if rule is None:
        return None
    return {"from": rule.from_date, "system": rule.system, "parameters": rule.parameters}


def league_shape(request: Request, league: League, rule: Rule | None) -> dict[str, Any]:
    """Return a league with the rule in force."""
    names = (
        "slug", "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days",
        "close_after_hours", "closing",
    )  # fmt: skip
    return {
        **{name: getattr(league, name) for name in names},
        "rule": rule_shape(rule),
        "url": reverse("api:league", [league.slug], request=request),
    }


def player_shape(request: Request, player: Player, aliases: Sequence[str], active: bool) -> dict[str, Any]:
    """Return a player with the spellings that the asker may know; the handle is a spelling, too, but no alias."""
    return {
        "handle": player.handle,
        "name": player.name,
        "aliases": list(aliases),
        "active": active,
        "url": reverse("api:player", [player.handle], request=request),
    }


def game_shape(request: Request, league: League, shown: ShownGame) -> dict[str, Any]:
    """Return a game as it stands."""
    game = shown.game
    papers = [{"worksheet": row} for row in game.worksheets] or [{}] * len(shown.results)
    return {
        "id": game.number,
        "league": league.slug,
        "url": reverse("api:game", [league.slug, game.number], request=request),
        "external_id": game.external_id,
        "played_at": game.played_at,
        "recorded_at": game.recorded_at,
        "recorded_by": game.recorded_by,
        "kind": game.kind,
        "status": shown.status,
        "results": [
            {**result_shape(line, shown.status), **paper} for line, paper in zip(shown.results, papers, strict=True)
        ],
        "details": game.fields,
        "note": game.note,
        "void_reason": game.void_reason,
        "replaces": shown.replaces,
        "replaced_by": shown.replaced_by,
    }


def result_shape(line: ShownResult, status: str) -> dict[str, Any]:
    """Return one player's line; while a replay is on its way the old figures are not shown."""
    change = line.change if status == "rated" else None
    return {
        "seat": line.result.seat,
        "player": line.result.player.handle,
        "name": line.result.player.name,
        "score": line.result.score,
        "place": line.result.place,
        "rating_before": change.before if change else None,
        "rating_after": change.after if change else None,
        "change": change.change if change else None,
        "games": change.games if change else None,
        "performance": change.performance if change else None,
    }


def row_shape(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the leaderboard."""
    names = ("rank", "name", "score", "rating", "games", "change")
    told = {**{name: row[name] for name in names}, "player": row["handle"], "last_game": row["last_at"]}
    return {**told, "state": row["state"], "provisional": row["provisional"]}


def card_shape(card: Card, form: list[RatingChange], opponents: list[dict[str, Any]]) -> dict[str, Any]:
    """Return where a player stands in a league."""
    return {
        "player": card.player.handle,
        "name": card.player.name,
        "rating": card.rating,
        "score": card.score,
        "rank": card.rank,
        "unlisted": card.unlisted,
        "active": card.active,
        "games": card.games,
        "peak": card.peak,
        "last_game": card.last_at,
        "state": card.state,
        "provisional": card.provisional,
        "form": [{"game": line.number, "played_at": line.at, "change": line.change} for line in form],
        "opponents": opponents,
    }


def change_shape(line: RatingChange, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return a line of a player's history; ``rules`` are the league's."""
    game = line.cause == RatingChange.Cause.GAME
    games = line.games if game else line.games - 1
    return {
        "cause": line.cause,
        "game": line.number if game else None,
        "at": line.at,
        "before": line.before,
        "after": line.after,
        "change": line.change,
        "games": games,
        **told_after(system_then(rules, line.at), state_after(line), games),
    }


def system_then(rules: Sequence[Rule], moment: datetime) -> RatingSystem:
    """Return the system by the rule that was in force at a moment at which a rating changed."""
    rule = rule_at(rules, moment)
    assert rule is not None, "what is rated has a rule"
    return system_of(rule)


def moved_shape(moved: Moved, rules: Sequence[Rule]) -> dict[str, Any]:
    """Return the line of a player's history that no game of his own has settled yet."""
    return {
        "cause": RatingChange.Cause.POOL,
        "game": None,
        "at": moved.at,
        "before": moved.before,
        "after": moved.after,
        "change": moved.after - moved.before,
        "games": moved.games,
        **told_after(system_then(rules, moved.at), moved.state, moved.games),
    }


def explanation_shape(explained: Explained) -> dict[str, Any]:
    """Return why the ratings changed in a game."""
    told = explain(explained.system, explained.sheet, explained.rated)
    people = list(zip(explained.handles, explained.names, strict=True))
    return {
        "game": explained.game.number,
        "system": explained.rule.system,
        "rule": rule_shape(explained.rule),
        "formula": explained.system.wording().formula,
        "inputs": {"details": dict(explained.sheet.fields), "parameters": explained.system.to_json()},
        "players": [
            {"player": handle, "name": name, **seat} for (handle, name), seat in zip(people, told["seats"], strict=True)
        ],
        "pairs": [
            {**pair, "players": [explained.handles[seat - 1] for seat in pair["seats"]]} for pair in told["pairs"]
        ],
        "shift": told["shift"],
    }
