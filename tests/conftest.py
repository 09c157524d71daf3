"""What all tests share."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, connections
from django.test import Client
from hypothesis import settings as hypothesis_settings

# What helpers assert is shown in pieces, as what tests assert is.
pytest.register_assert_rewrite("tests.helpers")

from tests.helpers.meters import counting  # noqa: E402
from tests.helpers.receiver import Receiver, receiving  # noqa: E402
from tests.helpers.tiers import FACTORS, TIER, examples  # noqa: E402 -- after the line above
from tests.helpers.whitespace import strip_white_space  # noqa: E402

# Databases of examples would make one run depend on another; time limits fail on busy machines.
for tier in FACTORS:
    hypothesis_settings.register_profile(
        tier, max_examples=examples(100, tier), database=None, deadline=None, print_blob=True
    )
hypothesis_settings.load_profile(TIER)

#: What a test asks for that reads or writes the database of the run.
DATABASE = {"db", "transactional_db", "live_server", "django_db_setup"}
#: What runs the product from outside, in browsers and in processes of its own.
OUTSIDE = {"browser", "faults", "fuzz", "journeys", "openapi", "stack"}
#: Folders that ``script/test --all`` alone runs: sites of processes, other people's tools, drawn requests.
SLOW_FOLDERS = {"faults", "fuzz", "journeys", "openapi", "stack"}
#: What ``script/test`` runs in a browser, in its ten minutes: pages, the pad and its drafts; ``--all`` runs the rest.
QUICK_BROWSER_FILES = {"test_browser.py", "test_desk.py", "test_offline.py", "test_pad_machine.py", "test_reports.py"}
TESTS = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which the tier runs nothing, unless it was named."""
    return True if TIER != "all" and is_whole_run(config) and is_of_all_alone(collection_path) else None


def is_of_all_alone(path: Path) -> bool:
    """Return whether ``script/test --all`` alone runs a file, or what is in a folder."""
    if path.parent.name == "browser" and path.name.startswith("test_"):
        return path.name not in QUICK_BROWSER_FILES
    return path != TESTS and path.relative_to(TESTS).parts[0] in SLOW_FOLDERS


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their folder, and deselect what the tier or the database leaves out."""
    for item in items:
        for name in ("one_database", "uncounted", "slow"):
            marker = item.get_closest_marker(name)
            if marker is not None and not (len(marker.args) == 1 and isinstance(marker.args[0], str)):
                raise pytest.UsageError(f"{item.nodeid}: {name} wants the reason.")
        if runs_lines_that_others_run(item):
            item.add_marker("uncounted")
    left = [item for item in items if not runs_here(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if runs_here(item)]


def runs_here(item: pytest.Item) -> bool:
    """Return whether the tier runs a test on this database."""
    postgres = os.environ["RUNGS_TEST_DATABASE"] == "postgres"
    if TIER == "all":
        return not postgres or knows_a_database(item) or not is_whole_run(item.config)
    if item.get_closest_marker("slow") is not None or is_of_all_alone(item.path) or not is_in_sample(item):
        return False
    return not postgres or (item.get_closest_marker("engine") is not None and knows_a_database(item))


def is_in_sample(item: pytest.Item) -> bool:
    """Return whether a case is the first of as many as the marker ``sampled`` says; every case of other tests is."""
    marker = item.get_closest_marker("sampled")
    if marker is None:
        return True
    # Parameters that are given together have one index.
    indices: dict[str, int] = item.callspec.indices  # type: ignore[attr-defined]
    every: int = marker.kwargs["every"]
    return sum(set(indices.values())) % every == 0


def is_whole_run(config: pytest.Config) -> bool:
    """Return whether no file or folder was named on the command line."""
    # Workers of pytest-xdist are given the folder by name.
    return {(config.rootpath / name).resolve() for name in config.args} == {TESTS}


def runs_lines_that_others_run(item: pytest.Item) -> bool:
    """Tell whether a test comes from outside, or draws examples of what others hold line by line."""
    folder = item.path.relative_to(TESTS).parts[0]
    drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return folder in OUTSIDE or (folder == "league" and drawn)


def knows_a_database(item: pytest.Item) -> bool:
    """Tell whether a test can answer otherwise on another database."""
    if item.get_closest_marker("one_database") is not None:
        return False
    return item.get_closest_marker("django_db") is not None or bool(DATABASE & set(getattr(item, "fixturenames", ())))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Put SQLite's test database into a file, one for each worker: threads cannot share one in memory."""
    default: dict[str, Any] = connections.databases["default"]
    if default["ENGINE"].endswith("sqlite3"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        default["TEST"]["NAME"] = str(Path(settings.VAR) / f"tests-{worker}.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """End what is still connected before PostgreSQL's test database is dropped.

    The live server of the browser tests answers kept-alive sockets in threads of their own, which keep their
    connections for as long as the browser keeps the sockets, and the browser outlives the database.
    """
    with pytest.MonkeyPatch.context() as patch:
        operations = type(connection.ops)
        if connection.vendor == "postgresql":
            patch.setattr(operations, "sql_flush", list_deletions)
        else:
            # Rows count from 1 again after a transactional test: a worker that takes work from another runs what is
            # pinned after such a test.
            flush = operations.sql_flush
            patch.setattr(operations, "sql_flush", lambda *args, **given: flush(*args, **{**given, **RESET}))
        yield
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            connection.close()


def list_deletions(operations: Any, _style: Any, tables: Sequence[str], **_: bool) -> list[str]:
    """Return what empties PostgreSQL's tables after a test: to truncate eighty, most of them empty, takes long.

    No trigger is fired, neither of keys nor those that let nothing delete records.
    """
    names = {table: operations.quote_name(table) for table in tables}
    with operations.connection.cursor() as cursor:
        asked = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {name})" for table, name in names.items())
        cursor.execute(" UNION ALL ".join(asked))
        filled = [names[table] for (table,) in cursor.fetchall()]
    return ["SET LOCAL session_replication_role = replica", *(f"DELETE FROM {name}" for name in filled)]


#: What Django does not ask of the flush after a test.
RESET = {"reset_sequences": True}
#: What nothing may delete but the flush after a test.
GUARDED = ("Edition", "LogEntry", "Head")


@pytest.fixture(scope="session", autouse=True)
def quick_hashes() -> None:
    """Hash passwords as quickly as tests may; the processes of tests/journeys hash as a site does."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def plain_pages() -> Iterator[None]:
    """Give tests pages without the white space that browsers do not show: templates are laid out to be read."""
    ask = Client.request

    def request(client: Client, **given: Any) -> Any:
        answer = ask(client, **given)
        is_page = answer.get("Content-Type", "").startswith("text/html") and "Content-Encoding" not in answer
        if is_page and not answer.streaming:
            answer.content = strip_white_space(answer.content.decode(answer.charset)).encode(answer.charset)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "request", request)
        yield


@pytest.fixture(scope="session", autouse=True)
def long_answers() -> None:
    """Let tests, which are one network, ask for as many answers that take long as they like."""
    settings.RUNGS_WORK_A_MINUTE = settings.RUNGS_LONG_ANSWERS = 0


@pytest.fixture(scope="session", autouse=True)
def patient_requests() -> Iterator[None]:
    """Let requests wait long for the database: on a busy machine eight threads take their time, one after another."""
    from league.core import locking

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locking, "REQUEST", locking.Budget(lock=100.0, all_tries=110.0))
        yield


