"""Builds what a change would do."""

from typing import Any

from league.services.dry_runs.diff import Diff, serialize


def render_diff(diff: Diff) -> dict[str, Any]:
    """Return what a change would do."""
    return serialize(diff)
