"""The reports that wait in an export: checked, then entered again, with names, seals and log entries of this site.

Links stay where they were made: who reports here gets a new one. So a report that was restored has none.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.reports.models import Report
from league.apps.reports.services import random_names
from league.apps.reports.services.writing import game_of, note
from league.core.errors import Invalid
from league.core.games.services.game_input import check_form
from league.core.log.chain import instant
from league.core.text.names import storable
from league.models import League, LogEntry, Player
from ratings.contract.parameters import is_number

#: What the log says of a report that waits.
KINDS = {
    Report.State.WAITING: LogEntry.Kind.REPORT_ENTERED,
    Report.State.OVERDUE: LogEntry.Kind.REPORT_OVERDUE,
    Report.State.TWIN: LogEntry.Kind.REPORT_TWIN,
    Report.State.DISPUTED: LogEntry.Kind.REPORT_DISPUTED,
}
REASON_LENGTH = 500


def read_restored_report(league: League, values: dict[str, Any], player: Callable[[str], Player]) -> Report:
    """Return a report of a file, not written yet; raises Invalid if it cannot be one that waits."""
    if values["state"] not in KINDS:
        sentence = _("the state of a report in a file must be one of {states}.")
        raise Invalid(sentence.format(states=", ".join(KINDS)))
    own = {"league": league, "pk": random_names.name(), "key": random_names.name().hex, "salt": random_names.salt()}
    answers = [
        {**said, "player": player(said["player"]).handle, "at": instant(said["at"]), "link": ""}
        for said in values["answers"]
    ]
    report = Report(**{**values, **own, "answers": answers, "entered_by": player(values["entered_by"])})
    if len(values["reason"]) > REASON_LENGTH:
        raise Invalid(_("the reason of a report has at most {most} characters.").format(most=REASON_LENGTH))
    if values["sheet"].keys() - {"weight"} != {"results", "details", "note"}:
        raise Invalid(_("the sheet of a report must have results, details and a note."))
    try:
        new = game_of(report)
        check_form(new)
        _check_figures(new.details)
        _check_figures({"weight": new.weight})
        for line in new.results:
            player(line.player)
            _check_figures({} if line.worksheet is None else line.worksheet)
            side = 0 if line.side is None else line.side
            _check_figures({"score": line.score or 0, "place": line.place or 0, "side": side})
    except (TypeError, AttributeError, OverflowError):
        raise Invalid(_("the sheet of a report is not valid.")) from None
    return report


def _check_figures(said: Mapping[str, Any]) -> None:
    """Raise TypeError if something else than figures is said by name: whoever looks at the report reads them."""
    if not all(storable(name) and is_number(value) for name, value in said.items()):
        raise TypeError


def write_restored_report(league: League, report: Report, now: datetime, by: str) -> None:
    """Write a report of a file, and append to the log that it waits here as it waited there."""
    note(league, report, now, by, KINDS[Report.State(report.state)])
