"""Restoring the open reports of an export, with new ids, seals and log entries.

Links are not exported, so a restored report has none.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.reports.models import Report
from league.apps.reports.records import ReportLogKind
from league.apps.reports.services import writing
from league.apps.reports.services.writing import build_game, save_and_log
from league.core.errors import Invalid
from league.core.games.services.game_input import MAX_FIXTURE, NO_FIXTURE, check_form
from league.core.text.instants import format_instant
from league.core.text.names import is_storable
from league.models import League, Player
from league.models.recorded import MAX_REASON_LENGTH
from ratings.contract.parameters import is_number

#: Kinds of log entries for open reports.
LOG_KINDS = {
    Report.State.WAITING: ReportLogKind.REPORT_ENTERED,
    Report.State.OVERDUE: ReportLogKind.REPORT_OVERDUE,
    Report.State.TWIN: ReportLogKind.REPORT_TWIN,
    Report.State.DISPUTED: ReportLogKind.REPORT_DISPUTED,
}


def read_restored_report(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> Report:
    """Return an unsaved report of a file; raises Invalid if it cannot be an open report."""
    if values["state"] not in LOG_KINDS:
        message = _("the state of a report in a file must be one of {states}.")
        raise Invalid(message.format(states=", ".join(LOG_KINDS)))
    answers = [
        {**answer, "player": player(answer["player"]).handle, "at": format_instant(answer["at"]), "link": ""}
        for answer in values["answers"]
    ]
    report = Report(
        **{**values, "answers": answers, "entered_by": player(values["entered_by"])},
        league=league,
        pk=writing.generate_id(),
        key=writing.generate_id().hex,
        salt=writing.generate_salt(),
    )
    if len(values["reason"]) > MAX_REASON_LENGTH:
        raise Invalid(_("the reason of a report has at most {most} characters.").format(most=MAX_REASON_LENGTH))
    if values["sheet"].keys() - {"weight", "fixture", "fields"} != {"results", "details", "note"}:
        raise Invalid(_("the sheet of a report must have results, details and a note."))
    try:
        game = build_game(report)
        check_form(game)
        _check_numbers(game.details)
        _check_numbers({"weight": game.weight})
        if game.fixture is not None and (
            type(game.fixture) is not int or not NO_FIXTURE <= game.fixture <= MAX_FIXTURE
        ):
            raise TypeError
        _check_fields(game.fields)
        for line in game.results:
            _check_fields(line.fields)
            player(line.player)
            _check_numbers({} if line.worksheet is None else line.worksheet)
            if not (line.sets is None or all(type(points) is int for points in line.sets)):
                raise TypeError
            if type(line.retired) is not bool:
                raise TypeError
            side = 0 if line.side is None else line.side
            _check_numbers({"score": line.score or 0, "place": line.place or 0, "side": side})
    except (TypeError, AttributeError, OverflowError):
        raise Invalid(_("the sheet of a report is not valid.")) from None
    return report


def _check_fields(values: Mapping[str, Any] | None) -> None:
    """Raise TypeError for what no values of declared fields can be; the league checks them with the game."""
    for name, value in ({} if values is None else values).items():
        if not is_storable(name) or not isinstance(value, str | int | float) or not is_storable(str(value)):
            raise TypeError


def _check_numbers(numbers: Mapping[str, Any]) -> None:
    if not all(is_storable(name) and is_number(value) for name, value in numbers.items()):
        raise TypeError


def write_restored_report(league: League, report: Report, now: datetime, username: str) -> None:
    """Write a report of a file, and log its state."""
    save_and_log(league, report, now, username, LOG_KINDS[Report.State(report.state)])
