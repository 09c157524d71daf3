"""Accepts a clock that is behind a league's log, if it was ahead when the log was written."""

from datetime import datetime

from django.utils.translation import gettext as _

from league.core.errors import Conflict
from league.core.locking import SKEW, lock_with_last, with_league_lock
from league.core.log.chain import instant
from league.core.log.services import entries
from league.models import League, LogEntry


def go_on(league_id: int, *, by: str) -> datetime:
    """Log that a league continues with the system clock although it is behind; return the last time in the log.

    Existing entries keep their times. Raises NotFound, or Conflict if the clock is not behind.
    """

    def work(league: League, now: datetime) -> datetime:
        _league, last = lock_with_last(league_id)
        if last is None or last - now <= SKEW:
            raise Conflict(_("The clock is not behind the log of this league, so there is nothing to accept."))
        entries.append(league, now, by, LogEntry.Kind.CLOCK_ACCEPTED, {"behind": instant(last)})
        return last

    return with_league_lock(league_id, work, any_clock=True)
