"""A ranking: who shares a rank, what decides between equal scores, and where the unqualified stand."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

import numpy as np
import pytest

from ratings.columns.records import Records, Tallies
from ratings.contract.method import (
    Column,
    Line,
    Method,
    Ranked,
    Tally,
    counted,
    figures,
    ranked,
    records_of,
    tallies_of,
)
from ratings.ladder_methods.points import Points


@dataclass(frozen=True, kw_only=True)
class Bare(Method):
    """A method whose tallies the tests make up: the columns stand in another order than they decide."""

    title: ClassVar[str] = "Bare"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("luck", "Luck"),
        Column("sum", "Sum"),
        Column("wins", "Wins"),
    )
    tie_breaks: ClassVar[tuple[str, ...]] = ("wins", "sum")

    def tabulate(self, records: Records) -> Tallies:
        """Return the games."""
        games, nothing = records.counts(), np.full(len(records), np.nan)
        return Tallies(games.astype(np.float64), (nothing, nothing, nothing), games, np.zeros_like(games))


class Sharing(Bare):
    """The same without tie-breaks."""

    tie_breaks = ()


def table(*tallies: Tally, method: type[Method] = Bare) -> list[Ranked]:
    """Rank tallies of players 0, 1, 2 … whose names are in this order."""
    order = {player: f"{player:03}" for player in range(len(tallies))}
    return ranked(method(), dict(enumerate(tallies)), order)


def scored(score: float | None, wins: float | None = 0.0, total: float | None = 0.0, why_not: str = "") -> Tally:
    """Return a tally whose luck says nothing of its rank."""
    return Tally(score, (7.0, total, wins), 1, why_not)


def places(rows: list[Ranked]) -> list[tuple[int, int | None, str]]:
    """Return player, rank and what decided."""
    return [(row.player, row.rank, row.decided_by) for row in rows]


def test_nobody_is_ranked_among_none() -> None:
    assert table() == []


def test_the_higher_score_stands_above_and_the_tally_stays_with_its_player() -> None:
    low, high = scored(-5.0), scored(12.0)
    assert table(low, high) == [Ranked(1, 1, "", high), Ranked(0, 2, "", low)]


def test_equal_scores_share_a_rank_and_the_next_one_is_left_out() -> None:
    rows = table(scored(1.0), scored(5.0), scored(5.0), scored(9.0), method=Sharing)
    assert places(rows) == [(3, 1, ""), (1, 2, ""), (2, 2, ""), (0, 4, "")]


def test_three_may_share_the_first_rank() -> None:
    rows = table(*[scored(2.0)] * 3, scored(1.0))
    assert [row.rank for row in rows] == [1, 1, 1, 4]


def test_without_tie_breaks_more_wins_do_not_help() -> None:
    assert places(table(scored(5.0, 1.0), scored(5.0, 3.0), method=Sharing)) == [(0, 1, ""), (1, 1, "")]


def test_the_first_tie_break_decides_before_the_second() -> None:
    rows = table(scored(5.0, 1.0, 99.0), scored(5.0, 3.0, 0.0))
    assert places(rows) == [(1, 1, "wins"), (0, 2, "wins")]


def test_the_second_tie_break_decides_where_the_first_does_not() -> None:
    rows = table(scored(5.0, 3.0, 1.0), scored(5.0, 3.0, 2.0))
    assert places(rows) == [(1, 1, "sum"), (0, 2, "sum")]


def test_who_is_parted_on_both_sides_is_told_the_tie_break_that_comes_first() -> None:
    rows = table(scored(5.0, 3.0, 0.0), scored(5.0, 2.0, 8.0), scored(5.0, 2.0, 7.0))
    assert places(rows) == [(0, 1, "wins"), (1, 2, "wins"), (2, 3, "sum")]


def test_nothing_is_said_to_decide_between_different_scores() -> None:
    rows = table(scored(6.0, 1.0), scored(5.0, 3.0), scored(4.0, 2.0))
    assert places(rows) == [(0, 1, ""), (1, 2, ""), (2, 3, "")]


def test_equal_in_everything_share_a_rank_and_nothing_decided() -> None:
    rows = table(scored(5.0, 3.0, 1.0), scored(5.0, 3.0, 1.0), scored(4.0, 9.0, 9.0))
    assert places(rows) == [(0, 1, ""), (1, 1, ""), (2, 3, "")]


def test_everybody_of_a_shared_rank_is_told_what_parted_them_from_the_next() -> None:
    rows = table(scored(5.0, 3.0), scored(5.0, 2.0), scored(5.0, 2.0), scored(5.0, 2.0), scored(5.0, 1.0, 4.0))
    assert places(rows) == [(0, 1, "wins"), (1, 2, "wins"), (2, 2, "wins"), (3, 2, "wins"), (4, 5, "wins")]


def test_columns_outside_the_chain_decide_nothing() -> None:
    lucky, plain = Tally(5.0, (9.0, 1.0, 1.0), 1), Tally(5.0, (0.0, 1.0, 1.0), 1)
    assert places(table(plain, lucky)) == [(0, 1, ""), (1, 1, "")]


def test_who_shares_a_rank_stands_in_the_given_order() -> None:
    tallies = dict.fromkeys((1, 2, 3), scored(5.0))
    rows = ranked(Bare(), tallies, {1: "zoe", 2: "ann", 3: "max"})
    assert places(rows) == [(2, 1, ""), (3, 1, ""), (1, 1, "")]


def test_the_unqualified_stand_at_the_end_without_a_rank_best_first() -> None:
    rows = table(
        scored(99.0, why_not="1 of 10 games played; 9 to go."),
        scored(1.0),
        scored(None, None, None, why_not="No value."),
        scored(100.0, why_not="2 of 10 games played; 8 to go."),
        scored(-4.0),
    )
    assert places(rows) == [(1, 1, ""), (4, 2, ""), (3, None, ""), (0, None, ""), (2, None, "")]


def test_the_unqualified_neither_take_ranks_nor_decide_anything() -> None:
    rows = table(scored(5.0, 9.0, why_not="Too few."), scored(5.0, 1.0), scored(5.0, 0.0, why_not="Too few."))
    assert places(rows) == [(1, 1, ""), (0, None, ""), (2, None, "")]


def test_no_value_is_below_every_value_also_in_a_tie_break() -> None:
    rows = table(scored(5.0, None, 9.0), scored(5.0, -8.0, 0.0), scored(5.0, None, 9.0))
    assert places(rows) == [(1, 1, "wins"), (0, 2, "wins"), (2, 2, "wins")]
    assert places(table(scored(None), scored(-1e9))) == [(1, 1, ""), (0, 2, "")]


def test_zero_and_minus_zero_are_one_score() -> None:
    assert [row.rank for row in table(scored(0.0), scored(-0.0))] == [1, 1]


def test_a_method_decides_what_its_parameters_say() -> None:
    tallies = {1: Tally(2.0, (1.0, 2.0, 0.0, 2.0, 0.5), 3), 2: Tally(2.0, (2.0, 0.0, 1.0, 2.0, 0.5), 3)}
    order = {1: "ann", 2: "bob"}
    assert places(ranked(Points(), tallies, order)) == [(2, 1, "wins"), (1, 2, "wins")]
    assert places(ranked(Points(ties="share"), tallies, order)) == [(1, 1, ""), (2, 1, "")]


def drawn(random: Random) -> Tally:
    """Draw a tally that shares each of its figures with others."""
    score, wins, total = (float(random.randint(0, 2)) for _ in range(3))
    return scored(score, wins, total)


def test_ranks_are_one_more_than_how_many_stand_above() -> None:
    random = Random(1)
    for _ in range(300):
        tallies = [drawn(random) for _ in range(random.randint(1, 12))]
        keys = [(tally.score, tally.values[2], tally.values[1]) for tally in tallies]
        for row in table(*tallies):
            mine = keys[row.player]
            assert row.rank == 1 + sum(key > mine for key in keys)
            rivals = [key for key in keys if key[0] == mine[0] and key != mine]
            assert bool(row.decided_by) == bool(rivals)


def test_figures_stand_under_the_keys_of_their_columns() -> None:
    assert figures(Bare(), scored(5.0, 3.0, 1.0)) == {"score": 5.0, "luck": 7.0, "sum": 1.0, "wins": 3.0}
    with pytest.raises(ValueError, match="zip"):
        figures(Bare(), Tally(5.0, (1.0,)))


def test_a_method_without_more_to_say_uses_its_tie_breaks_and_refuses_no_system() -> None:
    assert Bare().chain() == ("wins", "sum")
    assert tallies_of(Bare(), records_of([[Line(4)]])) == {4: Tally(1.0, (None, None, None), 1)}


@pytest.mark.parametrize(("count", "words"), [(0, "0 games"), (1, "1 game"), (2, "2 games")])
def test_games_are_counted_in_words(count: int, words: str) -> None:
    assert counted(count) == words
    assert counted(count, "point") == words.replace("game", "point")
