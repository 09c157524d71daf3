"""Limits of a statement, lowered: what grows with its rows is refused at a hundred of them, not at thousands."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import connection

from league.core.db import bulk, membership

#: The most parameters of a statement, and the depth of its expressions: what a statement of any table needs.
PARAMETERS, DEPTH = 300, 60


@contextmanager
def few_parameters(few: int = 20) -> Iterator[None]:
    """Lower the limits of this connection; lists of more than ``few`` values are long. PostgreSQL keeps its own."""
    connection.ensure_connection()
    with (
        patch.object(membership, "FEW", few),
        patch.object(bulk, "PARAMETERS", PARAMETERS),
        patch.object(connection.features, "max_query_params", PARAMETERS // 3),
    ):
        if connection.vendor != "sqlite":
            yield
            return
        raw: Any = connection.connection
        wanted = {sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: PARAMETERS, sqlite3.SQLITE_LIMIT_EXPR_DEPTH: DEPTH}
        usual = {name: raw.setlimit(name, limit) for name, limit in wanted.items()}
        try:
            yield
        finally:
            for name, limit in usual.items():
                raw.setlimit(name, limit)
