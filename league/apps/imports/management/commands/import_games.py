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
from league.core.text.display_formats import format_count, get_past_verb
from league.web.terminal.operator import OperatorCommand, get_league
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Import a file of CSV or lines of JSON, packed with gzip or not."""

    entry = IMPORT

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, and say what was done or every line that is wrong."""
        start = time.monotonic()
        try:
            league = get_league(options["league"])
            with options["file"].open("rb") as source, Bars(sys.stderr) as progress:
                media, create = guess_media(options["file"].name), options["create_players"]
                import_options = ImportOptions(
                    "import", media, create, compiled=True, encoding=options["encoding"], order=options["day_order"]
                )
                if options["dry_run"]:
                    report = preview_report(league, source, import_options, progress)
                else:
                    report = import_games(league.pk, source, import_options, progress)
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
            f"{verb} {format_count(report.games, 'game')} with {format_count(report.results, 'result')}; "
            f"{report.known:,} {get_past_verb(report.known)} there already; "
            f"{format_count(report.created_players, 'player')} added; "
            f"{format_count(report.replayed, 'game')} rated; {seconds:.1f} s."
        )
