"""Signing in is slowed down for who guesses, and for nobody else; a try too many is refused before any hashing.

Tries are counted in buckets that fill again with time: one for a name from an address, one for the address
under whatever names. So nobody's guessing locks somebody else out, and the right password is never refused for
long. A browser in which somebody signed in before has a bucket of its own under that name: it gets in even
from behind the same address as who guesses.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.db.models import QuerySet
from django.utils import timezone

from league.models import LoginTries
from league.services.locking import in_transaction

#: From so many wrong tries in a row on, whoever tries is told to slow down.
CALM = 10


@dataclass(frozen=True)
class Bucket:
    """Tries of one kind: ``size`` at once, then one every ``seconds``."""

    kind: str
    size: int
    seconds: int

    def key(self, *whose: str) -> str:
        """Return under what key somebody's tries are counted."""
        return hashlib.sha256("\0".join((self.kind, *whose)).encode(errors="replace")).hexdigest()

    def spent(self, row: LoginTries | None, now: datetime) -> float:
        """Return how many tries are still spent."""
        if row is None:
            return 0.0
        return max(row.spent - max((now - row.at).total_seconds(), 0.0) / self.seconds, 0.0)


#: Guessing one name from one address: fifty at once, then some 1,400 a day.
PAIR = Bucket("pair", 50, 60)
#: An address under all names; a club has one for all its members.
ADDRESS = Bucket("address", 200, 15)
#: A browser in which this name signed in before.
KNOWN = Bucket("known", 50, 60)
#: Asking for a link by mail: under one address of a mailbox, and from one address of the network.
MAIL, ASKING = Bucket("mail", 3, 900), Bucket("asking", 20, 60)
#: After so long every bucket is full again.
FORGOTTEN = timedelta(seconds=max(one.size * one.seconds for one in (PAIR, ADDRESS, KNOWN, MAIL, ASKING)))


@dataclass(frozen=True)
class Try:
    """A try to sign in. ``wait`` in seconds: 0 where the password may be looked at; ``spent`` counts it, too."""

    wait: int
    spent: int


def buckets(name: str, address: str, known: str) -> list[tuple[Bucket, str]]:
    """Return the buckets that a try takes from; ``known`` names the browser in which this name signed in before."""
    whose = name.strip().casefold()
    if known:
        return [(KNOWN, KNOWN.key(whose, known))]
    return [(PAIR, PAIR.key(whose, address)), (ADDRESS, ADDRESS.key(address))]


def spend(name: str, address: str, known: str = "", now: datetime | None = None) -> Try:
    """Count a try before its password is looked at; one that is refused is not counted, and writes nothing."""
    return spend_from(buckets(name, address, known), now)


def spend_mail(email: str, address: str, now: datetime | None = None) -> Try:
    """Count that a link to a new password was asked for, whether there is such an account or not."""
    return spend_from([(MAIL, MAIL.key(email.strip().casefold())), (ASKING, ASKING.key(address))], now)


def spend_from(taken: list[tuple[Bucket, str]], now: datetime | None = None) -> Try:
    """Take a try from each bucket, where all have one; one that is refused writes nothing."""
    moment = now or timezone.now()
    rows = LoginTries.objects.filter(key__in=[key for _, key in taken])
    early = looked_at(taken, rows, moment)
    return early if early.wait else in_transaction(lambda: counted(taken, rows.select_for_update(), moment))


def counted(taken: list[tuple[Bucket, str]], rows: QuerySet[LoginTries], now: datetime) -> Try:
    """Take a try from each bucket, under its lock: of many that come at once, each is counted."""
    LoginTries.objects.bulk_create([LoginTries(key=key, spent=0.0, at=now) for _, key in taken], ignore_conflicts=True)
    found = list(rows.order_by("key"))
    tried = looked_at(taken, found, now)
    if not tried.wait:
        kinds = {key: bucket for bucket, key in taken}
        for row in found:
            row.spent, row.at = kinds[row.key].spent(row, now) + 1, now
        LoginTries.objects.bulk_update(found, ["spent", "at"])
    return tried


def looked_at(taken: list[tuple[Bucket, str]], rows: Iterable[LoginTries], now: datetime) -> Try:
    """Return how long a try must wait, and how many were spent under this name with it."""
    found = {row.key: row for row in rows}
    spent = [bucket.spent(found.get(key), now) for bucket, key in taken]
    wait = max((gone + 1 - bucket.size) * bucket.seconds for gone, (bucket, _) in zip(spent, taken, strict=True))
    return Try(max(ceil(wait), 0), ceil(spent[0] + 1))


def succeed(name: str, address: str, known: str = "") -> None:
    """Give the tries under a name back to who knew the password; the address keeps what it spent on others."""
    (_, own), *others = buckets(name, address, known)

    def attempt() -> None:
        LoginTries.objects.filter(key=own).delete()
        for _, key in others:
            row = LoginTries.objects.select_for_update().filter(key=key).first()
            if row is not None:
                LoginTries.objects.filter(key=key).update(spent=max(row.spent - 1, 0.0))

    in_transaction(attempt)


def let_try(name: str, address: str) -> int:
    """Forget the wrong tries of an address, those under a name with them; returns how many counts there were."""
    keys = [key for _, key in buckets(name, address, "")] + [ASKING.key(address)]
    return LoginTries.objects.filter(key__in=keys).delete()[0]


def forget_tries(now: datetime | None = None) -> int:
    """Delete what has come back; returns how many rows there were."""
    return LoginTries.objects.filter(at__lt=(now or timezone.now()) - FORGOTTEN).delete()[0]
