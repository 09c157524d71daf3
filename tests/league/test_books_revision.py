"""The revision of a league's books: whatever changes them makes it another one."""

import pytest
from django.test import override_settings

from league.models import Player
from league.selectors.revision import books_revision
from league.services.players.merges import merge_players
from league.services.players.players import add_player
from league.services.recording.games import void_game
from tests.helpers.dry_run_builders import build_two_ladders
from tests.helpers.ladder_builders import make_ladder

pytestmark = pytest.mark.django_db


def test_a_replay_that_ended_meanwhile_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    with override_settings(RUNGS_INLINE_GAMES=0):
        void_game(league.pk, 2, reason="friendly", by="ben")
    waiting = books_revision(league)
    from league.services.dispatch.sweep import replay_due

    replay_due(league.pk)
    assert books_revision(league) != waiting
    assert books_revision(league) == books_revision(league)


def test_another_ladder_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    before = books_revision(league)
    make_ladder(league, "year", cadence="year")
    assert books_revision(league) != before


def test_a_merge_is_another_state_of_the_books() -> None:
    league = build_two_ladders()
    before = books_revision(league)
    merge_players(Player.objects.get(handle="ben"), add_player("zoe", "Zoe"), by="olga")
    assert books_revision(league) != before
