"""Who only opens the address of a change tries nothing out: a dry run is for a form that was sent."""

from unittest.mock import patch

import pytest
from django.test import Client

from league.services.recording.games import void_game
from tests.helpers.desk_client import page_text
from tests.helpers.desk_games import GAMES, build_one_game, game_url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("what", ["correct", "void", "restore"])
def test_who_only_looks_takes_no_lock_that_writers_wait_for(olga: Client, what: str) -> None:
    """A link that is opened, fetched ahead or loaded again tries nothing out: that is for a form that was sent."""
    league = build_one_game()
    if what == "restore":
        void_game(league.pk, 1, reason="twice", by="olga")
    with patch("league.services.locking.lock_with_last", side_effect=AssertionError("the league was locked")):
        page = olga.get(game_url(1, what))
    assert page.status_code == 200
    assert "Show what it changes" in page_text(page)


@pytest.mark.parametrize("what", ["void", "restore"])
def test_the_list_of_games_asks_at_once_what_a_void_or_a_restoration_changes(olga: Client, what: str) -> None:
    league = build_one_game()
    if what == "restore":
        void_game(league.pk, 1, reason="twice", by="olga")
    page = olga.get(GAMES).content.decode()
    assert f'<form method="post" action="{game_url(1, what)}">' in page
    assert f"{what.title()} game 1?" in page_text(olga.post(game_url(1, what)))
