"""Builds the answers about second boards: plain dicts with numbers at full precision."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.utils import translation

from league.models import SecondBoard
from league.selectors.leaderboard.second import SecondRow, is_behind, system_of_board
from ratings.describe.values import label_of


def render_second_board(board: SecondBoard, rows: Sequence[SecondRow], following: str | None) -> dict[str, Any]:
    """Return a second board with a page of its rows."""
    with translation.override(settings.LANGUAGE_CODE):
        title = label_of(system_of_board(board))
    return {
        "league": board.league.slug,
        "system": board.system,
        "title": title,
        "parameters": board.parameters,
        "chosen_at": board.chosen_at,
        "made_at": board.made_at,
        "up_to_date": not is_behind(board),
        "games": board.games,
        "last_game": board.last_number,
        "why_not": board.why_not and board.why_not["sentence"],
        "results": [render_second_row(row) for row in rows],
        "next": following,
    }


def render_second_row(row: SecondRow) -> dict[str, Any]:
    """Return a row of a second board."""
    return {
        "rank": row.rank,
        "official_rank": row.official_rank,
        "name": row.player.name,
        "score": row.score,
        "rating": row.rating,
        "games": row.games,
        "player": row.player.handle,
        "state": row.state,
        "provisional": row.provisional,
    }
