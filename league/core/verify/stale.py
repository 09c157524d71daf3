"""Verification of stale marks: a mark must not hide differences that no log entry explains.

Someone who changes tables directly may also set a mark. So the log decides which entries the history may lack. A game
gets its lines if no replay is pending, or from a replay of everything pending: so all entries before the last game
with lines are in the history.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.db.models import Q

from league.core.db.columns import convert_to_datetime
from league.core.log.selectors.log_decode import open_payload
from league.core.replay.services.history import ComputedLines, Position, build_at_or_after_condition
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.findings import PAYLOAD_ERRORS
from league.core.verify.league_data import VerifiedLeague
from league.core.verify.log_replay import CORRECTED, RECORDED, RESTORED
from league.models import Adjustment, Game, LogEntry

#: Before every game.
BEGINNING: Position = (datetime.min.replace(tzinfo=UTC), 0)
#: The columns of a line of the history without its ratings: game, seat, player, time, order key.
LineKey = tuple[int, int, int, int, int]


@dataclass
class TouchedRange:
    """The part of the history that log entries after the last replay may change."""

    games: set[Any] = field(default_factory=set)
    """Numbers."""
    players: set[str] = field(default_factory=set)
    """Handles of both players of each merge, or of each undone one."""
    since: list[Position] = field(default_factory=list)
    """Positions from which all ratings may change."""


def find_due_position(data: VerifiedLeague) -> Position | None:
    """Return the position from which the log makes a replay due; None if the history contains all entries.

    It is never before the league's own mark.
    """
    if data.stale_from is None:
        return None
    touched = read_touched_range(data, find_last_known_position(data))
    stored, computed = _list_line_keys(data.stored), _list_line_keys(data.computed)
    positions = list(touched.since)
    for number, _, player, time, order_key in stored ^ computed:
        if number in touched.games or data.name(player) in touched.players:
            positions.append((convert_to_datetime(time), order_key))
    return max(data.stale_from, min(positions)) if positions else None


def _list_line_keys(rows: ComputedLines) -> set[LineKey]:
    indices = np.flatnonzero(rows.step == 1)
    columns = (rows.number, rows.seat, rows.player, rows.at, rows.order_key)
    return set(zip(*(values[indices].tolist() for values in columns), strict=True))


def find_last_known_position(data: VerifiedLeague) -> int:
    """Return the position of the last entry whose game has lines in the history; 0 if there is none."""
    rated = set(data.stored.number[data.stored.step == 1].tolist())
    recorded = data.league.log.filter(kind=RECORDED).order_by("-position").values_list("position", "payload")
    for position, payload in recorded.iterator(chunk_size=2000):
        # An entry without a number has no lines.
        with suppress(*PAYLOAD_ERRORS):
            if json.loads(payload)["number"] in rated:
                return int(position)
    return 0


def read_touched_range(data: VerifiedLeague, position: int) -> TouchedRange:
    """Return the part of the history that entries after a position may change."""
    touched = TouchedRange()
    later = data.league.log.filter(position__gt=position).order_by("position").values_list("kind", "payload")
    for kind, payload in later.iterator(chunk_size=2000):
        try:
            add_touched(data, touched, kind, open_payload(data.league, payload))
        except PAYLOAD_ERRORS:
            continue  # ``LogComparison`` reports it.
    return touched


def add_touched(data: VerifiedLeague, touched: TouchedRange, kind: str, contents: dict[str, Any]) -> None:
    """Add what an entry may change; raises PAYLOAD_ERRORS if its payload is invalid."""
    if kind in (RECORDED, LogEntry.Kind.GAME_VOIDED):
        touched.games.add(contents["number"])
    elif kind in (CORRECTED, RESTORED):
        touched.games |= {contents["number"], contents["game"]["number"], contents.get("voided")}
    elif kind == LogEntry.Kind.GAMES_MOVED:
        touched.games |= set(contents["games"])
    elif kind in (LogEntry.Kind.PLAYER_MERGED, LogEntry.Kind.PLAYER_UNMERGED):
        touched.players |= {contents["player"], contents["into"]}
        # Adjustments change their player, too, even if all games are void.
        condition = Q(player__handle=contents["player"]) | Q(recorded_as__handle=contents["player"])
        adjusted = Adjustment.objects.counting().filter(condition, league=data.league)
        touched.since += [(applied_at, 0) for applied_at in adjusted.values_list("at", flat=True)]
    elif kind == LogEntry.Kind.START_SET:
        touched.since += find_first_positions(data, contents["player"])
    elif kind in (LogEntry.Kind.ADJUSTMENT_MADE, LogEntry.Kind.ADJUSTMENT_VOIDED):
        adjustments = Adjustment.objects.filter(league=data.league, number=contents["number"])
        touched.since += [(applied_at, 0) for applied_at in adjustments.values_list("at", flat=True)]
    elif kind == LogEntry.Kind.RULE_ADOPTED:
        touched.since.append(find_rule_position(data, contents["from"]))
    elif kind == LogEntry.Kind.LEAGUE_CHANGED and "time_zone" in contents:
        touched.since.append(BEGINNING)


def find_first_positions(data: VerifiedLeague, handle: str) -> Iterator[Position]:
    """Yield the positions of a player's first lines, stored and computed."""
    keys = [pk for pk, name in data.handles.items() if name == handle]
    for rows in (data.stored, data.computed):
        player_rows = np.isin(rows.player, keys)
        positions = zip(rows.at[player_rows].tolist(), rows.order_key[player_rows].tolist(), strict=True)
        yield from ((convert_to_datetime(time), order_key) for time, order_key in sorted(positions)[:1])


def find_rule_position(data: VerifiedLeague, day: str) -> Position:
    """Return the position from which a rule has effect; the first rule affects everything."""
    later = [rule for rule in data.rules[1:] if rule.from_date.isoformat() == day]
    return (later[0].starts_at, 0) if later else BEGINNING


def find_mark_problems(data: VerifiedLeague) -> Iterator[StoredMessage]:
    """Yield a message for each mark without a later game, and each combination of marks that no service creates."""
    league, stale = data.league, data.stale_from
    touched = None if league.touched_from is None else (league.touched_from, league.touched_key)
    if (
        stale is not None
        and not Game.objects.filter(build_at_or_after_condition(stale, "played_at"), league=league).exists()
    ):
        yield phrase("A recalculation from {when} UTC is due, but there is no game then.", when=_format_minute(stale))
    unranked = league.unranked_from
    if unranked is not None and not Game.objects.filter(league=league, played_at__gte=unranked).exists():
        when = _format_minute((unranked, 0))
        yield phrase("A ranking from {when} UTC is due, but there is no game then.", when=when)
    for name, time, order_key in (
        ("stale", league.stale_from, league.stale_key),
        ("touched", league.touched_from, league.touched_key),
    ):
        if time is None and order_key:
            yield phrase(
                "The league has {member} {value}, but no {other}; no recalculation leaves it like that.",
                member=f"{name}_key",
                value=order_key,
                other=f"{name}_from",
            )
    if touched is not None and (stale is None or touched < stale):
        if stale is None:
            yield phrase(
                "The league has noted changes since {when} UTC for a running recalculation, but none is due.",
                when=_format_minute(touched),
            )
        else:
            yield phrase(
                "The league has noted changes since {when} UTC for a running recalculation, but it "
                "only begins at {begins} UTC.",
                when=_format_minute(touched),
                begins=_format_minute(stale),
            )


def _format_minute(position: Position) -> str:
    return f"{position[0]:%Y-%m-%d %H:%M}"
