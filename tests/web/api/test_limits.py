"""How many requests somebody may make, and what pages of other sites may do."""

import time
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client, RequestFactory

from league.web.api.core import limits
from league.web.api.core.limits import Counter
from league.web.client_address import get_client_address
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league

pytestmark = [pytest.mark.django_db, pytest.mark.one_database("Requests are counted in the process.")]
BOARD = "leagues/club/leaderboard/"


@pytest.fixture(autouse=True)
def _three_a_minute(settings: Any) -> Any:
    """Allow three reads and two writes a minute, at a clock that stands still."""
    settings.RUNGS_READS_A_MINUTE, settings.RUNGS_WRITES_A_MINUTE = 3, 2
    with patch.object(limits, "COUNTER", Counter()), patch.object(time, "time", lambda: 6012.5):
        yield


def test_who_asks_too_often_is_told_when_to_come_back() -> None:
    make_league()
    answers = [Api().get(BOARD) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer["RateLimit"] for answer in answers] == [f'"reads";r={left};t=48' for left in (2, 1, 0, 0)]
    assert answers[0]["RateLimit-Policy"] == '"reads";q=3;w=60'
    assert (answers[3]["Retry-After"], answers[3].data["code"]) == ("48", "too_many")
    told = [answers[3][name] for name in ("Content-Type", "Cache-Control")]
    assert told == ["application/problem+json", "private, no-store"]
    assert Client().get("/healthz").status_code == Client().get("/leagues/club/", follow=True).status_code == 200
    with patch.object(time, "time", lambda: 6060.0):
        assert Api().get(BOARD)["RateLimit"] == '"reads";r=2;t=61'


def test_tokens_and_writing_are_counted_apart() -> None:
    make_league()
    one, other = Api("record"), Api("record", name="server-8")
    body = game(("anna", 1), ("ben", 0))
    assert [one.post("leagues/club/games/", body).status_code for _ in range(3)] == [201, 201, 429]
    assert other.post("leagues/club/games/", body).status_code == 201
    assert one.get(BOARD)["RateLimit"] == '"reads";r=2;t=48'


def test_what_is_no_token_is_no_asker_of_its_own_and_a_limit_of_nothing_is_none(settings: Any) -> None:
    make_league()
    words = ("Basic eDE6eA==", "Basic eDI6eA==", "x3", "")
    assert [Api().get(BOARD, Authorization=word).status_code for word in words] == [200, 200, 200, 429]
    settings.RUNGS_READS_A_MINUTE = 0
    answer = Api().get(BOARD)
    assert (answer.status_code, answer.has_header("RateLimit")) == (200, False)


def test_an_ipv6_household_is_one_asker(settings: Any) -> None:
    settings.RUNGS_PROXIES = 1
    make_league()

    def status(address: str) -> int:
        return int(Client().get(f"/api/v1/{BOARD}", headers={"X-Forwarded-For": address}).status_code)

    assert [status(f"2001:db8:0:1:{one}::{one}") for one in range(1, 5)] == [200, 200, 200, 429]
    assert status("2001:db8:0:2::1") == 200


def test_too_many_askers_share_a_count() -> None:
    counter = Counter()
    with patch.object(limits, "MAX_CLIENTS", 2):
        assert [counter.add(who, 1) for who in ("a", "b", "c", "d", "a")] == [1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (0, "6.6.6.6", "10.0.0.1"),
        (1, "6.6.6.6, 7.7.7.7", "7.7.7.7"),
        (2, "6.6.6.6, 7.7.7.7", "6.6.6.6"),
        (2, "x", "10.0.0.1"),
        (1, "6.6.6.6, 7.7.7.7:40312", "7.7.7.7"),
        (1, "[2001:db8::7]:40312", "2001:db8::7"),
        (1, "[2001:db8::7]", "2001:db8::7"),
    ],
)
def test_only_as_many_proxies_as_there_are_are_believed(settings: Any, proxies: int, header: str, address: str) -> None:
    settings.RUNGS_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=header)
    assert get_client_address(request) == address


def test_pages_of_other_sites_may_read_what_strangers_may(settings: Any) -> None:
    settings.RUNGS_READS_A_MINUTE = 100
    make_league()
    for path in (BOARD, "leagues/club/", "leagues/none/"):
        answer = Api().get(path, Origin="https://other.example")
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert {"ETag", "Link", "RateLimit"} <= set(answer["Access-Control-Expose-Headers"].split(", "))
        assert not answer.has_header("Access-Control-Allow-Credentials")
    asked = Client().options(f"/api/v1/{BOARD}", headers={"Access-Control-Request-Method": "GET"})
    assert (asked.status_code, asked["Access-Control-Allow-Methods"]) == (204, "GET, HEAD, OPTIONS")
    assert "authorization" not in asked["Access-Control-Allow-Headers"].lower()
    for answer in (Api("record").get(BOARD), Api("record", name="b").post("leagues/club/games/", {})):
        assert not answer.has_header("Access-Control-Allow-Origin")
    assert not Client().get("/healthz").has_header("Access-Control-Allow-Origin")
