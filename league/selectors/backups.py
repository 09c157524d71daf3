"""Backups: how old the last one is that was restored and found good, and how the last nights went."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from league.models import Drill


@dataclass(frozen=True)
class BackupState:
    """How the site's backups are."""

    wanted: bool
    """Whether RUNGS_BACKUP_DIR has one made every night."""
    last: Drill | None
    """The last night's, whatever became of it."""
    good_at: datetime | None
    """When the last one ended that was restored and found good."""
    age: float | None
    """Seconds since then; None where there never was one."""

    @property
    def failing(self) -> bool:
        """Tell whether the last drill that ended was bad."""
        return self.last is not None and self.last.state == Drill.State.BAD


def backup_state(now: datetime) -> BackupState:
    """Return how the site's backups are: two questions."""
    good = Drill.objects.filter(state=Drill.State.GOOD, ended_at__isnull=False)
    good_at = good.order_by("-ended_at").values_list("ended_at", flat=True).first()
    last = Drill.objects.filter(ended_at__isnull=False).order_by("-night").first()
    age = None if good_at is None else max((now - good_at).total_seconds(), 0.0)
    return BackupState(bool(settings.RUNGS_BACKUP_DIR), last, good_at, age)


def newest_drills(most: int) -> list[Drill]:
    """Return the last nights' drills, the newest first."""
    return list(Drill.objects.order_by("-night")[:most])
