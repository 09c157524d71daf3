"""When an edition was due is never later than when it was published."""

import pytest
from rest_framework.test import APIRequestFactory

from league.api.ladders.render import render_edition
from league.models import Edition
from league.services.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, record_as_played, utc

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("closing", ["automatic", "by_hand"])
def test_an_edition_that_a_person_publishes_early_was_due_then(closing: str) -> None:
    with clock(utc("2023-12-31")):
        league = make_league(closing=closing)
        make_ladder(league)
    record_as_played(league, duel("anna", "ben", "2024-01-10"), duel("ben", "anna", "2024-02-10"))
    api, month = Api("organise"), "leagues/club/ladders/month/periods/"
    with clock(utc("2024-02-01T08:00")):
        early = api.post(f"{month}2024-01/close/", {})
    moment = "2024-02-01T08:00:00Z"
    assert (early.status_code, early.data["due_at"], early.data["published_at"]) == (201, moment, moment)
    with clock(utc("2024-03-05T08:00")):
        late = api.post(f"{month}2024-02/close/", {})
        record(league, duel("cleo", "anna", "2024-02-11"))
        again = api.post(f"{month}2024-02/close/", {"reason": "A late sheet."})
    assert (late.data["due_at"], again.data["due_at"]) == ("2024-03-02T00:00:00Z", "2024-03-05T08:00:00Z")
    told = api.get(f"{month}2024-02/").data["editions"]
    assert [one["due_at"] <= one["published_at"] for one in told] == [True, True]
    assert verify_league(league.pk).differences == []


def test_an_edition_of_an_earlier_version_is_not_said_to_have_been_due_after_it_was_published() -> None:
    league = make_league()
    make_ladder(league)
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    with clock(utc("2024-02-01T08:00")):
        close(league, "2024-01")
    edition = Edition.objects.get()
    edition.due_at = utc("2024-02-02")
    shown = render_edition(APIRequestFactory().get("/"), league, edition.ladder, edition)
    assert shown["due_at"] == utc("2024-02-01T08:00")
