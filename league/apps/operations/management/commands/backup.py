"""``manage.py backup [FOLDER]``: backs the whole site up while it runs, and proves the copy."""

import json
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from league.apps.operations.services.backup import BackupProblem, make_backup
from league.apps.operations.services.nightly_backup import back_up
from league.cli.site_commands import BACKUP
from league.core.text.display_formats import format_count
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Make a backup, and print what is in it; exit 1 if the copy is not proved."""

    entry = BACKUP

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up."""
        folder, keep = options["folder"], options["keep"]
        if folder is None and not settings.RUNGS_BACKUP_DIR:
            raise CommandError("Name a folder, or set RUNGS_BACKUP_DIR.")
        if keep < 0:
            raise CommandError("--keep must be 1 or more.")
        try:
            copy = make_backup(folder, keep=keep) if folder else back_up()
        except BackupProblem as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            self.stdout.write(json.dumps({**asdict(copy), "bytes": copy.path.stat().st_size}, default=str))
            return
        self.stdout.write(
            f"{copy.path}: {format_count(copy.leagues, 'league')}, "
            f"{format_count(copy.entries, 'entry', 'entries')} of logs, "
            f"{copy.path.stat().st_size / 1e6:,.1f} MB, restored and verified."
        )
