"""Rankings of periods in contexts: held to the league's own, and to leagues that have only these games."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from league.core.errors import Refused
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.game_input import NewGame, NewResult
from league.core.ladders.selectors.ladders import Row, compute_rows_at, find_ladder, find_period, load_live_rows
from league.core.leagues.services.contexts import NewContext, create_context, find_scope
from league.core.players.services.players import set_initial_rating
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, league_of, make_league, player_of, record
from tests.helpers.ladder_builders import make_ladder

pytestmark = pytest.mark.django_db
NAMES = ("anna", "ben", "cleo", "dan", "eva")
#: The first period of which a rating can be brought along, and the one after it.
PERIODS = ("2024-03", "2024-04")
METHODS: dict[str, dict[str, Any]] = {
    "points": {},
    "best_scores": {"best": 2},
    "rating_score": {},
    "challenge": {},
    "fide_performance": {"minimum": 1},
}
DUST = NewContext("dust", "Only dust", {"field.map": ["dust"]})


def make(slug: str) -> League:
    """Return a league with a ladder of each method."""
    league = make_league("elo", NAMES, slug=slug)
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "nuke"]), username="olga")
    for method, parameters in METHODS.items():
        make_ladder(league, method, method, **parameters)
    set_initial_rating(league.pk, player_of("eva"), 1700)
    return league


def draw_games(chance: random.Random) -> list[NewGame]:
    """Return drawn games of two over two months, each with a map."""
    drawn = []
    for number in range(14):
        first, second = chance.sample(NAMES, 2)
        score = chance.choice([1.0, 0.5, 0.0])
        results = [NewResult(first, score), NewResult(second, 1.0 - score)]
        fields = {"map": chance.choice(["dust", "nuke"])}
        drawn.append(NewGame(results, EVENING + timedelta(days=4 * number), fields=fields))
    return drawn


def rank(league: League, method: str, key: str) -> list[Row]:
    """Return the ranking of a period in the context in which a league is read."""
    period = find_period(find_ladder(league, method), key)
    return compute_rows_at(league, period, period.ends_at)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_context_ranks_as_a_league_that_has_only_its_games(seed: int) -> None:
    league, twin = make("club"), make("twin")
    for context in (DUST, NewContext("all", "All")):
        create_context(league.pk, context, username="olga")
    drawn = draw_games(random.Random(seed))
    for game in drawn:
        record(league, game)
        if game.fields == {"map": "dust"}:
            record(twin, game)
    league, twin = league_of("club"), league_of("twin")
    whole, dust = find_scope(league, "all"), find_scope(league, "dust")
    for method in METHODS:
        for key in PERIODS:
            own, alone = (load_live_rows(find_period(find_ladder(one, method), key)) for one in (league, twin))
            assert rank(whole, method, key) == own
            assert rank(dust, method, key) == alone != own


def test_a_context_that_begins_from_the_league_brings_its_ratings_along() -> None:
    league = make("club")
    create_context(league.pk, replace(DUST, slug="own", start="own"), username="olga")
    create_context(league.pk, replace(DUST, slug="main", start="from_main"), username="olga")
    plays = [("anna", "ben", "nuke"), ("anna", "cleo", "nuke"), ("anna", "ben", "dust"), ("eva", "ben", "dust")]
    for day, (winner, loser, where) in enumerate(plays):
        at = datetime(2024, 3, 28, 19, 30, tzinfo=UTC) + timedelta(days=2 * day)
        record(league, NewGame([NewResult(winner, 1.0), NewResult(loser, 0.0)], at, fields={"map": where}))
    league = league_of("club")
    performances = {
        slug: {row["player"]: row["score"] for row in rank(find_scope(league, slug), "fide_performance", "2024-04")}
        for slug in ("own", "main")
    }
    # Ben lost to Anna, who had 1500 + 10 + 9.71 in the league, and to Eva with 1700: their mean is 1610, and 800 less
    # for no point. In a context of its own Anna has no rating yet.
    assert (performances["main"]["ben"], performances["own"]["ben"]) == (810.0, None)


def test_a_method_that_cannot_rank_by_the_system_of_a_context_is_refused(client: Client) -> None:
    league = make_league("glicko2")
    make_ladder(league, "sure", "conservative_rating")
    create_context(league.pk, NewContext("plain", "Plain", system="elo"), username="olga")
    record(league, NewGame([NewResult("anna", 1.0), NewResult("ben", 0.0)], EVENING))
    with pytest.raises(Refused, match="deviation"):
        rank(find_scope(league_of("club"), "plain"), "sure", "2024-03")
    assert Api().get("leagues/club/ladders/sure/periods/2024-03/?context=plain").status_code == 422
    page = client.get("/leagues/club/ladders/sure/2024-03/?context=plain")
    assert page.status_code == 422 and "deviation" in page.content.decode()


def test_a_period_is_read_in_a_context_over_the_api_and_on_its_page(client: Client) -> None:
    league = make("club")
    create_context(league.pk, DUST, username="olga")
    for where, winner in (("dust", "anna"), ("nuke", "ben"), ("nuke", "ben")):
        record(league, NewGame([NewResult(winner, 1.0), NewResult("cleo", 0.0)], EVENING, fields={"map": where}))
    path = "leagues/club/ladders/points/periods/2024-03/"
    answer = Api().get(f"{path}?context=dust").data
    ranked = [(row["rank"], row["player"], row["games"]) for row in answer["standings"]]
    assert ranked == [(1, "anna", 1), (2, "cleo", 1)]
    assert (answer["edition"], answer["editions"], answer["decisions"]) == (None, [], [])
    assert Api().get(f"{path}?context=dust&at=2024-03-01").data["standings"] == []
    assert [row["player"] for row in Api().get(path).data["standings"]] == ["ben", "anna", "cleo"]
    assert Api().get(f"{path}?context=none").status_code == 404
    assert Api().get(f"{path}?context=dust&edition=live").data["errors"][0]["pointer"] == "?context"
    page = client.get("/leagues/club/ladders/points/2024-03/?context=dust").content.decode()
    assert "Only dust" in page and "Nothing of this ranking is published." in page and ">Anna</a>" in page
    assert ">Ben</a>" not in page and ">Ben</a>" in client.get("/leagues/club/ladders/points/2024-03/").content.decode()
    assert client.get("/leagues/club/ladders/points/?context=none").status_code == 404
    for other in ("context=dust", "at=2024-03-05"):
        both = client.get(f"/leagues/club/ladders/points/2024-03/?{other}&edition=1")
        name = other.partition("=")[0]
        assert both.status_code == 422 and f"The address has {name} and edition: choose one." in both.content.decode()
    league.contexts.update(pending=True)
    waiting = client.get("/leagues/club/ladders/points/2024-03/?context=dust&at=2024-03-09")
    assert waiting.status_code == 503 and "being computed" in waiting.content.decode()
