"""``rungs manage migrate``: Django's command, safe next to a running site: it retries with short lock timeouts."""

import random
import time
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from league.cli.main import is_unreachable
from league.core.db.fresh_schema import create_schema, is_empty
from league.core.db.migrating import LOCK_WAIT, PAUSE, TRIES, make_private, set_migration_timeouts


class Command(migrate.Command):
    """Migrate; locks are requested in many short attempts, so that other processes never wait long."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add Django's arguments, and how long to wait."""
        super().add_arguments(parser)
        text = "seconds to wait for a database that does not answer yet (default 0)"
        parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help=text)

    def execute(self, *args: Any, **options: Any) -> Any:
        """Create a private file before the checks, which open the database; wait for a server that is starting."""
        make_private(connections[options["database"]])
        wait_for_database(connections[options["database"]], options["wait"])
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; another attempt continues after the last complete migration."""
        connection = connections[options["database"]]
        # The tables of apps may have been created by earlier migrations of the core.
        options["fake_initial"] = True
        if not changes_how(options) and is_empty(connection):
            count = create_schema(connection)
            if options["verbosity"] >= 1:
                self.stdout.write(f"Created the tables of {count} migrations at once.")
        for number in range(1, TRIES + 1):
            set_migration_timeouts(connection)
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                if not is_lock_timeout(error):
                    raise
                if number == TRIES:
                    raise CommandError(
                        f"No database lock in {TRIES} attempts of {LOCK_WAIT} s: another process holds it. "
                        "Complete migrations are kept; run migrate again later."
                    ) from None
                self.stderr.write(
                    f"\nAnother process holds a lock that a migration needs; attempt {number} of {TRIES} failed."
                )
                connection.close()
                time.sleep(random.uniform(PAUSE / 2, PAUSE))  # noqa: S311 -- no secret
            else:
                break
        # Later statements in this process have their own limits.
        if not connection.in_atomic_block:
            connection.close()


def wait_for_database(connection: BaseDatabaseWrapper, seconds: float) -> None:
    """Wait so long for a database that does not answer."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            connection.ensure_connection()
        except OperationalError as error:
            if not is_unreachable(error.__cause__):
                raise
            time.sleep(1)
        else:
            return


def changes_how(options: dict[str, Any]) -> bool:
    """Return whether an option asks for certain migrations, or for another thing than to migrate."""
    return any(options[name] for name in ("app_label", "fake", "plan", "check_unapplied", "prune"))


def is_lock_timeout(error: OperationalError) -> bool:
    """Return whether a statement timed out waiting for a lock."""
    return getattr(error.__cause__, "sqlstate", None) == "55P03"