@pytest.fixture(autouse=True)
def records_leave_with_their_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the flush after a transactional test on SQLite delete editions and logs, which nothing else may do.

    On PostgreSQL the flush fires no trigger.
    """
    marker = request.node.get_closest_marker("django_db")
    if marker is None or not marker.kwargs.get("transaction"):
        yield
        return
    # Asked for first, so that it is torn down after the lines below.
    request.getfixturevalue("transactional_db")
    yield
    if connection.vendor == "sqlite":
        for name in GUARDED:
            model = apps.get_model("league", name)
            if model.objects.exists():
                without_triggers(model._meta.db_table, model.objects.all().delete)


def without_triggers(table: str, work: Callable[[], object]) -> None:
    """Do something to a table of SQLite without its triggers, and put them back as they were."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        work()
        for _, sql in triggers:
            cursor.execute(sql)


@pytest.fixture
def dropped_weng_lin() -> Iterator[str]:
    """Drop a rating system that keeps a deviation beside its rating into the folder of the systems; yields its key."""
    from tests.helpers.dropping import dropped_in

    with dropped_in():
        yield "dropped_weng_lin"


@pytest.fixture(autouse=True)
def fresh_process() -> None:
    """Begin as a new process: with an empty cache, and no long answer that another test has not closed."""
    from league.core.db.bounded_cache import cache
    from league.web.api.core.limits import LONG_ANSWERS, MEASURED_COSTS

    cache.clear()
    LONG_ANSWERS.running = LONG_ANSWERS.waiting = 0
    MEASURED_COSTS.seconds.clear()


@pytest.fixture
def olga(client: Client) -> Client:
    """Return a browser in which an organiser is signed in."""
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.fixture
def private_networks(settings: Any) -> None:
    """Allow private networks, as tests on loopback must."""
    settings.RUNGS_WEBHOOKS_PRIVATE = True


@pytest.fixture
def receiver(private_networks: None) -> Iterator[Receiver]:
    """Return a receiver on loopback that takes everything."""
    with receiving() as one:
        yield one


@pytest.fixture
def counting_folder(tmp_path: Path) -> Iterator[Path]:
    """Return where this process counts."""
    with counting(tmp_path) as there:
        yield there
