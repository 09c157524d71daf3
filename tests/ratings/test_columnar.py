"""Records as columns: every method gives the same bits as by objects, however many periods there are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.columns.records import Lines, Records, each, worded
from ratings.contract.method import Line, Method, Record, Tally, objects, tally_objects
from ratings.registry import all_methods
from tests.helpers.generators import draw_rules
from tests.helpers.periods import SCORES, draw_before, draw_games, past_of, period

Games = Sequence[Sequence[Line]]
METHODS = list(all_methods().values())
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
numbers = st.one_of(st.sampled_from(SCORES), st.floats(-1e9, 1e9))
absent = st.none() | numbers


@st.composite
def tables(draw: st.DrawFn) -> list[Line]:
    """Draw a game: anything may be absent anywhere."""
    players = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True))
    lines = [
        Line(
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


def share(line: Line, partner: Line) -> Line:
    """Return a line with a partner's result."""
    return replace(line, score=partner.score, place=partner.place)


@st.composite
def several(draw: st.DrawFn) -> list[dict[int, Record]]:
    """Draw the records of several periods, with ratings before and after that have nothing to do with the games."""
    found = []
    for games in draw(st.lists(st.lists(tables(), min_size=1, max_size=12), min_size=1, max_size=4)):
        records = period(games, {player: draw(absent) for player in range(1, 7)})
        for record in records.values():
            record.rating = draw(numbers)
        found.append(records)
    return found


def columns_of(periods: Sequence[Mapping[int, Record]]) -> Records:
    """Return the records of several periods as columns, written out one line after the other."""
    lines: list[tuple[int, Line]] = []
    moments: list[int] = []
    keys: list[tuple[int, int]] = []
    for index, records in enumerate(periods):
        games = {game.number: game for record in records.values() for game in record.played}
        for number in sorted(games):
            lines += [(1000 * index + number, line) for line in games[number].lines]
            moments += [games[number].at] * len(games[number].lines)
            keys += [(index, line.player) for line in games[number].lines]
    known = sorted(set(keys))
    held = [periods[index][player] for index, player in known]
    nan = float("nan")

    def column(values: Sequence[float | None]) -> np.ndarray:
        return np.array([nan if value is None else value for value in values], dtype=np.float64)

    return Records(
        Lines(
            np.array([number for number, _ in lines]),
            np.array(moments),
            np.array([line.player for _, line in lines]),
            column([line.score for _, line in lines]),
            column([line.place for _, line in lines]),
            column([line.performance for _, line in lines]),
            column([line.after for _, line in lines]),
            np.array([line.games for _, line in lines]),
            column([line.side for _, line in lines]),
            column([line.deviation for _, line in lines]),
        ),
        np.array([known.index(key) for key in keys]),
        np.array([index for index, _ in known]),
        np.array([player for _, player in known]),
        column([record.before for record in held]),
        column([record.rating for record in held]),
    )


def by_objects(rules: Method, periods: Sequence[Mapping[int, Record]]) -> list[tuple[int, int, Tally]]:
    """Return period, player and tally, each period by itself."""
    return [
        (index, player, tally)
        for index, records in enumerate(periods)
        for player, tally in sorted(rules.tallies(records).items())
    ]


def by_columns(rules: Method, periods: Sequence[Mapping[int, Record]]) -> list[tuple[int, int, Tally]]:
    """Return the same, all periods at once."""
    records = columns_of(periods)
    tallies = tally_objects(rules.tabulate(records))
    return list(zip(records.period.tolist(), records.player.tolist(), tallies, strict=True))


@every_method
@given(periods=several(), seed=st.integers(0, 2**32))
def test_columns_give_the_bits_of_the_objects(
    method: type[Method], periods: list[dict[int, Record]], seed: int
) -> None:
    rules = draw_rules(method, Random(seed))
    # repr tells the bits, -0.0 from 0.0, too.
    assert repr(by_columns(rules, periods)) == repr(by_objects(rules, periods))


@every_method
@pytest.mark.slow("Long periods; short ones are held above.")
def test_long_periods_give_the_bits_of_the_objects(method: type[Method]) -> None:
    """Sums of many: one added after the other differ in the last bits from those added in pairs."""
    random = Random(1)
    for _ in range(20):
        rules = draw_rules(method, random)
        periods = []
        for first in (0, 100, 0):
            games = [game for _ in range(20) for game in draw_games(random, first)]
            periods.append(period(games, draw_before(games, random)))
        assert repr(by_columns(rules, periods)) == repr(by_objects(rules, periods))


