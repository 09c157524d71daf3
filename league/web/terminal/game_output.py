"""Output of games, and of dry runs."""

from typing import Any

from league.core.dry_runs.services.diff import Diff
from league.core.games.selectors.games import ShownGame, ShownResult, load_games
from league.core.text.display_formats import format_count, format_number, format_signed
from league.models import Game, League
from league.models.facts import RESULT, list_recorded_values
from league.web.api.core.schemas import render_fields
from league.web.api.games.serializers import StoredGameShape
from league.web.terminal.output import format_table

#: The numbers of a rated result: name in the output -> name of the field.
RATED_FIELDS = {
    "rating_before": "before",
    "rating_after": "after",
    "change": "change",
    "games": "games",
    "performance": "performance",
}
#: What only the API tells of a game.
API_ONLY = ("id", "url", "metadata")


def read_game(league: League, game: Game) -> ShownGame:
    """Return a game with its current results."""
    league.refresh_from_db(fields=["stale_from", "stale_key"])
    return load_games(league, Game.objects.filter(pk=game.pk))[0]


def serialize_game(league: League, view: ShownGame) -> dict[str, Any]:
    """Return a game as JSON types, with the names of the API."""
    own = {
        "league": league.slug,
        "status": view.status,
        "results": [_serialize_result(line, view.status) for line in view.results],
        "details": view.game.fields,
        "replaces": view.replaces,
        "replaced_by": view.replaced_by,
    }
    values = render_fields(StoredGameShape, view.game, **dict.fromkeys(API_ONLY), **own)
    return {"league": league.slug, **{name: value for name, value in values.items() if name not in API_ONLY}}


def _serialize_result(line: ShownResult, status: str) -> dict[str, Any]:
    change = line.change if status == "rated" else None
    return {
        "seat": line.result.seat,
        "player": line.result.player.handle,
        "name": line.result.player.name,
        **dict(zip(RESULT, list_recorded_values(line.result), strict=True)),
        **{name: None if change is None else getattr(change, field) for name, field in RATED_FIELDS.items()},
    }


def describe_game(league: League, view: ShownGame, decimals: int) -> str:
    """Return a game as lines for a terminal."""
    rows: list[list[object]] = [["Player", "Score", "Place", "Before", "After", "Change"]]
    for line in (_serialize_result(result, view.status) for result in view.results):
        ratings = [format_number(line["rating_before"], decimals), format_number(line["rating_after"], decimals)]
        score = "–" if line["score"] is None else f"{line['score']:g}"
        rows.append([line["name"], score, line["place"] or "–", *ratings, format_signed(line["change"], decimals)])
    title = f"Game {view.game.number} of {league.title}, {view.game.played_at:%Y-%m-%d %H:%M} UTC, {view.status}"
    return f"{title}\n{format_table(rows)}"


def describe_difference(difference: Diff, decimals: int) -> str:
    """Return the result of a dry run as lines for a terminal."""
    count = difference.games_replayed
    lines = [f"Nothing was saved. {format_count(count, 'game') if count else 'No game'} would be rated again."]
    rows: list[list[object]] = [["Player", "Before", "After"]]
    rows += [
        [rating.name, format_number(rating.before, decimals), format_number(rating.after, decimals)]
        for rating in difference.ratings
    ]
    if difference.ratings:
        lines.append(format_table(rows))
    for period in difference.periods:
        state = ", which is closed" if period.closed else ""
        winners = "; the winners change" if period.winners_change else ""
        lines.append(
            f"{period.title}, {period.period}{state}: {format_count(len(period.lines), 'line')} change{winners}."
        )
    return "\n".join(lines)
