"""``rungs restore``: creates a league from its export, all of it or nothing."""

import json
import sys
from typing import Any

from django.core.management.base import CommandError

from league.cli.league_commands import RESTORE
from league.core.text.display_formats import format_count
from league.core.transfer.export_parts import load_export_parts
from league.core.transfer.services.restore import restore_league
from league.web.terminal.operator import OPERATOR, OperatorCommand
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Restore a league from an export in NDJSON, with or without gzip."""

    entry = RESTORE

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore the league, and print its counts."""
        try:
            with options["file"].open("rb") as source, Bars(sys.stderr) as progress:
                result = restore_league(
                    source,
                    slug=options["slug"],
                    known_players=options["known_players"],
                    by=OPERATOR.name,
                    progress=progress,
                )
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        if options["json"]:
            self.stdout.write(json.dumps({**vars(result), "league": result.league.slug}))
            return
        self.stdout.write(
            f"Restored {result.league.title} as {result.league.slug}: {format_count(result.games, 'game')}, "
            f"{format_count(result.editions, 'edition')}, "
            f"{format_count(result.entries, 'entry', 'entries')} of the log."
        )
        for export_part in load_export_parts():
            if count := result.parts.get(export_part.kind):
                self.stdout.write(export_part.describe_restored(count))
