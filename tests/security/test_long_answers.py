"""Strangers who ask for answers that take long stop nobody else: how many at once, how long in a minute."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve

from league.core.errors import TooManyLongRequests
from league.web.api.core import limits
from league.web.api.core.limits import LONG_ANSWERS, LONG_SECONDS, MEASURED_COSTS, Counter, LongAnswers, RequestTurn
from league.web.public.cached_answers import cached_response
from league.web.sign_in.sessions import SessionStore
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.threads import in_threads

pytestmark = pytest.mark.django_db
LONG = (
    "/leagues/club/compared/", "/leagues/club/card.png", "/leagues/club/what-if/", "/leagues/club/?at=2024-03-05",
    "/api/v1/leagues/club/export/", "/api/v1/leagues/club/games/?format=csv", "/leagues/club/ladders/?lang=de",
    "/api/v1/players/?search=anna", "/leagues/club/games/?q=anna", "/leagues/club/players/anna/versus/ben/",
)  # fmt: skip
#: Other routes, or the same without a query; and what has limits of its own, however long it takes.
QUICK = (
    "/leagues/club/", "/api/v1/leagues/club/leaderboard/", "/admin/login/", "/healthz", "/leagues/club/wall/",
    "/api/v1/leagues/club/changes/?format=json",
)  # fmt: skip


def key_of(path: str) -> tuple[str, bool]:
    """Return how costs of an address are kept."""
    return resolve(path.partition("?")[0]).route, "?" in path


def read(client: Client, path: str) -> int:
    """Return the status of an answer, read to its end, which is when a streamed one ends its turn."""
    answer: Any = client.get(path)
    assert answer.getvalue() is not None
    return int(answer.status_code)


@pytest.fixture
def long_paths() -> None:
    """Let some addresses have taken long, and the sign-in, too."""
    for path in (*LONG, "/admin/login/"):
        MEASURED_COSTS.seconds[key_of(path)] = 1.0


@pytest.fixture
def two_at_once(settings: Any) -> Any:
    """Allow one long answer at once, and a second of work in a minute, at a clock that stands still."""
    settings.RUNGS_LONG_ANSWERS, settings.RUNGS_WORK_A_MINUTE = 1, 1
    with (
        patch.object(limits, "COUNTER", Counter()),
        patch.object(time, "time", lambda: 6012.5),
        patch.object(limits, "FIRST_WAIT", 0.01),
    ):
        yield


def test_what_takes_long_is_refused_while_too_many_are_worked_out_and_boards_are_not(
    two_at_once: Any, long_paths: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_league()
    monkeypatch.setattr(limits, "MAX_WAIT", 0.01)
    assert client.get("/readyz").json() == {"status": "ready"}
    LONG_ANSWERS.enter()
    try:
        for path in LONG:
            answer = client.get(path)
            assert (answer.status_code, answer["Retry-After"]) == (503, "5"), path
        assert client.get(LONG[4]).json()["code"] == "crowded"
        for path in QUICK:
            assert read(client, path) == 200, path
        assert client.get("/readyz").json() == {"status": "saturated", "running": 1, "waiting": 0}
        assert Api("read").get("leagues/club/export/").status_code == 200, "a token waits for nobody"
        client.force_login(User.objects.create_user("otto"))
        assert client.get(LONG[0]).status_code == 200, "nor does who is signed in"
    finally:
        LONG_ANSWERS.leave()
    assert LONG_ANSWERS.running == LONG_ANSWERS.waiting == 0


def test_what_took_long_waits_for_its_turn_until_it_is_quick_again(
    two_at_once: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_league()
    monkeypatch.setattr(limits, "MAX_WAIT", 0.01)
    costs, clock = [0.0, 2 * LONG_SECONDS, 0.0, 0.0, 0.0, 0.0], [0.0]

    def read_clock() -> float:
        now = clock[0]
        clock[0] += steps.pop() if steps else 0.0
        return now

    steps: list[float] = []
    monkeypatch.setattr(time, "thread_time", read_clock)
    path, refused = "/leagues/club/compared/", []
    for cost in costs:
        steps[:] = [cost]
        assert client.get(path).status_code == 200
        LONG_ANSWERS.enter()
        refused.append(client.get(path).status_code == 503)
        LONG_ANSWERS.leave()
    # 0.2 s fade to 0.16, 0.128 and 0.102 s, and then to less than 0.1 s.
    assert refused == [False, True, True, True, True, False]


@pytest.mark.parametrize(("cost", "are_refused"), [(0.0, False), (2 * LONG_SECONDS, True)])
def test_the_first_answers_of_a_process_take_turns(settings: Any, cost: float, are_refused: bool) -> None:
    settings.RUNGS_LONG_ANSWERS = 2
    running: list[int] = []

    def answer(number: int) -> bool:
        request = RequestFactory().get(f"/leagues/club/competitions/cup{number}/")
        request.user, request.resolver_match = AnonymousUser(), resolve(request.path)
        try:
            turn = RequestTurn(request)
        except TooManyLongRequests:
            return False
        running.append(LONG_ANSWERS.running)
        time.sleep(0.02)
        turn.begun = time.thread_time() - cost
        turn.end()
        return True

    answered = in_threads([partial(answer, number) for number in range(12)])
    # Of long ones two go on, and four wait; quick ones go on as soon as the first has been measured.
    assert (False in answered) == are_refused
    assert answered.count(True) >= 6
    assert max(running) <= 2
    assert LONG_ANSWERS.running == LONG_ANSWERS.waiting == 0


def test_a_first_answer_beside_long_ones_goes_on_after_a_moment(two_at_once: Any, client: Client) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    LONG_ANSWERS.enter()
    for path in (*LONG, *QUICK):
        MEASURED_COSTS.seconds.clear()
        assert read(client, path) in (200, 302), path
        assert LONG_ANSWERS.running == 1
    LONG_ANSWERS.leave()


def test_unknown_parameters_are_no_new_pages(client: Client, django_assert_max_num_queries: Any) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    for path in ("/leagues/club/", "/leagues/club/players/anna/", "/leagues/club/wall/"):
        first = client.get(f"{path}?x=1")
        assert first.status_code == 200
        with django_assert_max_num_queries(2):
            second = client.get(f"{path}?x=2&utm_source=mail")
        assert second.content == first.content
        assert b"utm_source" not in second.content


def test_who_asks_for_the_same_at_once_waits_for_one_computation() -> None:
    begun, computed = threading.Event(), []

    def compute() -> HttpResponse:
        computed.append(1)
        begun.set()
        time.sleep(0.05)
        return HttpResponse(b"page")

    def ask(_number: int) -> bytes:
        request = RequestFactory().get("/")
        request.user, request.resolver_match = AnonymousUser(), None
        return cached_response(request, '"the tag"', compute).content

    with ThreadPoolExecutor(6) as readers:
        first = readers.submit(ask, 0)
        begun.wait(10)
        others = [readers.submit(ask, number) for number in range(5)]
        assert {one.result() for one in (first, *others)} == {b"page"}
    assert len(computed) == 1


def test_a_turn_ends_with_its_answer_also_with_one_that_is_sent_while_it_is_worked_out(
    two_at_once: Any, long_paths: None, client: Client
) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    for path in LONG:
        answer: Any = client.get(path, follow=True)
        if answer.streaming:
            assert LONG_ANSWERS.running == 1
            list(answer.streaming_content)
        assert (answer.status_code, LONG_ANSWERS.running) == (200, 0), path
    assert client.get("/leagues/none/compared/").status_code == 404


def test_a_network_that_used_up_its_time_waits_until_the_minute_is_over(
    two_at_once: Any, long_paths: None, client: Client
) -> None:
    make_league()
    limits.count_work(RequestFactory().get("/", REMOTE_ADDR="127.0.0.1"), 0.9)
    assert client.get(LONG[0]).status_code == 200
    limits.count_work(RequestFactory().get("/", REMOTE_ADDR="127.0.0.1"), 0.2)
    for path in LONG:
        answer = client.get(path)
        assert (answer.status_code, answer["Retry-After"]) == (429, "48"), path
    assert client.get(LONG[4]).json()["code"] == "too_many"
    assert "sign in" in client.get(LONG[0]).content.decode()
    for path in QUICK:
        assert read(client, path) == 200, path
    assert client.get(LONG[0], REMOTE_ADDR="10.0.0.7").status_code == 200, "another network has its own"
    with patch.object(time, "time", lambda: 6060.0):
        assert client.get(LONG[0]).status_code == 200


def test_work_is_counted_by_what_it_took(two_at_once: Any, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_league()
    client.get(LONG[0])
    assert limits.COUNTER.add(f"{limits.WORK} 127.0.0.1", 100, 0) == 0, "what is quick counts for nobody"
    monkeypatch.setattr(limits, "LONG_SECONDS", 0.0)
    client.get(LONG[0])
    assert limits.COUNTER.add(f"{limits.WORK} 127.0.0.1", 100, 0) > 0


def test_a_turn_is_waited_for_a_moment_by_a_few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RUNGS_LONG_ANSWERS = 1
    monkeypatch.setattr(limits, "MAX_WAIT", 20.0)
    monkeypatch.setattr(limits, "MAX_WAITING", 1)
    some = LongAnswers()
    some.enter()
    with ThreadPoolExecutor(1) as others:
        second = others.submit(some.enter)
        while not some.waiting:
            threading.Event().wait(0.01)
        with pytest.raises(TooManyLongRequests):
            some.enter()
        some.leave()
        second.result()
    assert (some.running, some.waiting) == (1, 0)


def test_a_token_that_is_made_up_does_no_work_and_a_page_knows_no_token(client: Client) -> None:
    make_league()
    assert client.get(LONG[4], headers={"Authorization": "Bearer nonsense"}).status_code == 401
    request: Any = RequestFactory().get(LONG[0], headers={"Authorization": "Bearer nonsense"})
    request.user = User()
    assert not limits.is_limited(request)
    request.user = AnonymousUser()
    assert limits.is_limited(request)


@pytest.mark.parametrize("cost", [None, 1.0])
def test_a_page_without_the_database_is_served_where_no_session_can_be_read(client: Client, cost: float | None) -> None:
    if cost is not None:
        MEASURED_COSTS.seconds |= {key_of(path): cost for path in ("/rulings/", "/leagues/club/")}
    client.cookies["sessionid"] = "of-somebody"
    with patch.object(SessionStore, "load", side_effect=OperationalError("no such table: django_session")):
        assert read(client, "/rulings/") == 200
        client.raise_request_exception = False
        assert read(client, "/accounts/password/change/") >= 500
