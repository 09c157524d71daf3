"""The lock rule: a change of a league's data first locks the league's row, and no other row.

A change of several leagues (such as a merge of players) locks their rows in ascending order of their keys, before
anything else, so that there are no deadlocks.

The times in a league's log never go back. If the clock is behind the last entry by less than ``MAX_CLOCK_SKEW``, the
next entry follows directly after it; if it is further behind, the change is refused.
"""

import logging
import random
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.db.statements import execute_query, format_select_list, make_object, parse_timestamp
from league.core.errors import Busy, ClockBehind, NotFound
from league.core.monitoring.telemetry import METERS, note_league
from league.models import League

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

MAX_TRIES = 5
#: Minimum remaining seconds of the budget for another try.
MIN_TRY_SECONDS = 0.2
#: SQLSTATEs of a serialisation failure, a deadlock and a lock timeout.
TRANSIENT_SQLSTATES = {"40001", "40P01", "55P03"}
#: Maximum time by which a machine's clock may be behind the log.
MAX_CLOCK_SKEW = timedelta(minutes=1)
LAST_ENTRY_SQL = "SELECT e.at FROM league_logentry e WHERE e.league_id = {league} AND e.position = {position}"
LAST_TIME_SQL = LAST_ENTRY_SQL.format(league="%s", position="%s")


@dataclass(frozen=True)
class Budget:
    """Seconds that one attempt waits for a lock, and seconds within which the last retry must start."""

    lock: float
    all_tries: float


#: For requests, and for everything else. Their lock timeouts are also the defaults of database connections
#: (``settings.RUNGS_LOCK_WAIT``), so that code that bypasses this module waits no longer either.
REQUEST = Budget(lock=3.5, all_tries=4.0)
WORKER = Budget(lock=15.0, all_tries=75.0)


#: Whether this thread is answering a request.
REQUEST_STATE = ContextVar("asked", default=False)


