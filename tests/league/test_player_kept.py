"""A player's lines and tables as a page reads and keeps them: what plain questions tell, at every moment."""

from collections.abc import Iterator
from math import isnan
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.models import League, Player, RatingChange, Result
from league.selectors.players import kept
from league.selectors.players.kept import career_of
from league.selectors.players.tables import KINDS
from league.services.recording.games import correct_game, void_game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.drawn_sheets import FIVE_PLAYERS, draw_sheet

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def many() -> Iterator[None]:
    """Let everybody have many games."""
    with patch.object(kept, "FEW", 1):
        yield


def said(league: League, handle: str) -> tuple[list[Any], list[Any]]:
    """Return a player's lines, and the rows of their tables in the order of games and seats, as the page has them."""
    league.refresh_from_db()
    lines, tables = career_of(league, Player.objects.get(handle=handle))
    rows = zip(*(column.tolist() for column in tables.by_name().values()), strict=True)
    plain = [tuple(None if isnan(one) else one for one in row) for row in rows]
    return [tuple(line) for line in lines], sorted(plain)


def found(league: League, handle: str) -> tuple[list[Any], list[Any]]:
    """Return the same by plain questions."""
    player = Player.objects.get(handle=handle)
    lines = RatingChange.objects.filter(league=league, player=player, step=1).order_by("games")
    names = ("at", "number", "games", "seat", "before", "change", "after", "state_1", "state_2", "state_3")
    rows = []
    for one in Result.objects.filter(game__results__player=player, game__league=league).select_related("game"):
        game = one.game
        at = round(game.played_at.timestamp() * 1_000_000)
        kind = KINDS.index(game.kind)
        about = (game.pk, game.number, kind, int(game.voided_at is not None), at, game.order_key)
        rows.append((*about, one.seat, one.player_id, one.score, one.place, one.side))
    return list(lines.values_list(*names)), sorted(rows)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_kept_is_what_plain_questions_tell(seed: int) -> None:
    dice = Random(seed)
    league, other = (make_league("elo", FIVE_PLAYERS, slug=slug) for slug in ("first", "other"))
    for minute in range(18):
        record(dice.choice((league, league, other)), draw_sheet(dice, "elo", minute))
    for handle in FIVE_PLAYERS:
        assert said(league, handle) == found(league, handle)
    league.refresh_from_db()
    for number in range(1, league.last_number, 3):
        void_game(league.pk, number, reason="a test", by="test")
        for handle in FIVE_PLAYERS:
            assert said(league, handle) == found(league, handle)
    correct_game(league.pk, league.last_number, draw_sheet(dice, "elo", 30), reason="a test", by="test")
    record(league, draw_sheet(dice, "elo", 31))
    for handle in FIVE_PLAYERS:
        assert said(league, handle) == found(league, handle)
        assert said(other, handle) == found(other, handle)


def test_while_the_books_stand_nothing_is_read_again() -> None:
    league = make_league(players=("anna", "ben"))
    for minute in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))
    first = said(league, "anna")
    anna = Player.objects.get(handle="anna")
    with CaptureQueriesContext(connection) as asked:
        career_of(league, anna)
    assert len(asked) == 1
    with patch.object(kept, "tables_by", side_effect=AssertionError):
        assert said(league, "anna") == first
    record(league, sheet(("ben", "anna"), (1, 0), minutes=9))
    assert len(said(league, "anna")[0]) == len(first[0]) + 1 == 4


def test_with_a_replay_on_its_way_nothing_is_kept() -> None:
    league = make_league(players=("anna", "ben"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=1))
    said(league, "anna")
    League.objects.filter(pk=league.pk).update(stale_from=league.created_at)
    Result.objects.filter(player__handle="anna").update(seat=7)
    rows = said(league, "anna")[1]
    assert rows == found(league, "anna")[1]


def test_games_of_other_leagues_come_in_one_question() -> None:
    league, other = (make_league(players=("anna", "ben"), slug=slug) for slug in ("first", "other"))
    for minute in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))
        record(other, sheet(("anna", "ben"), (1, 0), minutes=minute))
    with patch.object(kept, "MOST_APART", 2), patch.object(kept, "Facts", side_effect=AssertionError):
        lines, tables = said(league, "anna")
    assert (lines, tables) == found(league, "anna")
    assert np.unique([row[0] for row in tables]).size == 3
