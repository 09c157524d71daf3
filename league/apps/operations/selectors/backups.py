"""How old the last proved backup is, and whether the last attempt failed."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from league.models import Sign

#: Signs of a backup that was proved, and of one that was not.
GOOD, BAD = "backup.good", "backup.bad"


@dataclass(frozen=True)
class BackupState:
    """The state of the site's backups."""

    wanted: bool
    """Whether RUNGS_BACKUP_DIR has one made every night."""
    good_at: datetime | None
    """When the last one was proved."""
    failing: bool
    """Whether the last attempt failed."""


def load_backup_state() -> BackupState:
    """Return the state of the site's backups: one query."""
    heard = {sign.name: sign.at for sign in Sign.objects.filter(name__in=(GOOD, BAD))}
    good, bad = heard.get(GOOD), heard.get(BAD)
    return BackupState(bool(settings.RUNGS_BACKUP_DIR), good, bad is not None and (good is None or good < bad))
