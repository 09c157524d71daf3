"""What apps have against merging two players (``Data.merge_guard`` of a capability)."""

from typing import NamedTuple


class MergeRefusal(NamedTuple):
    """Why two players cannot be merged: a league, a code, and a sentence about its data, which says what to do."""

    league: int
    code: str
    detail: str
