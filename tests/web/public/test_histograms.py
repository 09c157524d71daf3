"""How a board is spread: every score in one bar, the same figures as a table, and the share of those behind."""

import random
from statistics import quantiles

import numpy as np
import pytest
from django.test import Client

from league.web.public.charts.histograms import MAX_BARS, TOP, PlayersAhead, build_histogram, share_of
from tests.helpers.builders import make_league, record, sheet


@pytest.mark.parametrize(("scale", "decimals"), [(0.013, 4), (1.0, 0), (1.0, 2), (400.0, 1), (1e6, 0)])
def test_every_score_stands_in_one_bar(scale: float, decimals: int) -> None:
    draw = random.Random(f"{scale} {decimals}")
    scores = sorted(round(draw.gauss(3, 1) * scale, decimals + 2) for _ in range(300))
    found = build_histogram(np.array(scores), decimals, marked_score=scores[17])
    assert found is not None
    assert sum(bar.count for bar in found.bars) == 300
    assert found.bars[0].count
    assert found.bars[-1].count
    assert len(found.bars) <= MAX_BARS + 2
    assert [bar.high for bar in found.bars[:-1]] == [bar.low for bar in found.bars[1:]]
    assert min(bar.y for bar in found.bars) == pytest.approx(TOP)
    assert sum(bar.here for bar in found.bars) == 1
    assert found.quarters == pytest.approx(tuple(quantiles(scores, method="inclusive")))


def test_a_score_on_an_edge_stands_in_the_bar_that_begins_there() -> None:
    found = build_histogram(np.array([0.1, 0.2, 0.3, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 2.4]), 1)
    assert found is not None
    counts = {bar.low: bar.count for bar in found.bars if bar.count}
    assert counts == {"0.1": 1, "0.2": 1, "0.3": 3, "0.4": 1, "0.5": 1, "0.6": 1, "0.7": 1, "2.4": 1}


@pytest.mark.parametrize("base", [0.0, 0.5, 1500.0])
def test_few_scores_and_those_that_differ_by_their_last_bits_are_not_spread(base: float) -> None:
    high = base
    for _ in range(40):
        high = float(np.nextafter(high, np.inf))
        assert build_histogram(np.array([base] * 9 + [high]), 2) is None
    for scores in (np.array([]), np.arange(9.0), np.full(50, base)):
        assert build_histogram(scores, 0) is None


def test_no_two_bars_bear_the_same_figures() -> None:
    found = build_histogram(np.array([1500.0 + step for step in range(12)]), 0)
    assert found is not None
    assert [bar.low for bar in found.bars] == [f"{1500 + step}" for step in range(12)]
    assert [bar.count for bar in found.bars] == [1] * 12


def test_a_share_counts_the_others_who_are_behind() -> None:
    scores = np.array([1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0])
    shares = {score: share_of(scores, score) for score in (1.0, 2.0, 3.0, 10.0)}
    assert {score: (share.ahead_of, share.others, share.per_cent) for score, share in shares.items() if share} == {
        1.0: (0, 10, 0), 2.0: (1, 10, 10), 3.0: (3, 10, 30), 10.0: (10, 10, 100)
    }  # fmt: skip
    assert share_of(scores[:9], 3.0) is None


@pytest.mark.django_db
def test_the_board_shows_the_spread_and_where_somebody_stands_in_it() -> None:
    names = [f"p{number:02}" for number in range(12)]
    league = make_league(players=names)
    for number in range(11):
        record(league, sheet((names[number], names[number + 1]), (1, 0), minutes=number))
    page = Client().get("/leagues/club/?around=p00").content.decode()
    assert "Spread of ratings" in page
    assert "P00 is ahead of 11 of the 11 others: 100%." in " ".join(page.split())
    assert page.count('class="bar here"') == 1
    assert "Spread of ratings" not in Client().get("/leagues/club/?sort=games").content.decode()
    assert share_of(np.arange(12.0), 10_000.0) == PlayersAhead(12, 11)
