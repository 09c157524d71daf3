"""Serpentine, against the source's table and against a reference in exact fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.contract.system import GameSheet
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.serpentine import Serpentine


def rate(rules: Serpentine, ratings: Sequence[float], scores: Sequence[float]) -> RatedGame:
    """Rate a game by scores."""
    sheet = GameSheet(scores=scores, places=[None] * len(scores))
    return rate_game(rules, [[float(rating)] for rating in ratings], [0] * len(scores), sheet)


def reference(
    ratings: Sequence[int], scores: Sequence[int], full_swing: Fraction = Fraction(1), truncated: bool = False
) -> list[int]:
    """Return the ratings after a game by the source's text, in exact fractions."""
    after = []
    for rating, score in zip(ratings, scores, strict=True):
        expected = Fraction(rating * sum(scores), sum(ratings))
        change = 16 * (score - expected) / (full_swing * expected) if sum(scores) else Fraction(0)
        change = min(max(change, Fraction(-16)), Fraction(16))
        size = math.floor(abs(change)) if truncated else math.floor(abs(change) + Fraction(1, 2))
        after.append(min(max(rating + (size if change > 0 else -size), 100), 9999))
    return after


def test_the_full_swing_of_the_prose_does_not_fit_the_printed_table() -> None:
    rated = rate(Serpentine(full_swing=0.75), (1100, 1600, 1300), (40, 90, 70))
    assert rated.after == [[1094.0], [1603.0], [1302.0]]


@pytest.mark.parametrize(
    ("score", "prose", "table"), [(113.75, 16, 12), (16.25, -16, -12), (130, 16, 16), (0, -16, -16), (65, 0, 0)]
)
def test_the_swing_where_65_points_are_expected(score: float, prose: float, table: float) -> None:
    # Two equal players share 130 points: 65 are expected of each.
    scores = (score, 130 - score)
    assert rate(Serpentine(full_swing=0.75), (1200, 1200), scores).change[0] == prose
    assert rate(Serpentine(), (1200, 1200), scores).change[0] == table


def test_a_game_without_points_changes_nothing() -> None:
    rated = rate(Serpentine(), (1200, 1300), (0, 0))
    assert rated.change == [0, 0]
    assert rated.performance == [0, 0]


def test_scores_too_small_for_an_expectation_change_nothing() -> None:
    assert rate(Serpentine(full_swing=0.05), (100, 9999), (0, 5e-324)).change[0] == 0


@pytest.mark.parametrize(("rounding", "change"), [("half_away", -2), ("truncate", -1)])
def test_an_exact_half_goes_away_from_zero_although_float64_falls_short(rounding: str, change: float) -> None:
    # 16 (s − E)/E is −1.5 exactly for s = 29 and E = 32; with thirds in E the float is a little off.
    for unit in (1.0, 0.1, 1 / 3, 0.7):
        rated = rate(Serpentine(rounding=rounding), (1200, 1200), (29 * unit, 35 * unit))
        assert rated.change[0] == change


def test_the_largest_change_stops_at_the_limit() -> None:
    rated = rate(Serpentine(), (100, 9999), (1000, 0))
    assert rated.change == [16, -16]
    assert rated.parts[0][1] < 0 < rated.parts[0][0]


def test_ratings_stay_within_100_and_9999() -> None:
    rated = rate(Serpentine(), (104, 9990), (0, 10))
    assert rated.after[0] == [100.0]
    assert rated.parts[0] == [-16, 0, 0, 12]
    rated = rate(Serpentine(), (9990, 9990), (10, 0))
    assert rated.after == [[9999.0], [9974.0]]
    assert rated.change == [9, -16]


def test_random_games_agree_with_the_reference_to_the_point() -> None:
    random = Random(20240305)
    for _ in range(2000):
        n = random.randint(2, 7)
        ratings = [random.choice([random.randint(100, 9999), random.randint(1000, 1400)]) for _ in range(n)]
        scores = [random.randint(0, 120) for _ in range(n)]
        swing, truncated = random.choice([(1.0, False), (0.75, False), (1.0, True), (0.75, True)])
        rules = Serpentine(full_swing=swing, rounding="truncate" if truncated else "half_away")
        after = [state[0] for state in rate(rules, ratings, scores).after]
        assert after == reference(ratings, scores, Fraction(swing), truncated), (ratings, scores, rules)


@given(
    st.lists(st.tuples(st.floats(100, 9999), st.floats(0, 1e9)), min_size=2, max_size=12),
    st.floats(0, 100),
    st.floats(0.05, 10),
    st.sampled_from(["half_away", "truncate"]),
)
def test_the_parts_sum_to_the_change_whatever_comes(
    seats: list[tuple[float, float]], most: float, full_swing: float, rounding: str
) -> None:
    rules = Serpentine(most=most, full_swing=full_swing, rounding=rounding)
    rated = rate(rules, [rating for rating, _ in seats], [score for _, score in seats])
    for change, (first, *rest), after in zip(rated.change, rated.parts, rated.after, strict=True):
        total = first
        for part in rest:
            total += part
        assert total == change
        # Only the floor and the ceiling may make a change of a rating with a fraction fractional.
        assert change == int(change) or after[0] in (100, 9999)
        assert 100 <= after[0] <= 9999


def test_scores_below_zero_are_refused() -> None:
    (refusal,) = Serpentine().check(GameSheet(scores=[10, -1], places=[None, None]))
    assert refusal.sentence == "Seat 2: the score must be at least 0; it is -1."
    assert (refusal.field, refusal.seat) == ("score", 1)
