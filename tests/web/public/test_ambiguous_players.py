"""Pages asked for a name that several players have: never an error of the server."""

import pytest
from django.test import Client

from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, rename, sheet
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
CLUB = "/leagues/club/"


@long_way
def test_a_name_of_several_players_is_found_by_no_page_and_refused_by_the_api() -> None:
    league = make_league(players=("anna", "ben", "cleo", "dan"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0)))
    rename("Twin", "cleo", "dan")
    client, twins = Client(), "“Twin” is the name of 2 players: cleo, dan. Enter the handle."
    for path in ("players/Twin/", "players/anna/versus/Twin/", "players/Twin/versus/", "players/Twin/card.png"):
        assert client.get(f"{CLUB}{path}").status_code == 404, path
    for path in ("?around=Twin", "how/?player=Twin", "games/?player=Twin", "players/anna/?with=Twin"):
        assert client.get(f"{CLUB}{path}").status_code == 200, path
    assert twins in client.get(f"{CLUB}games/?player=Twin").content.decode()
    for path in ("leaderboard/?around=Twin", "games/?player=Twin", "players/Twin/", "players/Twin/history/"):
        answer = Api().get(f"leagues/club/{path}")
        assert (answer.status_code, answer.data["errors"][0]["code"]) == (422, "ambiguous_player"), path
