"""FIDE's tables and what is computed from them, beside the figures of SYSTEMS.md and a second, plain way to do it."""

from fractions import Fraction
from math import floor
from random import Random

import numpy as np
import pytest

from ratings.columns.fide import EXPECTED as EXPECTED_OF_THE_HIGHER
from ratings.columns.fide import dp, pd
from ratings.columns.pairings import compute_rounded_means, find_lowest_ratings, find_pairings
from ratings.contract.method import build_records, build_tallies, index_figures_by_key
from ratings.ladder_methods.challenge import Challenge
from ratings.ladder_methods.fide_performance import FidePerformance
from tests.helpers.periods import duel, period
from tests.helpers.tiers import examples

DP_PRINTED = """
100:800 99:677 98:589 97:538 96:501 95:470 94:444 93:422 92:401 91:383 90:366 89:351 88:336 87:322 86:309 85:296 84:284
83:273 82:262 81:251 80:240 79:230 78:220 77:211 76:202 75:193 74:184 73:175 72:166 71:158 70:149 69:141 68:133 67:125
66:117 65:110 64:102 63:95 62:87 61:80 60:72 59:65 58:57 57:50 56:43 55:36 54:29 53:21 52:14 51:7 50:0
"""
PD_PRINTED = """
3 .50, 10 .51, 17 .52, 25 .53, 32 .54, 39 .55, 46 .56, 53 .57, 61 .58, 68 .59, 76 .60, 83 .61, 91 .62, 98 .63, 106 .64,
113 .65, 121 .66, 129 .67, 137 .68, 145 .69, 153 .70, 162 .71, 170 .72, 179 .73, 188 .74, 197 .75, 206 .76, 215 .77,
225 .78, 235 .79, 245 .80, 256 .81, 267 .82, 278 .83, 290 .84, 302 .85, 315 .86, 328 .87, 344 .88, 357 .89, 374 .90,
391 .91, 411 .92, 432 .93, 456 .94, 484 .95, 517 .96, 559 .97, 619 .98, 735 .99
"""
DP_TABLE = {int(percent): int(points) for percent, points in (entry.split(":") for entry in DP_PRINTED.split())}
PD_TABLE = [(int(end), Fraction(share)) for end, share in (entry.split() for entry in PD_PRINTED.split(","))]


def expected_at(difference: int) -> Fraction:
    """Look a difference up, line by line."""
    for end, share in PD_TABLE:
        if abs(difference) <= end:
            return share if difference >= 0 else 1 - share
    return Fraction(difference > 0)


EXPECTED = {difference: expected_at(difference) for difference in range(-4000, 4001)}


def test_the_printed_tables_are_whole() -> None:
    assert sorted(DP_TABLE) == list(range(50, 101))
    assert [share for _, share in PD_TABLE] == [Fraction(share, 100) for share in range(50, 100)]


@pytest.mark.parametrize("percent", range(101))
def test_dp_is_the_printed_table_and_below_half_its_negation(percent: int) -> None:
    assert dp(percent) == (DP_TABLE[percent] if percent >= 50 else -DP_TABLE[100 - percent])


def test_pd_is_the_printed_table_at_every_difference() -> None:
    for difference in range(-2000, 2001):
        assert pd(difference) == 100 * EXPECTED[difference], difference


def half_up(value: Fraction) -> int:
    """Round half up, by the definition."""
    return floor(value + Fraction(1, 2))


@pytest.mark.parametrize(
    ("values", "mean"), [((2000, 2001), 2001), ((2000, 2001, 2001), 2001), ((-1, -2), -1), ((1, 1, 2), 1), ((7,), 7)]
)
def test_means_are_rounded_half_up(values: tuple[int, ...], mean: int) -> None:
    found = compute_rounded_means(np.array([sum(values)]), np.array([len(values)]))
    assert found.tolist() == [half_up(Fraction(sum(values), len(values)))] == [mean]


def plain_measures(ratings: list[int], points: Fraction, bonus: int) -> dict[str, int]:
    """Return ARO, TPR and PTP in the most straightforward way: fractions, and one rating after another."""
    games = len(ratings)
    average = half_up(Fraction(sum(ratings), games))
    percent = half_up(100 * points / games)
    if points == 0:
        perfect = min(ratings) - 800
    elif points == games:
        perfect = max(ratings) + bonus
    else:
        perfect = min(ratings) - 800
        while sum(EXPECTED[perfect - rating] for rating in ratings) < points:
            perfect += 1
    above = DP_TABLE[percent] if percent >= 50 else -DP_TABLE[100 - percent]
    return {"aro": average, "tpr": average + above, "ptp": perfect}


def test_random_tournaments_give_what_the_plain_way_gives() -> None:
    random = Random(1)
    for _ in range(examples(400)):
        games = random.choice([1, 2, 3, 5, 7, 9, 11])
        spread = random.choice([30, 200, 700])
        ratings = [random.randint(1900 - spread, 1900 + spread) for _ in range(games)]
        results = random.choices([0.0, 0.5, 1.0], weights=random.choice([(1, 1, 1), (9, 1, 0), (0, 1, 9)]), k=games)
        bonus = random.choice([736, 800])
        before = {0: 2000.0, **{seat: float(rating) for seat, rating in enumerate(ratings, 1)}}
        records = period([duel(0, seat, result) for seat, result in enumerate(results, 1)], before)
        rules = FidePerformance(perfect_score_bonus=bonus)
        found = index_figures_by_key(rules, build_tallies(rules, records)[0])
        plain = plain_measures(ratings, Fraction(sum(results)), bonus)
        assert {key: found[key] for key in plain} == plain, (ratings, results)
        assert found["points"] == sum(results)


def test_the_search_by_columns_finds_the_lowest_rating_of_each_stretch() -> None:
    """Stretches of any length at once; ratings far apart, so that searches end at different times."""
    random = Random(5)
    for _ in range(15):
        events = [[random.randint(-500, 4000) for _ in range(random.randint(1, 9))] for _ in range(7)]
        scored = [random.randint(1, 2 * len(event) - 1) for event in events]
        low, high = ([pick(event) for event in events] for pick in (min, max))
        starts = np.cumsum([0, *(len(event) for event in events[:-1])])
        ratings = np.array([rating for event in events for rating in event])
        found = find_lowest_ratings(
            ratings, starts, 50 * np.array(scored), EXPECTED_OF_THE_HIGHER, np.array(low) - 800, np.array(high) + 800
        )
        assert found.tolist() == [
            next(one for one in range(min(event) - 800, 6000) if sum(pd(one - other) for other in event) >= 50 * half)
            for event, half in zip(events, scored, strict=True)
        ]


def test_no_records_have_no_pairings() -> None:
    empty = build_records([])
    assert len(find_pairings(empty, empty.lines.score).of) == 0
    assert [len(method.tabulate(empty).games) for method in (FidePerformance(), Challenge())] == [0, 0]
