"""Builds the rows of a leaderboard: plain dicts with numbers at full precision."""

from typing import Any

from league.selectors.leaderboard.rows import Row


def render_row(row: Row) -> dict[str, Any]:
    """Return a row of the leaderboard."""
    return {
        "rank": row.rank,
        "name": row.name,
        "score": row.score,
        "rating": row.rating,
        "games": row.games,
        "change": row.change,
        "player": row.handle,
        "last_game": row.last_at,
        "state": row.state,
        "provisional": row.provisional,
    }
