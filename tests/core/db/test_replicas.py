"""Which requests a replica answers, and the primary if it cannot; without servers, which ``tests/journeys`` has."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory, override_settings

from league.core.db import replicas
from league.environment import Environment
from league.settings import configure_postgresql

API = "/api/v1/leagues/club/"


class FakeReplica:
    """A connection to a replica, as far as the middleware uses it."""

    def __init__(self) -> None:
        self.away = False

    def close_if_health_check_failed(self) -> None:
        """Be well."""

    close_if_unusable_or_obsolete = close_if_health_check_failed

    def ensure_connection(self) -> None:
        if self.away:
            raise OperationalError("away")

    def is_usable(self) -> bool:
        return not self.away


class Site:
    """The middleware around a view, with two replicas that are no servers."""

    def __init__(self) -> None:
        self.fakes = {"replica1": FakeReplica(), "replica2": FakeReplica()}
        self.primary: Any = connections[DEFAULT_DB_ALIAS]
        self.asked: list[str] = []
        self.answer: Any = lambda request, by: HttpResponse(by)
        self.middleware = replicas.ReplicaMiddleware(self.view)
        self.first, self.second = self.middleware.replicas

    def view(self, request: Any) -> Any:
        there = connections[DEFAULT_DB_ALIAS]
        names = {id(self.primary): "primary", **{id(one): alias for alias, one in self.fakes.items()}}
        self.asked.append(names[id(there)])
        return self.answer(request, self.asked[-1])

    def ask(self, path: str = "/", method: str = "GET", cookies: Any = (), **meta: Any) -> str:
        """Return who answered."""
        self.get(path, method, cookies, **meta)
        return self.asked[-1]

    def get(self, path: str = "/", method: str = "GET", cookies: Any = (), **meta: Any) -> Any:
        """Return the answer."""
        request = getattr(RequestFactory(), method.lower())(path, **meta)
        request.COOKIES.update(dict(cookies))
        return self.middleware(request)


@pytest.fixture
def site() -> Iterator[Site]:
    """Return a site with replicas; afterwards the thread has none."""
    with override_settings(RUNGS_REPLICAS=["replica1", "replica2"]):
        made = Site()
    for alias, fake in made.fakes.items():
        connections[alias] = fake  # type: ignore[assignment]  # stands for a connection
    yield made
    for alias in made.fakes:
        del connections[alias]
    assert connections[DEFAULT_DB_ALIAS] is made.primary


def test_a_replica_answers_public_reads(site: Site) -> None:
    for path in ("/", "/leagues/club/", f"{API}leaderboard/", "/embed/leagues/club/"):
        assert site.ask(path) == site.first
    assert site.ask("/", "HEAD") == site.first
    assert connections[DEFAULT_DB_ALIAS] is site.primary
    assert not site.get().cookies


@pytest.mark.parametrize(
    "path", ["/admin/", "/accounts/code/", "/report/x/", "/invitations/x/", "/status/", "/status.json", "/static/x.css"]
)
def test_the_primary_answers_what_concerns_itself(site: Site, path: str) -> None:
    assert site.ask(path) == "primary"


def test_the_primary_answers_tokens_sessions_and_writes(site: Site) -> None:
    assert site.ask(HTTP_AUTHORIZATION="Bearer x") == "primary"
    assert site.ask(cookies={settings.SESSION_COOKIE_NAME: "x"}) == "primary"
    assert site.ask(API, "POST") == site.ask("/", "OPTIONS") == "primary"


def test_a_browser_that_wrote_reads_the_primary_for_some_seconds(site: Site) -> None:
    cookie = site.get("/accounts/code/", "POST").cookies[replicas.WROTE]
    assert cookie["max-age"] == settings.RUNGS_REPLICA_LAG and cookie["httponly"]
    assert site.ask(cookies={replicas.WROTE: cookie.value}) == "primary"
    assert not site.get(f"{API}games/", "POST", HTTP_AUTHORIZATION="Bearer x").cookies
    assert not site.get("/", "OPTIONS").cookies


def test_a_refused_request_wrote_nothing_and_a_failed_one_may_have(site: Site) -> None:
    site.answer = lambda request, by: HttpResponse(status=422)
    assert not site.get("/x/", "POST").cookies
    site.answer = lambda request, by: HttpResponse(status=503)
    assert site.get("/x/", "POST").cookies


def test_the_primary_is_asked_again_as_if_no_replica_had_been(site: Site) -> None:
    def view(request: Any, by: str) -> HttpResponse:
        assert not hasattr(request, "seen") and "seen" not in request.META
        request.seen = request.META["seen"] = True
        return HttpResponse(status=404 if by != "primary" else 200)

    site.answer = view
    assert site.get().status_code == 200 and site.asked == [site.first, "primary"]
    site.asked.clear()
    site.answer = lambda request, by: StreamingHttpResponse([by])
    assert b"".join(site.get().streaming_content) == b"primary" and site.asked == [site.first, "primary"]
    site.answer = lambda request, by: HttpResponse(status=500)
    assert site.get().status_code == 500
    site.answer = lambda request, by: HttpResponse()
    assert site.ask() == site.first, "none of it says that the replica is away"


def test_a_replica_that_fails_is_left_out_for_some_seconds(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("league.core.db.replicas.time.monotonic", lambda: now[0])
    site.fakes[site.first].away = True
    assert site.ask() == site.second
    site.fakes[site.first].away = False
    assert site.ask() == site.second

    def view(request: Any, by: str) -> HttpResponse:
        site.fakes[site.second].away = True
        return HttpResponse(status=503 if by == site.second else 200)

    site.answer = view
    assert site.get().status_code == 200 and site.asked[-2:] == [site.second, "primary"]
    assert site.ask() == "primary" and site.asked[-2] == "primary"
    now[0] += replicas.LEFT_OUT
    assert site.ask() == site.first


def test_plain_statements_and_the_orm_ask_the_replica(site: Site) -> None:
    with replicas.use_replica("replica2"):
        used: list[Any] = [connections[DEFAULT_DB_ALIAS], connection]
        assert used[0] is used[1].ensure_connection.__self__ is site.fakes["replica2"]
    with pytest.raises(ZeroDivisionError), replicas.use_replica("replica1"):
        raise ZeroDivisionError
    assert connections[DEFAULT_DB_ALIAS] is site.primary


def test_replicas_are_named_with_the_password_of_the_database() -> None:
    urls = "postgresql://rungs@one/rungs, postgresql://rungs:own@two:5433/rungs\npostgres://rungs@/rungs?host=%2Ftmp"
    environment = Environment({"DATABASE_REPLICA_URLS": urls, "DATABASE_PASSWORD": "a/b"})
    assert environment.replicas("DATABASE_REPLICA_URLS", "DATABASE_PASSWORD", "league.core.db.postgresql") == [
        "postgresql://rungs:a%2Fb@one/rungs",
        "postgresql://rungs:own@two:5433/rungs",
        "postgres://rungs:a%2Fb@/rungs?host=%2Ftmp",
    ]
    assert Environment({}).replicas("DATABASE_REPLICA_URLS", "DATABASE_PASSWORD", "sqlite3") == []


@pytest.mark.parametrize(("engine", "url"), [("sqlite3", "postgresql://one/rungs"), ("postgresql", "mysql://one/x")])
def test_what_can_be_no_replica_is_refused(engine: str, url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_REPLICA_URLS"):
        Environment({"DATABASE_REPLICA_URLS": url}).replicas("DATABASE_REPLICA_URLS", "NONE", engine)


def test_sessions_of_a_replica_have_the_limits_of_all_and_may_not_write() -> None:
    given = configure_postgresql({"NAME": "x", "OPTIONS": {"connect_timeout": 9}}, "default_transaction_read_only=on")
    assert "-c default_transaction_read_only=on" in given["OPTIONS"]["options"]
    assert "-c statement_timeout=" in given["OPTIONS"]["options"]
    assert given["OPTIONS"]["connect_timeout"] == 9


def test_without_replicas_no_middleware_is_installed() -> None:
    with override_settings(RUNGS_REPLICAS=[]), pytest.raises(MiddlewareNotUsed):
        replicas.ReplicaMiddleware(lambda _: HttpResponse())
