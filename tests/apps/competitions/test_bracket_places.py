"""Where a player stands in a bracket, in words, on the player's own page and on the public one."""

import pytest
from django.test import Client

from league.apps.competitions.public.bracket_places import describe_bracket_place
from league.apps.competitions.services.rounds import make_round, publish_round
from league.models import Player
from tests.helpers.builders import league_of, make_league
from tests.helpers.desk_client import page_text
from tests.helpers.running_competitions import loaded_cup, make_next_round, play, play_round, run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
built = built_once(lambda: make_league(players=SIX))


def list_places(*handles: str) -> list[str]:
    """Return where players stand."""
    loaded = loaded_cup(league_of()).hide_unpublished()
    return [describe_bracket_place(loaded, Player.objects.get(handle=handle)) for handle in handles]


def test_a_player_of_a_cup_plays_somebody_waits_for_somebody_or_is_out() -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout")
    assert list_places("anna", "eva") == ["", ""]
    make_round(league.pk, "cup", by="arbiter")
    assert list_places("anna") == [""]
    publish_round(league.pk, "cup", 1, by="arbiter")
    # The first meets the last.
    assert list_places("anna", "ben", "cleo", "dan", "eva") == [
        "Semi-finals against Dan",
        "Semi-finals against Cleo",
        "Semi-finals against Ben",
        "Semi-finals against Anna",
        "",
    ]
    play(league, 1, 1, 2)
    assert list_places("anna", "cleo")[0] == "Final against Ben"


def test_who_is_in_the_final_alone_is_told_whose_winner_will_come(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout")
    play_round(league, 1, (1, 0))
    waits = "Final against the winner of Cleo / Ben"
    assert list_places("anna", "dan", "ben") == [waits, "Semi-finals, out", "Semi-finals against Cleo"]
    assert f"Cup : {waits}" in page_text(client.get("/leagues/club/players/anna/"))
    assert "Cup : Semi-finals, out" in page_text(client.get("/leagues/club/players/dan/"))


@long_way
def test_a_first_loss_leads_to_the_losers_and_a_second_one_out() -> None:
    league = league_of()
    run_competition(league, SIX, "double_knockout")
    make_next_round(league)
    play(league, 1, 3, 4)
    make_next_round(league)
    play(league, 2, 1, 2)
    # Finn lost to Cleo and Eva to Dan, who then lost to Ben and Anna: they meet among the losers.
    places = list_places("anna", "eva", "dan", "finn")
    assert places[0] == "Winners, round 4 against Ben"
    assert all(one.startswith("Losers, round 3 against ") for one in places[1:])
    make_next_round(league)
    play(league, 3, 3, 4)
    assert list_places("eva", "finn") == ["Losers, round 3, out"] * 2
