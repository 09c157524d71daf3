"""What every change of a report does: the row and the league's log, in one transaction, under the league's lock."""

from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from league.apps.reports.models import TWIN, Report
from league.apps.reports.selectors.reports import OPEN, find_report
from league.core.errors import Conflict, NotFound
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.similar_games import find_similar_game
from league.core.log.services import entries
from league.models import Game, League, LogEntry

#: Who writes where a link was used: the log of a league names no one who has only sat at a table. No username has a
#: space.
THE_TABLE = "the table"
#: Who writes where the time ran out.
THE_CLOCK = "the clock"


def get_report(league: League, pk: UUID) -> Report:
    """Return a report of a league; raises NotFound."""
    report = find_report(league, pk)
    if report is None:
        raise NotFound(_("There is no such report."))
    return report


def sheet_of(new: NewGame) -> dict[str, object]:
    """Return a sheet as a report keeps it: what was said, and nothing of what was left open."""
    return {
        "results": [
            {
                "player": line.player,
                **({} if line.score is None else {"score": line.score}),
                **({} if line.place is None else {"place": line.place}),
                **({} if line.side is None else {"side": line.side}),
                **({} if line.worksheet is None else {"worksheet": dict(line.worksheet)}),
            }
            for line in new.results
        ],
        "details": dict(new.details),
        "note": new.note,
        **({} if new.weight == 1.0 else {"weight": new.weight}),
    }


def game_of(report: Report) -> NewGame:
    """Return the game of a report as a face would send it."""
    sheet = report.sheet
    return NewGame(
        [NewResult(**line) for line in sheet["results"]],
        played_at=report.played_at,
        details=sheet["details"],
        note=sheet["note"],
        weight=sheet.get("weight", 1.0),
    )


def note(league: League, report: Report, now: datetime, by: str, kind: LogEntry.Kind) -> None:
    """Write a report as it stands now, and append it to the log."""
    report.save(force_insert=report._state.adding)
    entries.append(league, now, by, kind, entries.of_report(report))


def become(league: League, report: Report, game: Game, now: datetime, by: str, reason: str = "") -> None:
    """Write that a report became a game."""
    report.game = game
    decide(league, report, Report.State.CONFIRMED, now, by, LogEntry.Kind.REPORT_CONFIRMED, reason)


def decide(
    league: League, report: Report, state: Report.State, now: datetime, by: str, kind: LogEntry.Kind, reason: str = ""
) -> None:
    """Write what became of a report, who decided so, and why."""
    report.state, report.decided_at, report.decided_by, report.reason = state, now, by, reason
    note(league, report, now, by, kind)


def twin_of(league: League, report: Report, now: datetime) -> str:
    """Return what is said of a game that members recorded since a report was entered, and that looks like it; else "".

    It is kept with the report and in the log, which know no language: it is translated where it is shown.
    About what was recorded or reported before that, whoever entered it was asked.
    """
    game = find_similar_game(league, game_of(report), now, "")
    if game is None or game.recorded_at <= report.entered_at or game.reports.exists():
        return ""
    return TWIN.format(number=game.number)


def leave(league: League, report: Report, reason: str, now: datetime, by: str, *, twin: bool = False) -> None:
    """Leave a report to the organisers: its time ran out, or (``twin``) a game like it is recorded."""
    report.state, report.reason = Report.State.TWIN if twin else Report.State.OVERDUE, reason[:500]
    note(league, report, now, by, LogEntry.Kind.REPORT_TWIN if twin else LogEntry.Kind.REPORT_OVERDUE)


def refuse_decided(report: Report) -> None:
    """Raise Conflict if a report waits for no one any more."""
    if report.state not in OPEN:
        raise Conflict(became(report))


def became(report: Report) -> str:
    """Return what became of a report that was decided."""
    if report.game is not None:
        return _("This report has already been recorded as game {number}.").format(number=report.game.number)
    if report.state == Report.State.REFUSED:
        return _("This report was rejected: {reason}").format(reason=report.told)
    if report.state == Report.State.WITHDRAWN:
        return _("This report was withdrawn by its sender.")
    return _("This report expired: no one confirmed it in time.")
