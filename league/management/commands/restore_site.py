"""``manage.py restore-site FOLDER``: brings a whole site back from a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.figures import counted
from league.services.backup.bring_back import bring_site_back
from league.services.backup.problems import BackupProblem


class Command(BaseCommand):
    """Restore a site, and say what is there now."""

    help = "Brings a whole site back from a backup: checks it, restores it beside, compares it, and puts it in place."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the backup."""
        parser.add_argument("backup", type=Path, help="a backup, a folder of backups (the newest is taken), or its tar")
        parser.add_argument(
            "--replace", action="store_true", help="put it in the place of a site with data, which keeps another name"
        )
        parser.add_argument(
            "--with-secrets",
            action="store_true",
            help="also write the keys of the backup into RUNGS_VAR, that of heads where RUNGS_HEAD_KEY says",
        )
        parser.add_argument(
            "--sha256", default="", metavar="HEX", help="SHA-256 of manifest.json, as it was told when it was made"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore."""
        try:
            done = bring_site_back(
                options["backup"],
                replace=options["replace"],
                secrets=options["with_secrets"],
                sha256=options["sha256"],
            )
        except BackupProblem as error:
            raise CommandError(str(error)) from None
        facts = done.backup.manifest.facts
        self.stdout.write(
            f"Restored {done.backup.path.name}, made {done.backup.manifest.made_at}: "
            f"{counted(len(facts.leagues), 'league')}, {counted(facts.games, 'game')}, "
            f"{counted(facts.entries, 'entry', 'entries')} of logs. "
            "Every file has its checksum, every table its rows, every log its length and its head."
        )
        for sentence in done.said:
            self.stdout.write(sentence)
        if done.old:
            self.stdout.write(f"What stood there before is {done.old}: remove it when you need it no more.")
        if done.pending:
            self.stdout.write(
                f"The backup is of an earlier version, {counted(len(done.pending), 'migration')} behind this one. "
                "Run script/manage migrate before the site serves."
            )
        self.stdout.write("Next: script/manage verify holds every league's books to its log.")
