"""The figures at the top of a player's page: the distance to the next rank, and when a rating is provisional."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from league.core.players.selectors.cards import score_distances
from league.models import Rating
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import page_text

pytestmark = pytest.mark.django_db


def test_how_far_the_next_one_is_stands_as_on_the_board() -> None:
    league = make_league(players=("anna", "ben", "cleo", "dan"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0)))
    Rating.objects.filter(player__handle="anna").update(score=1512.36, rating=1512.36)
    Rating.objects.filter(player__handle="ben").update(score=1510.24, rating=1510.24)
    Rating.objects.filter(player__handle__in=("cleo", "dan")).update(score=1400.0, rating=1400.0)
    now = EVENING + timedelta(days=1)
    # Printed they are 1512.4 and 1510.2.
    assert list(score_distances(league, 1510.24, now, 1)) == [4, pytest.approx(2.2), None, 0, 1]
    assert list(score_distances(league, 1512.36, now, 1)) == [4, None, pytest.approx(2.2), 0, None]
    assert list(score_distances(league, 1400.0, now, 1)) == [4, pytest.approx(110.2), None, 1, 2]


def test_a_provisional_rating_says_which_deviation_ends_it(client: Client) -> None:
    record(make_league("glicko2", parameters={"sure": 87.5}), sheet(("anna", "ben"), (1, 0)))
    page = page_text(client.get("/leagues/club/players/anna/"))
    assert "This rating is provisional until its deviation is at most 87.5." in page
    # Ben's score is the lower one of two.
    assert re.search(r"of 2, [\d.]+ behind rank 1 ", page_text(client.get("/leagues/club/players/ben/")))
