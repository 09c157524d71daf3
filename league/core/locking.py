"""The one lock rule: whoever changes a league's books locks its league row first, once, and nothing else.

Who changes the data of several leagues at once (a merge of players) locks their rows in ascending
order of their keys, all of them before anything else: two of those can never wait for one another
in a circle, and who holds one league waits for no other.

The log of a league never goes back in time. A clock that is behind the last entry by less than ``SKEW`` (two machines
never agree wholly) goes on right after that entry; one that is behind by more is refused before anything is written.
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

from league.core.db.statements import ask, columns, make_object, moment
from league.core.errors import Busy, ClockBack, NotFound
from league.core.monitoring.telemetry import METERS, note_league
from league.models import League

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")

TRIES = 5
#: Seconds of the budget without which no other try begins.
SHORTEST = 0.2
#: SQLSTATE of a serialisation failure, a deadlock and a lock that was not to be had in time.
TRANSIENT = {"40001", "40P01", "55P03"}
#: By so much a machine's clock may be behind what another one wrote.
SKEW = timedelta(minutes=1)
LAST = "SELECT e.at FROM league_logentry e WHERE e.league_id = {league} AND e.position = {position}"
LAST_ALONE = LAST.format(league="%s", position="%s")


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


def locked(work: Callable[Concatenate[League, datetime, P], T]) -> Callable[Concatenate[int, P], T]:
    """Let a function of a league and a moment be called by the league's key: see ``with_league_lock``."""

    @wraps(work)
    def call(league_id: int, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return with_league_lock(league_id, lambda league, now: work(league, now, *args, **kwargs))

    return call


def with_league_lock(
    league_id: int, work: Callable[[League, datetime], T], now: datetime | None = None, *, any_clock: bool = False
) -> T:
    """Run ``work(league, now)`` in one transaction with the league's row locked and one frozen now.

    Nothing is read before the lock, so what ``work`` reads cannot change under it. Transient
    database errors are tried again a few times; then Busy. Inside another transaction there is
    one try only: the outer one decides. ``now`` is another clock than the machine's, for what runs by the calendar.
    Raises ClockBack if the machine's clock is behind the log, except for what says nothing in it (``any_clock``).
    """
    since = time.perf_counter()

    def lock_and_work() -> T:
        league, last = lock_with_last(league_id)
        had(since)
        given = now or timezone.now()
        return work(league, given if now or any_clock else agreed(given, last, league.slug))

    return in_transaction(lock_and_work)


def with_league_locks(league_ids: Collection[int], work: Callable[[dict[int, League], datetime], T]) -> T:
    """Run ``work(leagues by id, now)`` with the rows of these leagues locked: as ``with_league_lock``."""
    since = time.perf_counter()

    def lock_and_work() -> T:
        leagues: dict[int, League] = {}
        found = []
        for one in sorted(set(league_ids)):
            leagues[one], last = lock_with_last(one)
            had(since)
            found.append((last, leagues[one].slug))
        # Read after the last lock was had, as each league's own moment would be.
        now = timezone.now()
        return work(leagues, max((agreed(now, last, slug) for last, slug in found), default=now))

    return in_transaction(lock_and_work)


def agreed(now: datetime, last: datetime | None, slug: str) -> datetime:
    """Return the moment of what is written after a log's last entry; raises ClockBack if the clock cannot be right.

    A step of a microsecond after an entry that is ahead: no two decisions of a league bear one moment.
    """
    if last is None or now >= last:
        return now
    if last - now <= SKEW:
        return last + timedelta(microseconds=1)
    logger.error("The clock says %s; the log of %s ends at %s. Nothing is written there.", now, slug, last)
    raise ClockBack(
        _(
            "The server's clock shows {now}, but the last change of this league was saved at "
            "{last} (both UTC). Nothing was saved; the site's operator must set the clock."
        ).format(now=format_clock_time(now), last=format_clock_time(last))
    )


def moment_for(league: League) -> datetime:
    """Return by what moment games for a league are read, before it is locked; raises ClockBack."""
    told = ask(LAST_ALONE, [league.pk, league.log_length])
    return agreed(timezone.now(), last_of(told[0][0] if told else None), league.slug)


def format_clock_time(at: datetime) -> str:
    """Return a moment as operators compare it with a clock."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def had(since: float) -> None:
    """Note how long it took until the league's data were had."""
    METERS.observe("rungs_lock_wait_seconds", time.perf_counter() - since)


def books_revision(league: League) -> str:
    """Return the current revision of a league's data: equal revisions guarantee equal dry-run results.

    Every change of the league's data is in the log, so the head of the hash chain identifies it, together with the
    position of a pending replay.
    """
    values = League.objects.values_list("log_sha256", "stale_from", "stale_key").get(pk=league.pk)
    return " ".join(map(str, values))


def in_transaction(work: Callable[[], T]) -> T:
    """Run ``work`` in one transaction, again where the database says that trying again helps; then Busy.

    All tries together wait no longer than ``league.core.locking`` allows a request, or a worker.
    """
    nested = connection.in_atomic_block
    allowed = budget()
    start = time.monotonic()
    for attempt in range(TRIES):
        left = allowed.all_tries - (time.monotonic() - start)
        if left < SHORTEST:
            break
        try:
            return one_try(work, min(allowed.lock, left), nested=nested)
        except OperationalError as error:
            if nested or not is_transient(error):
                raise
            time.sleep(random.uniform(0.01, 0.05) * 2**attempt)  # noqa: S311 -- jitter, no secret
    METERS.count("rungs_lock_refused_total")
    raise Busy(_("Many games are being recorded in this league right now. Nothing was saved; please try again."))


def one_try(work: Callable[[], T], wait: float, *, nested: bool) -> T:
    """Run ``work`` in one transaction that waits so many seconds for a lock; an outer one keeps its own patience."""
    with lock_timeout(wait), transaction.atomic():
        if not nested:
            wait_in_transaction(wait)
        return work()


def lock(league_id: int) -> League:
    """Return the league with its row locked until the end of the transaction."""
    return lock_with_last(league_id)[0]


def lock_with_last(league_id: int) -> tuple[League, datetime | None]:
    """Return the league with its row locked, and when the last entry of its log was written."""
    rows = ask(lock_sql(connection.vendor), [league_id])
    if not rows:
        raise NotFound(_("There is no such league."))
    *row, last = rows[0]
    league = make_object(League, row)
    note_league(league.slug)
    if last is None and league.log_length:
        # PostgreSQL waited for the lock: of the row it tells what is now, of other tables what was when it was asked.
        told = ask(LAST_ALONE, [league_id, league.log_length])
        last = told[0][0] if told else None
    return league, last_of(last)


def last_of(told: Any) -> datetime | None:
    """Return the moment of a log's last entry as a database tells it."""
    return moment(datetime.fromisoformat(told) if isinstance(told, str) else told)


@cache
def lock_sql(vendor: str) -> str:
    """Return the statement that locks a league's row."""
    # On SQLite the transaction itself began IMMEDIATE: it is the only writer already.
    locking = " FOR NO KEY UPDATE" if vendor == "postgresql" else ""
    last = LAST.format(league="l.id", position="l.log_length")
    return f"SELECT {columns(League, 'l')}, ({last}) FROM league_league l WHERE l.id = %s{locking}"  # noqa: S608 -- own names


def is_transient(error: OperationalError) -> bool:
    """Return whether trying again can help."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in TRANSIENT or "database is locked" in str(error)


@contextmanager
def request_budget() -> Iterator[None]:
    """Apply the request budget inside the block."""
    token = REQUEST_STATE.set(True)
    try:
        yield
    finally:
        REQUEST_STATE.reset(token)


def budget() -> Budget:
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
