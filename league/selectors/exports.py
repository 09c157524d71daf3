"""Everything that is known of a league as NDJSON: facts, rules, editions, decisions and log, one thing a line.

Only a few things are in memory at a time. The last line counts the others and has their SHA-256, so that a
file that was cut off is known as one.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from league.chain import instant
from league.models import Decision, Edition, Game, League, Period, Player, Result
from league.selectors.log import log_lines
from league.selectors.snapshot import frozen

FORMAT, VERSION = "rungs-export", 1
CHUNK = 1000
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
LEAGUE = (
    "slug", "title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days",
    "close_after_hours", "created_at", "last_number", "log_length",
)  # fmt: skip
RULE = ("from_date", "starts_at", "system", "parameters", "created_at", "created_by")
LADDER = ("slug", "title", "ended_on", "created_at", "created_by")
LADDER_RULE = ("from_date", "to_date", "method", "parameters", "cadence", "created_at", "created_by")
GAME = (
    "number", "played_at", "kind", "external_id", "details", "note", "recorded_at", "recorded_by", "voided_at",
    "voided_by", "void_reason",
)  # fmt: skip
PERIOD = ("key", "title", "starts_at", "ends_at")
EDITION = (
    "key", "number", "starts_at", "ends_at", "due_at", "published_at", "published_by", "reason", "log_position",
    "winners", "document", "sha256", "standings_sha256",
)  # fmt: skip
DECISION = ("key", "edition", "kind", "at", "by", "reason", "digest")


def export_lines(league_id: int, now: datetime, *, aliases: bool) -> Iterator[str]:
    """Yield the lines of an export, all of one state of the books.

    ``aliases`` says whether the other spellings of the players are told, too.
    """
    sha256, count = hashlib.sha256(), 0
    with frozen(limited=True):
        league = League.objects.get(pk=league_id)
        header = {"format": FORMAT, "version": VERSION, "exported_at": instant(now), "aliases": aliases}
        for line in body(league, header, aliases):
            sha256.update(f"{line}\n".encode())
            count += 1
            yield line
    yield told("end", {"lines": count, "sha256": sha256.hexdigest()})


def told(kind: str, values: dict[str, Any]) -> str:
    """Return a line."""
    return ENCODER.encode({"type": kind, **values})


def plain(thing: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return attributes in plain JSON types."""
    return {name: written(getattr(thing, name)) for name in names}


def written(value: Any) -> Any:
    """Write times in UTC and days as ISO 8601; everything else stays."""
    if isinstance(value, datetime):
        return instant(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def body(league: League, header: dict[str, Any], aliases: bool) -> Iterator[str]:
    """Yield every line but the last one; what a line names stands above it."""
    yield told("header", header)
    yield told("league", plain(league, LEAGUE))
    for rule in league.rules.order_by("starts_at"):
        yield told("rule", plain(rule, RULE))
    yield from players(league, aliases)
    starts = league.initial_ratings.select_related("player").order_by("player__handle")
    for start in starts.iterator(chunk_size=CHUNK):
        yield told("initial_rating", {"player": start.player.handle, "rating": start.rating})
    for ladder in league.ladders.order_by("pk").prefetch_related("rules"):
        rules = sorted(ladder.rules.all(), key=lambda rule: rule.from_date)
        yield told("ladder", {**plain(ladder, LADDER), "rules": [plain(rule, LADDER_RULE) for rule in rules]})
    yield from games(league)
    yield from ladder_lines(league)
    for line in log_lines(league, 0, league.log_length):
        yield f'{{"type":"entry","entry":{line}}}'


def players(league: League, aliases: bool) -> Iterator[str]:
    """Yield everybody with a result or an initial rating in the league."""
    seated = Result.objects.filter(game__league=league).values("player")
    concerned = Q(pk__in=seated) | Q(pk__in=league.initial_ratings.values("player"))
    found = Player.objects.filter(concerned).order_by("handle").prefetch_related("aliases")
    for player in found.iterator(chunk_size=CHUNK):
        spellings = [alias.text for alias in player.aliases.all() if alias.text != player.handle] if aliases else []
        yield told("player", {**plain(player, ("handle", "name", "active", "created_at")), "aliases": spellings})


def games(league: League) -> Iterator[str]:
    """Yield every game, void ones too, in the order of their numbers; results in seat order."""
    found = Game.objects.filter(league=league).order_by("number").annotate(replaced=F("replaces__number"))
    for game in found.prefetch_related("results__player").iterator(chunk_size=CHUNK):
        results = [
            {"seat": line.seat, "player": line.player.handle, "score": line.score, "place": line.place}
            for line in sorted(game.results.all(), key=lambda line: line.seat)
        ]
        yield told("game", {**plain(game, GAME), "replaces": game.replaced, "results": results})


def ladder_lines(league: League) -> Iterator[str]:
    """Yield periods (their instants were resolved when they opened), editions and decisions."""
    periods = Period.objects.filter(ladder__league=league).select_related("ladder", "rule")
    for period in periods.order_by("ladder", "starts_at").iterator(chunk_size=CHUNK):
        named = {"ladder": period.ladder.slug, "rule": period.rule.from_date.isoformat()}
        yield told("period", {**named, **plain(period, PERIOD)})
    editions = Edition.objects.filter(ladder__league=league).select_related("ladder")
    for edition in editions.order_by("pk").iterator(chunk_size=20):
        yield told("edition", {"ladder": edition.ladder.slug, **plain(edition, EDITION)})
    decisions = Decision.objects.filter(ladder__league=league).select_related("ladder")
    for decision in decisions.order_by("at", "pk").iterator(chunk_size=CHUNK):
        yield told("decision", {"ladder": decision.ladder.slug, **plain(decision, DECISION)})
