"""Records as columns: every method gives the same bits for several periods at once as for each alone."""

from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.columns.tallies import RatedLineColumns, Records, apply_to_distinct, encode_sentences
from ratings.contract.method import Method, RatedLine, build_records, build_tallies, build_tally_objects
from ratings.ladder_methods.erf_mean import ErfMean
from ratings.ladder_methods.points import PointsMethod
from ratings.registry import load_methods
from tests.helpers.generators import draw_rules
from tests.helpers.periods import SCORES, draw_before, draw_games, period
from tests.helpers.tiers import examples, mark_slow

METHODS = list(load_methods().values())
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
numbers = st.one_of(st.sampled_from(SCORES), st.floats(-1e9, 1e9))
absent = st.none() | numbers


@st.composite
def tables(draw: st.DrawFn) -> list[RatedLine]:
    """Draw a game: anything may be absent anywhere."""
    players = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True))
    lines = [
        RatedLine(
            player,
            score=draw(absent),
            place=draw(st.none() | st.integers(1, 4)),
            performance=draw(absent),
            after=draw(numbers),
            games=draw(st.integers(1, 40)),
            side=draw(st.none() | st.integers(1, 2)),
            deviation=draw(st.sampled_from([0.0, 0.0, 25.0 / 3.0, 350.0])),
        )
        for player in players
    ]
    # Partners share their result.
    first = {line.side: line for line in reversed(lines) if line.side is not None}
    return [line if line.side is None else share(line, first[line.side]) for line in lines]


def share(line: RatedLine, partner: RatedLine) -> RatedLine:
    """Return a line with a partner's result."""
    return replace(line, score=partner.score, place=partner.place)


@st.composite
def several(draw: st.DrawFn) -> list[Records]:
    """Draw the records of several periods, with ratings before and after that have nothing to do with the games."""
    found = []
    for games in draw(st.lists(st.lists(tables(), min_size=1, max_size=12), min_size=1, max_size=4)):
        records = period(games, {player: draw(absent) for player in range(1, 7)})
        found.append(replace(records, rating=np.array([draw(numbers) for _ in range(len(records))])))
    return found


def joined(periods: Sequence[Records]) -> Records:
    """Return the records of several periods as those of one reading."""
    sizes = [len(records) for records in periods]
    starts = [sum(sizes[:index]) for index in range(len(sizes))]
    lines = [replace(one.lines, number=one.lines.number + 1000 * index) for index, one in enumerate(periods)]

    def whole(parts: Sequence[Any], name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return Records(
        RatedLineColumns(**{one.name: whole(lines, one.name) for one in fields(RatedLineColumns)}),
        np.concatenate([one.of + start for one, start in zip(periods, starts, strict=True)]),
        np.repeat(np.arange(len(sizes)), sizes),
        *(whole(periods, name) for name in ("player", "before", "rating")),
    )


def assert_the_same_bits(rules: Method, periods: Sequence[Records]) -> None:
    """Compare the tallies of periods, each alone, with those of all at once."""
    alone = [tally for records in periods for tally in build_tally_objects(rules.tabulate(records))]
    # repr tells the bits, -0.0 from 0.0, too.
    assert repr(build_tally_objects(rules.tabulate(joined(periods)))) == repr(alone)


@pytest.mark.parametrize(
    "method",
    mark_slow(METHODS, "Another method.", but=[one for one in METHODS if one.key in ("points", "erf_mean")]),
    ids=lambda method: method.key,
)
@settings(max_examples=examples(50))
@given(periods=several(), seed=st.integers(0, 2**32))
def test_periods_at_once_have_the_bits_of_each_alone(method: type[Method], periods: list[Records], seed: int) -> None:
    assert_the_same_bits(draw_rules(method, Random(seed)), periods)


@every_method
@pytest.mark.slow("Long periods; short ones are held above.")
def test_long_periods_at_once_have_the_bits_of_each_alone(method: type[Method]) -> None:
    """Sums of many: one added after the other differ in the last bits from those added in pairs."""
    random = Random(1)
    for _ in range(20):
        periods = []
        for first in (0, 100, 0):
            games = [game for _ in range(20) for game in draw_games(random, first)]
            periods.append(period(games, draw_before(games, random)))
        assert_the_same_bits(draw_rules(method, random), periods)


def test_sums_run_one_after_the_other() -> None:
    values = [Random(1).uniform(-1e3, 1e3) for _ in range(2000)]
    records = build_records([[RatedLine(1, score=value, performance=value)] for value in values])
    total = 0.0
    for value in values:
        total += value
    assert total != float(np.sum(np.array(values)))
    assert records.sums(records.lines.score).tolist() == [total]
    assert build_tallies(PointsMethod(), records)[1].values[3] == total
    assert build_tallies(ErfMean(), records)[1].values[0] == total / 2000


def test_scalars_are_asked_once_for_each_key_and_sentences_are_kept_once() -> None:
    asked: list[int] = []

    def half(key: int) -> float:
        asked.append(key)
        return key / 2

    assert apply_to_distinct(np.array([3, 1, 3, 3]), half).tolist() == [1.5, 0.5, 1.5, 1.5]
    assert asked == [1, 3]
    codes, sentences = encode_sentences(
        np.array([2, 0, 1, 2, 5]), lambda key: "" if key == 5 else f"{key // 2} so far."
    )
    assert [sentences[code] for code in codes] == ["1 so far.", "0 so far.", "0 so far.", "1 so far.", ""]
    assert sentences == ("", "0 so far.", "1 so far.")
