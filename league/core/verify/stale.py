"""Stale marks under ``verify``: a mark silences nothing that no entry of the log has made due.

Who changes a table behind the services' back may plant a mark, too. So the log is asked which entries the history
does not know yet. A recorded game gets its lines while nothing else is due, or from a replay of everything that was:
whatever is in the log before the last game that has lines is in the history.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.db.models import Q

from league.core.db.columns import moment_of
from league.core.log.selectors.log_decode import open_payload
from league.core.replay.services.history import ComputedLines, Position, at_or_after
from league.core.text.stored_messages import Said, phrase
from league.core.verify.findings import UNREADABLE
from league.core.verify.league_data import VerifiedLeague
from league.core.verify.log_replay import CORRECTED, RECORDED, RESTORED
from league.models import Adjustment, Game, LogEntry

#: Before every game.
BEGINNING: Position = (datetime.min.replace(tzinfo=UTC), 0)
#: What a line of the history says of its game and its seat, whatever the sums are: game, seat, player, time, key.
Named = tuple[int, int, int, int, int]


@dataclass
class TouchedRange:
    """What entries of the log may change in a history that does not know them yet."""

    games: set[Any] = field(default_factory=set)
    """Numbers."""
    players: set[str] = field(default_factory=set)
    """Handles of those who were merged into somebody, or are no more, and of these."""
    since: list[Position] = field(default_factory=list)
    """From where on everything may be another, although the history names the same games."""


def due_from(books: VerifiedLeague) -> Position | None:
    """Return from where on a replay is due by what the log says; None if all that it says is in the history.

    What is before the league's own mark is never due: it would have been marked.
    """
    if books.stale_from is None:
        return None
    touched = touched_since(books, last_known(books))
    stored, computed = lines_of(books.stored), lines_of(books.computed)
    positions = list(touched.since)
    for number, _, player, moment, order_key in stored ^ computed:
        if number in touched.games or books.name(player) in touched.players:
            positions.append((moment_of(moment), order_key))
    return max(books.stale_from, min(positions)) if positions else None


def lines_of(rows: ComputedLines) -> set[Named]:
    """Return what the lines of games say of these."""
    own = np.flatnonzero(rows.step == 1)
    columns = (rows.number, rows.seat, rows.player, rows.at, rows.order_key)
    return set(zip(*(values[own].tolist() for values in columns), strict=True))


def last_known(books: VerifiedLeague) -> int:
    """Return the position of the last entry that recorded a game of which the history has lines; 0: there is none."""
    rated = set(books.stored.number[books.stored.step == 1].tolist())
    recorded = books.league.log.filter(kind=RECORDED).order_by("-position").values_list("position", "payload")
    for position, payload in recorded.iterator(chunk_size=2000):
        # An entry that says no number recorded no game that has lines.
        with suppress(*UNREADABLE):
            if json.loads(payload)["number"] in rated:
                return int(position)
    return 0


def touched_since(books: VerifiedLeague, position: int) -> TouchedRange:
    """Return what the entries after a position may change in a history that does not know them yet."""
    touched = TouchedRange()
    later = books.league.log.filter(position__gt=position).order_by("position").values_list("kind", "payload")
    for kind, payload in later.iterator(chunk_size=2000):
        try:
            touch(books, touched, kind, open_payload(books.league, payload))
        except UNREADABLE:
            continue  # Whatever it is, it is told where the facts are held to the log.
    return touched


def touch(books: VerifiedLeague, touched: TouchedRange, kind: str, said: dict[str, Any]) -> None:
    """Note what an entry may change; raises what UNREADABLE holds where it does not say what one of its kind says."""
    if kind in (RECORDED, LogEntry.Kind.GAME_VOIDED):
        touched.games.add(said["number"])
    elif kind in (CORRECTED, RESTORED):
        touched.games |= {said["number"], said["game"]["number"], said.get("voided")}
    elif kind == LogEntry.Kind.GAMES_MOVED:
        touched.games |= set(said["games"])
    elif kind in (LogEntry.Kind.PLAYER_MERGED, LogEntry.Kind.PLAYER_UNMERGED):
        touched.players |= {said["player"], said["into"]}
        # Adjustments change their player with the games, and may stand alone where those are void.
        named = Q(player__handle=said["player"]) | Q(recorded_as__handle=said["player"])
        adjusted = Adjustment.objects.filter(named, league=books.league, voided_at=None)
        touched.since += [(at, 0) for at in adjusted.values_list("at", flat=True)]
    elif kind == LogEntry.Kind.START_SET:
        touched.since += first_positions(books, said["player"])
    elif kind in (LogEntry.Kind.ADJUSTMENT_MADE, LogEntry.Kind.ADJUSTMENT_VOIDED):
        made = Adjustment.objects.filter(league=books.league, number=said["number"])
        touched.since += [(at, 0) for at in made.values_list("at", flat=True)]
    elif kind == LogEntry.Kind.RULE_ADOPTED:
        touched.since.append(beginning_of(books, said["from"]))
    elif kind == LogEntry.Kind.LEAGUE_CHANGED and "time_zone" in said:
        touched.since.append(BEGINNING)


def first_positions(books: VerifiedLeague, handle: str) -> Iterator[Position]:
    """Yield where the first lines of a player stand, in the history and in what the games give."""
    keys = [pk for pk, name in books.handles.items() if name == handle]
    for rows in (books.stored, books.computed):
        own = np.isin(rows.player, keys)
        positions = zip(rows.at[own].tolist(), rows.order_key[own].tolist(), strict=True)
        yield from ((moment_of(moment), order_key) for moment, order_key in sorted(positions)[:1])


def beginning_of(books: VerifiedLeague, day: str) -> Position:
    """Return from where on a rule changes something: the first one everything."""
    later = [rule for rule in books.rules[1:] if rule.from_date.isoformat() == day]
    return (later[0].starts_at, 0) if later else BEGINNING


def mark_problems(books: VerifiedLeague) -> Iterator[Said]:
    """Yield where the league is said to wait for a replay of nothing, and marks that no service leaves so."""
    league, stale = books.league, books.stale_from
    touched = None if league.touched_from is None else (league.touched_from, league.touched_key)
    if stale is not None and not Game.objects.filter(at_or_after(stale, "played_at"), league=league).exists():
        yield phrase("A recalculation from {when} UTC is due, but there is no game then.", when=minute(stale))
    unranked = league.unranked_from
    if unranked is not None and not Game.objects.filter(league=league, played_at__gte=unranked).exists():
        when = minute((unranked, 0))
        yield phrase("A ranking from {when} UTC is due, but there is no game then.", when=when)
    for name, moment, order_key in (
        ("stale", league.stale_from, league.stale_key),
        ("touched", league.touched_from, league.touched_key),
    ):
        if moment is None and order_key:
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
                when=minute(touched),
            )
        else:
            yield phrase(
                "The league has noted changes since {when} UTC for a running recalculation, but it "
                "only begins at {begins} UTC.",
                when=minute(touched),
                begins=minute(stale),
            )


def minute(position: Position) -> str:
    """Write when a position is."""
    return f"{position[0]:%Y-%m-%d %H:%M}"
