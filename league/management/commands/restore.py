"""``manage.py restore FILE``: makes a league again of its export, all or nothing."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from league.core.text.numbers import counted
from league.core.transfer.services.restore import restore_league
from league.management.operator import OPERATOR, OperatorCommand
from league.management.progress import Bars


class Command(OperatorCommand):
    """Restore one league from an export in NDJSON, packed with gzip or not."""

    help = "Makes a league again of its export (NDJSON, gzip too) and replays it. All or nothing; errors name the line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file and the slug."""
        parser.add_argument("file", type=Path, help="what export printed, or the API's export answered")
        parser.add_argument("--slug", help="another slug than the one in the file")
        parser.add_argument(
            "--known-players", action="store_true", help="equal handles are the same people, whatever their names"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore, and say what is there now."""
        try:
            with options["file"].open("rb") as source, Bars(sys.stderr) as progress:
                done = restore_league(
                    source,
                    slug=options["slug"],
                    known_players=options["known_players"],
                    by=OPERATOR.name,
                    progress=progress,
                )
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        self.stdout.write(
            f"Restored {done.league.title} as {done.league.slug}: {counted(done.games, 'game')}, "
            f"{counted(done.editions, 'edition')}, {counted(done.entries, 'entry', 'entries')} of the log."
        )
        if done.reports:
            self.stdout.write(
                f"{counted(done.reports, 'report')} of players came with it, to be confirmed or decided here. "
                "Links stayed where they were made: new ones are made at the desk, under Reports and links."
            )
