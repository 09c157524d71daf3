"""Rows of competitions as the log has them. Verification and exports have the same."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from league.apps.competitions.models import (
    SETTINGS,
    Competition,
    Entry,
    EntryPlayer,
    FinalStandings,
    Fixture,
    Round,
    SourceFile,
)
from league.core.log.chain import compute_digest, format_instant
from league.models import Player

Row = dict[str, Any]
#: The columns of each table, apart from keys and references.
ENTRY = (
    "seed", "rating", "title", "federation", "status", "withdrawn_after", "byes", "not_against", "checked_in_at",
    "entered_at", "entered_by",
)  # fmt: skip
ROUND = ("starts_at", "deadline", "reasons", "basis", "made_at", "made_by", "published_at")
FIXTURE = ("kind", "table", "starts_at", "deadline", "venue", "forfeit", "cancelled_at")
FILE = ("encoding", "title", "place")
STANDINGS = ("sha256", "published_at", "published_by", "reason")


def get_opaque(player: Player) -> str:
    """Return the handle of a player in the log."""
    return player.opaque


def get_handle(player: Player) -> str:
    """Return the handle of a player for readers of the log."""
    return player.handle


def _select(row: Any, names: Iterable[str]) -> Row:
    values = ((name, getattr(row, name)) for name in names)
    return {name: format_instant(value) if isinstance(value, datetime) else value for name, value in values}


def build_settings_row(competition: Competition) -> Row:
    """Return the row of a competition."""
    return {"competition": competition.slug, **_select(competition, SETTINGS)}


def build_entry_row(
    slug: str, entry: Entry, players: Iterable[EntryPlayer], name: Callable[[Player], str] = get_opaque
) -> Row:
    """Return the row of an entry with its players in order."""
    return {
        "competition": slug,
        "entry": entry.number,
        "players": [{"player": name(line.player)} for line in players],
        "side_name": entry.name,
        **_select(entry, ENTRY),
    }


def build_round_row(slug: str, one_round: Round) -> Row:
    """Return the row of a round."""
    return {"competition": slug, "round": one_round.number, **_select(one_round, ROUND)}


def build_fixture_row(
    slug: str, fixture: Fixture, round_number: int | None, seats: Iterable[tuple[int, str]], game: int | None
) -> Row:
    """Return the row of a fixture; ``seats``: numbers of entries and awarded points, in order."""
    return {
        "competition": slug,
        "fixture": fixture.number,
        "round": round_number,
        "seats": [{"entry": entry, "points": points} for entry, points in seats],
        "game": game,
        **_select(fixture, FIXTURE),
    }


def serialize_file(source: SourceFile) -> Row:
    """Return the file that a competition was imported from, and its event, in JSON types."""
    day = None if source.first_day is None else source.first_day.isoformat()
    data = b64encode(bytes(source.data)).decode()
    return {"data": data, **{name: getattr(source, name) for name in FILE}, "first_day": day}


def build_file_row(slug: str, source: SourceFile | None) -> Row:
    """Return the row of a file, which names people: the log has its hash only, "" if it was deleted."""
    digest = "" if source is None else compute_digest(json.dumps(serialize_file(source), sort_keys=True))
    return {"competition": slug, "sha256": digest}


def build_standings_row(slug: str, standings: FinalStandings) -> Row:
    """Return the row of an edition of final standings."""
    return {"competition": slug, "edition": standings.number, **_select(standings, STANDINGS)}
