"""``manage.py backup [FOLDER]``: backs the whole site up while it runs, and proves the copy."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from league.apps.operations.services.backup import BackupProblem, make_backup
from league.apps.operations.services.nightly_backup import back_up
from league.core.text.numbers import counted


class Command(BaseCommand):
    """Make a backup, and print what is in it; exit 1 if the copy is not proved."""

    help = "Backs the whole site up while it runs, restores the copy into a scratch database and verifies it there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder."""
        parser.add_argument("folder", type=Path, nargs="?", help="another folder than RUNGS_BACKUP_DIR")
        parser.add_argument("--keep", type=int, default=0, metavar="N", help="delete all but its N newest")

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up."""
        folder, keep = options["folder"], options["keep"]
        if folder is None and not settings.RUNGS_BACKUP_DIR:
            raise CommandError("Name a folder, or set RUNGS_BACKUP_DIR.")
        if keep < 0:
            raise CommandError("--keep must be 1 or more.")
        try:
            made = make_backup(folder, keep=keep) if folder else back_up()
        except BackupProblem as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{made.path}: {counted(made.leagues, 'league')}, {counted(made.entries, 'entry', 'entries')} of logs, "
            f"{made.path.stat().st_size / 1e6:,.1f} MB, restored and verified."
        )
