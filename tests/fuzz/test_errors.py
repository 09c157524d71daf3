"""The document's examples of problems, beside what the app answers when it is asked for just that problem."""

import json
import re
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError

from league.core import locking
from league.web.api.core import authentication
from league.web.api.openapi.examples import ERRORS, GAME, READING_ERRORS, build_problem_example
from tests.fuzz.books import seed
from tests.helpers.api_client import Api

pytestmark = pytest.mark.django_db
GAMES = "leagues/preferans/games/"
WRONG = {**GAME, "results": [GAME["results"][0], {"player": "marko", "score": "forty"}, GAME["results"][2]]}  # type: ignore[index]
STRANGE = {**GAME, "results": [GAME["results"][0], {"player": "marco", "score": 40}, GAME["results"][2]]}  # type: ignore[index]
CORRECTION = {**GAME, "external_id": "server-7/c", "reason": "."}


def asked(status: int, owner: dict[str, str]) -> Any:  # noqa: PLR0911 -- a table of questions
    """Return the app's answer to what the example of a status is about."""
    api = Api()
    api.headers = {401: {}, 403: Api("record", name="recorder").headers}.get(status, owner)
    match status:
        case 400:
            return api.post(GAMES, WRONG)
        case 401:
            return api.post(GAMES, GAME)
        case 403:
            return api.post("leagues/preferans/rules/", {"system": "preferans"})
        case 404:
            return api.get("leagues/bridge/")
        case 409:
            api.post(GAMES, GAME)
            return api.post(GAMES, {**GAME, "note": "other"})
        case 412:
            return api.post(f"{GAMES}1/correct/", CORRECTION, **{"If-Match": '"other"'})
        case 413:
            return api.post(GAMES, {**GAME, "note": "x" * 3_000_000})
        case 415:
            return api.post_file(GAMES, "game", "text/plain")
        case 422:
            return api.post(GAMES, {**STRANGE, "external_id": None})
        case _:
            words = {503: "database is locked", 507: "database or disk is full"}[status]
            with patch.object(locking, "lock_with_last", side_effect=OperationalError(words)):
                return api.post(GAMES, {**GAME, "external_id": None})


def at_the_tests_host(shown: dict[str, Any]) -> dict[str, Any]:
    """Return an example as the tests' host answers it."""
    return {**shown, "type": f"http://testserver{shown['type']}"}


@pytest.mark.parametrize("status", sorted(ERRORS))
def test_the_app_answers_what_the_example_shows(status: int) -> None:
    answer = asked(status, seed())
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    # The number of the game is that of the example's league.
    told = json.loads(re.sub(r"game \d+,", "game 12,", answer.content.decode()))
    assert told == at_the_tests_host(build_problem_example(status))


@pytest.mark.parametrize("status", sorted(READING_ERRORS))
def test_the_app_answers_what_the_example_of_reading_shows(status: int) -> None:
    api = Api()
    api.headers = seed() if status != 401 else {"Authorization": "Bearer rungs_x_y"}
    if status == 503:
        with patch.object(authentication, "check_token", side_effect=OperationalError("connection refused")):
            answer = api.get("leagues/")
    else:
        answer = api.get("leagues/?lang=sr")
    assert (answer.status_code, answer.data) == (status, at_the_tests_host(build_problem_example(status, reading=True)))
