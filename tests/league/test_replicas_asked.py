"""Which requests a replica answers, what it is not asked, and what is asked again; a replica without a server."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, Error, OperationalError, connection, connections
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from league.db.replicas import connection as connecting
from league.db.replicas import looking, marks, middleware
from league.settings import for_postgresql


def marked(value: str) -> int:
    request = RequestFactory().get("/")
    request.COOKIES[marks.cookie()] = value
    return marks.marked(request)


# Requests.


class Fake:
    """A connection to a replica, as far as it is asked."""

    def __init__(self, position: int | None = 100) -> None:
        self.at, self.failed, self.connection, self.usable = position, False, object(), True
        self.execute_wrappers: list[Any] = []

    def close_if_unusable_or_obsolete(self) -> None:
        """Stay open: the end of a request, which Django tells of."""

    def position(self) -> int | None:
        if self.at == -1:
            raise OperationalError("away")
        return self.at

    def is_usable(self) -> bool:
        return self.usable


class Site:
    """The middleware around a view, with a replica that is no server."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.look = looking.Looking([for_postgresql({"NAME": "x", "HOST": "one"})], 5)
        self.look.begin = lambda: None  # type: ignore[method-assign]  # no threads here
        self.replica = self.look.replicas[0]
        self.fake: Any = Fake()
        self.database = 100
        self.asked: list[str] = []
        self.answer: Any = lambda request, by: HttpResponse(by)
        self.middleware = middleware.ReplicaMiddleware(self.view, self.look)
        monkeypatch.setattr(middleware, "connection_to", lambda name, config: self.fake)
        monkeypatch.setattr(middleware, "ask", self.position)
        self.sampled()

    def sampled(self) -> None:
        """Let the process know how far both are."""
        now = self.look.samples.clock()
        self.look.samples.add(now, self.database)
        self.look.floors.told(now, self.database)
        self.replica.seen(0, self.fake.at)

    def position(self, sql: str) -> list[tuple[str]]:
        if self.database < 0:
            raise OperationalError("away")
        return [(f"0/{self.database:X}",)]

    def view(self, request: Any) -> Any:
        by = "replica" if connections[DEFAULT_DB_ALIAS] is self.fake else "database"
        self.asked.append(by)
        return self.answer(request, by)

    def ask(self, path: str = "/", method: str = "GET", **more: Any) -> Any:
        """Ask; ``by`` of the answer is who answered."""
        request = getattr(RequestFactory(), method.lower())(path, **more.pop("meta", {}))
        request.COOKIES.update(more)
        response: Any = self.middleware(request)
        response.by, response.request = self.asked[-1], request
        return response


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(monkeypatch)


def test_what_is_only_read_a_replica_answers(site: Site) -> None:
    for path in ("/", "/leagues/club/", "/api/v1/leagues/club/leaderboard/", "/embed/leagues/club/"):
        assert site.ask(path).by == "replica"
    assert site.ask("/", "HEAD").by == "replica"
    assert connections[DEFAULT_DB_ALIAS] is not site.fake
    assert not site.ask().cookies


@pytest.mark.parametrize(
    "path", ["/admin/", "/accounts/code/", "/report/x/", "/invitations/x/", "/status/", "/status.json", "/static/x.css"]
)
def test_what_is_the_databases_own_a_replica_is_not_asked(site: Site, path: str) -> None:
    assert site.ask(path).by == "database"


def test_who_comes_with_a_token_and_whatever_is_sent_goes_to_the_database(site: Site) -> None:
    assert site.ask(meta={"HTTP_AUTHORIZATION": "Bearer x"}).by == "database"
    sent = site.ask("/api/v1/leagues/club/games/", "POST", meta={"HTTP_AUTHORIZATION": "Bearer x"})
    assert sent.by == "database" and not sent.cookies
    assert site.ask("/", "OPTIONS").by == "database"


def test_who_wrote_reads_it(site: Site) -> None:
    site.database = 200
    mark = site.ask("/accounts/code/", "POST").cookies[marks.cookie()].value
    site.look.floors.forget()  # as at another machine
    assert site.ask().by == "replica"
    assert site.ask(**{marks.cookie(): mark}).by == "database"
    site.look.floors.forget()
    site.fake.at = 200
    assert site.ask(**{marks.cookie(): mark}).by == "replica"


def test_what_was_refused_wrote_nothing(site: Site) -> None:
    site.answer = lambda request, by: HttpResponse(status=422)
    assert not site.ask("/x/", "POST").cookies
    site.answer = lambda request, by: HttpResponse(status=503)  # nobody knows
    assert site.ask("/x/", "POST").cookies


def test_while_nobody_knows_how_far_the_database_is_it_is_asked_itself(site: Site) -> None:
    site.database = -1
    mark = site.ask("/x/", "POST").cookies[marks.cookie()].value
    assert marked(mark) == marks.UNKNOWN
    assert site.ask().by == "database"
    site.database = 100
    assert site.ask().by == "database"
    site.sampled()
    assert site.ask().by == "replica"
    assert site.ask(**{marks.cookie(): mark}).by == "database"


def test_nothing_is_shown_that_is_older_than_what_was_shown(site: Site) -> None:
    site.database = 150
    site.ask("/api/v1/leagues/club/games/", "POST")
    assert site.ask("/leagues/club/").by == "database"
    assert site.ask("/leagues/other/").by == "replica"
    assert site.ask("/").by == "database"
    assert site.ask("/leagues/other/").by == "database", "it stood on the page of all, too"
    site.fake.at = 150
    assert site.ask("/leagues/club/").by == site.ask("/leagues/other/").by == site.ask("/").by == "replica"


