"""Entries of a league's log: the payloads that are not rows of a record, as JSON, and how entries are written.

There is one entry per change, written in the same transaction, under the league's lock. Everyone who may see the
league may read it, apart from what is hidden elsewhere, too (``selectors.audience``). Players have opaque handles, as
the log can never be edited and handles are derived from names. Free texts of payloads are sealed when written. Rows
that not everyone may read have a seal in the log, with which they can be checked: the SHA-256 of the row's content with
its salt, 256 random bits stored only in the row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import TextChoices

from league.core.capabilities import load_declared
from league.core.db.bulk import insert_few, insert_rows
from league.core.db.statements import run
from league.core.log.chain import FIRST, SealedText, chain_payloads, seal, serialize_canonically
from league.core.monitoring.telemetry import METERS
from league.core.records import leave_out
from league.core.text.instants import format_instant
from league.models import League, LogEntry, LogText
from league.models.facts import GAME_VOID_LOG, RESULT, SHEET, USUAL, list_recorded_values
from league.models.leagues import LEAGUE_RECORD, SETTINGS

Line = tuple[Any, ...]
"""The fields LINE of a result, with opaque handles."""
LINE = ("player", *RESULT, "recorded_as")


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

    kind: TextChoices
    rows: Sequence[tuple[Any, ...]]
    texts: Sequence[Placed]


def append(league: League, now: datetime, author: str, kind: TextChoices, payload: Payload) -> None:
    """Append one entry with its texts sealed, and update the head; the league must be locked.

    ``last_number`` is written in the same statement, which saves one for a new game.
    """
    entries = make_entries(league, now, author, kind, [payload])
    insert_few(LogEntry, COLUMNS, entries.rows)
    write_texts(league, entries.texts)
    run(NOTE_HEAD, [league.last_number, league.log_length, league.log_sha256, league.pk])
    count_entries(kind, 1)
    enqueue(league)


def append_many(league: League, now: datetime, author: str, kind: TextChoices, payloads: Iterable[Payload]) -> None:
    """Append entries in bulk, with their texts sealed.

    The league's head is updated in memory and must be saved by the caller (``HEAD``).
    """
    write_entries(league, make_entries(league, now, author, kind, payloads))


def make_entries(
    league: League, now: datetime, author: str, kind: TextChoices, payloads: Iterable[Payload]
) -> EntryBatch:
    """Return entries with the league's next positions, updating its head in memory, without queries."""
    texts: list[Placed] = []
    first = league.log_length + 1

    def sealed() -> Iterator[str]:
        for position, payload in enumerate(payloads, start=first):
            sealed_payload, sealed_texts = seal(payload)
            texts.extend((position, text) for text in sealed_texts)
            yield serialize_canonically(sealed_payload)

    links = chain_payloads(first, format_instant(now), author, kind.value, sealed(), league.log_sha256 or FIRST)
    rows = [(league.pk, position, now, author, kind.value, *link) for position, link in enumerate(links, start=first)]
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


def count_entries(kind: TextChoices, count: int) -> None:
    """Count entries of a kind in the metrics after the commit."""
    if METERS.on:
        transaction.on_commit(partial(METERS.count, "rungs_log_entries_total", kind.value, by=count), robust=True)


def enqueue(league: League) -> None:
    """Call the listeners to the league's log; they read the new entries after the commit."""
    if league.has_listeners:
        for listen in load_declared(lambda app: app.log.listener):
            listen(league)


def append_to_all(leagues: Iterable[League], now: datetime, author: str, kind: TextChoices, payload: Payload) -> None:
    """Append the same entry to the logs of several locked leagues."""
    for league in leagues:
        append(league, now, author, kind, payload)


def build_league_payload(league: Any) -> dict[str, Any]:
    """Return the payload of a new league."""
    return LEAGUE_RECORD.serialize(league, ("slug", *SETTINGS))


def build_settings_payload(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that have changed."""
    return {name: value for name, value in after.items() if before[name] != value}


def build_start_payload(player: str, rating: float) -> dict[str, Any]:
    """Return the payload of an initial rating."""
    return {"player": player, "rating": rating}


def build_player_payload(player: str, field_names: Sequence[str], active: bool | None = None) -> dict[str, Any]:
    """Return the payload of a changed player: only field names and the activity in this league, as values are names."""
    payload: dict[str, Any] = {"player": player, "given": sorted(field_names)}
    return payload if active is None else {**payload, "active": active}


def build_merge_payload(player: str, survivor: str) -> dict[str, Any]:
    """Return the payload of a merge, or of undoing one: facts of ``player`` in this league count for ``survivor``."""
    return {"player": player, "into": survivor}


def build_sheet_payload(number: int, sheet: Mapping[str, Any], lines: Iterable[Line]) -> dict[str, Any]:
    """Return the payload of a recorded game; ``lines`` are its results in seat order."""
    payload = leave_out({"number": number, **{name: sheet[name] for name in SHEET}}, USUAL)
    payload["played_at"] = format_instant(sheet["played_at"])
    payload["results"] = [leave_out(dict(zip(LINE, line, strict=True)), USUAL) for line in lines]
    return payload


def build_game_payload(game: Any, lines: Iterable[Line]) -> dict[str, Any]:
    """Return the payload of a recorded game, as ``build_sheet_payload``."""
    return build_sheet_payload(game.number, {name: getattr(game, name) for name in SHEET}, lines)


def serialize_lines(results: Iterable[Any]) -> list[Line]:
    """Return results as lines of a payload."""
    return [
        (line.player.opaque, *list_recorded_values(line), line.recorded_as and line.recorded_as.opaque)
        for line in results
    ]


def build_correction_payload(old: Any, game: Any, lines: Iterable[Line]) -> dict[str, Any]:
    """Return the payload of a corrected game."""
    return {**GAME_VOID_LOG.build_payload(old), "game": build_game_payload(game, lines)}


def build_restoration_payload(
    old: Any, reason: str, voided: int | None, game: Any, lines: Iterable[Line]
) -> dict[str, Any]:
    """Return the payload of a restored game; ``voided``: the number of the game voided for it, if any."""
    return {"number": old.number, "reason": reason, "voided": voided, "game": build_game_payload(game, lines)}


def build_exchange_payload(first: int, second: int) -> dict[str, Any]:
    """Return the payload of two games, with all versions, that exchanged their order keys."""
    return {"games": [first, second]}
