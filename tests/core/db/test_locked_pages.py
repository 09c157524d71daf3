"""A row or a table that somebody holds: pages that only read are there, everything else is 503 in time, never 500."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections, transaction
from django.test import Client

from league.core import locking
from league.core.jobs.services.work import request_job
from league.models import Game, Job, League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import DESK, PAD, bound_fields, dated_sheet, once_key
from tests.helpers.threads import hold_league

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]
LOGIN = "/admin/login/"
#: What a request may wait here, and seconds within which everybody is answered, on a busy machine too.
REQUEST, IN_TIME = locking.Budget(lock=0.5, all_tries=0.7), 10.0
BUSY = "Many games are being recorded in this league right now. Nothing was saved; please try again."


@pytest.fixture(autouse=True)
def hurried_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let requests wait for half a second."""
    monkeypatch.setattr(locking, "REQUEST", REQUEST)


@pytest.fixture
def calm_olga() -> Client:
    """Return the browser of a superuser, in which nothing is raised that a server would answer."""
    User.objects.create_superuser("olga", password="x")
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get())
    return client


@pytest.fixture
def league() -> League:
    """Return a league with a game."""
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    return league


@contextmanager
def in_time() -> Iterator[None]:
    """Demand that what runs inside takes no longer than a request may."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < IN_TIME


def is_trouble(answer: Any, words: str) -> None:
    """Demand that an answer says what is wrong with the database, and when to come again."""
    assert (answer.status_code, answer["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert int(answer["Retry-After"]) > 0
    assert words in answer.content.decode()


@pytest.mark.slow("Waits until a lock is given up.")
def test_a_sheet_at_the_desk_is_told_that_its_league_is_busy_and_comes_back(calm_olga: Client, league: League) -> None:
    sent = dated_sheet(("anna", 0), ("ben", 1), once=once_key(calm_olga.get(PAD)))
    void, settings = f"{DESK}games/1/void/", f"{DESK}settings/"
    changed = bound_fields(calm_olga.get(settings), title="Other")
    thread, go = hold_league(league.pk)
    try:
        for path in ("/leagues/club/", "/leagues/club/players/anna/", "/leagues/club/games/", "/admin/league/game/"):
            with in_time():
                assert calm_olga.get(path).status_code == 200, path
        with in_time():
            answer = calm_olga.post(PAD, sent)
        is_trouble(answer, BUSY)
        assert b'value="anna"' in answer.content
        with in_time():
            is_trouble(calm_olga.post(void), BUSY)
        with in_time():
            is_trouble(calm_olga.post(settings, changed), BUSY)
    finally:
        go.set()
        thread.join()
    assert (Game.objects.count(), Game.objects.filter(voided_at=None).count()) == (1, 1)
    assert calm_olga.post(PAD, sent).status_code == 302
    assert Game.objects.count() == 2


@pytest.mark.slow("Waits until a lock is given up.")
def test_a_job_is_cancelled_beside_a_writer_or_the_desk_says_that_it_was_not(calm_olga: Client, league: League) -> None:
    job = request_job(league, "import", by="olga")
    thread, go = hold_league(league.pk)
    try:
        with in_time():
            assert calm_olga.post(f"/admin/leagues/club/jobs/{job.pk}/cancel/").status_code == 302
        page = calm_olga.get("/admin/leagues/club/jobs/").content.decode()
    finally:
        go.set()
        thread.join()
    # On SQLite there is one writer; on PostgreSQL whoever writes games holds the league's row, and no job's.
    alone = connection.vendor == "sqlite"
    assert Job.objects.get().state == ("waiting" if alone else "failed")
    assert ("Nothing was saved; please try again." in page) == alone


@contextmanager
def all_held() -> Iterator[None]:
    """Let somebody hold as much as the database lets them: on PostgreSQL a table, on SQLite the writer's place."""
    taken, go = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("LOCK TABLE league_league, auth_user IN ACCESS EXCLUSIVE MODE")
            taken.set()
            go.wait(60)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(20)
    try:
        yield
    finally:
        go.set()
        thread.join()


@contextmanager
def as_in_web_processes() -> Iterator[None]:
    """Let statements outside of transactions wait no longer than in web processes, where the connection says so."""
    if connection.vendor == "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {int(1000 * REQUEST.lock)}")
    yield
    connection.close()


@pytest.mark.slow("Waits until a lock is given up.")
def test_a_page_that_waits_for_what_somebody_holds_is_a_503_in_time(calm_olga: Client, league: League) -> None:
    reading = ("/leagues/club/", "/leagues/club/games/1/", "/?all", "/admin/", "/admin/league/rating/")
    with as_in_web_processes(), all_held():
        for path in reading:
            with in_time():
                answer = calm_olga.get(path)
            if connection.vendor == "postgresql":
                is_trouble(answer, "<h1>The database is busy")
            else:
                assert answer.status_code == 200, path
        with in_time():
            # Signing in writes: that somebody tried, and the session.
            answer = Client(raise_request_exception=False).post(LOGIN, {"username": "olga", "password": "x"})
        is_trouble(answer, "<h1>The database is busy")
    for path in reading:
        assert calm_olga.get(path).status_code == 200
