"""The loop over games: newcomers, the pool, state beside the rating, empty logs, no performance."""

import numpy as np
import pytest

from bench.kernels import log_of as timed_games
from bench.leagues import draw_games
from ratings.contract.system import GameSheet
from ratings.registry import get_system
from ratings.run.replay import Log, ReplayHistory, rate_game, replay
from ratings.systems.elo import Elo
from tests.helpers.generators import new_pool
from tests.helpers.levy import GAMES, Levy, log_of, newcomers


@pytest.mark.parametrize("compiled", [False, True])
def test_a_pool_moves_those_who_are_not_at_the_table_too(compiled: bool) -> None:
    pool = newcomers(3)
    history = replay(Levy(), log_of(GAMES), pool, compiled=compiled)
    # Game 1: 8 points, 4 each. Game 2: 6 points among three who have played: 2 each. Game 3: 1 each.
    assert history.before[:, 0].tolist() == [0, 0, -4, 0, 2, 0, -2]
    assert history.after[:, 0].tolist() == [4, -4, 0, -2, 1, -1, 0]
    assert history.change.tolist() == [4, -4, 4, -2, -1, -1, 2]
    assert history.shift.tolist() == [-4, -4, -6, -6, -7, -7, -7]
    assert history.games.tolist() == [1, 1, 2, 1, 2, 3, 2]
    assert history.before[:, 1].tolist() == [0, 0, 1, 0, 1, 2, 1]
    assert pool.ratings().tolist() == [1, -1, 0]
    assert pool.values[:, 1].tolist() == [2, 3, 2]
    assert (pool.shift, pool.started) == (-7, 3)


def test_a_player_who_sits_out_stands_where_the_pool_has_moved_him() -> None:
    pool = newcomers(3)
    replay(Levy(), log_of(GAMES[:2]), pool)
    assert pool.ratings().tolist() == [2, 0, -2]
    assert pool.values[:, 0].tolist() == [4, 0, -2]


def test_a_newcomer_takes_no_part_in_what_the_pool_shifted_before() -> None:
    pool = newcomers(3)
    replay(Levy(), log_of(GAMES[:1]), pool)
    history = replay(Levy(), log_of([([2, 1], [0.0, 0.0])]), pool)
    assert history.before[:, 0].tolist() == [0, -4]


def test_players_who_are_not_in_the_tables_pay_along() -> None:
    pool = newcomers(2)
    pool.others = 2
    replay(Levy(), log_of([([0, 1], [8.0, 0.0])]), pool)
    assert pool.ratings().tolist() == [6, -2]


def test_a_replay_in_two_halves_is_a_replay_in_one() -> None:
    whole, halves = newcomers(3), newcomers(3)
    history = replay(Levy(), log_of(GAMES), whole)
    first, second = replay(Levy(), log_of(GAMES[:1]), halves), replay(Levy(), log_of(GAMES[1:]), halves)
    assert history.after.tolist() == first.after.tolist() + second.after.tolist()
    assert whole.ratings().tolist() == halves.ratings().tolist()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_system_without_a_figure_of_its_own_has_no_performance(compiled: bool) -> None:
    history = replay(Levy(), log_of(GAMES), newcomers(3), compiled=compiled)
    assert np.isnan(history.performance).all()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_log_without_games_changes_nothing(compiled: bool) -> None:
    pool = newcomers(2)
    history = replay(Levy(), log_of([]), pool, compiled=compiled)
    assert isinstance(history, ReplayHistory)
    assert [len(history.change), history.before.shape, pool.shift, pool.started] == [0, (0, 2), 0, 0]


def test_one_game_is_rated_without_touching_what_was_given() -> None:
    before, games = [[1.0, 2.0], [3.0, 4.0]], [1, 0]
    rated = rate_game(Levy(), before, games, GameSheet([5, -5], [None, None]), shift=7.0, started=1)
    assert (before, games) == ([[1.0, 2.0], [3.0, 4.0]], [1, 0])
    assert rated.after == [[6.0, 3.0], [-2.0, 5.0]]
    assert (rated.shift_before, rated.shift, rated.started) == (7.0, 7.0, 2)
    assert rated.games == [2.0, 1.0]


def test_a_negative_zero_never_reaches_the_history() -> None:
    history = replay(Levy(levy=0), log_of([([0, 1], [-0.0, -0.0])]), newcomers(2))
    for column in (history.before, history.after, history.change, history.shift):
        assert not np.signbit(column).any()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_log_with_other_columns_than_the_system_reads_is_refused(compiled: bool) -> None:
    """A compiled kernel would read what lies behind the array."""
    log = Log(np.array([0, 2]), np.array([0, 1]), np.array([[1.0, np.nan], [0.0, np.nan]]), np.ones((1, 1)))
    with pytest.raises(ValueError, match="elo reads 3 columns of results and 1 of fields"):
        replay(Elo(), log, new_pool([[1500.0], [1500.0]]), compiled=compiled)


@pytest.mark.parametrize(
    ("key", "seats"), [("barbu", 4), ("durak", 4), ("serpentine", 4), ("preferans", 3), ("elo", 2)]
)
def test_the_games_that_kernels_are_timed_with_are_games_of_the_system(key: str, seats: int) -> None:
    system = get_system(key)()
    history = replay(system, timed_games(draw_games(10, 1, seats, 20), key), new_pool([system.start()] * 20))
    assert np.isfinite(history.after).all()
    assert history.change.any()
