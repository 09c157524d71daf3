"""Everything that is known of a league as NDJSON: facts, rules, editions, decisions and log, one thing a line.

Only a few things are in memory at a time. The last line counts the others and has their SHA-256, so that a
file that was cut off is known as one.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef, Prefetch, Q

from league.core.capabilities import load_declared
from league.core.db.isolation import long_snapshot
from league.core.log.chain import instant
from league.core.log.selectors.log import log_lines
from league.models import Decision, Edition, Game, League, Merge, Period, Player, Result
from league.models.declared import RESULT, SETTINGS, SHEET, unusual

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
    """Yield the lines of an export, all of one state of the league's data.

    ``aliases`` says whether the other spellings of the players are told, too, and the names of those who were merged
    into others: no page shows them, their handles are in the log; and the lines of capabilities.
    """
    sha256, count = hashlib.sha256(), 0
    with long_snapshot(limited=True):
        league = League.objects.get(pk=league_id)
        header = {"format": FORMAT, "version": VERSION, "exported_at": instant(now), "aliases": aliases}
        for line in body(league, header, aliases):
            sha256.update(f"{line}\n".encode())
            count += 1
            yield line
    yield serialize("end", {"lines": count, "sha256": sha256.hexdigest()})


def serialize(kind: str, values: dict[str, Any]) -> str:
    """Return a line."""
    return ENCODER.encode({"type": kind, **values})


def plain(thing: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return attributes in plain JSON types."""
    return {name: format_export_value(getattr(thing, name)) for name in names}


