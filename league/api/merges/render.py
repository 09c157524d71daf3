"""Builds the answers about merges."""

from typing import Any

from league.models import Merge


def render_merge(merge: Merge) -> dict[str, Any]:
    """Return a merge."""
    names = ("at", "by", "undone_at", "undone_by")
    handles = {"player": merge.player.handle, "into": merge.into.handle}
    return {**handles, **{name: getattr(merge, name) for name in names}}
