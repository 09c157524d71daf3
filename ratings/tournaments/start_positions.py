"""The 960 positions from which games of Chess960 begin, by their usual numbers (FIDE's laws of chess, guideline II).

The numbers are those of Reinhard Scharnagl; 518 is the position of classical chess.
"""

from itertools import combinations

from ratings.contract.lots import draw_lot

POSITIONS = 960
#: Where the knights stand among the last five free squares, in the order of the numbers.
_KNIGHTS = tuple(combinations(range(5), 2))


def draw_start_position(seed: int, round_number: int) -> int:
    """Return the number of the position that a round begins from; the same seed draws the same."""
    return int(draw_lot(seed, f"start position:{round_number}"), 16) % POSITIONS


def build_start_position(number: int) -> str:
    """Return White's pieces of a position (0 to 959) from a to h, such as RNBQKBNR."""
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    squares = [""] * 8
    # The light squares of the first rank are b, d, f and h.
    squares[2 * light + 1] = squares[2 * dark] = "B"
    free = [at for at, piece in enumerate(squares) if not piece]
    squares[free.pop(queen)] = "Q"
    for at in _KNIGHTS[knights]:
        squares[free[at]] = "N"
    for at, piece in zip([at for at in free if not squares[at]], "RKR", strict=True):
        squares[at] = piece
    return "".join(squares)
