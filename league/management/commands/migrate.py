"""``manage.py migrate``: Django's, beside a running site: no limit on work, a short one on locks, and another try."""

import random
import time
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections

from league.core.db.migrating import LOCK_WAIT, PAUSE, TRIES, for_migrations, make_private


class Command(migrate.Command):
    """Migrate; a lock that others hold is waited for in many short tries, so that they never wait long."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, and go on where a try without a lock ended: each migration is done or not."""
        connection = connections[options["database"]]
        # The tables of capabilities were once made by the migrations of the league itself.
        options["fake_initial"] = True
        make_private(connection)
        for number in range(1, TRIES + 1):
            for_migrations(connection)
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                if not no_lock(error):
                    raise
                if number == TRIES:
                    raise CommandError(
                        f"A lock was not to be had in {TRIES} tries of {LOCK_WAIT} s: somebody holds it for long. "
                        "What is migrated stays; run migrate again when it is quiet."
                    ) from None
                self.stderr.write(f"\nSomebody holds a lock that a migration needs; try {number} of {TRIES} gave way.")
                connection.close()
                time.sleep(random.uniform(PAUSE / 2, PAUSE))  # noqa: S311 -- no secret
            else:
                break
        # What runs next in this process has its own limits again.
        if not connection.in_atomic_block:
            connection.close()


def no_lock(error: OperationalError) -> bool:
    """Return whether a statement gave up waiting for a lock."""
    return getattr(error.__cause__, "sqlstate", None) == "55P03"
