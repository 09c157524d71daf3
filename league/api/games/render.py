"""Builds the answers about games: plain dicts with numbers at full precision."""

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.reverse import reverse

from league.api.leagues.render import render_rule
from league.models import Game, League, Player
from league.models.declared import RESULT, said_by
from league.selectors.games import ShownGame, ShownResult
from league.services.imports.together import FIGURES, New
from league.services.recording.explain import Explained
from ratings.describe.explaining import explain


def render_game(request: Request, league: League, shown: ShownGame) -> dict[str, Any]:
    """Return a game as it stands."""
    url = reverse("api:game", [league.slug, shown.game.number], request=request)
    lines = [render_result(line, shown.status) for line in shown.results]
    return render_sheet(league, url, shown.game, shown.status, lines, (shown.replaces, shown.replaced_by))


def render_new(url: str, league: League, new: New) -> dict[str, Any]:
    """Return a game that was just recorded with others as ``render_game`` does; ``url`` is its own."""
    lines = [
        render_line(seat, player, said_by(line), figures) for seat, (player, line, figures) in enumerate(new.lines, 1)
    ]
    return render_sheet(league, url, new.game, new.status, lines)


def render_sheet(
    league: League,
    url: str,
    game: Game,
    status: str,
    lines: Sequence[dict[str, Any]],
    replaced: tuple[int | None, int | None] = (None, None),
) -> dict[str, Any]:
    """Return a game with its lines; ``replaced``: which game it replaces, and which one replaces it."""
    papers = [{"worksheet": row} for row in game.worksheets] or [{}] * len(lines)
    return {
        "id": game.number,
        "league": league.slug,
        "url": url,
        "external_id": game.external_id,
        "played_at": game.played_at,
        "recorded_at": game.recorded_at,
        "recorded_by": game.recorded_by,
        "kind": game.kind,
        "status": status,
        "results": [{**line, **paper} for line, paper in zip(lines, papers, strict=True)],
        "details": game.fields,
        "note": game.note,
        "weight": game.weight,
        "void_reason": game.void_reason,
        "replaces": replaced[0],
        "replaced_by": replaced[1],
    }


def render_result(line: ShownResult, status: str) -> dict[str, Any]:
    """Return one player's line; while a replay is on its way the old figures are not shown."""
    change = line.change if status == "rated" else None
    figures = [None if change is None else getattr(change, name) for name in FIGURES]
    return render_line(line.result.seat, line.result.player, said_by(line.result), figures)


def render_line(seat: int, player: Player, said: Sequence[Any], figures: Sequence[Any]) -> dict[str, Any]:
    """Return one player's line, given what RESULT and FIGURES name."""
    before, after, change, games, performance = figures
    return {
        "seat": seat,
        "player": player.handle,
        "name": player.name,
        **dict(zip(RESULT, said, strict=True)),
        "rating_before": before,
        "rating_after": after,
        "change": change,
        "games": games,
        "performance": performance,
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