@every_method
def test_one_more_game_gives_the_bits_of_the_whole_record(method: type[Method]) -> None:
    random = Random(2)
    for _ in range(150):
        rules, games = draw_rules(method, random), draw_games(random)
        *earlier, last = games
        then, records = rules.tallies(period(earlier)), period(games)
        now = rules.tallies(records)
        for line in last:
            if line.player in then:
                found = rules.extended(then[line.player], line, records[line.player].played[-1])
                assert found is None or repr(found) == repr(now[line.player])


@pytest.mark.parametrize("method", [one for one in METHODS if one.reach == "all"])
def test_everybody_after_one_more_game_has_the_bits_of_the_whole_period(method: type[Method]) -> None:
    random, moved = Random(5), 0
    for _ in range(150):
        rules, games = random.choice([method(), draw_rules(method, random)]), draw_games(random)
        then, records = rules.tallies(period(games[:-1])), period(games)
        game = max((game for record in records.values() for game in record.played), key=lambda one: one.order)
        found = rules.moved(then, game, past_of(records))
        if found is None:
            continue
        now = rules.tallies(records)
        assert repr(sorted({**then, **found}.items())) == repr(sorted(now.items()))
        assert not [player for player in found if found[player] == then.get(player)]
        moved += bool(then)
    assert moved > 30


def test_methods_whose_sums_stand_in_the_tally_are_extended() -> None:
    games = [[Line(1, score=2.0, after=7.0, games=3), Line(2, score=1.0, after=5.0, games=3)]] * 2
    for method in METHODS:
        records = period(games)
        tally = method().tallies(period(games[:1]))[1]
        told = method().extended(tally, records[1].own[1], records[1].played[1])
        assert (told is not None) == (method.key in {"points", "rating_score", "conservative_rating"}), method.key


@every_method
def test_only_a_method_that_says_so_looks_at_the_sheets(method: type[Method]) -> None:
    random, moved = Random(3), False
    for _ in range(150):
        rules = draw_rules(method, random)
        records = columns_of([period(draw_games(random))])
        lines, nothing = records.lines, np.full(len(records.of), np.nan)
        blank = replace(lines, score=nothing, place=nothing, side=nothing)
        without = Records(blank, records.of, records.period, records.player, records.before, records.rating)
        moved = moved or tally_objects(rules.tabulate(without)) != tally_objects(rules.tabulate(records))
    assert moved == method.reads_scores


@given(periods=several())
def test_objects_come_back_from_columns(periods: list[dict[int, Record]]) -> None:
    """Numbers of games aside, which only tell them apart."""
    found = [
        {player: (record.own, [game.lines for game in record.played], record.before, record.rating)}
        for records in objects(columns_of(periods), tables=True)
        for player, record in sorted(records.items())
    ]
    assert repr(found) == repr(
        [
            {player: (record.own, [game.lines for game in record.played], record.before, record.rating)}
            for records in periods
            for player, record in sorted(records.items())
        ]
    )


def test_scalars_are_asked_once_for_each_key_and_sentences_are_kept_once() -> None:
    asked: list[int] = []

    def half(key: int) -> float:
        asked.append(key)
        return key / 2

    assert each(np.array([3, 1, 3, 3]), half).tolist() == [1.5, 0.5, 1.5, 1.5]
    assert asked == [1, 3]
    codes, sentences = worded(np.array([2, 0, 1, 2, 5]), lambda key: "" if key == 5 else f"{key // 2} so far.")
    assert [sentences[code] for code in codes] == ["1 so far.", "0 so far.", "0 so far.", "1 so far.", ""]
    assert sentences == ("", "0 so far.", "1 so far.")


@pytest.mark.parametrize("method", [one for one in METHODS if "tabulate" in vars(one) and not one.reads_tables])
def test_the_way_by_objects_serves_a_method_that_looks_at_no_tables(method: type[Method]) -> None:
    random = Random(2)
    games = draw_games(random, 0)
    records = columns_of([period(games, draw_before(games, random))])
    rules = method()
    assert repr(tally_objects(Method.tabulate(rules, records))) == repr(tally_objects(rules.tabulate(records)))
    (found,) = objects(records, tables=False)
    assert found
    assert all(record.own and not record.played for record in found.values())
