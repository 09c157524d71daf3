"""The complete export of a league as NDJSON: facts, rules, editions, decisions and log, one object per line.

It is streamed. The last line has the number and SHA-256 of the others, so that a truncated file is detected.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Prefetch, Q

from league.core.db.isolation import long_snapshot
from league.core.log.chain import format_instant
from league.core.log.selectors.audience import PublicReader
from league.core.log.selectors.log import log_lines
from league.core.transfer.export_parts import list_export_parts, list_left_out
from league.models import Decision, Edition, Game, League, Merge, Period, Player, Result
from league.models.facts import RESULT, SHEET, select_unusual_values
from league.models.leagues import SETTINGS

FORMAT, VERSION = "rungs-export", 1
CHUNK = 1000
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
LEAGUE = ("slug", *SETTINGS, "created_at", "last_number", "log_length")
RULE = ("from_date", "starts_at", "system", "parameters", "created_at", "created_by")
ADJUSTMENT = (
    "number", "at", "amount", "reason", "recorded_at", "recorded_by", "voided_at", "voided_by", "void_reason",
)  # fmt: skip
LADDER = ("slug", "title", "ended_on", "created_at", "created_by")
LADDER_RULE = ("from_date", "to_date", "method", "parameters", "cadence", "created_at", "created_by")
GAME = ("number", "order_key", *SHEET, "recorded_at", "recorded_by", "voided_at", "voided_by", "void_reason")
PERIOD = ("key", "title", "starts_at", "ends_at")
EDITION = (
    "key", "number", "starts_at", "ends_at", "due_at", "published_at", "published_by", "reason", "log_position",
    "winners", "document", "sha256", "standings_sha256", "redacted_sha256",
)  # fmt: skip
DECISION = ("key", "edition", "kind", "at", "by", "reason", "digest")


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


def serialize_fields(thing: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return attributes in JSON types."""
    return {name: format_export_value(getattr(thing, name)) for name in names}


def format_export_value(value: Any) -> Any:
    """Return times (in UTC) and dates in ISO 8601, and other values unchanged."""
    if isinstance(value, datetime):
        return format_instant(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def list_lines(league: League, header: dict[str, Any], aliases: bool) -> Iterator[str]:
    """Yield all lines except the last one; an object is above the lines that refer to it."""
    yield serialize_line("header", header)
    yield serialize_line("league", select_unusual_values(serialize_fields(league, LEAGUE).items()))
    for rule in league.rules.order_by("starts_at"):
        values = serialize_fields(rule, RULE) | ({"season": rule.season} if rule.season else {})
        yield serialize_line("rule", values if rule.start == rule.Start.REPLAYED else {**values, "start": rule.start})
    yield from list_player_lines(league, aliases)
    starts = league.initial_ratings.select_related("player", "recorded_as").order_by("player__handle")
    for start in starts.iterator(chunk_size=CHUNK):
        yield serialize_line("initial_rating", {**serialize_players(start), "rating": start.rating})
    adjustments = league.adjustments.select_related("player", "recorded_as").order_by("number")
    for adjustment in adjustments.iterator(chunk_size=CHUNK) if league.eventful else ():
        yield serialize_line(
            "adjustment", {**serialize_players(adjustment), **serialize_fields(adjustment, ADJUSTMENT)}
        )
    for ladder in league.ladders.order_by("pk").prefetch_related("rules"):
        rules = sorted(ladder.rules.all(), key=lambda rule: rule.from_date)
        yield serialize_line(
            "ladder",
            {**serialize_fields(ladder, LADDER), "rules": [serialize_fields(rule, LADDER_RULE) for rule in rules]},
        )
    yield from list_game_lines(league)
    yield from list_ladder_lines(league)
    for part in list_export_parts(for_organisers=aliases):
        for row in part.list_rows(league, for_organisers=aliases):
            yield serialize_line(part.kind, {name: format_export_value(value) for name, value in row.items()})
    for line in log_lines(league, 0, league.log_length, None if aliases else PublicReader(league)):
        yield f'{{"type":"entry","entry":{line}}}'


def list_player_lines(league: League, aliases: bool) -> Iterator[str]:
    """Yield the players of results, initial ratings and adjustments; merged players come last."""
    lines, starts = Result.objects.filter(league=league), league.initial_ratings
    # Inactive players are in the log, even if undoing a merge took away their games.
    affected = Q(pk__in=lines.values("player")) | Q(pk__in=starts.values("player"))
    affected |= Q(pk__in=league.inactive.values("player"))
    affected |= Q(pk__in=league.adjustments.values("player")) | Q(added_in=league)
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
        values = {**serialize_fields(player, ("handle", "name")), "active": not player.is_inactive}
        values |= serialize_fields(player, ("created_at", "erased_at"))
        values["aliases"] = list_own_aliases(player) if aliases else []
        stored = {"metadata": player.metadata, "external_ids": get_own_external_ids(player)} if aliases else {}
        values |= {name: texts for name, texts in stored.items() if texts}
        if player.merged_into is not None and not aliases:
            values["name"] = player.handle
        values["merge"] = next(
            ({"into": merge.into.handle, **serialize_fields(merge, ("at", "by"))} for merge in player.in_force), None
        )
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


def serialize_players(line: Any) -> dict[str, Any]:
    """Return the player for whom a line counts, and the original player if merged."""
    return {"player": line.player.handle, "recorded_as": line.recorded_as and line.recorded_as.handle}


def list_game_lines(league: League) -> Iterator[str]:
    """Yield all games, including void ones, by number, with results in seat order."""
    games = Game.objects.filter(league=league).order_by("number").annotate(replaced=F("replaces__number"))
    for game in games.prefetch_related("results__player", "results__recorded_as").iterator(chunk_size=CHUNK):
        results = [
            {
                "seat": line.seat,
                **serialize_players(line),
                **select_unusual_values(serialize_fields(line, RESULT).items()),
            }
            for line in sorted(game.results.all(), key=lambda line: line.seat)
        ]
        yield serialize_line(
            "game",
            {
                **select_unusual_values(serialize_fields(game, GAME).items()),
                "replaces": game.replaced,
                "results": results,
            },
        )


def list_ladder_lines(league: League) -> Iterator[str]:
    """Yield periods, editions and decisions."""
    periods = Period.objects.filter(league=league).select_related("ladder", "rule")
    for period in periods.order_by("ladder", "starts_at").iterator(chunk_size=CHUNK):
        keys = {"ladder": period.ladder.slug, "rule": period.rule.from_date.isoformat()}
        yield serialize_line("period", {**keys, **serialize_fields(period, PERIOD)})
    editions = Edition.objects.filter(league=league).select_related("ladder")
    for edition in editions.order_by("pk").iterator(chunk_size=20):
        yield serialize_line("edition", {"ladder": edition.ladder.slug, **serialize_fields(edition, EDITION)})
    decisions = Decision.objects.filter(league=league).select_related("ladder")
    for decision in decisions.order_by("at", "pk").iterator(chunk_size=CHUNK):
        yield serialize_line("decision", {"ladder": decision.ladder.slug, **serialize_fields(decision, DECISION)})
