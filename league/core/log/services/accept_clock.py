"""Accepts a clock that is behind a league's log, if it was ahead when the log was written."""

from datetime import datetime

from django.utils.translation import gettext as _

from league.core.errors import Conflict
from league.core.locking import MAX_CLOCK_SKEW, lock_with_last, locked_any_clock
from league.core.log.services import entries
from league.core.text.instants import format_instant
from league.models import League, LogEntry


@locked_any_clock
def accept_behind_clock(league: League, now: datetime, *, username: str) -> datetime:
    """Log that a league continues with the system clock although it is behind; return the last time in the log.

    Existing entries keep their times. Raises NotFound, or Conflict if the clock is not behind.
    """
    _league, last = lock_with_last(league.pk)
    if last is None or last - now <= MAX_CLOCK_SKEW:
        raise Conflict(_("The clock is not behind the log of this league, so there is nothing to accept."))
    entries.append(league, now, username, LogEntry.Kind.CLOCK_ACCEPTED, {"behind": format_instant(last)})
    return last
