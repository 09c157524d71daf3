"""The complete export of a league as NDJSON: facts, rules, editions, decisions and log, one object per line.

It is streamed. The last line has the number and SHA-256 of the others, so that a truncated file is detected.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q

from league.core.db.isolation import long_snapshot
from league.core.log.chain import WITHHELD
from league.core.log.selectors.audience import PublicReader
from league.core.log.selectors.log import log_lines
from league.core.records import format_value
from league.core.text.instants import format_instant
from league.core.transfer.export_parts import list_export_parts, list_left_out
from league.models import DeclaredField, League, Merge, Player, Result
from league.models.contexts import CONTEXT_RECORD
from league.models.derived import PERIOD_RECORD
from league.models.facts import ADJUSTMENT_RECORD, GAME_RECORD, RULE_RECORD, START_RECORD
from league.models.fields import FIELD_RECORD, PLAYER_FIELDS_RECORD
from league.models.ladders import LADDER_RECORD
from league.models.leagues import LEAGUE_RECORD
from league.models.merges import MERGE_RECORD
from league.models.record import DECISION_RECORD, EDITION_RECORD

FORMAT, VERSION = "rungs-export", 1
#: Rows read per query; the documents of editions are long.
CHUNK, FEW = 1000, 20
#: Type of lines -> their record, in the order of an export; the players come before the initial ratings.
RECORDS = {
    "rule": RULE_RECORD,
    "field": FIELD_RECORD,
    "context": CONTEXT_RECORD,
    "initial_rating": START_RECORD,
    "player_fields": PLAYER_FIELDS_RECORD,
    "adjustment": ADJUSTMENT_RECORD,
    "ladder": LADDER_RECORD,
    "game": GAME_RECORD,
    "period": PERIOD_RECORD,
    "edition": EDITION_RECORD,
    "decision": DECISION_RECORD,
}
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def export_lines(league_id: int, now: datetime, *, aliases: bool) -> Iterator[str]:
    """Yield the lines of an export from one snapshot.

    With ``aliases``, for organisers, it is complete; without, its first line says that it is public, and what it leaves
    out.
    """
    sha256, count = hashlib.sha256(), 0
    with long_snapshot(limited=True):
        league = League.objects.get(pk=league_id)
        header = {"format": FORMAT, "version": VERSION, "exported_at": format_instant(now), "aliases": aliases}
        header |= {} if aliases else {"public": True, "left_out": list_left_out()}
        for line in list_lines(league, header, aliases):
            sha256.update(f"{line}\n".encode())
            count += 1
            yield line
    yield serialize_line("end", {"lines": count, "sha256": sha256.hexdigest()})


def serialize_line(kind: str, values: dict[str, Any]) -> str:
    """Return a line."""
    return ENCODER.encode({"type": kind, **values})


def list_lines(league: League, header: dict[str, Any], aliases: bool) -> Iterator[str]:
    """Yield all lines except the last one; an object is above the lines that refer to it."""
    yield serialize_line("header", header)
    yield serialize_line("league", LEAGUE_RECORD.serialize(league))
    for kind in RECORDS:
        if kind == "initial_rating":
            yield from list_player_lines(league, aliases)
        if has_lines(league, kind):
            yield from list_record_lines(league, kind, aliases)
    for part in list_export_parts(for_organisers=aliases):
        for row in part.list_rows(league, for_organisers=aliases):
            yield serialize_line(part.kind, {name: format_value(value) for name, value in row.items()})
    reader = None if aliases else PublicReader(league)
    for line in log_lines(league, 0, league.log_length, reader, withheld=aliases):
        yield f'{{"type":"entry","entry":{line}}}'


def has_lines(league: League, kind: str) -> bool:
    """Return whether a league may have rows of a kind."""
    if kind in ("field", "player_fields"):
        return league.has_fields
    if kind == "context":
        return league.has_contexts
    return kind != "adjustment" or league.eventful


def list_record_lines(league: League, kind: str, aliases: bool) -> Iterator[str]:
    """Yield the lines of a league's rows of a kind; without ``aliases``, without fields that not everyone may read."""
    record = RECORDS[kind]
    rows = record.model._default_manager.filter(league=league)
    if kind == "field" and not aliases:
        rows = rows.filter(visible=DeclaredField.Visible.ALL)
    for row in record.serialize_rows(rows, FEW if kind == "edition" else CHUNK):
        yield serialize_line(kind, row if aliases else {name: row[name] for name in row if name != WITHHELD})


def list_player_lines(league: League, aliases: bool) -> Iterator[str]:
    """Yield the players of results, initial ratings and adjustments; merged players come last."""
    lines, starts = Result.objects.filter(league=league), league.initial_ratings
    # Inactive players are in the log, even if undoing a merge took away their games.
    affected = Q(pk__in=lines.values("player")) | Q(pk__in=starts.values("player"))
    affected |= Q(pk__in=league.inactive.values("player"))
    affected |= Q(pk__in=league.adjustments.values("player")) | Q(added_in=league)
    affected |= Q(pk__in=league.player_fields.values("player"))
    for rows in (lines, starts, league.adjustments):
        affected |= Q(pk__in=rows.filter(recorded_as__isnull=False).values("recorded_as"))
    for part in list_export_parts(for_organisers=aliases):
        affected |= Q(pk__in=part.list_players(league, for_organisers=aliases))
    in_force = Prefetch("merges", Merge.objects.filter(undone_at=None).select_related("into"), to_attr="in_force")
    prefetched = ("aliases", "merged_into__aliases", "external_ids", "merged_into__external_ids") if aliases else ()
    players = Player.objects.filter(affected).select_related("merged_into").prefetch_related(*prefetched, in_force)
    players = players.annotate(is_merged=Q(merged_into__isnull=False)).order_by("is_merged", "handle")
    players = players.annotate(is_inactive=Exists(league.inactive.filter(player=OuterRef("pk"))))
    for player in players.iterator(chunk_size=CHUNK):
        values = {"handle": player.handle, "name": player.name, "active": not player.is_inactive}
        values |= {name: format_value(getattr(player, name)) for name in ("created_at", "erased_at")}
        values["aliases"] = list_own_aliases(player) if aliases else []
        stored = {"metadata": player.metadata, "external_ids": get_own_external_ids(player)} if aliases else {}
        values |= {name: texts for name, texts in stored.items() if texts}
        if player.merged_into is not None and not aliases:
            values["name"] = player.handle
        merges = (MERGE_RECORD.serialize(merge, ("into", "at", "by")) for merge in player.in_force)
        values["merge"] = next(merges, None)
        yield serialize_line("player", values)


def list_own_aliases(player: Player) -> list[str]:
    """Return a player's own aliases, even if they are reassigned by a merge."""
    if player.merged_into is None:
        aliases = [alias for alias in player.aliases.all() if alias.recorded_as_id is None]
    else:
        aliases = [alias for alias in player.merged_into.aliases.all() if alias.recorded_as_id == player.pk]
    return [alias.text for alias in aliases if alias.text != player.handle]


def get_own_external_ids(player: Player) -> dict[str, str]:
    """Return a player's own external ids, even if they are reassigned by a merge."""
    bearer, original = (player, None) if player.merged_into is None else (player.merged_into, player.pk)
    return {
        external_id.provider: external_id.value
        for external_id in bearer.external_ids.all()
        if external_id.recorded_as_id == original
    }
