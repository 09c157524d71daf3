"""A competition of any number of entries, from the first to its restored export: no statement grows with the rows."""

import json
from contextlib import nullcontext
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import MAX_ENTRIES
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from tests.helpers.api_client import Api, game
from tests.helpers.builders import make_league
from tests.helpers.desk_client import DESK, sign_in_member
from tests.helpers.limits import few_parameters
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
COMPETITIONS = "leagues/club/competitions/"
BIG = f"{COMPETITIONS}big/"
READ = (
    "", "entries/?limit=1000", "rounds/", "rounds/1/", "fixtures/?limit=1000", "standings/", "standings/1/",
    "cross-table/", "entries/1/card/", "export/?format=json", "export/?format=trf", "export/?format=csv",
)  # fmt: skip
PAGES = ("", "entries/", "entries/1/", "rounds/1/", "fixtures/", "cross-table/", "wall/", "card.png")
ORGANISERS = ("", "settings/", "entries/", "entries/1/", "check-in/", "fixtures/1/", "print/pairings/")


@long_way
@pytest.mark.parametrize(
    ("size", "format_key", "lowered"),
    [
        pytest.param(90, "swiss", True, id="few parameters"),
        pytest.param(MAX_ENTRIES, "free", False, id="maximum", marks=pytest.mark.slow("2,000 entries take a minute.")),
    ],
)
def test_a_competition_of_any_size_is_played_to_the_end(size: int, format_key: str, lowered: bool) -> None:
    names = [f"p{number}" for number in range(size)]
    league = make_league("elo", tuple(names))
    api, organiser = Api("organise"), sign_in_member("olga", "organiser", league)
    with few_parameters() if lowered else nullcontext():
        play(api, names, format_key)
        for path in READ:
            assert api.get(f"{BIG}{path}").status_code == 200, path
        for path in PAGES:
            assert Client().get(f"/leagues/club/competitions/big/{path}").status_code == 200, path
        for path in ORGANISERS:
            assert organiser.get(f"{DESK}competitions/big/{path}").status_code == 200, path
        for path in ("leaderboard/?limit=1000", "players/p1/", "games/?limit=1000", "changes/?limit=10000"):
            answer = api.get(f"leagues/club/{path}")
            assert (answer.status_code, bool(answer.getvalue())) == (200, True), path
        assert ask(api, "finish/", {}).data["status"] == "finished"
        lines = export_of(league)
        again = restore_league(sealed_file(lines), slug="again", known_players=True, by="root").league
        assert [line for line in export_of(again) if '"type":"competition"' in line] == [
            line for line in lines if '"type":"competition"' in line
        ]
        assert [verify_league(one.pk).state for one in (league, again)] == ["is right"] * 2


def play(api: Api, names: list[str], format_key: str) -> None:
    """Enter the players, start, pair the first round, and record a game of each fixture."""
    settings = {"rounds": 2} if format_key == "swiss" else {}
    body = {"slug": "big", "title": "Big", "format": format_key, "status": "open", **settings}
    assert api.post(COMPETITIONS, body).status_code == 201
    half = len(names) // 2
    for part in (names[:half], names[half:]):
        added = ask(api, "entries/", {"entries": [{"player": name} for name in part]}, 201)
        assert len(added.data["entries"]) == len(part)
    ask(api, "start/")
    if format_key == "swiss":
        ask(api, "rounds/", {}, 201)
        ask(api, "rounds/1/publish/")
    else:
        fixtures = [{"round": 1, "entries": [number, number + half]} for number in range(1, half + 1)]
        ask(api, "fixtures/", {"fixtures": fixtures}, 201)
    fixtures = api.get(f"{BIG}fixtures/?limit=1000").data["results"]
    assert len(fixtures) == half
    games = [game((row["players"][0][0], 1), (row["players"][1][0], 0), fixture=row["id"]) for row in fixtures]
    recorded = api.post("leagues/club/games/batch/", games)
    assert recorded.status_code == 200
    assert [json.loads(line)["status"] for line in recorded.content.splitlines()] == [201] * half


def ask(api: Api, path: str, body: Any = None, status: int = 200) -> Any:
    answer = api.post(f"{BIG}{path}", body)
    assert answer.status_code == status, answer.data
    return answer
