"""An arbiter's weekend over the API: 60 players, nine rounds, categories, late entries, an old error, a report."""

from random import Random
from typing import Any

import pytest

from league.core.verify.run import verify_league
from ratings.tournaments.checking import check_text
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
CUP = "leagues/club/competitions/cup/"
HANDLES = [f"p{number:02}" for number in range(1, 63)]
ROUNDS = 9
SETTINGS = {
    "slug": "cup",
    "title": "Cup",
    "format": "swiss",
    "rounds": ROUNDS,
    "regulations": True,
    "status": "open",
    "categories": [
        {"key": "women", "title": "Women", "sex": "w"},
        {"key": "u18", "title": "Under 18", "born_from": 2008},
        {"key": "u1800", "title": "Under 1800", "rating_to": 1799},
    ],
}


def enter(api: Api, handle: str, rating: int) -> dict[str, Any]:
    """Enter a player; every fourth rating is that of a woman, and the lower the younger."""
    about = {"sex": "m" if rating % 4 else "w", "born": 2010 - (rating - 1300) // 17}
    answer = api.post(CUP + "entries/", {"player": handle, "rating": rating, "about": about})
    assert answer.status_code == 201, answer.content
    entered: dict[str, Any] = answer.json()
    return entered


def play_round(api: Api, number: int, drawn: Random) -> int:
    """Pair, publish and play a round; return its first fixture."""
    assert api.post(CUP + "rounds/", {}).status_code == 201
    assert api.post(f"{CUP}rounds/{number}/publish/", {}).status_code == 200
    fixtures = api.get(f"{CUP}fixtures/?round={number}&limit=100").json()["results"]
    planned = [one["id"] for one in fixtures if one["status"] == "planned"]
    # With one late entry alone somebody has a bye.
    assert len(planned) == (31 if number > 2 else 30)
    for fixture in planned:
        scores = drawn.choice(((1, 0), (0, 1), (0.5, 0.5)))
        answer = api.post(f"{CUP}fixtures/{fixture}/result/", {"results": [{"score": one} for one in scores]})
        assert answer.status_code == 201, answer.content
    return int(planned[0])


@long_way
def test_a_weekend_of_sixty_players_ends_with_a_report_that_follows_from_its_rounds() -> None:
    drawn, api = Random(7), Api("organise")
    league = make_league(players=HANDLES, game="Chess")
    assert api.post("leagues/club/competitions/", SETTINGS).status_code == 201
    for at, handle in enumerate(HANDLES[:60]):
        enter(api, handle, 2400 - 17 * at)
    assert api.post(CUP + "start/", {}).status_code == 200
    fixtures = {}
    for number in range(1, ROUNDS + 1):
        if number in (2, 3):
            # 2315 and 2298 are behind the sixth and the seventh rating, which the first late entry follows.
            late = enter(api, HANDLES[58 + number], 2400 - 17 * (3 + number))
            assert late["pairing_number"] == {2: 7, 3: 9}[number]
        fixtures[number] = play_round(api, number, drawn)
    # An error of round 2 that is found three rounds later is no longer corrected, but the report can say it.
    played = api.get(f"{CUP}fixtures/{fixtures[2]}/").json()
    seats = api.get(f"leagues/club/games/{played['game']}/").json()["results"]
    turned = [{"player": one["player"], "score": 1 - one["score"]} for one in seats]
    refused = api.post(f"leagues/club/games/{played['game']}/correct/", {"results": turned, "reason": "Misread."})
    assert refused.status_code == 422
    assert "By the regulations the results of round 2 are fixed" in refused.json()["detail"]
    said = "0-1" if seats[0]["score"] > seats[1]["score"] else "1-0"
    changed = {"reported": said, "reason": "Misread.", "confirm": ["report_alone"]}
    answer = api.patch(f"{CUP}fixtures/{fixtures[2]}/", changed)
    assert answer.status_code == 200, answer.content
    assert api.post(CUP + "finish/", {}).status_code == 200
    report = api.client.get(f"/api/v1/{CUP}export/?format=trf", headers=api.headers).content.decode()
    check = check_text(report)
    assert (check.rounds, check.differences) == (ROUNDS, [])
    assert report.count("### Late entry @ Round") == 2
    assert " in the report alone" in report
    assert verify_league(league.pk).state == "is right"
