"""The one lock rule: whoever changes a league's books locks its league row first, once, and nothing else.

Who changes the books of several leagues at once (a merge of players) locks their rows in ascending
order of their keys, all of them before anything else: two of those can never wait for one another
in a circle, and who holds one league waits for no other.
"""

import random
import time
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from typing import TypeVar

from django.db import OperationalError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.db.budget import budget, wait_in_transaction, waiting
from league.db.statements import ask, columns, made
from league.errors import Busy, NotFound
from league.models import League
from league.watch.doing import note_league
from league.watch.meters import METERS

T = TypeVar("T")

TRIES = 5
#: Seconds of the budget without which no other try begins.
SHORTEST = 0.2
#: SQLSTATE of a serialisation failure, a deadlock and a lock that was not to be had in time.
TRANSIENT = {"40001", "40P01", "55P03"}


def with_league_lock(league_id: int, work: Callable[[League, datetime], T], now: datetime | None = None) -> T:
    """Run ``work(league, now)`` in one transaction with the league's row locked and one frozen now.

    Nothing is read before the lock, so what ``work`` reads cannot change under it. Transient
    database errors are tried again a few times; then Busy. Inside another transaction there is
    one try only: the outer one decides. ``now`` is another clock than the machine's, for what runs by the calendar.
    """
    since = time.perf_counter()
    return in_transaction(lambda: work(had(lock(league_id), since), now or timezone.now()))


def with_league_locks(league_ids: Collection[int], work: Callable[[dict[int, League], datetime], T]) -> T:
    """Run ``work(leagues by id, now)`` with the rows of these leagues locked: as ``with_league_lock``."""
    since = time.perf_counter()
    return in_transaction(lambda: work({one: had(lock(one), since) for one in sorted(set(league_ids))}, timezone.now()))


def had(league: League, since: float) -> League:
    """Note how long it took until the books were had."""
    METERS.observe("rungs_lock_wait_seconds", time.perf_counter() - since)
    return league


def in_transaction(work: Callable[[], T]) -> T:
    """Run ``work`` in one transaction, again where the database says that trying again helps; then Busy.

    All tries together wait no longer than ``league.db.budget`` allows a request, or a worker.
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
    raise Busy(_("Many games are being recorded in this league right now. Nothing was written; send it again."))


def one_try(work: Callable[[], T], wait: float, *, nested: bool) -> T:
    """Run ``work`` in one transaction that waits so many seconds for a lock; an outer one keeps its own patience."""
    with waiting(wait), transaction.atomic():
        if not nested:
            wait_in_transaction(wait)
        return work()


def lock(league_id: int) -> League:
    """Return the league with its row locked until the end of the transaction."""
    rows = ask(lock_sql(connection.vendor), [league_id])
    if not rows:
        raise NotFound(_("There is no such league."))
    league = made(League, rows[0])
    note_league(league.slug)
    return league


@cache
def lock_sql(vendor: str) -> str:
    """Return the statement that locks a league's row."""
    # On SQLite the transaction itself began IMMEDIATE: it is the only writer already.
    locking = " FOR NO KEY UPDATE" if vendor == "postgresql" else ""
    return f"SELECT {columns(League, 'l')} FROM league_league l WHERE l.id = %s{locking}"  # noqa: S608 -- own names


def is_transient(error: OperationalError) -> bool:
    """Tell whether trying again can help."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in TRANSIENT or "database is locked" in str(error)