def format_export_value(value: Any) -> Any:
    """Write times in UTC and days as ISO 8601; everything else stays."""
    if isinstance(value, datetime):
        return instant(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def body(league: League, header: dict[str, Any], aliases: bool) -> Iterator[str]:
    """Yield every line but the last one; what a line names is above it."""
    yield serialize("header", header)
    yield serialize("league", unusual(plain(league, LEAGUE).items()))
    for rule in league.rules.order_by("starts_at"):
        said = plain(rule, RULE) | ({"season": rule.season} if rule.season else {})
        yield serialize("rule", said if rule.start == rule.Start.REPLAYED else {**said, "start": rule.start})
    yield from players(league, aliases)
    starts = league.initial_ratings.select_related("player", "recorded_as").order_by("player__handle")
    for start in starts.iterator(chunk_size=CHUNK):
        yield serialize("initial_rating", {**who(start), "rating": start.rating})
    adjustments = league.adjustments.select_related("player", "recorded_as").order_by("number")
    for one in adjustments.iterator(chunk_size=CHUNK) if league.eventful else ():
        yield serialize("adjustment", {**who(one), **plain(one, ADJUSTMENT)})
    for ladder in league.ladders.order_by("pk").prefetch_related("rules"):
        rules = sorted(ladder.rules.all(), key=lambda rule: rule.from_date)
        yield serialize("ladder", {**plain(ladder, LADDER), "rules": [plain(rule, LADDER_RULE) for rule in rules]})
    yield from games(league)
    yield from ladder_lines(league)
    for part in load_declared("export_parts") if aliases else ():
        for row in part.list_rows(league):
            yield serialize(part.kind, {name: format_export_value(value) for name, value in row.items()})
    for line in log_lines(league, 0, league.log_length):
        yield f'{{"type":"entry","entry":{line}}}'


def players(league: League, aliases: bool) -> Iterator[str]:
    """Yield everyone whom a result or an initial rating names or counts for, those who were merged at the end."""
    lines, starts = Result.objects.filter(league=league), league.initial_ratings
    # Of who is inactive the log says so, also where a merge that was taken back took the games away again.
    affected = Q(pk__in=lines.values("player")) | Q(pk__in=starts.values("player"))
    affected |= Q(pk__in=league.inactive.values("player"))
    affected |= Q(pk__in=league.adjustments.values("player"))
    for named in (lines, starts, league.adjustments):
        affected |= Q(pk__in=named.filter(recorded_as__isnull=False).values("recorded_as"))
    for part in load_declared("export_parts") if aliases else ():
        affected |= Q(pk__in=part.list_players(league))
    in_force = Prefetch("merges", Merge.objects.filter(undone_at=None).select_related("into"), to_attr="in_force")
    spelled = ("aliases", "merged_into__aliases", "external_ids", "merged_into__external_ids") if aliases else ()
    found = Player.objects.filter(affected).select_related("merged_into").prefetch_related(*spelled, in_force)
    found = found.annotate(gone=Q(merged_into__isnull=False)).order_by("gone", "handle")
    found = found.annotate(left=Exists(league.inactive.filter(player=OuterRef("pk"))))
    for player in found.iterator(chunk_size=CHUNK):
        values = {**plain(player, ("handle", "name")), "active": not player.left}
        values |= plain(player, ("created_at", "erased_at"))
        values["aliases"] = own_spellings(player) if aliases else []
        stored = {"metadata": player.metadata, "external_ids": own_external_ids(player)} if aliases else {}
        values |= {name: texts for name, texts in stored.items() if texts}
        if player.merged_into is not None and not aliases:
            values["name"] = player.handle
        values["merge"] = next(({"into": one.into.handle, **plain(one, ("at", "by"))} for one in player.in_force), None)
        yield serialize("player", values)


def own_spellings(player: Player) -> list[str]:
    """Return a player's own other spellings, also while they lead to the one into whom they were merged."""
    if player.merged_into is None:
        found = [alias for alias in player.aliases.all() if alias.recorded_as_id is None]
    else:
        found = [alias for alias in player.merged_into.aliases.all() if alias.recorded_as_id == player.pk]
    return [alias.text for alias in found if alias.text != player.handle]


def own_external_ids(player: Player) -> dict[str, str]:
    """Return a player's own external ids, also while they lead to the one into whom they were merged."""
    bearer, original = (player, None) if player.merged_into is None else (player.merged_into, player.pk)
    return {one.provider: one.value for one in bearer.external_ids.all() if one.recorded_as_id == original}


def who(line: Any) -> dict[str, Any]:
    """Return for whom a line counts, and whom it named where that one was merged into them."""
    return {"player": line.player.handle, "recorded_as": line.recorded_as and line.recorded_as.handle}


def games(league: League) -> Iterator[str]:
    """Yield every game, void ones too, in the order of their numbers; results in seat order."""
    found = Game.objects.filter(league=league).order_by("number").annotate(replaced=F("replaces__number"))
    for game in found.prefetch_related("results__player", "results__recorded_as").iterator(chunk_size=CHUNK):
        results = [
            {"seat": line.seat, **who(line), **unusual(plain(line, RESULT).items())}
            for line in sorted(game.results.all(), key=lambda line: line.seat)
        ]
        yield serialize("game", {**unusual(plain(game, GAME).items()), "replaces": game.replaced, "results": results})


def ladder_lines(league: League) -> Iterator[str]:
    """Yield periods (their instants were resolved when they opened), editions and decisions."""
    periods = Period.objects.filter(league=league).select_related("ladder", "rule")
    for period in periods.order_by("ladder", "starts_at").iterator(chunk_size=CHUNK):
        named = {"ladder": period.ladder.slug, "rule": period.rule.from_date.isoformat()}
        yield serialize("period", {**named, **plain(period, PERIOD)})
    editions = Edition.objects.filter(league=league).select_related("ladder")
    for edition in editions.order_by("pk").iterator(chunk_size=20):
        yield serialize("edition", {"ladder": edition.ladder.slug, **plain(edition, EDITION)})
    decisions = Decision.objects.filter(league=league).select_related("ladder")
    for decision in decisions.order_by("at", "pk").iterator(chunk_size=CHUNK):
        yield serialize("decision", {"ladder": decision.ladder.slug, **plain(decision, DECISION)})
