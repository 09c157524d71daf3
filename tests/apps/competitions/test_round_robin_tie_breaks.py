"""A round robin takes no Buchholz, which tells nobody apart where all have the same opponents."""

import pytest

from league.apps.competitions.models import Competition
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db
ADDRESS = "leagues/club/competitions/"


@pytest.mark.parametrize("code", ["BH", "BH/C1", "bh/m1", "FB", "AOB"])
def test_a_round_robin_refuses_buchholz_at_founding_and_in_settings(code: str) -> None:
    make_league()
    api = Api("organise")
    body = {"slug": "cup", "title": "Cup", "format": "round_robin", "tie_breaks": ["SB", code]}
    refused = api.post(ADDRESS, body)
    assert [(one["pointer"], one["code"]) for one in refused.data["errors"]] == [("/tie_breaks/1", "unfit_tie_break")]
    assert api.post(ADDRESS, {**body, "tie_breaks": ["SB"]}).status_code == 201
    assert api.patch(f"{ADDRESS}cup/", {"tie_breaks": [code]}).status_code == 400
    # A Swiss system takes it, but does not become a round robin with it.
    assert api.post(ADDRESS, {**body, "slug": "open", "format": "swiss"}).status_code == 201
    assert api.patch(f"{ADDRESS}open/", {"format": "round_robin", "tie_breaks": [code]}).status_code == 400


def test_what_a_file_brought_stays_when_other_settings_change() -> None:
    make_league()
    api = Api("organise")
    assert api.post(ADDRESS, {"slug": "cup", "title": "Cup", "format": "round_robin"}).status_code == 201
    Competition.objects.update(tie_breaks=["BH", "SB"])
    assert api.patch(f"{ADDRESS}cup/", {"title": "Club cup"}).status_code == 200
    assert api.patch(f"{ADDRESS}cup/", {"tie_breaks": ["SB", "BH"]}).status_code == 200
    assert api.patch(f"{ADDRESS}cup/", {"tie_breaks": ["SB", "FB"]}).status_code == 400
