"""Builds the rows of a leaderboard: plain dicts with numbers at full precision."""

from typing import Any


def row_shape(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the leaderboard."""
    names = ("rank", "name", "score", "rating", "games", "change")
    told = {**{name: row[name] for name in names}, "player": row["handle"], "last_game": row["last_at"]}
    return {**told, "state": row["state"], "provisional": row["provisional"]}
