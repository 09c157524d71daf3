"""Whose rows a replay writes: those of a league, or of the context in which it is read."""

from dataclasses import replace

import numpy as np

from league.core.db.bulk import TableShape
from league.core.db.columns import Column
from league.models import GamelessChange, League, Rating, RatingChange
from league.models.contexts import ContextChange, ContextGamelessChange, ContextRating

#: The tables of a context instead of a league's.
SCOPED = {RatingChange: ContextChange, GamelessChange: ContextGamelessChange, Rating: ContextRating}


def choose_table(league: League, table: TableShape) -> TableShape:
    """Return the table of a league's rows, or that of the context in which it is read."""
    if league.context is None:
        return table
    return replace(table, model=SCOPED[table.model], kinds={**table.kinds, "context": "key"})


def build_owner_columns(league: League, count: int) -> dict[str, Column]:
    """Return the columns that say whose some rows are."""
    owners = {"league": league.pk} | ({} if league.context is None else {"context": league.context.pk})
    return {name: np.broadcast_to(np.int64(key), count) for name, key in owners.items()}
