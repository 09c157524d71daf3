"""The database busy, away or out of room: 503 or 507 with Retry-After, within seconds, never 500."""

import errno
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError, InternalError, OperationalError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.test import Client, override_settings

from league.core import locking
from league.core.db.trouble import classify_database_error
from league.core.errors import Busy, DatabaseUnavailable, DiskFull
from league.core.games.services import record as games
from league.web import error_pages as handlers
from league.web.api import middleware
from league.web.public.views import base as views
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.threads import hold_league
from tests.helpers.whitespace import strip_white_space

#: What PostgreSQL calls them (appendix A of its manual), and what whoever asked is to hear.
STATES = {
    "53100": DiskFull,
    **dict.fromkeys(
        ("53300", "53200", "57P01", "57P02", "57P03", "08006", "08003", "25006", "58030", "XX001"), DatabaseUnavailable
    ),
    **dict.fromkeys(("40P01", "40001", "55P03", "57014"), Busy),
}
#: The same of SQLite (its list of result codes).
CODES = {
    **dict.fromkeys((5, 6, 261, 517), Busy),
    **dict.fromkeys((8, 10, 11, 14, 26, 266), DatabaseUnavailable),
    **dict.fromkeys((13, 4874), DiskFull),
}


def wrapped(kind: type[Exception], cause: BaseException) -> Exception:
    """Return an error as Django raises it."""
    error = kind(str(cause))
    error.__cause__ = cause
    return error


def of_sqlite(code: int) -> Exception:
    """Return an error of SQLite with its code."""
    cause = sqlite3.OperationalError("what SQLite says")
    cause.sqlite_errorcode = code
    return wrapped(OperationalError, cause)


def of_postgresql(state: str) -> Exception:
    """Return an error of PostgreSQL as its driver raises it."""
    return psycopg.errors.lookup(state)("what PostgreSQL says")


