"""Each face of a leaderboard says that a replay is pending, and only then."""

import pytest
from django.test import Client

from league.models import League
from tests.helpers.builders import EVENING, make_league, record, sheet

FACES = ("/leagues/{}/", "/leagues/{}/?at=2030-01-01", "/leagues/{}/?q=anna", "/embed/leagues/{}/", "/leagues/{}/wall/")


@pytest.mark.django_db
@pytest.mark.parametrize("face", FACES)
def test_a_board_says_that_a_replay_is_pending(face: str) -> None:
    sentence = "A correction is being processed; the affected ratings will be updated shortly."
    for slug in ("waiting", "settled"):
        record(make_league(slug=slug), sheet(("anna", "ben"), (1, 0)))
    for stale_from in (None, EVENING, None):
        League.objects.filter(slug="waiting").update(stale_from=stale_from, stale_key=0)
        for slug in ("waiting", "settled"):
            page = Client().get(face.format(slug))
            assert page.status_code == 200
            assert (sentence in page.content.decode()) is (slug == "waiting" and stale_from is not None)