@pytest.mark.parametrize("status", [400, 404, 500, 503])
def test_what_a_replica_cannot_answer_is_asked_again(site: Site, status: int) -> None:
    site.answer = lambda request, by: HttpResponse(by, status=status if by == "replica" else 200)
    response = site.ask()
    assert response.status_code == 200 and site.asked == ["replica", "database"]
    assert site.ask().by == "database"  # that was shown
    assert site.look.choice.now is site.replica


def test_what_somebody_swallowed_is_asked_again_as_if_nobody_had_been_asked(site: Site) -> None:
    def answer(request: Any, by: str) -> HttpResponse:
        assert not hasattr(request, "session")
        assert "CSRF_COOKIE" not in request.META
        request.session, request.META["CSRF_COOKIE"] = by, by
        site.fake.failed = by == "replica"
        return HttpResponse(by)

    site.answer = answer
    response = site.ask()
    assert response.content == b"database" and response.request.session == "database"
    assert site.replica.usable()


def test_a_replica_that_dies_in_a_request_is_left_out(site: Site) -> None:
    def answer(request: Any, by: str) -> HttpResponse:
        site.fake.failed, site.fake.connection = by == "replica", None
        return HttpResponse(by)

    site.answer = answer
    assert site.ask().content == b"database"
    assert not site.replica.usable()
    assert site.ask().by == "database"


@pytest.mark.parametrize("position", [None, 90, -1])
def test_a_replica_that_is_none_any_more_or_went_back_is_left_out(site: Site, position: int | None) -> None:
    site.fake.at, site.fake.connection = position, None
    assert site.ask().by == "database"
    assert not site.replica.usable()


def test_what_is_streamed_is_asked_at_the_database(site: Site) -> None:
    closed: list[str] = []

    def lines(by: str) -> Any:
        try:
            yield by
        finally:
            closed.append("replica" if connections[DEFAULT_DB_ALIAS] is site.fake else "database")

    def answer(request: Any, by: str) -> StreamingHttpResponse:
        begun = lines(by)
        next(begun)
        return StreamingHttpResponse(begun)

    site.answer = answer
    assert site.ask().by == "database"
    assert closed[0] == "replica", "what it read with is given back where it came from"


def test_an_answer_of_a_replica_that_is_not_read_any_more_is_not_shown(site: Site) -> None:
    def answer(request: Any, by: str) -> HttpResponse:
        if by == "replica":
            site.look.choice.now = None  # as another thread found
        return HttpResponse(by)

    site.answer = answer
    assert site.ask().content == b"database"


# The threads that look.


class Told:
    """A question that has its answers ready."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.wrapper, self.first = list(answers), SimpleNamespace(close=lambda: None), (7,)

    def ask(self, sql: str) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask_first(self, sql: str) -> Any:
        return self.first


def test_what_the_threads_hear(site: Site) -> None:
    look: Any = site.look
    look.sample(Told(("0/64", "0/65")))
    assert look.identity == 7 and not look.samples.away
    assert look.see(site.replica, Told(("0/64",))) == ""
    look.sample(Told(OperationalError("away")))
    assert look.samples.away
    look.sample(Told(OperationalError("away")))
    assert look.see(site.replica, Told(("0/63",))) == "it was started again and is not where it was."
    assert look.see(site.replica, Told(OperationalError("gone\nmore"))) == "it does not answer (gone)."
    assert "no standby" in look.see(site.replica, Told((None,)))
    other = Told()
    other.first = (8,)
    assert "copy of another database" in look.see(site.replica, other)
    look.floors.raised("", 100)
    look.sample(Told(("0/10", "0/10")))
    assert look.floors.of("") == 0, "the database was put back"
    site.replica.replayed = 0
    assert "seconds behind" in look.see(site.replica, Told(("0/1",)))


def test_a_question_makes_its_connection_anew_when_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    class Wrapper:
        def __init__(self, config: Any, alias: str) -> None:
            made.append(self)

        def cursor(self) -> Any:
            if len(made) == 1:
                raise OperationalError("away")
            return connection.cursor()

        def close(self) -> None:
            pass

    monkeypatch.setattr(looking, "DatabaseWrapper", Wrapper)
    question = looking.Question({})
    with pytest.raises(Error):
        question.ask("SELECT 1")


def test_names_tell_no_password() -> None:
    assert looking.name_of({"HOST": "one", "PORT": "5433", "PASSWORD": "secret"}) == "one:5433"
    assert looking.name_of({}) == "localhost:5432"


# A thread's connection.


@pytest.mark.django_db
def test_whatever_asks_inside_asks_the_replica() -> None:
    database = connections[DEFAULT_DB_ALIAS]
    with connecting.reading(database):  # type: ignore[arg-type]  # stands for a replica's
        assert connections[DEFAULT_DB_ALIAS] is database


@pytest.mark.django_db
def test_every_error_is_noted_whoever_swallows_it() -> None:
    config = looking.configured(for_postgresql({"NAME": "x", "HOST": "/nowhere", "PORT": "1"}))
    mine = connecting.connection_to("nowhere", config)
    assert not mine.failed and mine.alias == DEFAULT_DB_ALIAS
    with pytest.raises(OperationalError):
        mine.position()
    assert vars(mine)["failed"]
    again = connecting.connection_to("nowhere", config)
    assert again is mine and not mine.failed
    mine.in_atomic_block = True
    another = connecting.connection_to("nowhere", config)
    assert another is not mine
