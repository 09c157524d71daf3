"""The time to confirm a report runs out: by the league's choice it is recorded, dropped, or waits for the organiser."""

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from django.utils.translation import override

from league.apps.reports.models import Report
from league.apps.reports.selectors.reports import find_report
from league.apps.reports.services.writing import THE_CLOCK, become, decide, game_of, leave, twin_of
from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.game_input import check_form
from league.core.games.services.record import record_in
from league.core.jobs import queue
from league.core.locking import with_league_lock
from league.models import League, LogEntry

State, Timeout = Report.State, League.Timeout


def leagues_due(now: datetime | None = None) -> list[int]:
    """Return the ids of the leagues in which the time of a report has run out."""
    due = Report.objects.filter(state=State.WAITING, due_at__lte=now or timezone.now()).order_by("league")
    return list(due.values_list("league", flat=True).distinct())


def enqueue_lapsing() -> list[int]:
    """Enqueue the reports of each league in which the time of one has run out; returns the ids of the leagues."""
    return queue.enqueue_each("league.reports", leagues_due())


def lapse_due(league_id: int, now: datetime | None = None) -> int:
    """Let the reports of a league lapse whose time has run out, the earliest first; returns how many did.

    Each is a transaction of its own: who is killed on the way leaves the others waiting, and the sweep comes again.
    """
    due = Report.objects.filter(league=league_id, state=State.WAITING, due_at__lte=now or timezone.now())
    keys = list(due.order_by("due_at", "pk").values_list("pk", flat=True))
    return sum(lapse(league_id, key, now) for key in keys)


def lapse(league_id: int, report_id: UUID, now: datetime | None = None) -> bool:
    """Let a report lapse if it waits still and its time has run out; returns whether it did."""

    def work(league: League, moment: datetime) -> bool:
        report = find_report(league, report_id)
        if report is None or report.state != State.WAITING or report.due_at > moment:
            return False
        run_out(league, report, moment)
        return True

    return with_league_lock(league_id, work, now)


def run_out(league: League, report: Report, now: datetime) -> None:
    """Do what the league chose. Where no one can report any more, no one could dispute: then it waits, too.

    So does one that came with an export and is to count as confirmed: links stay where they were made. Why it waits is
    kept with the report and in the log, and is said in English there, whatever language is spoken here.
    """
    chosen = league.report_timeout if league.reporting != League.Reporting.OFF else Timeout.WAIT
    if chosen == Timeout.CONFIRM and report.link_id is None:
        chosen = Timeout.WAIT
    if chosen == Timeout.DROP:
        decide(league, report, State.LAPSED, now, THE_CLOCK, LogEntry.Kind.REPORT_LAPSED)
    elif chosen == Timeout.CONFIRM:
        with override("en"):
            count_as_confirmed(league, report, now)
    else:
        leave(league, report, "", now, THE_CLOCK)


def count_as_confirmed(league: League, report: Report, now: datetime) -> None:
    """Record the game of a report; where it is refused, or looks like one that is recorded, the organiser decides."""
    try:
        if twin := twin_of(league, report, now):
            leave(league, report, twin, now, THE_CLOCK, twin=True)
            return
        new = game_of(report)
        check_form(new)
        game = record_in(league, now, new, THE_CLOCK).game
    except (Invalid, Refused, Conflict) as error:
        leave(league, report, error.detail, now, THE_CLOCK)
    else:
        become(league, report, game, now, THE_CLOCK)
