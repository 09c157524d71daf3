"""Who records in the league decides about a report: it is recorded as it is or amended, or refused with a reason."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from league.apps.reports.models import AMENDED, Report
from league.apps.reports.selectors.reports import mark_of
from league.apps.reports.services.writing import become, decide, game_of, get_report, refuse_decided
from league.core.errors import Conflict
from league.core.games.services.game_input import NewGame, check_form
from league.core.games.services.record import checked_reason, record_in
from league.core.locking import locked
from league.models import League, LogEntry


def record_report(league_id: int, report_id: UUID, *, seen: str, by: str, new: NewGame | None = None) -> Report:
    """Record the game of a report, as it was entered or as ``new`` says, in the same transaction as its new state.

    ``seen`` is the report's mark as whoever decides saw it. Raises NotFound, Conflict (decided already, or someone
    has answered meanwhile) and what recording raises; then nothing was written.
    """
    if new is not None:
        check_form(new)

    def work(league: League, report: Report, now: datetime) -> None:
        game = record_in(league, now, game_of(report) if new is None else new, by).game
        become(league, report, game, now, by, "" if new is None else AMENDED)

    return decided(league_id, report_id, seen, work)


def refuse_report(league_id: int, report_id: UUID, *, reason: str, seen: str, by: str) -> Report:
    """Refuse a report, with a reason that its table reads. Raises as ``record_report``, and Invalid."""
    reason = checked_reason(reason)

    def work(league: League, report: Report, now: datetime) -> None:
        decide(league, report, Report.State.REFUSED, now, by, LogEntry.Kind.REPORT_REFUSED, reason)

    return decided(league_id, report_id, seen, work)


@locked
def decided(
    league: League, now: datetime, report_id: UUID, seen: str, work: Callable[[League, Report, datetime], None]
) -> Report:
    """Decide about a report that is as whoever decides saw it."""
    report = get_report(league, report_id)
    refuse_decided(report)
    if mark_of(report) != seen:
        raise Conflict(_("Another player has answered this report meanwhile. Look at it again before you decide."))
    work(league, report, now)
    return report
