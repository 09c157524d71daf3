"""Addresses, cursors and query parameters that somebody made up: an answer, never a failure."""

import base64
import json
from typing import Any

import pytest
from django.test import Client

from tests.helpers.api_client import Api
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db


def cursor(*values: Any) -> str:
    """Return a cursor as nobody was ever given."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


@pytest.mark.parametrize("text", ["\ud800", "a\0b"])
def test_a_made_up_cursor_with_text_that_no_database_takes_is_refused(text: str) -> None:
    make_league()
    for path in (
        f"players/?cursor={cursor(text)}",
        f"leagues/club/leaderboard/?after={cursor(1.0, 1.0, text)}",
        f"leagues/club/games/?cursor={cursor(text, 1)}",
    ):
        answer = Api().get(path)
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json"), path


@pytest.mark.parametrize("name", ["players/?search", "leagues/club/leaderboard/?around", "leagues/club/games/?player"])
def test_a_query_parameter_with_a_nul_is_refused_and_says_why(name: str) -> None:
    make_league()
    answer = Api().get(f"{name}=a%00b")
    assert answer.status_code == 400
    assert "must not hold a NUL character" in answer.data["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/players/%00/",
        "/api/v1/leagues/%00/",
        "/api/v1/leagues/club/players/a%00b/",
        "/api/v1/leagues/club/players/%00/history/",
        "/api/v1/systems/%00/",
        "/leagues/%00/",
        "/leagues/club/players/%00/",
        "/systems/%00/",
    ],
)
def test_a_nul_in_an_address_leads_nowhere(path: str) -> None:
    make_league()
    assert Client().get(path).status_code == 404
