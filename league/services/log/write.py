"""Writes the league's log: one entry a change, in the change's own transaction, under the league's lock."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from league import queue
from league.chain import FIRST, canonical, instant, linked
from league.db.bulk import copy_lines, escaped, insert_few, insert_rows
from league.db.columns import is_postgres
from league.db.statements import run
from league.models import League, LogEntry, LogText
from league.sealing import Text, seal
from league.watch.meters import METERS

COLUMNS = ("league", "position", "at", "by", "kind", "payload", "sha256")
TEXT_COLUMNS = ("league", "position", "sha256", "salt", "text")
HEAD = ("log_length", "log_sha256")
NOTE_HEAD = "UPDATE league_league SET last_number = %s, log_length = %s, log_sha256 = %s WHERE id = %s"
Payload = dict[str, Any]
Placed = tuple[int, Text]
"""A text and the position of its entry."""


def append(league: League, now: datetime, by: str, kind: LogEntry.Kind, payload: Payload) -> None:
    """Append one entry, its texts sealed, and note the new head; the league must be locked.

    ``last_number`` is written along, so that a new game's number costs no statement of its own.
    """
    sealed, texts = seal(payload)
    insert_few(LogEntry, COLUMNS, list(rows_of(league, now, by, kind, [canonical(sealed)])))
    if texts:
        write_texts(league, [(league.log_length, text) for text in texts])
    run(NOTE_HEAD, [league.last_number, league.log_length, league.log_sha256, league.pk])
    tell(kind, 1)
    enqueue(league)


def append_many(league: League, now: datetime, by: str, kind: LogEntry.Kind, payloads: Iterable[Payload]) -> None:
    """Append entries in bulk, their texts sealed; the league's head is moved as ``append_sealed`` moves it."""
    texts: list[Placed] = []

    def sealed() -> Iterator[str]:
        for position, payload in enumerate(payloads, start=league.log_length + 1):
            one, found = seal(payload)
            texts.extend((position, text) for text in found)
            yield canonical(one)

    append_sealed(league, now, by, kind, sealed())
    write_texts(league, texts)


def write_texts(league: League, texts: Sequence[Placed]) -> None:
    """Write texts beside the log."""
    if texts:
        insert_rows(LogText, TEXT_COLUMNS, ((league.pk, position, *text) for position, text in texts))


def append_sealed(league: League, now: datetime, by: str, kind: LogEntry.Kind, payloads: Iterable[str]) -> None:
    """Append entries in bulk, the payloads being sealed, and canonical JSON, already.

    The league's head is moved in memory and must be saved by the caller (``HEAD``).
    """
    before = league.log_length
    if is_postgres():
        copy_lines(LogEntry, COLUMNS, lines_of(league, now, by, kind, payloads))
    else:
        insert_rows(LogEntry, COLUMNS, rows_of(league, now, by, kind, payloads))
    tell(kind, league.log_length - before)
    enqueue(league)


def tell(kind: LogEntry.Kind, count: int) -> None:
    """Count entries of a kind once they are committed."""
    if METERS.on:
        transaction.on_commit(partial(METERS.count, "rungs_log_entries_total", kind.value, by=count), robust=True)


def enqueue(league: League) -> None:
    """Have the webhooks told after the commit; what they wait for stands in the log itself."""
    if league.has_webhooks:
        queue.enqueue("league.webhooks", league.pk)


def rows_of(
    league: League, now: datetime, by: str, kind: LogEntry.Kind, payloads: Iterable[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of entries in the order of COLUMNS, moving the league's head along."""
    links = linked(league.log_length + 1, instant(now), by, kind.value, payloads, league.log_sha256 or FIRST)
    for text, sha256 in links:
        league.log_length, league.log_sha256 = league.log_length + 1, sha256
        yield league.pk, league.log_length, now, by, kind.value, text, sha256


def lines_of(league: League, now: datetime, by: str, kind: LogEntry.Kind, payloads: Iterable[str]) -> Iterator[str]:
    """Yield the rows of entries as lines of PostgreSQL's COPY, moving the league's head along."""
    at, position = instant(now), league.log_length
    links = linked(position + 1, at, by, kind.value, payloads, league.log_sha256 or FIRST)
    middle = f"{at}\t{escaped(by)}\t{kind.value}"
    for text, sha256 in links:
        position += 1
        # JSON holds no control characters: only what it escapes is escaped once more.
        payload = text.replace("\\", "\\\\")
        yield f"{league.pk}\t{position}\t{middle}\t{payload}\t{sha256}\n"
        league.log_length, league.log_sha256 = position, sha256


def append_to_all(leagues: Iterable[League], now: datetime, by: str, kind: LogEntry.Kind, payload: Payload) -> None:
    """Append the same to the logs of several leagues, all of them locked."""
    for league in leagues:
        append(league, now, by, kind, payload)
