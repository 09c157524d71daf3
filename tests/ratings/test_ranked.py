"""A ranking: who shares a rank, what decides between equal scores, and where the unqualified stand."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

import numpy as np
import pytest

from ratings.columns.tallies import Records, Tallies
from ratings.contract.method import (
    Method,
    RankedPlayer,
    RatedLine,
    ScoreColumn,
    Tally,
    build_records,
    build_tallies,
    format_game_count,
    index_figures_by_key,
    rank_players,
)
from ratings.ladder_methods.points import PointsMethod


@dataclass(frozen=True, kw_only=True)
class Bare(Method):
    """A method whose tallies the tests make up: the columns stand in another order than they decide."""

    title: ClassVar[str] = "Bare"
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("luck", "Luck"),
        ScoreColumn("sum", "Sum"),
        ScoreColumn("wins", "Wins"),
    )
    tie_breaks: ClassVar[tuple[str, ...]] = ("wins", "sum")

    def tabulate(self, records: Records) -> Tallies:
        """Return the games."""
        games, nothing = records.counts(), np.full(len(records), np.nan)
        return Tallies(games.astype(np.float64), (nothing, nothing, nothing), games, np.zeros_like(games))


class Sharing(Bare):
    """The same without tie-breaks."""

    tie_breaks = ()


def table(*tallies: Tally, method: type[Method] = Bare) -> list[RankedPlayer]:
    """Rank tallies of players 0, 1, 2 … whose names are in this order."""
    order = {player: f"{player:03}" for player in range(len(tallies))}
    return rank_players(method(), dict(enumerate(tallies)), order)


def scored(score: float | None, wins: float | None = 0.0, total: float | None = 0.0, why_not: str = "") -> Tally:
    """Return a tally whose luck says nothing of its rank."""
    return Tally(score, (7.0, total, wins), 1, why_not)


def places(rows: list[RankedPlayer]) -> list[tuple[int, int | None, str]]:
    """Return player, rank and what decided."""
    return [(row.player, row.rank, row.decided_by) for row in rows]


FEW = "1 of 10 games played; 9 to go."
#: Tallies of players 0, 1, 2 …; then player, rank and what decided, from the top down.
RANKINGS: dict[str, tuple[list[Tally], list[tuple[int, int | None, str]]]] = {
    "nobody": ([], []),
    "the higher score stands above": ([scored(-5.0), scored(12.0)], [(1, 1, ""), (0, 2, "")]),
    "three share the first rank": (
        [*[scored(2.0)] * 3, scored(1.0)], [(0, 1, ""), (1, 1, ""), (2, 1, ""), (3, 4, "")],
    ),
    "the first tie-break before the second": (
        [scored(5.0, 1.0, 99.0), scored(5.0, 3.0, 0.0)], [(1, 1, "wins"), (0, 2, "wins")],
    ),
    "the second where the first does not decide": (
        [scored(5.0, 3.0, 1.0), scored(5.0, 3.0, 2.0)], [(1, 1, "sum"), (0, 2, "sum")],
    ),
    "parted on both sides: the one that comes first": (
        [scored(5.0, 3.0, 0.0), scored(5.0, 2.0, 8.0), scored(5.0, 2.0, 7.0)],
        [(0, 1, "wins"), (1, 2, "wins"), (2, 3, "sum")],
    ),
    "nothing decides between different scores": (
        [scored(6.0, 1.0), scored(5.0, 3.0), scored(4.0, 2.0)], [(0, 1, ""), (1, 2, ""), (2, 3, "")],
    ),
    "equal in everything": (
        [scored(5.0, 3.0, 1.0), scored(5.0, 3.0, 1.0), scored(4.0, 9.0, 9.0)], [(0, 1, ""), (1, 1, ""), (2, 3, "")],
    ),
    "a shared rank that was parted from the next": (
        [scored(5.0, 3.0), scored(5.0, 2.0), scored(5.0, 2.0), scored(5.0, 1.0, 4.0)],
        [(0, 1, "wins"), (1, 2, "wins"), (2, 2, "wins"), (3, 4, "wins")],
    ),
    "columns outside the chain": (
        [Tally(5.0, (0.0, 1.0, 1.0), 1), Tally(5.0, (9.0, 1.0, 1.0), 1)], [(0, 1, ""), (1, 1, "")],
    ),
    "the unqualified at the end, without a rank, best first": (
        [scored(99.0, why_not=FEW), scored(1.0), scored(None, None, None, "No value."), scored(100.0, why_not=FEW)],
        [(1, 1, ""), (3, None, ""), (0, None, ""), (2, None, "")],
    ),
    "the unqualified decide nothing": (
        [scored(5.0, 9.0, why_not=FEW), scored(5.0, 1.0), scored(5.0, 0.0, why_not=FEW)],
        [(1, 1, ""), (0, None, ""), (2, None, "")],
    ),
    "no value is below every value, also in a tie-break": (
        [scored(5.0, None, 9.0), scored(5.0, -8.0, 0.0), scored(None), scored(-1e9)],
        [(1, 1, "wins"), (0, 2, "wins"), (3, 3, ""), (2, 4, "")],
    ),
    "zero and minus zero": ([scored(0.0), scored(-0.0)], [(0, 1, ""), (1, 1, "")]),
}  # fmt: skip


@pytest.mark.parametrize(("tallies", "told"), RANKINGS.values(), ids=RANKINGS)
def test_a_ranking_says_who_stands_where_and_what_decided(
    tallies: list[Tally], told: list[tuple[int, int | None, str]]
) -> None:
    rows = table(*tallies)
    assert places(rows) == told
    assert [row.tally for row in rows] == [tallies[row.player] for row in rows]


def test_without_tie_breaks_equal_scores_share_a_rank_and_the_next_one_is_left_out() -> None:
    rows = table(scored(1.0), scored(5.0, 1.0), scored(5.0, 3.0), scored(9.0), method=Sharing)
    assert places(rows) == [(3, 1, ""), (1, 2, ""), (2, 2, ""), (0, 4, "")]


def test_who_shares_a_rank_stands_in_the_given_order() -> None:
    tallies = dict.fromkeys((1, 2, 3), scored(5.0))
    rows = rank_players(Bare(), tallies, {1: "zoe", 2: "ann", 3: "max"})
    assert places(rows) == [(2, 1, ""), (3, 1, ""), (1, 1, "")]


def test_a_method_decides_what_its_parameters_say() -> None:
    tallies = {1: Tally(2.0, (1.0, 2.0, 0.0, 2.0, 0.5), 3), 2: Tally(2.0, (2.0, 0.0, 1.0, 2.0, 0.5), 3)}
    order = {1: "ann", 2: "bob"}
    assert places(rank_players(PointsMethod(), tallies, order)) == [(2, 1, "wins"), (1, 2, "wins")]
    assert places(rank_players(PointsMethod(ties="share"), tallies, order)) == [(1, 1, ""), (2, 1, "")]


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
    assert index_figures_by_key(Bare(), scored(5.0, 3.0, 1.0)) == {"score": 5.0, "luck": 7.0, "sum": 1.0, "wins": 3.0}
    with pytest.raises(ValueError, match="zip"):
        index_figures_by_key(Bare(), Tally(5.0, (1.0,)))


def test_a_method_without_more_to_say_uses_its_tie_breaks_and_refuses_no_system() -> None:
    assert Bare().chain() == ("wins", "sum")
    assert build_tallies(Bare(), build_records([[RatedLine(4)]])) == {4: Tally(1.0, (None, None, None), 1)}


@pytest.mark.parametrize(("count", "words"), [(0, "0 games"), (1, "1 game"), (2, "2 games")])
def test_games_are_counted_in_words(count: int, words: str) -> None:
    assert format_game_count(count) == words
    assert format_game_count(count, "point") == words.replace("game", "point")
