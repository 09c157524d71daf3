"""Writes a league's log: one entry per change, in the same transaction, under the league's lock."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from league.core.capabilities import load_declared
from league.core.db.bulk import insert_few, insert_rows
from league.core.db.statements import run
from league.core.log.chain import FIRST, canonical, chain_payloads, instant
from league.core.log.sealing import SealedText, seal
from league.core.monitoring.meters import METERS
from league.models import League, LogEntry, LogText

COLUMNS = ("league", "position", "at", "by", "kind", "payload", "sha256")
TEXT_COLUMNS = ("league", "position", "sha256", "salt", "text")
HEAD = ("log_length", "log_sha256")
NOTE_HEAD = "UPDATE league_league SET last_number = %s, log_length = %s, log_sha256 = %s WHERE id = %s"
Payload = dict[str, Any]
Placed = tuple[int, SealedText]
"""A text and the position of its entry."""


@dataclass(frozen=True)
class EntryBatch:
    """Entries of one kind to be written: rows in the order of COLUMNS, and their sealed texts."""

    kind: LogEntry.Kind
    rows: Sequence[tuple[Any, ...]]
    texts: Sequence[Placed]


def append(league: League, now: datetime, by: str, kind: LogEntry.Kind, payload: Payload) -> None:
    """Append one entry with its texts sealed, and update the head; the league must be locked.

    ``last_number`` is written in the same statement, which saves one for a new game.
    """
    entries = make_entries(league, now, by, kind, [payload])
    insert_few(LogEntry, COLUMNS, entries.rows)
    write_texts(league, entries.texts)
    run(NOTE_HEAD, [league.last_number, league.log_length, league.log_sha256, league.pk])
    count_entries(kind, 1)
    enqueue(league)


def append_many(league: League, now: datetime, by: str, kind: LogEntry.Kind, payloads: Iterable[Payload]) -> None:
    """Append entries in bulk, with their texts sealed.

    The league's head is updated in memory and must be saved by the caller (``HEAD``).
    """
    write_entries(league, make_entries(league, now, by, kind, payloads))


def make_entries(
    league: League, now: datetime, by: str, kind: LogEntry.Kind, payloads: Iterable[Payload]
) -> EntryBatch:
    """Return entries with the league's next positions, updating its head in memory, without queries."""
    texts: list[Placed] = []
    first = league.log_length + 1

    def sealed() -> Iterator[str]:
        for position, payload in enumerate(payloads, start=first):
            one, found = seal(payload)
            texts.extend((position, text) for text in found)
            yield canonical(one)

    links = chain_payloads(first, instant(now), by, kind.value, sealed(), league.log_sha256 or FIRST)
    rows = [(league.pk, position, now, by, kind.value, *link) for position, link in enumerate(links, start=first)]
    if rows:
        league.log_length, league.log_sha256 = rows[-1][1], rows[-1][-1]
    return EntryBatch(kind, rows, texts)


def write_entries(league: League, entries: EntryBatch) -> None:
    """Write the next entries of a league's log, from ``make_entries``."""
    insert_rows(LogEntry, COLUMNS, entries.rows)
    write_texts(league, entries.texts)
    count_entries(entries.kind, len(entries.rows))
    enqueue(league)


def write_texts(league: League, texts: Sequence[Placed]) -> None:
    """Write the texts of entries."""
    if texts:
        insert_rows(LogText, TEXT_COLUMNS, ((league.pk, position, *text) for position, text in texts))


def count_entries(kind: LogEntry.Kind, count: int) -> None:
    """Count entries of a kind in the metrics after the commit."""
    if METERS.on:
        transaction.on_commit(partial(METERS.count, "rungs_log_entries_total", kind.value, by=count), robust=True)


def enqueue(league: League) -> None:
    """Call the listeners to the league's log; they read the new entries after the commit."""
    if league.has_webhooks:
        for listen in load_declared("log_listeners"):
            listen(league)


def append_to_all(leagues: Iterable[League], now: datetime, by: str, kind: LogEntry.Kind, payload: Payload) -> None:
    """Append the same entry to the logs of several locked leagues."""
    for league in leagues:
        append(league, now, by, kind, payload)