def locked(function: Callable[Concatenate[League, datetime, P], T]) -> Callable[Concatenate[int, P], T]:
    """Let a function of a locked league and a time be called with the league's id: see ``run_with_league_lock``."""

    @wraps(function)
    def call(league_id: int, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run_with_league_lock(league_id, lambda league, now: function(league, now, *args, **kwargs))

    return call


def locked_any_clock(function: Callable[Concatenate[League, datetime, P], T]) -> Callable[Concatenate[int, P], T]:
    """Like ``locked``, for functions that write nothing to the log: they accept a clock that is behind it."""

    @wraps(function)
    def call(league_id: int, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run_with_league_lock(
            league_id, lambda league, now: function(league, now, *args, **kwargs), any_clock=True
        )

    return call


def locked_at(
    function: Callable[Concatenate[League, datetime, P], T],
) -> Callable[Concatenate[int, datetime | None, P], T]:
    """Like ``locked``, for calendar work: the function is called with the league's id and a time (None: now)."""

    @wraps(function)
    def call(league_id: int, now: datetime | None, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run_with_league_lock(league_id, lambda league, now: function(league, now, *args, **kwargs), now)

    return call


def run_with_league_lock(
    league_id: int, operation: Callable[[League, datetime], T], now: datetime | None = None, *, any_clock: bool = False
) -> T:
    """Run ``operation(league, now)`` in one transaction with the league's row locked.

    Nothing is read before the lock. After transient database errors ``operation`` is tried again a few times; then Busy
    is raised. Inside another transaction there is only one try. ``now`` replaces the machine's clock, for calendar
    work. Raises ClockBehind if the machine's clock is behind the log, unless ``any_clock``.
    """
    started_at = time.perf_counter()

    def lock_and_work() -> T:
        league, last = lock_with_last(league_id)
        observe_lock_wait(started_at)
        clock = now or timezone.now()
        return operation(league, clock if now or any_clock else choose_write_time(clock, last, league.slug))

    return run_in_transaction(lock_and_work)


def run_with_league_locks(league_ids: Collection[int], operation: Callable[[dict[int, League], datetime], T]) -> T:
    """Run ``operation(leagues by id, now)`` with the rows of these leagues locked, like ``run_with_league_lock``."""
    started_at = time.perf_counter()

    def lock_and_work() -> T:
        leagues: dict[int, League] = {}
        last_times = []
        for league_id in sorted(set(league_ids)):
            leagues[league_id], last = lock_with_last(league_id)
            observe_lock_wait(started_at)
            last_times.append((last, leagues[league_id].slug))
        # Read after the last lock.
        now = timezone.now()
        return operation(leagues, max((choose_write_time(now, last, slug) for last, slug in last_times), default=now))

    return run_in_transaction(lock_and_work)


def choose_write_time(now: datetime, last: datetime | None, slug: str) -> datetime:
    """Return the time for an entry after a log's last one; raises ClockBehind if the clock is too far behind.

    If the last entry is ahead, the time is a microsecond after it, so that no two decisions have the same time.
    """
    if last is None or now >= last:
        return now
    if last - now <= MAX_CLOCK_SKEW:
        return last + timedelta(microseconds=1)
    logger.error("The clock says %s; the log of %s ends at %s. Nothing is written there.", now, slug, last)
    raise ClockBehind(
        _(
            "The server's clock shows {now}, but the last change of this league was saved at "
            "{last} (both UTC). Nothing was saved; the site's operator must set the clock."
        ).format(now=format_clock_time(now), last=format_clock_time(last))
    )


def get_write_time(league: League) -> datetime:
    """Return the write time of a league before it is locked; raises ClockBehind."""
    rows = execute_query(LAST_TIME_SQL, [league.pk, league.log_length])
    return choose_write_time(timezone.now(), parse_time(rows[0][0] if rows else None), league.slug)


def format_clock_time(time: datetime) -> str:
    """Return a time in a format that operators can compare with a clock."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def observe_lock_wait(started_at: float) -> None:
    """Record how long the lock took."""
    METERS.observe("rungs_lock_wait_seconds", time.perf_counter() - started_at)


def get_data_revision(league: League) -> str:
    """Return the current revision of a league's data: equal revisions guarantee equal dry-run results.

    Every change of the league's data is in the log, so the head of the hash chain identifies it, together with the
    position of a pending replay.
    """
    values = League.objects.values_list("log_sha256", "stale_from", "stale_key").get(pk=league.pk)
    return " ".join(map(str, values))


def transactional(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function run in one transaction: see ``run_in_transaction``."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_in_transaction(lambda: function(*args, **kwargs))

    return call


def run_in_transaction(operation: Callable[[], T]) -> T:
    """Run ``operation`` in one transaction, again after transient errors; then raise Busy.

    All tries together are limited by the time budget of a request or worker.
    """
    nested = connection.in_atomic_block
    limits = get_budget()
    start = time.monotonic()
    for attempt in range(MAX_TRIES):
        seconds_left = limits.all_tries - (time.monotonic() - start)
        if seconds_left < MIN_TRY_SECONDS:
            break
        try:
            return run_once(operation, min(limits.lock, seconds_left), nested=nested)
        except OperationalError as error:
            if nested or not is_transient(error):
                raise
            time.sleep(random.uniform(0.01, 0.05) * 2**attempt)  # noqa: S311 -- jitter, no secret
    METERS.count("rungs_lock_refused_total")
    raise Busy(_("Many games are being recorded in this league right now. Nothing was saved; please try again."))


def run_once(operation: Callable[[], T], timeout: float, *, nested: bool) -> T:
    """Run ``operation`` in one transaction with a lock timeout; an outer transaction keeps its own."""
    with lock_timeout(timeout), transaction.atomic():
        if not nested:
            wait_in_transaction(timeout)
        return operation()


def lock(league_id: int) -> League:
    """Return the league with its row locked until the end of the transaction."""
    return lock_with_last(league_id)[0]


def lock_with_last(league_id: int) -> tuple[League, datetime | None]:
    """Return the league with its row locked, and the time of its log's last entry."""
    rows = execute_query(lock_sql(connection.vendor), [league_id])
    if not rows:
        raise NotFound(_("There is no such league."))
    *row, last = rows[0]
    league = make_object(League, row)
    note_league(league.slug)
    if last is None and league.log_length:
        # After waiting for the lock, PostgreSQL returns the new row, but the old state of other tables.
        rows = execute_query(LAST_TIME_SQL, [league_id, league.log_length])
        last = rows[0][0] if rows else None
    return league, parse_time(last)


def parse_time(value: Any) -> datetime | None:
    """Return the time of a log's last entry from a database value."""
    return parse_timestamp(datetime.fromisoformat(value) if isinstance(value, str) else value)


@cache
def lock_sql(vendor: str) -> str:
    """Return the statement that locks a league's row."""
    # On SQLite the transaction began IMMEDIATE, so it is the only writer.
    locking = " FOR NO KEY UPDATE" if vendor == "postgresql" else ""
    last = LAST_ENTRY_SQL.format(league="l.id", position="l.log_length")
    return f"SELECT {format_select_list(League, 'l')}, ({last}) FROM league_league l WHERE l.id = %s{locking}"  # noqa: S608 -- own names


def is_transient(error: OperationalError) -> bool:
    """Return whether trying again can help."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in TRANSIENT_SQLSTATES or "database is locked" in str(error)


@contextmanager
def request_budget() -> Iterator[None]:
    """Apply the request budget inside the block."""
    token = REQUEST_STATE.set(True)
    try:
        yield
    finally:
        REQUEST_STATE.reset(token)


def get_budget() -> Budget:
    """Return the budget for the current context."""
    return REQUEST if REQUEST_STATE.get() else WORKER


@contextmanager
def lock_timeout(seconds: float) -> Iterator[None]:
    """Let transactions that begin inside wait up to ``seconds`` for SQLite's write lock.

    On PostgreSQL it is set per transaction: ``wait_in_transaction``.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block or seconds == settings.RUNGS_LOCK_WAIT:
        yield
        return
    wait(seconds)
    try:
        yield
    finally:
        wait(settings.RUNGS_LOCK_WAIT)


def wait(seconds: float) -> None:
    """Set SQLite's busy timeout on this connection."""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    connection.connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")


def wait_in_transaction(seconds: float) -> None:
    """Let statements of the current transaction wait up to ``seconds`` for a lock, on PostgreSQL."""
    if connection.vendor == "postgresql" and seconds != settings.RUNGS_LOCK_WAIT:
        connection.connection.execute(f"SET LOCAL lock_timeout = {int(1000 * seconds)}")
