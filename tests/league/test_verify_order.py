"""``verify`` works out where games stand from corrections, restorations and moves."""

import pytest

from league.models import Game
from league.services.recording.games import correct_game, restore_game, void_game
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel
from tests.helpers.order_builders import move_game

pytestmark = pytest.mark.django_db


def test_the_order_is_that_of_corrections_restorations_and_moves() -> None:
    league = make_league()
    for pair in ("ab", "cd", "ac", "bd"):
        first, second = (name for name in ("anna", "ben", "cleo", "dan") if name[0] in pair)
        record(league, duel(first, second, "2024-03-10"))
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-10"), reason="Swapped.", by="olga")
    move_game(league.pk, 5, later=True, by="olga")
    restore_game(league.pk, 1, reason="It was right.", by="olga")
    move_game(league.pk, 6, later=True, by="olga")
    void_game(league.pk, 6, reason="A friendly.", by="olga")
    restore_game(league.pk, 5, reason="It was none.", by="olga")
    # 1, 5, 6 and 7 share a place: behind 2, then behind 3.
    keys = dict(Game.objects.order_by("number").values_list("number", "order_key"))
    assert keys == {1: 3, 2: 1, 3: 2, 4: 4, 5: 3, 6: 3, 7: 3}
    assert verify_league(league.pk).differences == []
    Game.objects.filter(number=5).update(void_reason="Again.")
    Game.objects.filter(number=7).update(order_key=9)
    found = verify_league(league.pk).differences
    assert "The void mark of game 5 has reason “Again.”; entry 9 of the log says “It was right.”." in found
    assert "Game 7 has order_key 9; by the log it has 3." in found
