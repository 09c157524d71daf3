"""Builds the rows of a leaderboard: plain dicts with numbers at full precision."""

from typing import Any


def render_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the leaderboard."""
    names = ("rank", "name", "score", "rating", "games", "change")
    figures = {name: row[name] for name in names}
    whose = {"player": row["handle"], "last_game": row["last_at"]}
    return {**figures, **whose, "state": row["state"], "provisional": row["provisional"]}
