"""``manage.py compare LEAGUE --system …``: rating systems tried on a league's own games, here and now."""

import json
import sys
from datetime import date
from typing import Any

from django.core.management.base import CommandError

from league.apps.laboratory.findings import ReportFindings, findings_of
from league.apps.laboratory.services.questions import DRAWS, UNTIL, ExperimentQuestion, checked_question
from league.apps.laboratory.services.run import report_now
from league.cli.league_commands import COMPARE
from league.core.leagues.selectors.rules import rules_of
from league.web.terminal.operator import OperatorCommand, find
from league.web.terminal.progress import Bars
from league.web.terminal.systems import read_system


class Command(OperatorCommand):
    """Compare systems on a league's games; the books are only read."""

    entry = COMPARE

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare, and write a table with sentences."""
        league = find(options["league"])
        question = asked(options).counting(rules_of(league))
        with Bars(sys.stderr) as bars:
            report = report_now(league, question, lambda what, done, total: bars("comparing", done, total))
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=1))
            return
        for line in lines_of(findings_of(report)):
            self.stdout.write(line)


def asked(options: dict[str, Any]) -> ExperimentQuestion:
    """Return the question of the arguments; raises Invalid, and CommandError for what cannot be read."""
    more: dict[str, Any] = {name: day_of(options[name]) for name in ("first", "before") if options[name]}
    if options["warm_up"]:
        more |= warm_up_of(options["warm_up"])
    if options["fit"]:
        more["until_share"] = UNTIL if options["until"] is None else options["until"]
    first, *others = (read_system(text) for text in options["system"])
    draws = DRAWS if options["draws"] is None else options["draws"]
    return checked_question([{**first, "fit": options["fit"]}, *others], draws=draws, **more)


def day_of(text: str) -> date:
    """Read a day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f"“{text}” is no day: write it as 2015-01-01.") from None


def warm_up_of(text: str) -> dict[str, float]:
    """Read a warm-up: a whole number of games, or a share."""
    if text.isascii() and text.isdigit():
        return {"warm_up_games": int(text)}
    try:
        return {"warm_up_share": float(text)}
    except ValueError:
        raise CommandError(f"“{text}” is no warm-up: write a number of games, or a share such as 0.2.") from None


def lines_of(found: ReportFindings) -> list[str]:
    """Return a report as lines for a terminal: what was fitted, a table, then what the systems say."""
    fitted = [f"{fit.label}: {name} {before} → {after}" for fit in found.fits for name, before, after in fit.values]
    head = ["", *(str(one.title) for one in found.measures)]
    table = [
        head,
        *(
            [
                row.label,
                *(
                    figure_with_interval(cell.figure, cell.interval)
                    for cell in row.cells
                    if cell.measure in found.measures
                ),
            ]
            for row in found.rows
        ),
    ]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    facts = ", ".join(f"{label} {count}" for label, count in found.facts)
    said = [
        *(sentence for fit in found.fits for sentence in fit.sentences),
        *(f"{label}: {why}" for label, why in found.unfitted),
        *found.between,
        *found.baseline,
        *(f"{label}: {sentence}" for label, sentence in found.refused),
        *(f"{row.label}: {sentence}" for row in found.rows for sentence in row.sentences),
        *found.notes,
    ]
    return [facts, *fitted, "", *lines, "", *said]


def figure_with_interval(figure: str, interval: str) -> str:
    """Return a figure with its interval; – if there is none."""
    return f"{figure} ({interval})" if interval else figure or "–"
