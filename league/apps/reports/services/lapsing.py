"""Reports not confirmed in time: depending on the league, they are recorded, expire or wait for the organiser."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from django.utils.translation import override

from league.apps.reports.models import Report
from league.apps.reports.records import ReportLogKind
from league.apps.reports.selectors.reports import find_report
from league.apps.reports.services.settling import record_reported
from league.apps.reports.services.writing import (
    TIMEOUT_AUTHOR,
    build_game,
    describe_twin,
    leave_to_organisers,
    mark_decided,
)
from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.game_input import check_form
from league.core.jobs import queue
from league.core.locking import run_with_league_lock
from league.models import League

State, Timeout = Report.State, League.Timeout


def find_leagues_due(now: datetime | None = None) -> list[int]:
    """Return the ids of the leagues with reports that were not confirmed in time."""
    reports = Report.objects.unconfirmed(now or timezone.now()).order_by("league")
    return list(reports.values_list("league", flat=True).distinct())


def enqueue_due_leagues() -> list[int]:
    """Enqueue the leagues with reports that were not confirmed in time; returns their ids."""
    return queue.enqueue_each("league.reports", find_leagues_due())


def lapse_due_reports(league_id: int, now: datetime | None = None) -> int:
    """Process the reports of a league that were not confirmed in time, earliest first; returns their number.

    Each is processed in its own transaction, so that the next sweep continues after a crash.
    """
    reports = Report.objects.filter(league=league_id).unconfirmed(now or timezone.now())
    ids = list(reports.order_by("due_at", "pk").values_list("pk", flat=True))
    return sum(lapse_report(league_id, report_id, now) for report_id in ids)


def lapse_report(league_id: int, report_id: UUID, now: datetime | None = None) -> bool:
    """Process a report if it is still waiting and its time has run out; returns whether it was."""

    def apply_if_due(league: League, current_time: datetime) -> bool:
        report = find_report(league, report_id)
        if report is None or report.state != State.WAITING or report.due_at > current_time:
            return False
        _apply_timeout(league, report, current_time)
        return True

    return run_with_league_lock(league_id, apply_if_due, now)


def _apply_timeout(league: League, report: Report, now: datetime) -> None:
    """Apply the league's choice; without reporting, or a link that could be used to dispute, the report waits instead.

    Reports restored from an export have no link. Reasons are stored in English.
    """
    timeout = league.report_timeout if league.reporting != League.Reporting.OFF else Timeout.WAIT
    if timeout == Timeout.CONFIRM and report.link_id is None:
        timeout = Timeout.WAIT
    if timeout == Timeout.DROP:
        mark_decided(league, report, State.LAPSED, now, TIMEOUT_AUTHOR, ReportLogKind.REPORT_LAPSED)
    elif timeout == Timeout.CONFIRM:
        with override("en"):
            _record_unconfirmed(league, report, now)
    else:
        leave_to_organisers(league, report, "", now, TIMEOUT_AUTHOR)


def _record_unconfirmed(league: League, report: Report, now: datetime) -> None:
    try:
        if twin := describe_twin(league, report, now):
            leave_to_organisers(league, report, twin, now, TIMEOUT_AUTHOR, twin=True)
            return
        new = build_game(report)
        check_form(new)
        record_reported(league, report, new, now, TIMEOUT_AUTHOR)
    except (Invalid, Refused, Conflict) as error:
        leave_to_organisers(league, report, error.detail, now, TIMEOUT_AUTHOR)
