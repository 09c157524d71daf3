"""Idempotent requests: a repeated request with the same client-chosen key is executed once.

The key's row is written first, then the request takes the league's lock, and the answer is stored, all in
one transaction, so that a killed request leaves no key behind. A concurrent request with the same key
waits for the row, not for the league.

An answer that takes long to write is written after that transaction: the transaction stores what the answer is about
(``UNWRITTEN``), and ``store_answer`` the answer. Whoever is killed in between leaves it to the next request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import OperationalError, connection
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import KeyReused, RequestUnderway
from league.core.locking import is_transient, run_in_transaction
from league.models import RequestKey

#: How long an answer is stored.
ANSWER_LIFETIME = timedelta(hours=24)
#: How long a second request with the same key waits for the first, in milliseconds (PostgreSQL).
PATIENCE = 5000
#: The status of an answer that is not written yet; its body is what it is about.
UNWRITTEN = 0


@dataclass(frozen=True)
class StoredResponse:
    """An answer: status, JSON text, headers; ``replayed`` if it is a stored one."""

    status: int
    body: str
    headers: Mapping[str, str]
    replayed: bool = False


def run_idempotently(owner: str, key: str, digest: str, action: Callable[[], StoredResponse]) -> StoredResponse:
    """Execute ``action``, or return the stored answer.

    Raises KeyReused if the key was used for other content, Underway if the first request is still
    running, and whatever ``action`` raises; nothing is written then, and the key stays unused.
    """

    def attempt() -> StoredResponse:
        now = timezone.now()
        writer = uuid4()
        row = claim(owner, key, digest, writer, now)
        if row.writer != writer and row.expires_at > now:
            if row.digest != digest:
                template = _("The Idempotency-Key “{key}” was used for another request; choose a new key.")
                raise KeyReused(template.format(key=key))
            return StoredResponse(row.status, row.body, row.headers, replayed=True)
        response = action()
        row.digest, row.writer, row.expires_at = digest, writer, now + ANSWER_LIFETIME
        row.status, row.body, row.headers = response.status, response.body, dict(response.headers)
        row.save()
        return response

    return run_in_transaction(attempt)


def store_answer(owner: str, key: str, answer: StoredResponse) -> StoredResponse:
    """Store an answer that was not written yet, and return it; if another request was first, return that answer."""
    row = RequestKey.objects.filter(owner=owner, key=key)
    changes = {"status": answer.status, "body": answer.body, "headers": dict(answer.headers)}
    run_in_transaction(lambda: row.filter(status=UNWRITTEN).update(**changes))
    stored = row.first()
    if stored is None:  # it has expired
        return answer
    return StoredResponse(stored.status, stored.body, stored.headers, answer.replayed)


def claim(owner: str, key: str, digest: str, writer: UUID, now: datetime) -> RequestKey:
    """Return the locked row of a key, inserted by ``writer`` if there was none; raises Underway."""
    postgres = connection.vendor == "postgresql"
    row = RequestKey(owner=owner, key=key, digest=digest, writer=writer, expires_at=now + ANSWER_LIFETIME)
    try:
        previous_timeout = set_patience(f"{PATIENCE}ms") if postgres else ""
        RequestKey.objects.bulk_create([row], ignore_conflicts=True)
        request_key = RequestKey.objects.select_for_update(of=("self",)).get(owner=owner, key=key)
        if postgres:
            set_patience(previous_timeout)
    except OperationalError as error:
        if not postgres or not is_transient(error):
            raise
        template = _("The request with the Idempotency-Key “{key}” is still being processed.")
        raise RequestUnderway(template.format(key=key)) from None
    return request_key


def set_patience(wait: str) -> str:
    """Set the lock timeout of this transaction and return the previous one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout'), set_config('lock_timeout', %s, true)", [wait])
        previous: str = cursor.fetchone()[0]
    return previous


def delete_expired_keys(now: datetime | None = None) -> int:
    """Delete expired keys and return their number."""
    return RequestKey.objects.filter(expires_at__lte=now or timezone.now()).delete()[0]
