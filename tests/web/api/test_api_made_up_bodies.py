"""Bodies, addresses and cursors that nobody sends by accident: refused soon, with a sentence, and nothing written."""

import base64
import json
import time
from typing import Any

import pytest
from django.test import Client

from league.core.errors import Invalid, Problem, RungsError
from league.core.text.strict_json import build_object
from league.models import Game, Player
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_an_empty_form_changes_nothing(content_type: str) -> None:
    make_league()
    api = Api("organise")
    for path in ("players/anna/", "leagues/club/"):
        # The test client leaves out the type of an empty body; curl -d '' sends it.
        sent: dict[str, Any] = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": "0"}
        answer = api.client.generic("PATCH", f"/api/v1/{path}", b"", headers=api.headers, **sent)
        assert (answer.status_code, answer.json().get("code")) == (415, "unsupported_media_type")
    assert Player.objects.get(handle="anna").active


COSTLY: dict[str, tuple[str, Any, str, str]] = {
    "results without end": ("leagues/club/games/", {"results": [{}] * 200_000}, "/results", "200,000 were sent"),
    "details without end": (
        "leagues/club/games/",
        game(("anna", 1), kind="forfeit", details={f"d{n}": n for n in range(50_000)}),
        "/details",
        "at most 100 entries",
    ),
    "a detail with an endless name": (
        "leagues/club/games/",
        game(("anna", 1), kind="forfeit", details={"d" * 100_000: 1}),
        "/details",
        "at most 60 characters",
    ),
    "parameters without end": (
        "leagues/club/rules/",
        {"system": "elo", "parameters": {f"p{n}": n for n in range(50_000)}},
        "/parameters",
        "at most 100 entries",
    ),
    "aliases without end": ("players/", {"handle": "zoe", "aliases": [5] * 200_000}, "/aliases", "at most 50 entries"),
    "fields without end": ("players/", {f"f{n}": n for n in range(50_000)}, "/f0", "no such field"),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("case", COSTLY)
def test_a_body_without_end_is_refused_soon_and_in_few_words(case: str) -> None:
    make_league()
    path, body, pointer, sentence = COSTLY[case]
    begun = time.perf_counter()
    answer = Api("organise").post(path, body)
    assert time.perf_counter() - begun < 60
    assert answer.status_code == 400, answer.content[:500]
    assert (answer.data["errors"][0]["pointer"], len(answer.data["errors"]) <= 10) == (pointer, True)
    assert sentence in answer.data["detail"]
    assert len(answer.content) < 10_000
    assert not Game.objects.exists()


def test_a_key_that_stands_twice_behind_many_others_is_found_soon() -> None:
    begun = time.perf_counter()
    with pytest.raises(Invalid, match="“twice” occurs twice"):
        build_object([*((f"key{n}", n) for n in range(100_000)), ("twice", 1), ("twice", 2)])
    assert time.perf_counter() - begun < 60


def test_a_hundred_problems_are_named_and_ten_said() -> None:
    answer = RungsError.of([Problem(f"/{n}", "wrong", f"Number {n} is wrong.") for n in range(1000)])
    assert len(answer.problems) == 100
    assert answer.detail.endswith(" Number 9 is wrong. And 990 more problems.")


def test_pointers_lead_into_the_body_as_it_was_sent() -> None:
    make_league()
    api = Api("organise")

    def pointers(path: str, body: dict[str, Any]) -> list[str]:
        return [error["pointer"] for error in api.post(path, body).data["errors"]]

    new = {"slug": "x", "title": "X"}
    assert pointers("leagues/", {**new, "rule": {"system": "elo", "from": "0005-01-01"}}) == ["/rule/from"]
    odd = {"a/b~c": "x"}
    assert pointers("leagues/club/games/", game(("anna", 1), ("ben", 0), **odd)) == ["/a~1b~0c"]
    assert pointers("leagues/club/games/", game(("anna", 1), ("ben", 0), details=odd)) == ["/details/a~1b~0c"]
    assert pointers("leagues/club/games/", game(("anna", 1), kind="forfeit", details=odd)) == ["/details/a~1b~0c"]
    assert pointers("leagues/club/rules/", {"system": "elo", "parameters": odd}) == ["/parameters/a~1b~0c"]


def cursor(*values: Any) -> str:
    """Return a cursor as nobody was ever given."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def test_a_made_up_cursor_or_parameter_with_text_that_no_database_takes_is_refused() -> None:
    make_league()
    for text in ("\ud800", "a\0b"):
        for path in (
            f"players/?cursor={cursor(text)}",
            f"leagues/club/leaderboard/?after={cursor(1.0, 1.0, text)}",
            f"leagues/club/games/?cursor={cursor(text, 1)}",
        ):
            answer = Api().get(path)
            assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json"), path
    for name in ("players/?search", "leagues/club/leaderboard/?around", "leagues/club/games/?player"):
        answer = Api().get(f"{name}=a%00b")
        assert answer.status_code == 400
        assert "must not contain a NUL character" in answer.data["detail"]


def test_a_nul_in_an_address_leads_nowhere() -> None:
    make_league()
    for path in (
        "/api/v1/players/%00/",
        "/api/v1/leagues/%00/",
        "/api/v1/leagues/club/players/a%00b/",
        "/api/v1/leagues/club/players/%00/history/",
        "/api/v1/systems/%00/",
        "/leagues/%00/",
        "/leagues/club/players/%00/",
        "/systems/%00/",
    ):
        assert Client().get(path).status_code == 404, path
