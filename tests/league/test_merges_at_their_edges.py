"""Merges at their edges: without games, with void ones only, taken back, planted; and who may know of them."""

import pytest
from django.utils import timezone

from league.models import Merge, Player
from league.services.players.merges import merge_players, unmerge_player
from league.services.players.players import add_player, set_active
from league.services.recording.games import void_game
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.people_builders import desk, session, two_leagues
from tests.helpers.restore_builders import export_of, lines_file

pytestmark = pytest.mark.django_db


def test_a_merge_where_both_sat_in_a_void_game_only_is_taken_back_in_the_log_too() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "ben"), (1, 0), minutes=1))
    void_game(league.pk, 1, reason="A friendly.", by="olga")
    merge_players(player_of("anna"), player_of("ben"), by="olga")
    assert verify_league(league.pk).differences == []
    unmerge_player(player_of("anna"), by="olga")
    assert verify_league(league.pk).differences == []


def test_who_was_inactive_while_a_merge_stood_is_exported_and_restored() -> None:
    league = make_league()
    add_player("annie")
    record(league, sheet(("annie", "ben"), (1, 0)))
    merge_players(player_of("annie"), player_of("anna"), by="olga")
    set_active(league.pk, player_of("anna"), False, by="olga")
    unmerge_player(player_of("annie"), by="olga")
    assert verify_league(league.pk).differences == []
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="olga").league
    assert verify_league(again.pk).differences == []


@pytest.mark.parametrize("pointer", [True, False])
@pytest.mark.parametrize("row", [True, False])
def test_a_planted_merge_is_found(pointer: bool, row: bool) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0), minutes=1))
    if pointer:
        Player.objects.filter(handle="cleo").update(merged_into=player_of("ben"))
    if row:
        Merge.objects.create(player=player_of("cleo"), into=player_of("ben"), at=timezone.now(), by="nobody")
    found = verify_league(league.pk).differences
    sentence = "The player cleo is merged into ben; the league's log says nothing of that."
    # The pointer alone hands over no spelling, as a merge does.
    left = ["The handle cleo does not lead to its player."] if pointer else []
    assert found == ([sentence, *left] if pointer or row else [])


def test_who_never_played_and_was_merged_leads_nobody_to_a_person_of_a_private_league() -> None:
    two_leagues()
    add_player("dup", "Double")
    assert session("olga-recorder").get("players/dup/").status_code == 200
    merge_players(player_of("dup"), player_of("mata"), by="carl")
    for api in (session("olga-recorder"), session("olga-organiser")):
        assert api.get("players/dup/").status_code == 404
        assert api.get("leagues/open/players/dup/").status_code == 404
        sent = {"results": [{"player": "dup", "score": 1}, {"player": "ben", "score": 0}]}
        assert api.post("leagues/open/games/", sent).status_code == 422
    for answer in (
        session("olga-organiser").post("players/newcomer/merge/", {"into": "dup"}),
        desk("olga-recorder").get("/admin/league/player/"),
        desk("olga-recorder").get(f"/admin/league/player/{player_of('dup').pk}/change/"),
    ):
        assert "Mata" not in answer.content.decode()
    assert session("carl-organiser").get("players/dup/").json()["handle"] == "mata"
    assert session("carl-organiser").post("players/dup/unmerge/", {}).status_code == 200
