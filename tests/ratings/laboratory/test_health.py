"""The health of a league, by games small enough to count by hand."""

import numpy as np
import pytest

from ratings.laboratory.health import MIN_GAMES, compute_health, count_meetings
from ratings.laboratory.report import LaboratoryGames


def played(*games: tuple[int, tuple[tuple[int, float], ...]], sides: list[float] | None = None) -> LaboratoryGames:
    """Return games as (day, ((player, score), …)); every day is an evening."""
    lines = [line for _, results in games for line in results]
    days = np.array([day for day, _ in games], dtype=np.float64)
    return LaboratoryGames(
        offsets=np.cumsum([0, *(len(results) for _, results in games)]),
        players=np.array([player for player, _ in lines]),
        scores=np.array([score for _, score in lines], dtype=np.float64),
        places=np.full(len(lines), np.nan),
        weights=np.ones(len(games)),
        days=days,
        evenings=days.astype(np.int64),
        count=1 + max(player for player, _ in lines),
        sides=None if sides is None else np.array(sides),
    )


def test_islands_are_groups_that_no_game_connects() -> None:
    games = played((0, ((0, 1), (1, 0))), (1, ((1, 1), (2, 0))), (2, ((3, 1), (4, 0))), (3, ((5, 1), (6, 2), (4, 3))))
    found = compute_health(games, np.zeros(9), np.full(9, 1500.0))
    assert (found.games, found.players, found.islands) == (4, 7, (4, 3))
    # 0 – 1 – 2 make one group, 3 – 4 and 5 – 6 – 4 the other, larger one.
    assert found.apart == ((0, 1, 2),)
    assert not found.one_table
    level = compute_health(played((0, ((2, 1), (3, 0))), (1, ((1, 1), (0, 0)))), np.zeros(4), np.zeros(4))
    assert (level.islands, level.apart) == ((2, 2), ((2, 3),))
    assert compute_health(played((0, ((0, 1), (1, 0))), (9, ((1, 1), (0, 0)))), np.zeros(4), np.zeros(4)).one_table


def test_meetings_count_opponents_among_the_players_of_most_games() -> None:
    # Games: 0–1 twice, 1–2, and 0, 1 and 3 at one table; so 1 has four games, 0 three, 2 and 3 one.
    games = [((0, 1), (1, 0)), ((1, 1), (0, 0)), ((1, 1), (2, 0)), ((0, 3), (1, 2), (3, 1))]
    found = count_meetings(played(*enumerate(games)), 3)
    assert (found.players, found.games) == ((1, 0, 2), ((0, 3, 1), (3, 0, 0), (1, 0, 0)))
    # Partners do not meet: 0 and 1 play 2 and 3.
    four = ((0, 1.0), (1, 1.0), (2, 0.0), (3, 0.0))
    assert count_meetings(played((0, four), sides=[1, 1, 2, 2]), 9).games == (
        (0, 0, 1, 1), (0, 0, 1, 1), (1, 1, 0, 0), (1, 1, 0, 0),
    )  # fmt: skip


def test_a_seats_share_is_what_it_takes_of_its_opponents_at_tables_of_the_usual_size() -> None:
    # Twelve evenings: the first seat wins nine, draws one and loses two; one table of three, which is not usual.
    scores = [(1, 0)] * 9 + [(1, 1)] + [(0, 1)] * 2
    games = [(day, ((0, one), (1, other))) for day, (one, other) in enumerate(scores)]
    found = compute_health(played(*games, (20, ((0, 3), (1, 2), (2, 1)))), np.zeros(27), np.zeros(27))
    first, second = found.seats
    assert (found.size, first.count, first.value) == (2, 12, 9.5 / 12)
    assert second.value == pytest.approx(2.5 / 12)
    assert first.low is not None
    assert first.high is not None
    assert 0.4 < first.low < first.value < first.high <= 1.0
    assert first.low + (second.high or 0.0) == pytest.approx(1.0)
    few = compute_health(played(*games[:3]), np.zeros(6), np.zeros(6))
    assert [(one.low, one.high) for one in few.seats] == [(None, None)] * 2


def test_where_sides_met_no_seat_is_said_to_take_anything() -> None:
    four = ((0, 1.0), (1, 1.0), (2, 0.0), (3, 0.0))
    found = compute_health(played((0, four), sides=[1, 1, 2, 2]), np.array([5.0, 5.0, -5.0, -5.0]), np.zeros(4))
    assert (found.size, found.seats, found.islands) == (0, (), (4,))


def test_who_meets_one_opponent_in_most_of_many_games_is_named_with_what_that_brought() -> None:
    pairs = [(0, 1)] * 15 + [(0, 2)] * 5 + [(1, 3)] * 30
    games = [(day, ((one, 1.0), (other, 0.0))) for day, (one, other) in enumerate(pairs)]
    change = np.tile([2.0, -2.0], len(pairs))
    found = compute_health(played(*games), change, np.zeros(len(change)))
    told = [(one.player, one.opponent, one.games, one.together, one.gained) for one in found.habits]
    assert MIN_GAMES == 20
    # Player 1: 45 games, 30 of them against 3; 3: all 30 against 1; 0: 15 of 20 against 1; 2 has five games.
    assert told == [(1, 3, 45, 30, 60.0), (3, 1, 30, 30, -60.0), (0, 1, 20, 15, 30.0)]


def test_partners_are_no_opponents_and_a_league_of_one_side_each_has_no_habits() -> None:
    four = ((0, 1.0), (1, 1.0), (2, 0.0), (3, 0.0))
    games = [(day, four) for day in range(25)]
    found = compute_health(played(*games, sides=[1, 1, 2, 2] * 25), np.zeros(100), np.zeros(100))
    assert {(one.player, one.opponent) for one in found.habits} == {
        (a, b) for a in range(4) for b in range(4) if (a < 2) != (b < 2)
    }
    alone = compute_health(played((0, ((0, 1.0),))), np.zeros(1), np.zeros(1))
    assert (alone.habits, alone.seats) == ((), ())


def test_the_drift_is_what_a_game_adds_to_all_ratings() -> None:
    games = [(day, ((0, 1.0), (1, 0.0))) for day in range(12)]
    found = compute_health(played(*games), np.tile([10.0, -9.0], 12), np.zeros(24))
    assert (found.drift.value, found.drift.low, found.drift.high, found.drift.count) == (1.0, 1.0, 1.0, 12)


def test_months_say_who_played_who_is_new_and_where_they_stand() -> None:
    # 1970: days 0 and 30 are January, 31 is February.
    games = played((0, ((0, 1), (1, 0))), (30, ((0, 1), (1, 0))), (31, ((1, 1), (2, 0))))
    after = np.array([1510.0, 1490.0, 1520.0, 1480.0, 1491.0, 1489.0])
    found = compute_health(games, np.array([10.0, -9.0, 10.0, -10.0, 11.0, -8.0]), after)
    told = [
        [(one.name, one.games, one.players, one.newcomers, one.mean, one.added) for one in stretches]
        for stretches in (found.months, found.years)
    ]
    assert told == [
        [("1970-01", 2, 2, 2, 1500.0, 1.0), ("1970-02", 1, 2, 1, 1490.0, 3.0)],
        # At the end of the year 0 stands at 1520, 1 at 1491, 2 at 1489.
        [("1970", 3, 3, 3, 1500.0, 4.0)],
    ]
