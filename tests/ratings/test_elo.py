"""Elo, against a reference in forty decimal digits."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from random import Random
from typing import Any

import pytest

from ratings.contract.curves import expected
from ratings.contract.system import GameSheet
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.elo import Elo


def rate(rules: Elo, ratings: Sequence[float], games: Sequence[int] = (), **columns: Any) -> RatedGame:
    """Rate a game by scores or places."""
    n = len(ratings)
    sheet = GameSheet(**{"scores": [None] * n, "places": [None] * n} | columns)
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


def test_a_rating_is_provisional_until_these_games_are_played() -> None:
    rules = Elo(provisional_games=30)
    assert [rules.provisional([1500.0], games) for games in (0, 29, 30)] == [True, True, False]
    assert not Elo().provisional([1500.0], 0)


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
    refusals = Elo().check(GameSheet(scores=scores, places=places))
    assert [(refusal.code, refusal.seat) for refusal in refusals] == (
        [("contradiction", seats[1] - 1)] if seats else []
    )
    if seats:
        assert refusals[0].sentence == (
            f"The scores and places of seats {seats[0]} and {seats[1]} contradict each other. "
            "Leave out the scores if places count, or the places if scores count."
        )


def test_fides_k_is_40_then_20_then_10_by_the_rating_before_the_game() -> None:
    rules = Elo.from_json(next(preset.parameters for preset in Elo.presets if preset.key == "fide"))
    games, ratings = (29, 30, 30, 29), (2500, 2399.5, 2400, 1500)
    rated = rate(rules, ratings, games=games, places=(1, 2, 3, 4))
    assert [row[0] for row in rated.figures] == [40, 20, 10, 40]
    # A third of K a pair, with the expectations of the defaults.
    usual = rate(Elo(k=20), ratings, games=games, places=(1, 2, 3, 4))
    assert rated.change == pytest.approx([one * k / 20 for one, k in zip(usual.change, (40, 20, 10, 40), strict=True)])
    # Who has fallen below 2400 has a K of 20 again (R130).
    assert [row[0] for row in rate(rules, (2399, 2401), games=(99, 99), scores=(1, 0)).figures] == [20, 10]
    assert [row[0] for row in rate(Elo(), (0, 5000), games=(99, 99), scores=(1, 0)).figures] == [20, 20]


def test_a_margin_of_victory_multiplies_k_by_its_logarithm() -> None:
    random = Random(538)
    rules = Elo(margin="logarithm")
    for _ in range(200):
        one, other, goals, against = (
            *(random.randint(1000, 2200) for _ in range(2)),
            *(random.randint(0, 9) for _ in range(2)),
        )
        apart = min(max((one - other) * (1 if goals > against else -1), -1000), 1000)
        factor = Decimal(1)
        if goals != against:
            factor = Decimal(1 + abs(goals - against)).ln() * Decimal("2.2") / (Decimal(apart) / 1000 + Decimal("2.2"))
        wanted = [float(factor) * change for change in reference([one, other], [goals, against], 20)]
        assert rate(rules, (one, other), scores=(goals, against)).change == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("ratings", [(1e6, -1e6), (-1e6, 1e6), (1500, 3700), (3700, 1500)])
def test_a_margin_at_any_ratings_multiplies_by_a_number_above_nothing(ratings: Sequence[float]) -> None:
    k = rate(Elo(margin="logarithm"), ratings, scores=(1e9, -1e9)).figures[0][0]
    # ln(1 + 2·10⁹) = 21.4164; 2.2 / 3.2 and 2.2 / 1.2 of that, times 20.
    assert k == pytest.approx(294.4759 if ratings[0] > ratings[1] else 785.2691, abs=0.001)


def test_a_margin_counts_only_between_two_sides_with_scores() -> None:
    rules = Elo(margin="logarithm")
    for columns in ({"scores": (5, 1, 0)}, {"places": (1, 2)}, {"scores": (2, 2)}):
        ratings = [1500, 1620, 1400][: len(next(iter(columns.values())))]
        assert rate(rules, ratings, **columns).change == rate(Elo(), ratings, **columns).change
    sides = {"scores": (4, 1, 1, 4), "sides": (1, 2, 2, 1)}
    factor = Decimal(4).ln() * Decimal("2.2") / (Decimal("0.1") + Decimal("2.2"))
    usual = rate(Elo(), (1700, 1500, 1500, 1500), **sides).change
    assert rate(rules, (1700, 1500, 1500, 1500), **sides).change == pytest.approx(
        [float(factor) * one for one in usual]
    )


def test_the_first_seat_may_have_points_in_advance() -> None:
    rules = Elo(first_seat=65)
    for scores in ((1, 0), (0, 1), (1, 1)):
        at_home = rate(rules, (1500, 1500), scores=scores)
        assert at_home.change == pytest.approx(rate(Elo(), (1565, 1500), scores=scores).change)
        assert at_home.after[0][0] == 1500 + at_home.change[0]
    # White and the side of white, wherever the partner sits; the factor of a margin sees it, too.
    sides = {"scores": (3, 0, 0, 3), "sides": (1, 2, 2, 1)}
    found = rate(Elo(first_seat=65, margin="logarithm"), (1500,) * 4, **sides).change
    assert found == pytest.approx(rate(Elo(margin="logarithm"), (1565, 1500, 1500, 1565), **sides).change)


def test_a_formula_has_the_options_in_force() -> None:
    formula = Elo(margin="logarithm", first_seat=65, top_rating=2400).wording().formula
    assert "K = 20, 10 from a rating of 2400" in formula
    assert "R + 65" in formula
    assert "ln(1 + margin)" in formula
    assert "others lose" not in str(Elo(top_rating=2400).wording().summary)
    assert Elo().wording().formula == Elo.formula
