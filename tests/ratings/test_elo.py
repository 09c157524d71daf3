"""Elo, against a reference in forty decimal digits."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from random import Random
from typing import Any

import pytest

from ratings.contract.curves import expected
from ratings.contract.system import Sheet
from ratings.run.replay import Rated, rate_game
from ratings.systems.elo import Elo


def rate(rules: Elo, ratings: Sequence[float], games: Sequence[int] = (), **columns: Any) -> Rated:
    """Rate a game by scores or places."""
    n = len(ratings)
    sheet = Sheet(**{"scores": [None] * n, "places": [None] * n} | columns)
    return rate_game(rules, [[float(rating)] for rating in ratings], list(games) or [0] * n, sheet)


def reference(ratings: Sequence[int], scores: Sequence[int], k: int) -> list[float]:
    """Return the changes of a game, pair by pair, in Decimal."""
    n = len(ratings)
    with localcontext() as context:
        context.prec = 40
        changes = []
        for i in range(n):
            change = Decimal(0)
            for j in range(n):
                if j != i:
                    won = Decimal(scores[i] > scores[j]) + Decimal(scores[i] == scores[j]) / 2
                    promised = 1 / (1 + Decimal(10) ** (Decimal(ratings[j] - ratings[i]) / 400))
                    change += Decimal(k) / (n - 1) * (won - promised)
            changes.append(float(change))
        return changes


@pytest.mark.parametrize(
    ("difference", "expectation"),
    [(0, 0.5), (200, 0.7597469266479579), (400, 10 / 11), (-400, 1 / 11), (1e300, 1), (-1e300, 0), (121_000, 1)],
)
def test_the_expected_score_of_a_difference(difference: float, expectation: float) -> None:
    assert expected(1500.0 + difference, 1500.0, 400.0) == pytest.approx(expectation, rel=1e-15, abs=1e-299)


def test_a_player_200_points_up_wins_less_than_a_quarter_of_k() -> None:
    rated = rate(Elo(), (1700, 1500), scores=(3, 1))
    # 20 · (1 − 0.75974692664795785…), in forty digits.
    assert rated.change == pytest.approx([4.805061467040843, -4.805061467040843], abs=1e-13)


def test_a_draw_helps_the_weaker_player() -> None:
    rated = rate(Elo(), (1600, 1500), scores=(1, 1))
    assert rated.change == pytest.approx([-2.801299996057702, 2.801299996057702], abs=1e-13)


def test_random_games_agree_with_the_reference() -> None:
    random = Random(20240305)
    for _ in range(300):
        n = random.randint(2, 7)
        ratings = [random.randint(1000, 2000) for _ in range(n)]
        scores = [random.randint(0, 5) for _ in range(n)]
        k = random.choice([20, 32, 40])
        assert rate(Elo(k=k), ratings, scores=scores).change == pytest.approx(reference(ratings, scores, k), abs=1e-10)


def test_places_count_where_a_seat_has_no_score() -> None:
    by_place = rate(Elo(), (1500, 1500, 1500), places=(2, 1, 3), scores=(9, None, 1))
    assert by_place.change == [0, 10, -10]
    assert rate(Elo(), (1500, 1500, 1500), scores=(5, 9, 1)).change == by_place.change


def test_scores_count_before_places_and_the_higher_one_is_better() -> None:
    assert rate(Elo(), (1500, 1500), scores=(2, 1), places=(1, 1)).change == [10, -10]


def test_the_first_games_of_a_player_use_the_provisional_k() -> None:
    rules = Elo(provisional_games=30, provisional_k=40)
    rated = rate(rules, (1500, 1500), games=(29, 30), scores=(1, 0))
    assert rated.change == [20, -10]
    assert [row[0] for row in rated.figures] == [40, 20]


def test_changes_sum_to_nothing_only_without_provisional_games() -> None:
    (law,) = Elo.laws
    assert law.holds(Elo(), [10, -10], [])
    assert not law.holds(Elo(), [10, -9], [])
    assert law.holds(Elo(provisional_games=30), [20, -10], [])


@pytest.mark.parametrize(
    ("scores", "places", "seats"),
    [
        ([1, 2], [1, 2], (1, 2)),
        ([2, 2], [1, 2], (1, 2)),
        ([1, 0], [1, 1], (1, 2)),
        ([3, 2, 2, 1], [1, 3, 2, 4], (2, 3)),
        ([5, 1, 3], [1, None, 2], None),
        ([5, 1, 3], [2, None, 1], (1, 3)),
        ([3, 2, 2, 1], [1, 2, 2, 4], None),
        ([1, None], [1, 2], None),
    ],
)
def test_scores_and_places_that_contradict_each_other_are_refused(
    scores: list[float], places: list[int | None], seats: tuple[int, int] | None
) -> None:
    refusals = Elo().check(Sheet(scores=scores, places=places))
    assert [(refusal.code, refusal.seat) for refusal in refusals] == (
        [("contradiction", seats[1] - 1)] if seats else []
    )
    if seats:
        assert refusals[0].sentence == (
            f"The scores and places of seats {seats[0]} and {seats[1]} contradict each other; "
            "leave the scores out where the places count, or the places where the scores do."
        )


def test_a_newcomer_starts_at_1500() -> None:
    assert Elo().start() == [1500.0]
