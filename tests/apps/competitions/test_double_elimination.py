"""A double elimination from the first round to the final standings: rounds, pages, the next step, files."""

import pytest
from django.test import Client

from league.apps.competitions.organiser.next_step import find_next_step
from league.apps.competitions.selectors.standings import compute_possible_ranks, compute_standings
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.rounds import make_round
from league.core.errors import Refused
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import page_text
from tests.helpers.running_competitions import loaded_cup, make_next_round, meetings, play, run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
CUP = "/leagues/club/competitions/cup/"
built = built_once(lambda: make_league(players=SIX))


def play_to_the_first_final(league: League, winner: int) -> None:
    """Play with six entries until the first final is played; the better seed wins every match before."""
    for number, winners in enumerate(((3, 4), (1, 2), (3, 4), (1, 3), (2,), (winner,)), 1):
        assert make_next_round(league) == number
        play(league, number, *winners)


@long_way
def test_a_cup_of_six_goes_to_the_second_final_if_it_is_needed(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, "double_knockout")
    play_to_the_first_final(league, 2)
    loaded = loaded_cup(league)
    assert [len(meetings(league, number)) for number in range(1, 7)] == [4, 2, 2, 2, 1, 1]
    assert loaded.planned_rounds == 7
    step = find_next_step(loaded)
    assert (step.action, step.number) == ("pair", 7)
    assert {entry: (one.best, one.worst) for entry, one in compute_possible_ranks(loaded).items()} == {
        1: (1, 2), 2: (1, 2), 3: (3, 3), 4: (4, 4), 5: (5, 5), 6: (5, 5)
    }  # fmt: skip
    make_next_round(league)
    play(league, 7, 2)
    assert find_next_step(loaded_cup(league)).action == "finish"
    finish_competition(league.pk, "cup", by="arbiter")
    ranks = {row.entry: row.rank for row in compute_standings(loaded_cup(league)).rows}
    assert ranks == {2: 1, 1: 2, 3: 3, 4: 4, 5: 5, 6: 5}
    titles = [one.title for one in client.get(CUP).context["bracket"].rounds]
    assert titles == ["Winners, round 1", "Winners, round 2", "Winners, round 4", "Final", "Second final"]
    assert verify_league(league.pk).state == "is right"


@long_way
def test_a_final_won_without_a_loss_is_the_last_one(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, "double_knockout")
    play_to_the_first_final(league, 1)
    loaded = loaded_cup(league)
    assert loaded.planned_rounds == 6
    assert find_next_step(loaded).action == "finish"
    with pytest.raises(Refused):
        make_round(league.pk, "cup", by="arbiter")
    assert [one.title for one in client.get(CUP).context["bracket"].rounds][-1] == "Final"


def test_the_bracket_says_who_comes_to_a_match(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, "double_knockout")
    make_next_round(league)
    page = client.get(CUP)
    bracket = page.context["bracket"]
    # Matches 1 (5 and 4) and 2 (3 and 6); 1 and 2 have byes and meet the winners in matches 3 and 4.
    first, second = bracket.rounds[1].matches
    assert [side.awaited or side.entry.number for side in first.sides] == [1, "winner of Eva / Dan"]
    assert [side.awaited or side.entry.number for side in second.sides] == ["winner of Cleo / Finn", 2]
    assert [match.number for match in bracket.rounds[1].matches] == [3, 4]
    losers = bracket.losers
    assert [one.title for one in losers] == [f"Losers, round {number}" for number in (3, 4, 5)]
    assert [len(one.matches) for one in losers] == [2, 1, 1]
    # They come crossed: the loser of match 4 from below to the upper half.
    assert [[side.awaited for side in match.sides] for match in losers[0].matches] == [
        ["loser of match 4", "loser of Eva / Dan"],
        ["loser of match 3", "loser of Cleo / Finn"],
    ]
    assert "Match 4" in page_text(page)
    assert "winner of match 3" in page_text(page)
    wall = page_text(client.get(f"{CUP}wall/"))
    assert "loser of match 3" in wall


def test_the_api_lists_the_matches_with_who_comes_to_them(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "double_knockout")
    make_next_round(league)
    address = "/api/v1/leagues/club/competitions/cup/bracket/"
    found = client.get(address).json()["results"]
    assert [(one["number"], one["stage"], one["round"], one["fixtures"]) for one in found] == [
        (1, "winners", 1, [1]), (2, "winners", 1, [2]),
        (3, "winners", 2, []), (4, "losers", 2, []),
        (5, "losers", 3, []), (6, "final", 4, []),
    ]  # fmt: skip
    assert [seat["winner_of"] for seat in found[2]["seats"]] == [1, 2]
    assert [seat["loser_of"] for seat in found[3]["seats"]] == [1, 2]
    # The loser of match 3 and the winner of match 4; neither is paired.
    assert [(seat["match"], seat["loses"], seat["loser_of"]) for seat in found[4]["seats"]] == [
        (3, True, None), (4, False, None),
    ]  # fmt: skip
    play(league, 1, 1, 3)
    found = client.get(address).json()["results"]
    assert [[seat["entry"] for seat in one["seats"]] for one in found[:4]] == [[1, 4], [3, 2], [1, 3], [4, 2]]
    assert [one["winner"] for one in found[:3]] == [1, 3, None]


def test_the_list_of_fixtures_has_the_matches_to_come_beside_them(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "double_knockout")
    make_next_round(league)
    address = "/api/v1/leagues/club/competitions/cup/fixtures/"
    body = client.get(address).json()
    assert [one["id"] for one in body["results"]] == [1, 2]
    # Winners and losers of fixtures 1 and 2; then the loser of match 3 and the winner of 4; then the final.
    assert [
        (one["match"], one["stage"], one["round"], [(s["winner_of"], s["loser_of"], s["match"]) for s in one["seats"]])
        for one in body["awaited"]
    ] == [
        (3, "winners", 2, [(1, None, 1), (2, None, 2)]),
        (4, "losers", 2, [(None, 1, 1), (None, 2, 2)]),
        (5, "losers", 3, [(None, None, 3), (None, None, 4)]),
        (6, "final", 4, [(None, None, 3), (None, None, 5)]),
    ]
    for query, matches in (
        ("round=2", [3, 4]), ("round=1", []), ("status=planned", [3, 4, 5, 6]), ("status=played", []), ("entry=1", []),
    ):  # fmt: skip
        assert [one["match"] for one in client.get(f"{address}?{query}").json()["awaited"]] == matches
    first = client.get(f"{address}?limit=1").json()
    assert first["awaited"] == []
    assert len(client.get(first["next"]).json()["awaited"]) == 4
    play(league, 1, 1, 3)
    assert [one["match"] for one in client.get(f"{address}?entry=1").json()["awaited"]] == [3]
    # An arbiter's round that is not published: its fixtures are the arbiter's, its matches are to come for others.
    make_round(league.pk, "cup", by="arbiter")
    assert [one["match"] for one in client.get(address).json()["awaited"]] == [3, 4, 5, 6]
    assert [one["match"] for one in Api("organise").get(address).data["awaited"]] == [5, 6]


@long_way
def test_after_the_final_no_match_is_to_come(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, "double_knockout")
    play_to_the_first_final(league, 1)
    assert client.get("/api/v1/leagues/club/competitions/cup/fixtures/").json()["awaited"] == []


def test_other_formats_have_no_bracket(client: Client) -> None:
    run_competition(league_of(), SIX)
    assert client.get("/api/v1/leagues/club/competitions/cup/bracket/").json() == {"results": []}
    assert client.get("/api/v1/leagues/club/competitions/cup/fixtures/").json()["awaited"] == []
