"""Runs what an old release's code said to its database on the present one: python -m tests.upgrade.side_by_side FILE.

In a process of its own, for which the database is that of DATABASE_URL. Every statement must be taken, and what is
written must stay: the games that old code records beside new code.
"""

import gzip
import json
import sys
from pathlib import Path

import django


def main(path: Path) -> None:
    """Say every statement again, in one transaction; the first that is refused ends it with its text."""
    django.setup()
    from django.db import DatabaseError, connection, transaction

    statements = json.loads(gzip.decompress(path.read_bytes()))
    with transaction.atomic(), connection.cursor() as cursor:
        for sql in statements:
            try:
                cursor.execute(sql)
            except DatabaseError as error:
                raise SystemExit(f"Code of the last release would fail beside this one: {error}\n{sql}") from None
            if cursor.description is not None:
                cursor.fetchall()
    print(f"{len(statements)} statements were taken.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
