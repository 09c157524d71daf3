"""Durak, against the source's numbers and against a reference in forty decimal digits."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, localcontext
from random import Random

import pytest

from ratings.contract.system import GameSheet
from ratings.run.replay import RatedGame, rate_game
from ratings.systems.durak import Durak
from tests.helpers.tiers import long_way

SOURCE = (1000, 1150, 900, 1200)


def rate(rules: Durak, ratings: Sequence[float], places: Sequence[int]) -> RatedGame:
    """Rate a game by places."""
    sheet = GameSheet(scores=[None] * len(places), places=places)
    return rate_game(rules, [[float(rating)] for rating in ratings], [0] * len(places), sheet)


def reference(ratings: Sequence[int], scale: int = 400) -> tuple[list[Decimal], list[int]]:
    """Return raw and whole changes of players in finishing order, by the source's text, in Decimal."""
    n = len(ratings)
    with localcontext() as context:
        context.prec = 40
        w = Decimal(40) / (n - 1)
        raws = []
        for i in range(n):
            raw = Decimal(2)
            for j in range(n):
                if j == i:
                    continue
                distance = Decimal("0.25") * (Decimal(abs(i - j)) / max(n - 2, 1)) ** Decimal("1.15")
                a = Decimal("0.5") + (distance if i < j else -distance)
                a = Decimal(1) if j == n - 1 else Decimal(0) if i == n - 1 else a
                raw += w * (a - 1 / (1 + Decimal(10) ** (Decimal(ratings[j] - ratings[i]) / scale)))
            raws.append(raw)
        snapped = [raw.quantize(Decimal("1e-9"), rounding=ROUND_HALF_UP) for raw in raws]
        floors = [value.to_integral_value(ROUND_FLOOR) for value in snapped]
        by_remainder = sorted(range(n), key=lambda i: (floors[i] - snapped[i], i))
        lucky = by_remainder[: 2 * n - int(sum(floors))]
        return raws, [int(floors[i]) + (i in lucky) for i in range(n)]


def test_the_four_visible_parts_of_the_printed_example() -> None:
    parts = rate(Durak(), SOURCE, (1, 2, 3, 4)).parts
    # In forty digits, apart from this program.
    assert parts[0][:4] == pytest.approx([2, 4.835417437684717, 6.666666666666667, 4.307559070892019], abs=1e-11)
    assert parts[1][:4] == pytest.approx([2, 0, 6.666666666666667, -5.869860781505411], abs=1e-11)
    assert parts[2][:4] == pytest.approx([2, -4.835417437684717, 6.666666666666667, 10.632041535213605], abs=1e-11)
    assert parts[3][:4] == pytest.approx([2, 0, -20, -9.069739824600213], abs=1e-11)


def test_scale_800_of_the_formula_line_does_not_give_the_printed_example() -> None:
    rated = rate(Durak(scale=800), SOURCE, (1, 2, 3, 4))
    raws = [15.833946853417141, 5.428246130995854, 9.796019418517885, -23.058212402930880]
    assert [row[3] for row in rated.figures] == pytest.approx(raws, abs=1e-11)
    assert rated.change == [16, 5, 10, -23]


def test_two_players_are_a_winner_and_a_durak() -> None:
    rated = rate(Durak(), (1000, 1100), (1, 2))
    assert [row[3] for row in rated.figures] == pytest.approx([27.602599992115403, -23.602599992115403], abs=1e-11)
    assert rated.change == [28, -24]


def test_ties_of_remainders_go_to_the_earlier_finisher_wherever_he_sits() -> None:
    # Equal ratings of five leave remainders .775…, .568…, .432…, .225…, 0: two points for the first two.
    assert rate(Durak(), [1000] * 5, (1, 2, 3, 4, 5)).change == [12, 9, 5, 2, -18]
    # Without order or Durak strength every raw change is the inflation: .4 five times, two points to give.
    flat = Durak(inflation=0.4, order_strength=0, durak_strength=0)
    assert rate(flat, [1000] * 5, (5, 4, 3, 1, 2)).change == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("inflation", "changes"), [(0.5, [1, 1, 0]), (2.5, [3, 3, 2]), (0.1, [0, 0, 0]), (1, [1, 1, 1])]
)
def test_the_total_is_the_inflation_of_all_rounded_half_up(inflation: float, changes: list[float]) -> None:
    flat = Durak(inflation=inflation, order_strength=0, durak_strength=0)
    assert rate(flat, [1000] * 3, (1, 2, 3)).change == changes


@long_way
def test_random_games_agree_with_the_reference_to_the_point() -> None:
    random = Random(20240305)
    for _ in range(150):
        n = random.randint(2, 7)
        ratings = [random.randint(600, 1500) for _ in range(n)]
        raws, changes = reference(ratings)
        order = random.sample(range(n), n)
        rated = rate(Durak(), [ratings[i] for i in order], [i + 1 for i in order])
        assert [row[3] for row in rated.figures] == pytest.approx([float(raws[i]) for i in order], abs=1e-10)
        assert rated.change == [changes[i] for i in order]


def test_ratings_have_no_floor() -> None:
    assert rate(Durak(), (0, 0), (1, 2)).after == [[22.0], [-18.0]]


def test_a_tie_is_refused_since_the_source_does_not_define_it() -> None:
    (refusal,) = Durak().check(GameSheet(scores=[None] * 3, places=[1, 3, 3]))
    assert refusal.sentence == "Seats 2 and 3 are tied at 3, but Durak does not support ties."
    assert (refusal.field, refusal.seat) == ("place", 2)


def test_the_leaderboard_rounds_half_up_and_counts_no_game_as_one() -> None:
    assert Durak().display([1000.5], 1) == 821
    assert Durak().display([1000.0], 0) == 820
    assert Durak(evidence_penalty=0).display([-0.5], 9) == 0
    assert str(Durak(evidence_penalty=0).display([-0.5], 9)) == "0.0"
