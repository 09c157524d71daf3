"""The revision of a league's books: whatever changes them makes it another one."""

from collections.abc import Callable

import pytest
from django.test import override_settings

from league.models import League, Player
from league.selectors.revision import books_revision
from league.services.leagues.leagues import adopt_rule
from league.services.players.merges import merge_players
from league.services.players.players import add_player, set_initial_rating
from league.services.recording.games import correct_game, void_game
from tests.helpers.builders import record
from tests.helpers.dry_run_builders import build_two_ladders
from tests.helpers.ladder_builders import duel, make_ladder

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


CHANGES: dict[str, Callable[[League], object]] = {
    "a late game": lambda league: record(league, duel("anna", "cleo", "2024-01-05")),
    "a correction": lambda league: correct_game(league.pk, 4, duel("anna", "cleo", "2024-04-05"), reason="x", by="ben"),
    "a rule": lambda league: adopt_rule(league.pk, "elo", {"k": 64}, by="ben"),
    "a start": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="cleo"), 1700),
    "a ladder": lambda league: make_ladder(league, "year", cadence="year"),
    "a merge": lambda league: merge_players(Player.objects.get(handle="ben"), add_player("zoe", "Zoe"), by="olga"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_the_books_is_another_state_of_them(name: str) -> None:
    league = build_two_ladders()
    before = books_revision(league)
    CHANGES[name](league)
    assert books_revision(league) != before
