"""What the confirming page says of who moves and who wins, by hand-made boards."""

import numpy as np
import pytest

from league.admin.desk.difference import joined, winners_of
from league.selectors.leaderboard import compared
from league.services.dry_runs.diff import PeriodDiff
from league.services.players.players import add_player

pytestmark = pytest.mark.django_db


def board(*rows: tuple[int, float, int]) -> compared.WholeBoard:
    """Return a board: player, score, rank."""
    players, scores, ranks = zip(*rows, strict=True)
    return compared.WholeBoard(np.array(players), np.array(scores), np.array(ranks))


def test_who_moves_is_told_the_table_first_then_the_farthest_and_the_rest_are_counted() -> None:
    keys = [add_player(f"p{number}", f"P{number}").pk for number in range(8)]
    old = board(*[(key, 10.0 * (8 - place), place + 1) for place, key in enumerate(keys)])
    after = old.score + np.array([0.0, 0.5, -0.02, 3.0, 0.004, 0.006, 0.0, 0.01])
    ranks = old.rank.copy()
    ranks[[6, 7]] = [8, 7]
    new = compared.WholeBoard(old.player, after, ranks)
    found = compared.moves_between(old, new, [keys[2], keys[0], 10**9], 2, most=5)
    assert [row.handle for row in found.rows] == ["p2", "p0", "p3", "p1", "p7"]
    assert (found.others, found.within, found.reranked, found.ranks_change) == (3, 0.01, 1, True)
    whole = compared.moves_between(old, old, [], 2)
    assert (whole.rows, whole.others, whole.within, whole.ranks_change) == ([], 8, 0.0, False)
    gone = compared.moves_between(old, board((keys[0], 80.0, 1)), [], 2, most=3)
    assert (len(gone.rows), gone.others, gone.within) == (3, 5, None)
    nobody = compared.WholeBoard(np.array([], dtype=np.int64), np.array([]), np.array([], dtype=np.int64))
    assert compared.moves_between(nobody, nobody, [keys[0]], 2).rows == []


def diff_of(before: list[str], after: list[str]) -> PeriodDiff:
    """Return a closed period with these winners."""
    winners = ([{"player": name.lower(), "name": name, "score": 1.0} for name in names] for names in (before, after))
    return PeriodDiff("month", "Month", "2024-03", "March 2024", True, [], *winners)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (["Anna"], ["Anna"], "Anna stays first."),
        (["Anna", "Ben"], ["Anna", "Ben"], "Anna and Ben stay first."),
        ([], [], "Nobody is first."),
        (["Anna"], [], "Nobody wins; it was Anna."),
        ([], ["Anna"], "Anna wins."),
        (["Anna"], ["Ben", "Cleo", "Dan"], "Ben, Cleo and Dan win instead of Anna."),
    ],
)
def test_the_sentence_of_the_winners(before: list[str], after: list[str], sentence: str) -> None:
    assert winners_of(diff_of(before, after)) == sentence
    assert joined(list("ABCDEF")) == "A, B, C and 3 more"
