"""``manage.py compare LEAGUE --system …``: test rating systems on a league's own games."""

import json
import sys
from datetime import date
from typing import Any

from django.core.management.base import CommandError

from league.apps.laboratory.findings import ReportFindings, build_findings
from league.apps.laboratory.services.questions import (
    DEFAULT_DRAWS,
    DEFAULT_EARLIER_SHARE,
    ExperimentQuestion,
    check_question,
)
from league.apps.laboratory.services.run import compute_report
from league.cli.league_commands import COMPARE
from league.core.rules.selectors.rules import load_rules
from league.web.terminal.operator import OperatorCommand, get_league
from league.web.terminal.progress import Bars
from league.web.terminal.systems import read_system


class Command(OperatorCommand):
    """Compare systems on a league's games; only reads data."""

    entry = COMPARE

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the experiment and print a table with sentences."""
        league = get_league(options["league"])
        question = _read_question(options).with_winner_of(load_rules(league))
        with Bars(sys.stderr) as bars:
            report = compute_report(
                league, question, lambda phase, completed, total: bars("comparing", completed, total)
            )
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=1))
            return
        for line in _format_report(build_findings(report, short_names=False)):
            self.stdout.write(line)


def _read_question(options: dict[str, Any]) -> ExperimentQuestion:
    keywords: dict[str, Any] = {name: _read_day(options[name]) for name in ("first", "before") if options[name]}
    if options["warm_up"]:
        keywords |= _read_warm_up(options["warm_up"])
    if options["fit"]:
        keywords["until_share"] = DEFAULT_EARLIER_SHARE if options["until"] is None else options["until"]
    first, *other_systems = (read_system(text) for text in options["system"])
    draws = DEFAULT_DRAWS if options["draws"] is None else options["draws"]
    return check_question([{**first, "fit": options["fit"]}, *other_systems], draws=draws, **keywords)


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f"“{text}” is not a date; write it like 2015-01-01.") from None


def _read_warm_up(text: str) -> dict[str, float]:
    if text.isascii() and text.isdigit():
        return {"warm_up_games": int(text)}
    try:
        return {"warm_up_share": float(text)}
    except ValueError:
        raise CommandError(f"“{text}” is not a warm-up; write a number of games, or a share such as 0.2.") from None


def _format_report(findings: ReportFindings) -> list[str]:
    fitted_lines = [
        f"{fit.label}: {name} {before} → {after}" for fit in findings.fits for name, before, after in fit.values
    ]
    header = ["", *(str(column.measure.title) for column in findings.columns)]
    table = [
        header,
        *([row.label, *(_format_value(cell.figure, cell.interval) for cell in row.cells)] for row in findings.rows),
    ]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    facts = ", ".join(f"{label} {count}" for label, count in findings.facts)
    messages = [
        *(message for fit in findings.fits for message in fit.sentences),
        *(f"{label}: {reason}" for label, reason in findings.unfitted),
        *findings.between,
        *findings.baseline,
        *(f"{label}: {message}" for label, message in findings.refused),
        *(f"{row.label}: {message}" for row in findings.rows for message in row.sentences),
        *findings.notes,
    ]
    return [facts, *fitted_lines, "", *lines, "", *messages]


def _format_value(value: str, interval: str) -> str:
    return f"{value} ({interval})" if interval else value or "–"
