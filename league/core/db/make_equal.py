"""Makes stored rows equal to computed ones, writing only those that differ.

Rows are columns by name. Floats are compared bit for bit except for the sign of zero; NaN means absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import models

from league.core.db.columns import Column
from league.core.db.statements import among
from league.core.db.write_columns import write_columns

#: If more than this share of the stored rows must be deleted, the whole scope is deleted.
MANY = 0.3
#: Maximum number of rows deleted by key in one statement.
DELETE_BATCH = 10_000
Rows = Mapping[str, Column]


@dataclass(frozen=True)
class TableShape:
    """The key, compared columns and written columns of a table.

    key: columns of whole numbers from 0 that identify a row. compared: other columns to compare, if read. kinds and
    texts: the fields to write, as for ``write_columns``.
    """

    model: type[models.Model]
    key: tuple[str, ...]
    compared: tuple[str, ...]
    kinds: Mapping[str, str]
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def make_equal(
    table: TableShape, stored: Rows, computed: Rows, scope: models.QuerySet[Any, Any] | None
) -> tuple[Column, Column]:
    """Make the stored rows equal to the computed ones; return the result of ``matched`` before writing.

    ``stored`` also has their primary keys as ``pk``; ``scope`` is a query for exactly these rows, if there is one.
    """
    same, stands = matched(table, stored, computed)
    gone, kept = stored["pk"][~stands], same
    if scope is not None and len(gone) > MANY * len(stands):
        scope.delete()
        gone, kept = gone[:0], np.zeros(len(same), dtype=bool)
    for start in range(0, len(gone), DELETE_BATCH):
        among(table.model._default_manager.order_by(), "id", gone[start : start + DELETE_BATCH].tolist()).delete()
    new = {name: computed[name][~kept] if kept.any() else computed[name] for name in table.kinds}
    write_columns(table.model, {name: (kind, new[name]) for name, kind in table.kinds.items()}, table.texts)
    return same, stands


def matched(table: TableShape, stored: Rows, computed: Rows) -> tuple[Column, Column]:
    """Return which computed rows are stored unchanged, and which stored rows match."""
    keys, wanted = row_numbers(table.key, stored, computed)
    same, stands = np.zeros(len(wanted), dtype=bool), np.zeros(len(keys), dtype=bool)
    if not len(keys) or not len(wanted):
        return same, stands
    order = np.argsort(keys, kind="stable")
    match = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    same = keys[match] == wanted
    # Only floats can be NaN.
    one, two = match[same], same.copy()
    equal = np.ones(len(one), dtype=bool)
    for name in table.compared:
        if name in stored:
            equal &= equal_cells(stored[name][one], computed[name][two])
    same[two] = equal
    stands[match[same]] = True
    return same, stands


def equal_cells(one: Column, two: Column) -> Column:
    """Return where two columns are equal; NaN equals NaN."""
    equal: Column = one == two
    return equal | (np.isnan(one) & np.isnan(two)) if one.dtype.kind == "f" else equal


def row_numbers(key: Sequence[str], stored: Rows, computed: Rows) -> tuple[Column, Column]:
    """Return a whole number that identifies each row, packed from the key columns."""
    one, two = stored[key[0]], computed[key[0]]
    for name in key[1:]:
        most = max(int(rows[name].max(initial=0)) for rows in (stored, computed)) + 1
        _, positions = np.unique(np.concatenate([one, two]), return_inverse=True)
        one = positions[: len(one)] * most + stored[name]
        two = positions[len(one) :] * most + computed[name]
    return one, two
