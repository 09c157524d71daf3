"""``manage.py import_games LEAGUE FILE``: games by the thousand, all or nothing."""

import json
import sys
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from league.apps.imports.services.run import ImportOptions, ImportReport, guess_media, import_games, preview_report
from league.cli.league_commands import IMPORT
from league.core.errors import BadFile, RungsError, describe_more_problems
from league.core.text.display_formats import counted, were
from league.web.terminal.operator import OperatorCommand, find
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Import a file of CSV or lines of JSON, packed with gzip or not."""

    entry = IMPORT

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, and say what was done or every line that is wrong."""
        start = time.monotonic()
        try:
            league = find(options["league"])
            with options["file"].open("rb") as source, Bars(sys.stderr) as progress:
                media, create = guess_media(options["file"].name), options["create_players"]
                chosen = ImportOptions("import", media, create, compiled=True)
                if options["dry_run"]:
                    report = preview_report(league, source, chosen, progress)
                else:
                    report = import_games(league.pk, source, chosen, progress)
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        if options["json"]:
            self.stdout.write(json.dumps({"dry_run": options["dry_run"], **asdict(report)}))
            return
        self.say(report, options["dry_run"], time.monotonic() - start)

    def describe(self, error: RungsError, options: dict[str, Any]) -> str:
        """Return every problem that is named on a line of its own, and how many more there are."""
        if not isinstance(error, BadFile):
            return error.detail
        lines = ["Nothing was imported.", *(problem.detail for problem in error.problems)]
        lines.append(describe_more_problems(error.count - len(error.problems)).strip())
        if not options["create_players"] and any(problem.code == "unknown_player" for problem in error.problems):
            lines.append("With --create-players, players who are not known are added.")
        return "\n".join(line for line in lines if line)

    def say(self, report: ImportReport, dry_run: bool, seconds: float) -> None:
        """Print what was done, or would be."""
        if report.ignored:
            self.stdout.write(f"Columns without a meaning here, left aside: {', '.join(report.ignored)}.")
        verb = "Would import" if dry_run else "Imported"
        self.stdout.write(
            f"{verb} {counted(report.games, 'game')} with {counted(report.results, 'result')}; "
            f"{report.known:,} {were(report.known)} there already; {counted(report.created_players, 'player')} added; "
            f"{counted(report.replayed, 'game')} rated; {seconds:.1f} s."
        )
