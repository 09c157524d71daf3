"""``manage.py drill``: makes tonight's backup and tries it now, as the workers do every night."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from league.models import Drill
from league.selectors.backups import newest_drills
from league.services.backup.drill import try_tonight


class Command(BaseCommand):
    """Try a backup, and say what was found; exit 1 where it is bad."""

    help = "Makes a backup in RUNGS_BACKUP_DIR, restores it beside the site, compares it and verifies some leagues."

    def handle(self, *args: Any, **options: Any) -> None:
        """Try."""
        if not settings.RUNGS_BACKUP_DIR:
            raise CommandError("RUNGS_BACKUP_DIR is not set: say in which folder backups are kept.")
        if not try_tonight(again=True):
            raise CommandError("A worker is at it.")
        (drill,) = newest_drills(1)
        if drill.state != Drill.State.GOOD:
            raise CommandError(drill.problem)
        self.stdout.write(f"{drill.backup} was restored and is good: {json.dumps(drill.result)}")
