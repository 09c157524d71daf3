"""Decisions on a report by a member who may record games: record it, with or without changes, or reject it."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from league.apps.reports.models import AMENDED_REASON, Report
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.settling import record_reported
from league.apps.reports.services.writing import build_game, get_report, mark_decided, refuse_decided
from league.core.errors import Conflict
from league.core.games.services.game_input import NewGame, check_form
from league.core.locking import locked
from league.core.reasons import require_reason
from league.models import League


def record_report(
    league_id: int, report_id: UUID, *, mark: str, username: str, amended: NewGame | None = None
) -> Report:
    """Record the game of a report, as entered or as ``amended``, in the same transaction as its new state.

    ``mark`` is the report's mark when its page was shown. Raises NotFound, Conflict (already decided, or answered
    since), and the errors of recording; then nothing is written.
    """
    if amended is not None:
        check_form(amended)

    def record(league: League, report: Report, now: datetime) -> None:
        new, reason = (build_game(report), "") if amended is None else (amended, AMENDED_REASON)
        record_reported(league, report, new, now, username, reason)

    return _decide(league_id, report_id, mark, record)


def refuse_report(league_id: int, report_id: UUID, *, reason: str, mark: str, username: str) -> Report:
    """Reject a report, with a reason that the table can read. Raises as ``record_report``, and Invalid."""
    reason = require_reason(reason)

    def refuse(league: League, report: Report, now: datetime) -> None:
        mark_decided(league, report, Report.State.REFUSED, now, username, ReportLogKind.REPORT_REFUSED, reason)

    return _decide(league_id, report_id, mark, refuse)


@locked
def _decide(
    league: League, now: datetime, report_id: UUID, mark: str, action: Callable[[League, Report, datetime], None]
) -> Report:
    report = get_report(league, report_id)
    refuse_decided(report)
    if compute_mark(report) != mark:
        raise Conflict(_("Another player has answered this report meanwhile. Look at it again before you decide."))
    action(league, report, now)
    return report
