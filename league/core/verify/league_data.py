"""The data of a league that ``verify`` compares: stored facts and history by columns, and the computed history.

Each check yields stored messages: the first MAX_DIFFERENCES of a kind, and the number of the others.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import numpy as np

from league.core.db.bulk import Rows
from league.core.db.columns import Column, convert_to_datetime, convert_to_micros
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.periods import affects_other_players, is_long
from league.core.replay.services.between_games import GamelessLines, read_events
from league.core.replay.services.compute import ComputedHistory, PlayerStates, compute, compute_states_before
from league.core.replay.services.context_games import chooses_by_sides, select_context_games
from league.core.replay.services.history import (
    ComputedLines,
    FullStoredHistory,
    GameLog,
    Position,
    read_log,
    read_whole,
)
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.core.text.stored_messages import StoredMessage, phrase, phrase_many
from league.models import League, Period, Player, Rule
from league.models.derived import SYSTEM_CHANGE

#: Maximum number of differences of one kind that are described.
MAX_DIFFERENCES = 20
#: A column with its value in a message; the same in every language.
CELL = "{column} {value}"


@dataclass
class VerifiedLeague:
    """The stored data of a league, and the history computed from its facts."""

    league: League
    rules: list[Rule]
    log: GameLog
    edges: list[int]
    """The place in the log where each rule comes into force."""
    stored: FullStoredHistory
    computed: ComputedLines
    between: GamelessLines
    """The computed rating changes between games."""
    states: PlayerStates | None
    stale_from: Position | None
    """The position from which the history waits for a replay."""
    handles: dict[int, str]
    ratings: int = 0
    wrong_from: datetime | None = None
    """The time of the first row of the history that differs."""

    def before_stale(self, times: Column, order_keys: Column) -> Column:
        """Return which positions come before ``stale_from``."""
        if self.stale_from is None:
            return np.ones(len(order_keys), dtype=bool)
        edge = convert_to_micros(self.stale_from[0])
        is_before: Column = (times < edge) | ((times == edge) & (order_keys < self.stale_from[1]))
        return is_before

    def name(self, player: int) -> str:
        """Return a player's handle. Derived rows have no foreign key, so the player may not exist."""
        return self.handles.get(int(player)) or phrase("no player ({key})", key=player)

    def format_line_name(self, rows: Rows, row: int) -> StoredMessage:
        """Return the name of a rating change by a game for messages."""
        values: dict[str, Any] = {name: rows[name][row] for name in ("number", "seat", "games")}
        values["player"] = self.name(rows["player"][row])
        if rows["step"][row]:
            return phrase(
                "The rating change of {player} in game {number} (seat {seat}, the player's game {games})", **values
            )
        return phrase(
            "The change of {player} by the zero-sum correction in game {number} (seat {seat}, "
            "the player's game {games})",
            **values,
        )

    def format_move_name(self, rows: Rows, row: int) -> StoredMessage:
        """Return the name of a rating change between games for messages."""
        number, when = rows["number"][row], f"{convert_to_datetime(rows['at'][row]):%Y-%m-%d %H:%M}"
        values = {"player": self.name(rows["player"][row]), "when": when, "number": number}
        if number == SYSTEM_CHANGE:
            return phrase("The change of {player} by another rating system, from {when} UTC", **values)
        if number:
            return phrase("The change of {player} by adjustment {number} at {when} UTC", **values)
        return phrase("The season reset of {player} at {when} UTC", **values)

    def waits_at(self, ends_at: datetime) -> bool:
        """Return whether a period with this end waits for a replay."""
        return self.stale_from is not None and ends_at > self.stale_from[0]

    def is_ranked_later(self, period: Period) -> bool:
        """Return whether a worker will rank the period later.

        That happens only to long periods whose games affect other players.
        """
        unranked, method = self.league.unranked_from, build_method(period.rule)
        if unranked is None or period.ends_at <= unranked or not is_long(self.league, period):
            return False
        return any(affects_other_players(method, build_rule_system(rule)) for rule in self.rules)

    def depends_on_difference(self, ends_at: datetime) -> bool:
        """Return whether a period with this end depends on history that differs."""
        return self.wrong_from is not None and ends_at > self.wrong_from


def read_verified_league(league: League, *, trusted: bool = True) -> VerifiedLeague:
    """Read the facts and history of a league, and compute its history.

    Facts that are not ``trusted`` may be invalid, which only the interpreted run finds.
    """
    rules = load_rules(league)
    systems = [build_rule_system(rule) for rule in rules]
    log = read_log(league, None, systems, sides=chooses_by_sides(league))
    if league.context is not None:
        log = select_context_games(league, systems, log)
    stored = read_whole(league)
    computed, states = ComputedHistory(ComputedLines.nothing(), GamelessLines.nothing()), None
    edges = log.edges(rules)
    if rules:
        states = compute_states_before(league, None, rules, log, None)
        events = read_events(league, None, rules, log)
        computed = compute(rules, log, states, compiled=trusted, events=events)
    stale_from = None if league.stale_from is None else (league.stale_from, league.stale_key)
    handles = dict(Player.objects.values_list("pk", "handle"))
    return VerifiedLeague(
        league, rules, log, edges, stored, computed.lines, computed.between, states, stale_from, handles
    )


def limit_messages(count: int, messages: Iterable[StoredMessage], location: StoredMessage) -> Iterator[StoredMessage]:
    """Yield the first messages of ``count`` differences, and the number of the others (such as “in the history”)."""
    yield from islice(messages, MAX_DIFFERENCES)
    if count > MAX_DIFFERENCES:
        more_count = count - MAX_DIFFERENCES
        yield phrase_many(
            "{count} more difference {what}.",
            "{count} more differences {what}.",
            more_count,
            count=more_count,
            what=location,
        )


def describe_difference(name: StoredMessage, says: Iterable[str] | str, must: Iterable[str] | str) -> StoredMessage:
    """Return the message that a fact has one value and must have another."""
    values = [value if isinstance(value, str) else list(value) for value in (says, must)]
    return phrase("{fact} is {value}; it must be {other}.", fact=name, value=values[0], other=values[1])


def format_column(name: str, value: str) -> str:
    """Return a column's name and value; the cause of a change needs no name."""
    return value if name == "sound" else phrase(CELL, column=name, value=value)


def format_full(value: Any) -> str:
    """Return a value without rounding; NaN is “nothing”."""
    return phrase("nothing") if isinstance(value, float) and math.isnan(value) else str(value)
