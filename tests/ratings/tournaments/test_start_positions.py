"""The positions of Chess960: their numbers, and the draw."""

import pytest

from ratings.tournaments.start_positions import POSITIONS, build_start_position, draw_start_position


@pytest.mark.parametrize(
    ("number", "pieces"),
    # From the published table of Scharnagl's numbers.
    [(0, "BBQNNRKR"), (1, "BQNBNRKR"), (518, "RNBQKBNR"), (534, "RNBKQBNR"), (959, "RKRNNQBB")],
)
def test_a_number_is_that_of_the_published_table(number: int, pieces: str) -> None:
    assert build_start_position(number) == pieces


def test_each_of_the_960_positions_follows_the_rules_and_is_another() -> None:
    found = {build_start_position(number) for number in range(POSITIONS)}
    assert len(found) == 960
    for pieces in found:
        assert sorted(pieces) == sorted("RNBQKBNR")
        first, second = (at for at, piece in enumerate(pieces) if piece == "B")
        assert (first + second) % 2 == 1
        assert pieces.index("R") < pieces.index("K") < pieces.rindex("R")


def test_the_same_seed_draws_the_same_and_every_position_is_drawn_as_often() -> None:
    drawn = [draw_start_position(7, number) for number in range(1, 96_001)]
    assert drawn[:3] == [draw_start_position(7, number) for number in (1, 2, 3)]
    assert drawn[:100] != [draw_start_position(8, number) for number in range(1, 101)]
    counts = [drawn.count(number) for number in range(0, POSITIONS, 96)]
    # 100 are expected of each; the standard deviation is 10.
    assert all(50 < count < 150 for count in counts)
