"""Where the tests run: an early plugin that says so before Django reads its settings.

RUNGS_TEST_DATABASE=sqlite (default) or postgres. Everything that the tests write lies in a folder of
its own that goes away with them. The workers of pytest-xdist share the one server.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from tests.postgres import Server, find_binaries

#: Set by the first process, read by the workers that it starts.
SHARED = "TESTS_OF_RUNGS"


def prepare() -> None:
    """Make the folder, start the server where one is wanted, and set the environment."""
    if SHARED in os.environ:
        return
    folder = Path(tempfile.mkdtemp(prefix="rungs-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[SHARED] = str(folder)
    os.environ["RUNGS_VAR"] = str(folder)
    os.environ["CELERY_BROKER_URL"] = "memory://"
    # prometheus_client decides at its first import, in whichever test that is, whether processes share what they count.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's synchronous interface runs an event loop
    choice = os.environ.setdefault("RUNGS_TEST_DATABASE", "sqlite")
    if choice == "postgres":
        server = Server(folder / "postgres", find_binaries())
        atexit.register(server.stop)
        os.environ["DATABASE_URL"] = server.start()
    elif choice == "sqlite":
        os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'rungs.sqlite3'}"
    else:
        raise SystemExit(f"RUNGS_TEST_DATABASE must be sqlite or postgres; it is “{choice}”.")


prepare()
