"""A range that ends before it begins is refused with a sentence, not answered with nothing."""

import pytest
from django.test import Client

from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import close, make_ladder, utc
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def build() -> None:
    """Make a league whose March has an edition."""
    league = make_league(players=("anna", "ben"), visibility="public", time_zone="Europe/Belgrade")
    make_ladder(league)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-03-05")))
    close(league, "2024-03")


built = built_once(build)


@pytest.fixture
def club() -> Api:
    """Return the API to the league."""
    return Api("organise")


@pytest.mark.parametrize("path", ["games/", "players/anna/history/"])
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2024-03-06", "2024-03-05"),
        ("2024-03-05T12:00:01Z", "2024-03-05T12:00:00Z"),
        ("2024-03-05T12:00:00Z", "2024-03-05"),
        ("2024-03-05T12:00:00%2B01:00", "2024-03-05T10:59:59Z"),
    ],
)
def test_a_range_of_time_that_ends_before_it_begins_is_refused(club: Api, path: str, first: str, last: str) -> None:
    answer = club.get(f"leagues/club/{path}?from={first}&to={last}")
    assert (answer.status_code, answer.data["code"]) == (400, "invalid")
    shown = first.replace("%2B", "+")
    assert answer.data["errors"] == [
        {"pointer": "?from", "code": "invalid", "detail": f"from ({shown}) is after to ({last}): swap them."}
    ]


@pytest.mark.parametrize("path", ["games/", "players/anna/history/"])
def test_a_range_that_goes_forward_or_is_one_moment_is_answered(club: Api, path: str) -> None:
    for given, count in (
        ("from=2024-03-05&to=2024-03-06", 1),
        ("from=2024-03-05&to=2024-03-05", 0),
        ("from=2024-03-05T12:00:00%2B01:00&to=2024-03-05T11:00:00Z", 0),
        ("from=2024-03-05", 1),
        ("to=2024-03-05", 0),
    ):
        answer = club.get(f"leagues/club/{path}?{given}")
        assert (answer.status_code, len(answer.data["results"])) == (200, count), given


@pytest.mark.parametrize(("first", "last"), [("2", "1"), ("live", "1"), ("10", "9")])
def test_editions_are_compared_forward(club: Api, first: str, last: str) -> None:
    answer = club.get(f"leagues/club/ladders/month/periods/2024-03/diff/?from={first}&to={last}")
    assert answer.status_code == 400
    assert f"from ({first}) is after to ({last}): swap them." in answer.data["detail"]
    page = Client().get(f"/leagues/club/ladders/month/2024-03/changes/?from={first}&to={last}")
    assert page.status_code == 400
    assert f"not {first} with {last}." in page.content.decode()


@pytest.mark.parametrize("given", ["?from=1&to=1", "?from=1&to=live", "?from=live&to=live", "?to=1", "?from=1", ""])
def test_editions_forward_or_the_same_are_shown(club: Api, given: str) -> None:
    assert club.get(f"leagues/club/ladders/month/periods/2024-03/diff/{given}").status_code == 200
    assert Client().get(f"/leagues/club/ladders/month/2024-03/changes/{given}").status_code == 200
