"""A player who is added by the API is answered with those whose names look alike."""

import pytest

from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.people_builders import session, two_leagues

pytestmark = pytest.mark.django_db


def test_a_name_that_looks_like_another_is_answered_with_its_handle() -> None:
    make_league(players=("marija", "ben"))
    api = Api("organise")
    for handle, name, similar in (
        ("marija2", "Mаrija", ["marija"]),  # the first а is Cyrillic
        ("marjia", "Marjia", ["marija"]),
        ("zoe", "Zoe", []),
    ):
        answer = api.post("players/", {"handle": handle, "name": name})
        assert (answer.status_code, sorted(answer.data["similar"])[:1]) == (201, similar)


def test_nobody_learns_of_players_whom_they_may_not_see() -> None:
    two_leagues()
    sent = {"name": "Mata Harí"}
    assert session("olga-owner").post("players/", {"handle": "one", **sent}).data["similar"] == []
    assert session("carl-owner").post("players/", {"handle": "two", **sent}).data["similar"] == ["one", "mata"]
