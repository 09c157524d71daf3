"""What is known of replicas, and the mark of who wrote; without servers, which ``tests/journeys`` has."""

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from league.db.replicas import marks, middleware
from league.db.replicas.knowing import Choice, Floors, Replica, Samples
from league.db.replicas.positions import number
from league.environment import Environment
from league.settings import for_postgresql


class Clock:
    """A clock that goes when it is told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_position_is_a_number() -> None:
    assert number("0/0") == 0
    assert number("1/6B374D8") == 0x1_0000_0000 + 0x6B374D8
    assert number("A/FFFFFFFF") < number("B/0")


# What is known of the database and its replicas.


def test_a_replica_is_as_fresh_as_when_the_database_was_no_further(clock: Clock) -> None:
    samples = Samples(10, clock)
    replica = Replica("one", samples, lag=5)
    assert not replica.usable()
    for at, position in ((1000, 100), (1001, 200), (1002, 300)):
        samples.add(at, position)
    clock.now = 1002.5
    assert replica.seen(0, 250)
    assert replica.behind() == 1.5 and replica.usable()
    assert replica.seen(250, 300)
    assert replica.behind() == 0.5
    clock.now = 1007.5
    assert not replica.usable(), "nobody has asked for long"


def test_a_replica_that_stands_still_is_left_out_and_comes_back(clock: Clock) -> None:
    samples = Samples(10, clock)
    replica = Replica("one", samples, lag=3)
    samples.add(1000, 100)
    replica.seen(0, 100)
    for second in range(1, 6):
        clock.now = 1000 + second
        samples.add(clock.now, 100 + second)
        replica.seen(100, 100)
    assert replica.behind() == 5 and not replica.usable()
    replica.seen(100, 105)
    assert replica.usable() and replica.good_since == 1005


def test_a_quiet_database_leaves_its_replica_fresh(clock: Clock) -> None:
    samples = Samples(10, clock)
    replica = Replica("one", samples, lag=3)
    for second in range(100):
        clock.now = 1000.0 + second
        samples.add(clock.now, 100)
        replica.seen(replica.replayed, 100)
    assert replica.behind() == 0


def test_of_a_database_that_is_away_nobody_can_know_more_than_it_said_last(clock: Clock) -> None:
    samples = Samples(10, clock)
    ahead, behind = Replica("one", samples, lag=3), Replica("two", samples, lag=3)
    samples.add(999, 50)
    samples.add(1000, 100)
    samples.away = True
    clock.now = 1600
    ahead.seen(0, 100)
    behind.seen(0, 99)
    assert ahead.usable() and not behind.usable()


def test_a_database_that_went_back_is_another_one(clock: Clock) -> None:
    samples = Samples(10, clock)
    assert not samples.add(1000, 100)
    assert samples.add(1001, 50)
    assert samples.fresh_as_of(49) is None and samples.fresh_as_of(60) == 1001


def test_a_replica_that_went_back_is_left_out(clock: Clock) -> None:
    samples = Samples(10, clock)
    replica = Replica("one", samples, lag=3)
    samples.add(1000, 100)
    assert replica.seen(0, 100) and replica.usable()
    assert not replica.seen(100, 90)
    assert not replica.usable() and replica.replayed == 90
    # Another thread that asked before and is heard later does not put it back.
    assert replica.seen(90, 100) and replica.seen(90, 95) and replica.replayed == 100


def test_floors_are_of_leagues_and_of_all() -> None:
    floors = Floors(most=2)
    assert floors.of("a") == floors.of("") == 0
    floors.raised("a", 10)
    floors.raised("a", 5)
    assert (floors.of("a"), floors.of("b"), floors.of("")) == (10, 0, 10)
    floors.raised("", 7)
    assert (floors.of("a"), floors.of("b"), floors.of("")) == (10, 7, 10)
    floors.raised("b", 20)
    floors.raised("c", 30)  # one more than is kept: the one of the longest time ago is now that of all
    assert (floors.of("a"), floors.of("b"), floors.of("c"), floors.of("")) == (10, 20, 30, 30)
    floors.forget()
    assert floors.of("") == 0


def test_what_nobody_knows_is_known_when_the_database_is_asked_again(clock: Clock) -> None:
    floors = Floors(most=2, clock=clock)
    floors.opened()
    assert floors.of("a") is floors.of("") is None
    floors.told(999, 100)  # it was asked before
    assert floors.of("a") is None
    floors.told(1001, 100)
    assert floors.of("a") == floors.of("") == 100
    floors.told(1002, 200)
    assert floors.of("a") == 100


def test_a_process_reads_one_replica_and_another_where_that_fails(clock: Clock) -> None:
    samples, floors = Samples(100, clock), Floors(10, clock)
    one, two = Replica("one", samples, 5), Replica("two", samples, 5)
    choice = Choice([one, two], 3, floors)
    assert choice.choose() is None and floors.of("") == 0
    samples.add(1000, 100)
    one.seen(0, 100)
    two.seen(0, 100)
    assert choice.choose() is choice.choose() is two and floors.of("") == 0
    choice.failed(two)
    assert floors.of("") is None
    floors.told(1001, 100)
    assert choice.choose() is one
    assert floors.of("") is None, "nobody knows how far the other one was when it was read"
    clock.now = 1010
    samples.add(1010, 110)
    one.seen(100, 110)
    two.seen(100, 110)
    assert choice.choose() is one, "it was good for a moment only"
    clock.now = 1041
    samples.add(1041, 110)
    assert choice.choose() is two


# What the settings say.


def test_replicas_are_named_with_the_password_of_the_database() -> None:
    urls = "postgresql://rungs@one/rungs, postgresql://rungs:own@two:5433/rungs\npostgres://rungs@/rungs?host=%2Ftmp"
    environment = Environment({"DATABASE_REPLICA_URLS": urls, "DATABASE_PASSWORD": "a/b"})
    assert environment.replicas("DATABASE_REPLICA_URLS", "DATABASE_PASSWORD", "league.db.postgresql") == [
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
    given = for_postgresql({"NAME": "x", "OPTIONS": {"connect_timeout": 9}}, "default_transaction_read_only=on")
    assert "-c default_transaction_read_only=on" in given["OPTIONS"]["options"]
    assert "-c statement_timeout=" in given["OPTIONS"]["options"]
    assert given["OPTIONS"]["connect_timeout"] == 9


def test_without_replicas_nobody_stands_there() -> None:
    with override_settings(RUNGS_REPLICAS=[]), pytest.raises(MiddlewareNotUsed):
        middleware.ReplicaMiddleware(lambda _: HttpResponse())


# The mark of who wrote.


def marked(value: str) -> int:
    request = RequestFactory().get("/")
    request.COOKIES[marks.cookie()] = value
    return marks.marked(request)


def test_a_mark_is_read_again_and_no_other() -> None:
    response = HttpResponse()
    marks.mark(response, 0xABC)
    cookie = response.cookies[marks.cookie()]
    assert cookie["httponly"] and cookie["max-age"] == settings.RUNGS_REPLICA_LAG + 60
    assert marked(cookie.value) == 0xABC
    assert marks.marked(RequestFactory().get("/")) == 0
    assert marked("ffff:x:y") == marked("") == marked("\0") == 0
    assert marked(marks.signer().sign("word")) == 0