#: Errors, and what they are to whoever asked: by their code, without one by their kind and words. None: a fault of
#: ours, which does not hide behind the database.
ERRORS: list[tuple[Exception, type[Exception] | None]] = [
    *[(wrapped(DatabaseError, of_postgresql(state)), kind) for state, kind in STATES.items()],
    *[(of_postgresql(state), kind) for state, kind in STATES.items()],  # COPY raises the driver's own
    *[(of_sqlite(code), kind) for code, kind in CODES.items()],
    (OSError(errno.ENOSPC, "No space left on device"), DiskFull),
    (OSError(errno.EDQUOT, "Disk quota exceeded"), DiskFull),
    (psycopg.OperationalError("connection refused"), DatabaseUnavailable),
    (psycopg.InterfaceError("the connection is closed"), DatabaseUnavailable),
    (
        wrapped(OperationalError, psycopg.OperationalError("server closed the connection unexpectedly")),
        DatabaseUnavailable,
    ),
    (OperationalError("database is locked"), Busy),
    (OperationalError("unable to open database file"), DatabaseUnavailable),
    (OperationalError("database or disk is full"), DiskFull),
    (DatabaseError("database disk image is malformed"), DatabaseUnavailable),
    (Busy("Later."), Busy),
    (of_sqlite(1), None),
    (wrapped(OperationalError, psycopg.errors.UndefinedTable("no table")), None),
    (wrapped(InternalError, psycopg.errors.InFailedSqlTransaction("a fault of ours")), None),
    (OperationalError("no such table: league_game"), None),
    (OSError(errno.EACCES, "Permission denied"), None),
    (DatabaseError("save() did not affect any rows"), None),
    (ValueError("3"), None),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_troubles_of_databases_are_told_apart(error: Exception, kind: type[Exception] | None) -> None:
    found = classify_database_error(error)
    assert found is None if kind is None else type(found) is kind


#: One of each kind; which errors are of which, the table above says.
TROUBLES: list[tuple[Callable[[], Exception], int]] = [
    (lambda: OperationalError("connection refused"), 503),
    (lambda: wrapped(OperationalError, psycopg.errors.LockNotAvailable("lock")), 503),
    (lambda: OSError(errno.ENOSPC, "No space left on device"), 507),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("error", "status"), TROUBLES)
def test_the_api_and_pages_say_what_trouble_it_is(error: Callable[[], Exception], status: int) -> None:
    make_league()
    api = Api("record")
    with (
        patch.object(games, "run_with_league_lock", side_effect=error()),
        patch.object(views, "find_league", side_effect=error()),
    ):
        answer = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
        page = api.get("/leagues/club/")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.data["status"] == status
    assert (page.status_code, page["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert "<h1>The " in page.content.decode()
    assert int(answer["Retry-After"]) == int(page["Retry-After"]) > 0


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/admin/", "/api/v1/players/?search=x"])
def test_what_stands_around_the_views_answers_so_too(path: str) -> None:
    client = Client(raise_request_exception=False)
    for layer, method in ((SessionMiddleware, "process_response"), (AuthenticationMiddleware, "process_request")):
        with patch.object(layer, method, side_effect=OperationalError("connection refused")):
            answer = client.get(path)
        assert answer.status_code == 503
        assert answer["Retry-After"] == "5"


@pytest.mark.django_db
def test_a_session_that_cannot_be_read_is_no_500(client: Client, django_user_model: Any) -> None:
    client.force_login(django_user_model.objects.create_superuser("olga", password="x"))
    client.raise_request_exception = False
    with patch.object(BaseDatabaseWrapper, "cursor", side_effect=OperationalError("connection refused")):
        answers = [client.get(path) for path in ("/admin/", "/", "/api/v1/leagues/", "/status/", "/readyz")]
    assert [answer.status_code for answer in answers] == [503] * 5
    assert answers[2]["Content-Type"] == "application/problem+json"
    assert all(int(answer["Retry-After"]) > 0 for answer in answers)


def test_a_page_is_there_when_not_even_templates_are() -> None:
    with patch.object(handlers, "render_to_string", side_effect=OSError(errno.EIO, "I/O error")):
        answer = handlers.render_database_error(DiskFull("The disk is full."))
    assert answer.status_code == 507
    assert "<h1>The server" in answer.content.decode()


def test_a_page_says_its_title_once() -> None:
    for before in ("The database is busy. ", ""):
        page = handlers.render_database_error(Busy(f"{before}Nothing was saved; please try again."))
        told = strip_white_space(page.content.decode())
        assert '<h1>The database is busy.</h1><p class="lede">Nothing was saved; please try again.</p>' in told


@pytest.mark.django_db
def test_a_stream_whose_beginning_fails_is_an_error_and_no_half_answer() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    for path, name in (
        ("changes/", "log.selectors.log.format_instant"),
        ("export/", "transfer.selectors.exports.serialize_line"),
        ("export/?format=csv", "transfer.selectors.exports_csv.choose_prefix"),
    ):
        with patch(f"league.core.{name}", side_effect=of_sqlite(13)):
            answer = Api("read", name=path).get(f"leagues/club/{path}")
        assert (answer.status_code, answer["Content-Type"]) == (507, "application/problem+json"), path


@pytest.mark.django_db(transaction=True)
def test_a_stream_that_nobody_reads_ends_its_question() -> None:
    league = make_league()
    for turn in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=turn))
    api = Api("read")
    for path in ("changes/", "export/", "export/?format=csv"):
        answer = api.get(f"leagues/club/{path}")
        answer.close()
        assert not connection.in_atomic_block, path
        with transaction.atomic():  # on SQLite a reading that goes on would stand in the way of this
            record(league, sheet(("anna", "ben"), (1, 0), minutes=9))


@pytest.mark.django_db(transaction=True)
def test_a_really_full_disk_answers_507_and_writes_nothing() -> None:
    league = make_league()
    api = Api("record")
    with full():
        for _ in range(100):  # what is left of the pages that are there is filled first
            answer = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0), note="x" * 400))
            if answer.status_code != 201:
                break
    assert (answer.status_code, answer.data["code"]) == (507, "full")
    count = league.games.count()
    assert api.post("leagues/club/games/", game(("anna", 1), ("ben", 0))).status_code == 201
    assert league.games.count() == count + 1


class full:  # noqa: N801 -- used as a context manager
    """Lets the database be full: SQLite by its own limit of pages, PostgreSQL by a trigger that says what it would."""

    def __enter__(self) -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("VACUUM")  # pages that other tests have left empty would be filled first
                cursor.execute("PRAGMA page_count")
                cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0]}")
            else:
                cursor.execute(
                    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
                    "$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
                )
                cursor.execute("CREATE TRIGGER full_disk BEFORE INSERT ON league_result EXECUTE FUNCTION full_disk()")

    def __exit__(self, *error: object) -> None:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("PRAGMA max_page_count = 1073741823")
            else:
                cursor.execute("DROP FUNCTION full_disk CASCADE")


