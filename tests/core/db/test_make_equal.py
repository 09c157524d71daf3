"""Stored rows made equal to computed ones: what differs is written, and nothing else.

Standings are such rows; no constraint of the database asks for the periods and players that they name.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from league.core.db.bulk import TableShape, make_equal, match_rows
from league.models import Standing

pytestmark = [pytest.mark.engine, pytest.mark.django_db]
SENTENCES = ("", "Fünf Spiele fehlen.", "Zu selten dabei.", "One game is missing.")
TABLE = TableShape(
    Standing,
    key=("period", "player"),
    compared=("games", "why_not", "score", "value_1"),
    kinds={
        "league": "key", "period": "key", "player": "key", "games": "whole", "why_not": "text", "score": "float",
        "value_1": "float",
    },
    texts={"why_not": SENTENCES},
)  # fmt: skip
NOTHING = float("nan")
#: Period, player, games, position of the sentence, score, first value; a row a period and player.
ROWS: list[tuple[Any, ...]] = [
    (7, 1, 3, 0, 1500.25, NOTHING),
    (7, 2, 1, 1, NOTHING, 0.1 + 0.2),
    (8, 1, 2, 2, NOTHING, NOTHING),
    (8, 3, 2, 3, -0.5, 5e-324),
    (9, 2, 4, 0, 1.0, 2.0),
]


def columns(rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """Return rows as columns."""
    whole = [np.array([row[index] for row in rows], dtype=np.int64) for index in range(4)]
    figures = [np.array([row[index] for row in rows], dtype=np.float64) for index in (4, 5)]
    return dict(zip(TABLE.kinds, [np.ones(len(rows), dtype=np.int64), *whole, *figures], strict=True))


def stand() -> dict[tuple[int, int], tuple[Any, ...]]:
    """Return what the database holds: (period, player) -> the rest, read by the ORM."""
    rows = Standing.objects.order_by().values_list("period_id", "player_id", "games", "why_not", "score", "value_1")
    return {(period, player): tuple(rest) for period, player, *rest in rows}


def meant(rows: Sequence[tuple[Any, ...]]) -> dict[tuple[int, int], tuple[Any, ...]]:
    """Return what it must hold."""
    return {
        (period, player): (games, SENTENCES[why], *(None if math.isnan(value) else value for value in figures))
        for period, player, games, why, *figures in rows
    }


def stored(rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """Return rows that stand as columns, with the keys that the database gave them."""
    keys = {(one.period_id, one.player_id): one.pk for one in Standing.objects.order_by()}
    return {**columns(rows), "pk": np.array([keys[row[0], row[1]] for row in rows], dtype=np.int64)}


def fill(rows: Sequence[tuple[Any, ...]]) -> None:
    """Write rows where none stand."""
    same, stands = make_equal(TABLE, stored([]), columns(rows), Standing.objects.all())
    assert (same.tolist(), stands.tolist()) == ([False] * len(rows), [])


def test_rows_are_written_whatever_is_absent_and_however_long_their_texts_are() -> None:
    fill(ROWS)
    assert stand() == meant(ROWS)


@pytest.mark.parametrize("by_condition", [True, False])
def test_only_what_differs_is_written(by_condition: bool) -> None:
    fill(ROWS)
    keys = {(one.period_id, one.player_id): one.pk for one in Standing.objects.order_by()}
    new = [ROWS[4], ROWS[0], ROWS[1], (8, 1, 2, 1, NOTHING, NOTHING), ROWS[3], (9, 1, 1, 0, 3.0, 4.0)]
    scope = Standing.objects.filter(period__in=(7, 8, 9)) if by_condition else None
    same, stands = make_equal(TABLE, stored(ROWS), columns(new), scope)
    assert same.tolist() == [True, True, True, False, True, False]
    assert stands.tolist() == [True, True, False, True, True]
    assert stand() == meant(new)
    kept = {(one.period_id, one.player_id): one.pk for one in Standing.objects.order_by()}
    assert {who for who, pk in kept.items() if keys.get(who) == pk} == {(7, 1), (7, 2), (8, 3), (9, 2)}


@pytest.mark.parametrize("by_condition", [True, False])
def test_where_much_differs_all_of_the_scope_goes_and_nothing_beside_it(by_condition: bool) -> None:
    fill(ROWS)
    beside = (10, 5, 1, 0, 9.0, 9.0)
    fill([beside])
    keys = set(Standing.objects.filter(period=7).order_by().values_list("pk", flat=True))
    new = [ROWS[0], (7, 2, 9, 1, NOTHING, 1.0), (8, 1, 2, 2, 0.0, NOTHING)]
    scope = Standing.objects.filter(period__in=(7, 8, 9)) if by_condition else None
    same, stands = make_equal(TABLE, stored(ROWS), columns(new), scope)
    assert (same.tolist(), stands.tolist()) == ([True, False, False], [True, False, False, False, False])
    assert stand() == meant([*new, beside])
    stays = Standing.objects.get(period=7, player=1).pk in keys
    assert stays is not by_condition


def test_nothing_computed_leaves_nothing() -> None:
    fill(ROWS)
    same, stands = make_equal(TABLE, stored(ROWS), columns([]), Standing.objects.all())
    assert (same.tolist(), stands.tolist()) == ([], [False] * 5)
    assert stand() == {}


def test_what_was_not_read_is_not_compared() -> None:
    fill(ROWS)
    read = stored(ROWS)
    del read["games"]
    changed = [(7, 1, 99, *ROWS[0][3:]), *ROWS[1:]]
    assert match_rows(TABLE, read, columns(changed))[0].all()
    assert not match_rows(TABLE, stored(ROWS), columns(changed))[0].all()


def test_periods_and_players_of_the_highest_keys_are_told_apart() -> None:
    """Two numbers of 62 bits do not fit into one of 64 beside each other."""
    high = 2**62
    rows = [(high - 1, 5, *ROWS[0][2:]), (high, 4, *ROWS[0][2:])]
    names = [{**columns([row]), "pk": np.array([1])} for row in rows]
    assert match_rows(TABLE, names[0], columns([rows[0]]))[0].tolist() == [True]
    assert match_rows(TABLE, names[0], columns([rows[1]]))[0].tolist() == [False]
