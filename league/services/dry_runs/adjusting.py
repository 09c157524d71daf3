"""What an adjustment, or its end, would change: each a dry run of the real thing."""

from datetime import datetime

from django.utils import timezone

from league.models import League, Player
from league.selectors.adjustments import find_adjustment
from league.services.dry_runs.diff import Diff
from league.services.dry_runs.rollback import dry_run
from league.services.dry_runs.run import NOBODY
from league.services.jobs.progress import Progress
from league.services.recording.adjusting import Points, adjust, void_adjustment
from league.services.replay.history import Position


def preview_adjustment(league: League, player: Player, points: Points, progress: Progress | None = None) -> Diff:
    """Tell what an adjustment would change; raises what ``adjust`` raises."""
    since = position_of(points.at)
    return dry_run(league.pk, since, lambda: adjust(league.pk, player, points, by=NOBODY), progress)


def preview_adjustment_void(league: League, number: int, reason: str, progress: Progress | None = None) -> Diff:
    """Tell what voiding an adjustment would change; raises what ``void_adjustment`` raises."""
    since = position_of(find_adjustment(league, number).at)
    return dry_run(league.pk, since, lambda: void_adjustment(league.pk, number, reason=reason, by=NOBODY), progress)


def position_of(at: datetime | None) -> Position:
    """Return where an adjustment of a moment (None: now) stands in the order."""
    return (at or timezone.now(), 0)
