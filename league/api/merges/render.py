"""Builds the answers about merges."""

from typing import Any

from league.api.dry_runs.render import render_diff
from league.models import League, Merge
from league.services.dry_runs.diff import Diff


def render_merge(merge: Merge) -> dict[str, Any]:
    """Return a merge."""
    names = ("at", "by", "undone_at", "undone_by")
    handles = {"player": merge.player.handle, "into": merge.into.handle}
    return {**handles, **{name: getattr(merge, name) for name in names}}


def render_diffs(diffs: list[tuple[League, Diff]]) -> dict[str, Any]:
    """Return what a change would do in each affected league."""
    return {"leagues": [{"league": league.slug, **render_diff(diff)} for league, diff in diffs]}
