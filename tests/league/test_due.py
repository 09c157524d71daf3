"""When an edition was due is never later than when it was published."""

import pytest

from league.services.verify.run import verify_league
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import clock, duel, make_ladder, record_as_played, utc

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
