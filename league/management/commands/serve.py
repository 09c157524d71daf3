"""``rungs serve``: runs web server, worker and beat, without a broker server."""

import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.checks.registry import registry
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.db import OperationalError, ProgrammingError, connection
from django.urls import reverse

from league.cli.site_commands import SERVE
from league.core.accounts.services.first_account import compute_first_secret, has_account
from league.core.db.fresh_schema import has_pending_migrations
from league.core.errors import Conflict
from league.core.jobs import supervisor
from league.core.jobs.demo_load import expect_demo_load
from league.core.jobs.supervisor import RUN_MODULE, Child, print_line
from league.demo.leagues import DEMOS, find_missing_demos
from league.environment import make_paths_absolute
from league.web.terminal.operator import OperatorCommand


class Command(OperatorCommand):
    """Run the complete site on this machine."""

    entry = SERVE
    requires_system_checks = "__all__"

    def check(self, *args: Any, **options: Any) -> None:
        """Run all checks but those of addresses, which load every page: the web processes do that again."""
        checks = [one for one in registry.get_checks() if Tags.urls not in one.tags]
        problems = [problem for one in checks for problem in one(app_configs=None, databases=None)]
        if serious := [problem for problem in problems if problem.is_serious() and not problem.is_silenced()]:
            raise SystemCheckError("\n".join(map(str, serious)))

    def handle(self, *args: Any, **options: Any) -> None:
        """Check the port, prepare the database, and become the supervisor."""
        host, port = options["host"], options["port"]
        check_port(host, port)
        # In this process, as starting another one is slow.
        if options["prepare"]:
            with _hold_folder_lock(Path(settings.VAR)):
                if has_pending_migrations(connection):
                    call_command("migrate", verbosity=0)
        origin = f"http://{host}:{port}"
        print_line(f"Rungs is at {origin}/ (Ctrl-C stops it). Its data is in {settings.VAR}.")
        show_first_link(settings.RUNGS_ORIGIN or origin)
        exec_supervisor([*list_child_processes(host, port), *(list_demo_processes() if options["demo"] else ())])


@contextmanager
def _hold_folder_lock(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, which the system releases if the process is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def show_first_link(origin: str) -> None:
    """Print the link for creating the first account, while there is none."""
    try:
        fresh = not has_account()
    except (OperationalError, ProgrammingError):  # no tables yet: nothing was migrated
        return
    if fresh:
        link = reverse("first_account", args=[compute_first_secret()])
        print_line(f"This site has no account yet. Create the first one: {origin}{link}")


def check_port(host: str, port: int) -> None:
    """Raise CommandError if the port cannot be used."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error}). Stop what uses it or choose another, such as "
                f"--port {port + 1}."
            ) from None


def exec_supervisor(children: list[Child]) -> None:
    """Replace this process with the supervisor, a small program that takes little memory."""
    sys.stdout.flush()
    commands = json.dumps([(child.name, child.command, child.once) for child in children])
    environment = {**make_paths_absolute(os.environ), "RUNGS_VAR": str(settings.VAR)}
    # Celery imports from the current folder first, which may be a clone of another version.
    os.chdir(settings.VAR)
    # -P: modules next to that file must not shadow the standard library.
    os.execve(sys.executable, [sys.executable, "-P", supervisor.__file__, commands], environment)  # noqa: S606 -- our own program


def list_child_processes(host: str, port: int) -> list[Child]:
    """Return web, worker and beat."""
    # This command has already run the checks, which take a second each.
    celery = [*RUN_MODULE, "celery", "-q", "--skip-checks", "-A", "league"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return [
        Child("web", [*RUN_MODULE, "league.web.server", "--bind", f"{host}:{port}"]),
        Child("worker", [*celery, "worker", "--pool", "solo", "--loglevel", "warning", *quiet]),
        Child("beat", [*celery, "beat", "--loglevel", "warning", "--pidfile", ""]),
    ]


def list_demo_processes() -> list[Child]:
    """Return the process that loads the demo leagues behind the site; none if nothing is to be loaded."""
    try:
        missing = find_missing_demos()
    except Conflict:
        return []
    if missing:
        expect_demo_load(len(DEMOS))
    return [Child("demo", [*RUN_MODULE, "league.cli", "demo", "--if-empty"], once=True)] if missing else []
