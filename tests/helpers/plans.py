"""How SQLite carries out statements: which tables it reads whole."""

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext


def scanned_tables(work: Callable[[], object]) -> set[str]:
    """Do some work; return the tables that its statements read from beginning to end, on SQLite."""
    with CaptureQueriesContext(connection) as queries:
        work()
    statements = [query["sql"] for query in queries if query["sql"].startswith(("SELECT", "UPDATE", "DELETE"))]
    steps: list[str] = []
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
            steps += [row[-1] for row in cursor.fetchall()]
    assert steps
    return {step.split()[1] for step in steps if step.startswith("SCAN ")}
