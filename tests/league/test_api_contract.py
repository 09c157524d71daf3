"""What the contract of the API promises beside the games: refusals that lead on, addresses, forms of answers."""

from typing import Any

import pytest

from tests.league.api_client import Api, game
from tests.league.builders import make_league

pytestmark = pytest.mark.django_db

NOTED = {"results": [{"player": "anna", "score": 1}, {"player": "ben", "score": 0}], "reason": "It lacked a note."}


@pytest.mark.parametrize("query", ["", "?dry_run=true"])
@pytest.mark.parametrize(("act", "body"), [("void", {"reason": "A friendly."}), ("correct", NOTED)])
def test_the_refusal_to_touch_a_void_game_names_the_game_that_replaced_it(
    act: str, body: dict[str, Any], query: str
) -> None:
    make_league()
    api = Api("record")
    api.post("leagues/club/games/", game(("anna", 1), ("ben", 0)))
    assert api.post("leagues/club/games/1/correct/", {**NOTED, "note": "late"}).data["id"] == 2
    refused = api.post(f"leagues/club/games/1/{act}/{query}", body)
    assert (refused.status_code, refused.data["code"]) == (409, "conflict")
    assert refused.data["detail"] == "Game 1 is void already; game 2 replaced it."
    assert refused.data["replaced_by"] == 2
    api.post("leagues/club/games/2/void/", {"reason": "A friendly."})
    alone = api.post(f"leagues/club/games/2/{act}/{query}", body)
    assert (alone.status_code, alone.data["detail"]) == (409, "Game 2 is void already.")
    assert "replaced_by" not in alone.data
