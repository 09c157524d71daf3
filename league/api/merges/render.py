"""Builds the answers about merges."""

from typing import Any

from league.api.dry_runs.render import diff_shape
from league.models import League, Merge
from league.services.dry_runs.diff import Diff


def merge_shape(merge: Merge) -> dict[str, Any]:
    """Return a merge."""
    names = ("at", "by", "undone_at", "undone_by")
    handles = {"player": merge.player.handle, "into": merge.into.handle}
    return {**handles, **{name: getattr(merge, name) for name in names}}


def diffs_shape(diffs: list[tuple[League, Diff]]) -> dict[str, Any]:
    """Return what a change would do in each league concerned."""
    return {"leagues": [{"league": league.slug, **diff_shape(diff)} for league, diff in diffs]}
