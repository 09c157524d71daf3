"""``manage.py backup FOLDER``: backs the whole site up while it runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.figures import counted
from league.services.backup.files import megabytes
from league.services.backup.make import make_backup
from league.services.backup.manifest import MANIFEST, SECRETS, file_facts
from league.services.backup.problems import BackupProblem


class Command(BaseCommand):
    """Make a backup, and say what is in it."""

    help = "Backs the whole site up while it runs: database, and secrets if asked for, with a manifest of checksums."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder."""
        parser.add_argument("folder", type=Path, help="where backups are kept; each is a folder in it")
        parser.add_argument("--keep", type=positive, default=0, metavar="N", help="delete all but the N newest")
        parser.add_argument(
            "--with-secrets", action="store_true", help=f"also the site's keys, in {SECRETS}: keep it as you keep keys"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up."""
        try:
            made = make_backup(options["folder"], keep=options["keep"], secrets=options["with_secrets"])
        except BackupProblem as error:
            raise CommandError(str(error)) from None
        facts = made.manifest.facts
        self.stdout.write(
            f"{made.path}: {counted(len(facts.leagues), 'league')}, {counted(facts.games, 'game')}, "
            f"{counted(facts.entries, 'entry', 'entries')} of logs, {megabytes(made.size)}."
        )
        self.stdout.write(f"SHA-256 of {MANIFEST}: {file_facts(made.path / MANIFEST)['sha256']}")
        if not options["with_secrets"]:
            self.stdout.write(
                "Not in it: the key that signs heads and the site's secret (--with-secrets, or keep them elsewhere)."
            )


def positive(text: str) -> int:
    """Read a number from 1 on."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
