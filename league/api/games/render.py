"""Builds the answers about games: plain dicts with numbers at full precision."""

from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.api.leagues.render import render_rule
from league.models import League
from league.models.declared import RESULT, said_by
from league.selectors.games import ShownGame, ShownResult
from league.services.imports.together import Rated
from league.services.recording.explain import Explained
from ratings.describe.explaining import explain


def render_game(request: Request, league: League, shown: ShownGame) -> dict[str, Any]:
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
            {**render_result(line, shown.status), **paper} for line, paper in zip(shown.results, papers, strict=True)
        ],
        "details": game.fields,
        "note": game.note,
        "weight": game.weight,
        "void_reason": game.void_reason,
        "replaces": shown.replaces,
        "replaced_by": shown.replaced_by,
    }


def render_rated(rated: Rated, league: League, url: str) -> dict[str, Any]:
    """Return a game that was just recorded with others as ``render_game`` does; ``url`` is its own."""
    sheet = rated.sheet
    lines = zip(rated.players, sheet.results, rated.figures, strict=True)
    return {
        "id": rated.number,
        "league": league.slug,
        "url": url,
        "external_id": sheet.external_id,
        "played_at": sheet.played_at,
        "recorded_at": rated.recorded_at,
        "recorded_by": rated.recorded_by,
        "kind": sheet.kind,
        "status": "rated",
        "results": [
            {
                "seat": seat,
                "player": player.handle,
                "name": player.name,
                **dict(zip(RESULT, said_by(result), strict=True)),
                "rating_before": before,
                "rating_after": after,
                "change": change,
                "games": games,
                "performance": performance,
            }
            for seat, (player, result, (before, after, change, games, performance)) in enumerate(lines, start=1)
        ],
        "details": sheet.details,
        "note": sheet.note,
        "weight": sheet.weight,
        "void_reason": "",
        "replaces": None,
        "replaced_by": None,
    }


def render_result(line: ShownResult, status: str) -> dict[str, Any]:
    """Return one player's line; while a replay is on its way the old figures are not shown."""
    change = line.change if status == "rated" else None
    return {
        "seat": line.result.seat,
        "player": line.result.player.handle,
        "name": line.result.player.name,
        **dict(zip(RESULT, said_by(line.result), strict=True)),
        "rating_before": change.before if change else None,
        "rating_after": change.after if change else None,
        "change": change.change if change else None,
        "games": change.games if change else None,
        "performance": change.performance if change else None,
    }


def render_explanation(explained: Explained) -> dict[str, Any]:
    """Return why the ratings changed in a game."""
    explanation = explain(explained.system, explained.sheet, explained.rated)
    people = list(zip(explained.handles, explained.names, strict=True))
    return {
        "game": explained.game.number,
        "system": explained.rule.system,
        "rule": render_rule(explained.rule),
        "formula": explained.system.wording().formula,
        "inputs": {"details": dict(explained.sheet.fields), "parameters": explained.system.to_json()},
        "players": [
            {"player": handle, "name": name, **seat}
            for (handle, name), seat in zip(people, explanation["seats"], strict=True)
        ],
        "pairs": [
            {**pair, "players": [explained.handles[seat - 1] for seat in pair["seats"]]}
            for pair in explanation["pairs"]
        ],
        "shift": explanation["shift"],
    }