@pytest.fixture
def hurried_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests wait for half a second: less than a league is held."""
    monkeypatch.setattr(locking, "REQUEST", locking.Budget(lock=0.5, all_tries=0.7))


@pytest.mark.slow("Waits until a lock is given up.")
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("hurried_requests")
def test_a_locked_league_answers_busy_over_the_api() -> None:
    league = make_league()
    api = Api("record")
    api.get("leagues/club/")  # notes the use of the token, which SQLite could not while somebody writes
    thread, go = hold_league(league.pk)
    try:
        answer = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
        assert (answer.status_code, answer["Retry-After"], answer.data["code"]) == (503, "1", "busy")
        with_key = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)), **{"Idempotency-Key": "a"})
        assert with_key.status_code == 503
    finally:
        go.set()
        thread.join()
    assert league.games.count() == 0
    assert api.post("leagues/club/games/", game(("anna", 1), ("ben", 0))).status_code == 201


@pytest.mark.slow("Waits longer than a request may.")
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("hurried_requests")
def test_a_worker_waits_longer_than_a_request_may() -> None:
    league = make_league()
    thread, go = hold_league(league.pk)
    timer = threading.Timer(2, go.set)
    timer.start()
    record(league, sheet(("anna", "ben"), (1, 0)))  # a request would have given up
    timer.join()
    thread.join()
    assert league.games.count() == 1


@override_settings(ALLOWED_HOSTS=["rungs.example"])
def test_health_asks_no_database_and_any_host_may_ask() -> None:
    # No mark: pytest-django raises where a database is asked.
    answer = Client().get("/healthz", headers={"host": "127.0.0.1:8000"})
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert Client().get("/leagues/", headers={"host": "127.0.0.1:8000"}).status_code == 400


@contextmanager
def read_only_database() -> Iterator[None]:
    """Let the database take no writes: on PostgreSQL all connections, on SQLite the one that is open."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "postgresql":
        connection.cursor().execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        connection.close()
    else:
        connection.cursor().execute("PRAGMA query_only = on")
    try:
        yield
    finally:
        connection.close()
        if connection.vendor == "postgresql":
            connection.cursor().execute("SET default_transaction_read_only = off")
            connection.cursor().execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
            connection.close()


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_writes_says_so_and_is_read() -> None:
    make_league()
    api = Api("record")
    with read_only_database():
        statuses = [one.get("leagues/club/").status_code for one in (Api(), api)]
        ready = Client().get("/readyz")
        written = api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    # SQLite has no setting for all connections: /readyz opens one of its own.
    refused = (written, ready) if connection.vendor == "postgresql" else (written,)
    answers = {(one.status_code, one.json()["code"], one.json()["title"]) for one in refused}
    assert answers == {(503, "unavailable", "The database is read-only.")}
    assert (statuses, "does not respond" in written.content.decode()) == ([200, 200], False)
    assert Client().get("/readyz").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("fixed", ["", "file", "folder"])
def test_a_file_that_takes_no_writes_is_not_ready(fixed: str, tmp_path: Path) -> None:
    path = tmp_path / "rungs.sqlite3"
    sqlite3.connect(path).close()
    denied = {"file": path, "folder": tmp_path}.get(fixed)
    own = DatabaseWrapper({**connections["default"].settings_dict, "NAME": str(path), "OPTIONS": {}})
    # The superuser, as whom containers run tests, may write whatever its mode is: a mount is read-only for all.
    with (
        patch.object(middleware, "connection", own),
        patch("os.access", side_effect=lambda asked, mode: asked != denied),
    ):
        check = middleware.HealthCheck()
        check.run()
    assert (check.problem and str(check.problem.title)) == ("The database is read-only." if fixed else None)


@pytest.mark.django_db
@override_settings(ALLOWED_HOSTS=["rungs.example"])
def test_readiness_is_told_to_any_host_and_in_time() -> None:
    assert Client().get("/readyz", headers={"host": "127.0.0.1:8000"}).json() == {"status": "ready"}
    silent = threading.Event()
    with patch.object(middleware.HealthCheck, "run", side_effect=lambda: silent.wait(30)) as asked:
        start = time.monotonic()
        answers = [Client().get("/readyz", headers={"host": "10.0.0.7"}) for _ in range(2)]
        took = time.monotonic() - start
        silent.set()
    assert [answer.status_code for answer in answers] == [503, 503]
    assert answers[0]["Retry-After"] == "5"
    assert took < 25  # two seconds each, and the database would take thirty
    assert asked.call_count == 1  # a silent database gathers no threads
    middleware.DATABASE_CHECK.check.join()  # type: ignore[union-attr]  # it was asked
