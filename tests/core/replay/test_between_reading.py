"""What a replay reads of the players whom it begins with: their own states, of however many others there are."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection

from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.selectors.resolve import find_player
from league.core.replay.services import between_games as between
from league.core.replay.services.between_games import set_states
from league.models import GamelessChange, League, Rating
from ratings.run.replay import Pool
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.shared import built_once

pytestmark = pytest.mark.django_db

START = datetime(2024, 1, 5, 19, tzinfo=UTC)
PAIRS = (("anna", "ben"), ("cleo", "dan"), ("eva", "finn"))
#: Days of the rounds: two before the turn in March, two in the season after it, one after the turn in September.
ROUNDS = (0, 30, 60, 90, 250)


def rows_of(work: Callable[[], Any]) -> list[int]:
    """Return for each question that some work asks how many rows the database has for it."""
    asked: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        work()
    counts = []
    for sql, params in asked:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM ({sql}) AS asked", params)
            counts.append(cursor.fetchone()[0])
    return counts


def build() -> None:
    """Make a league of six in its third season: each pair plays in every round; then anna is adjusted."""
    league = make_league("elo", [name for pair in PAIRS for name in pair], parameters={"k": 20})
    adopt_rule(
        league.pk, "elo", {"k": 20}, date(2024, 1, 1), {"days": ["03-01", "09-01"], "pull": 0.5}, username="test"
    )
    for day in ROUNDS:
        for minutes, pair in enumerate(PAIRS):
            record(league, sheet(pair, (1, 0), played_at=START + timedelta(days=day, minutes=minutes)))
    adjust(league.pk, find_player("anna"), AdjustmentData(7.0, "a bonus", START + timedelta(days=260)), username="test")


built = built_once(build)


@pytest.fixture
def league(built: None, db: None) -> League:
    """Return the league."""
    return League.objects.get()


def pool_of(players: int) -> Pool:
    """Return a pool of players of whom nothing is known yet."""
    return Pool(np.zeros((players, 1)), np.zeros(players), np.zeros(players))


def test_of_whom_a_replay_begins_with_one_line_is_read_and_what_no_game_moved(league: League) -> None:
    ids = np.array(sorted(find_player(name).pk for name in ("anna", "ben")))
    pool = pool_of(2)
    # Two turns move all six; of the two who are asked for there are those four lines, and the adjustment.
    assert GamelessChange.objects.filter(league=league).count() == 6 + 6 + 1
    counts = rows_of(lambda: set_states(league, (START + timedelta(days=400), 0), ids, pool))
    assert counts == [2, 2 + 2 + 1]
    now = dict(Rating.objects.filter(league=league, player__in=ids.tolist()).values_list("player", "rating"))
    assert dict(zip(ids.tolist(), pool.values[:, 0].tolist(), strict=True)) == now
    assert pool.games.tolist() == [5, 5]


def test_what_stands_behind_the_place_is_not_read(league: League) -> None:
    ids = np.array([find_player("cleo").pk])
    pool = pool_of(1)
    # Before the second turn: three games, and the first turn.
    assert rows_of(lambda: set_states(league, (START + timedelta(days=70), 0), ids, pool)) == [1, 1]
    assert pool.games.tolist() == [3]


def test_many_players_are_looked_up_some_at_a_time(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    everybody = [name for pair in PAIRS for name in pair]
    ids = np.array(sorted(find_player(name).pk for name in everybody))
    place = START + timedelta(days=400), 0
    together, apart = pool_of(6), pool_of(6)
    assert rows_of(lambda: set_states(league, place, ids, together)) == [6, 13]
    monkeypatch.setattr(between, "MAX_LOOKUPS", 4)
    # The lines that no game made are fewer than the names of so many players.
    assert rows_of(lambda: set_states(league, place, ids, apart)) == [4, 2, 13]
    assert apart.values.tolist() == together.values.tolist()
