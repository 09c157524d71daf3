"""Verification of the rating history and current ratings: stored rows must be bit-identical to computed ones.

The history has the rating changes by games and those between games.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from league.core.db.bulk import Rows, TableShape, compute_row_numbers, match_rows
from league.core.db.columns import (
    NEVER,
    Column,
    build_derived_timestamp_expression,
    convert_to_datetime,
    convert_to_micros,
)
from league.core.replay.services.between_games import GAMELESS, StoredGameless, start_of_replay
from league.core.replay.services.compute import ComputedHistory
from league.core.replay.services.current_ratings import RATINGS, CurrentRatings, compute_ratings, load_stored_ratings
from league.core.replay.services.history import CHANGES, build_stored_columns, load_columns_with_key
from league.core.rules.selectors.rules import build_rule_system, find_rule_of_ratings
from league.core.rules.selectors.seasons import has_seasons
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.league_data import (
    VerifiedLeague,
    describe_difference,
    format_column,
    format_full,
    limit_messages,
)
from league.models import Adjustment
from league.models.contexts import gameless_changes_of


def find_row_problems(
    data: VerifiedLeague,
    table: TableShape,
    rows: tuple[Rows, Rows],
    is_settled: Callable[[Rows], Column],
    name: Callable[[Rows, int], StoredMessage],
    location: StoredMessage,
) -> Iterator[StoredMessage]:
    """Yield the differences between stored and computed rows, and set ``data.wrong_from``.

    Only ``is_settled`` rows, which wait for no replay, are compared.
    """
    stored, computed = rows
    is_computed_matched, is_stored_matched = match_rows(table, stored, computed)
    extra, missing = (
        np.flatnonzero(~is_stored_matched & is_settled(stored)),
        np.flatnonzero(~is_computed_matched & is_settled(computed)),
    )
    if not len(extra) and not len(missing):
        return
    if "at" in stored:
        wrong = convert_to_datetime(min([*stored["at"][extra].tolist(), *computed["at"][missing].tolist()]))
        data.wrong_from = wrong if data.wrong_from is None else min(data.wrong_from, wrong)
    key_columns = [
        {key: table_rows[key][index] for key in table.key}
        for table_rows, index in ((stored, extra), (computed, missing))
    ]
    old, new = compute_row_numbers(table.key, *key_columns)
    keys = np.union1d(old, new)
    messages = (
        message
        for key in keys
        for message in describe_row_differences(
            table, rows, extra[old == key].tolist(), missing[new == key].tolist(), name
        )
    )
    yield from limit_messages(len(keys) + len(old) - len(np.unique(old)), messages, location)


def describe_row_differences(
    table: TableShape,
    rows: tuple[Rows, Rows],
    extra: Sequence[int],
    missing: Sequence[int],
    name: Callable[[Rows, int], StoredMessage],
) -> Iterator[StoredMessage]:
    """Yield the differences between the stored and computed rows of one key."""
    stored, computed = rows
    expected = {name(computed, row): row for row in missing}
    for row in extra:
        fact = name(stored, row)
        if fact not in expected:
            yield phrase("{fact} must not exist.", fact=fact)
            continue
        other = expected.pop(fact)
        cells = [
            (key, _format_cell(key, stored[key][row]), _format_cell(key, computed[key][other]))
            for key in table.compared
        ]
        cells = [
            (key, stored_value, computed_value)
            for key, stored_value, computed_value in cells
            if stored_value != computed_value
        ]
        yield describe_difference(
            fact,
            [format_column(key, stored_value) for key, stored_value, _ in cells],
            [format_column(key, computed_value) for key, _, computed_value in cells],
        )
    yield from (phrase("{fact} is missing.", fact=fact) for fact in expected)


def find_history_problems(data: VerifiedLeague) -> Iterator[StoredMessage]:
    """Yield the differences in the rating history, changes by games first."""

    def is_settled(rows: Rows) -> Column:
        return data.before_stale(rows["at"], rows["order_key"])

    rows = load_columns_with_key(data.stored), build_stored_columns(data.computed)
    yield from find_row_problems(data, CHANGES, rows, is_settled, data.format_line_name, phrase("in the history"))
    changes = gameless_changes_of(data.league).order_by("player", "at", "number")
    moves = StoredGameless.read(changes, at=build_derived_timestamp_expression("at")).named(), data.between.named()
    position = start_of_replay(data.league, data.stale_from, data.rules)

    def are_moves_settled(rows: Rows) -> Column:
        if data.stale_from is None:
            return np.ones(len(rows["at"]), dtype=bool)
        if position is None:
            return np.zeros(len(rows["at"]), dtype=bool)
        settled: Column = (
            rows["at"] <= convert_to_micros(position[0]) if position[1] else rows["at"] < convert_to_micros(position[0])
        )
        return settled

    location = phrase("in the changes between games")
    yield from find_row_problems(data, GAMELESS, moves, are_moves_settled, data.format_move_name, location)


def find_rating_problems(data: VerifiedLeague) -> Iterator[StoredMessage]:
    """Yield the differences in current ratings, including peaks, last games and displayed scores."""
    stored = load_stored_ratings(data.league, data.computed.player, None)
    computed = compute_current_ratings(data)
    data.ratings = len(stored)
    unsettled_players = find_unsettled_players(data, np.union1d(stored.player, computed.player))

    def is_settled(rows: Rows) -> Column:
        return ~np.isin(rows["player"], unsettled_players)

    def name(rows: Rows, row: int) -> StoredMessage:
        return phrase("The rating of {player}", player=data.name(rows["player"][row]))

    rows = stored.by_name(), computed.by_name()
    yield from find_row_problems(data, RATINGS, rows, is_settled, name, phrase("in the ratings"))


def compute_current_ratings(data: VerifiedLeague) -> CurrentRatings:
    """Return the current ratings according to the computed history."""
    lines = data.computed
    if data.states is None:
        return CurrentRatings.nothing()
    # The rule that displays the scores depends on the games, not on the stored history.
    display_rule = find_rule_of_ratings(data.rules, convert_to_datetime(lines.at.max()) if len(lines) else None)
    return compute_ratings(data.league, data.rules, display_rule, data.states, ComputedHistory(lines, data.between))


def find_unsettled_players(data: VerifiedLeague, players: Column) -> Column:
    """Return the players whose ratings wait for a replay."""
    if data.stale_from is None:
        return players[:0]
    if len(data.rules) > 1 or any(build_rule_system(rule).moves_all_players() for rule in data.rules):
        return players
    if has_seasons(data.rules):
        return players
    unsettled = [rows.player[~data.before_stale(rows.at, rows.order_key)] for rows in (data.stored, data.computed)]
    adjusted = Adjustment.objects.filter(league=data.league).order_by().values_list("player", flat=True)
    return np.union1d(np.concatenate(unsettled), np.array(list(adjusted), dtype=np.int64))


def _format_cell(name: str, value: Any) -> str:
    if name == "sound":
        return phrase("the cause of its step") if value else phrase("another cause")
    if name not in ("at", "last_at"):
        return format_full(value)
    return phrase("an invalid time") if value == NEVER else str(convert_to_datetime(value).replace(tzinfo=None))
