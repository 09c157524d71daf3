"""The curve of a ladder method's factor by number of games."""

from dataclasses import dataclass

from ratings.contract.method import Method

WIDTH, HEIGHT, MARGIN = 1000.0, 260.0, 8.0
#: Maximum number of games on the curve, and the numbers of games in the table.
MAX_GAMES = 40
TABLE_GAMES = (1, 2, 5, 10, 15, 20, 30, 40)


@dataclass(frozen=True)
class Curve:
    """A curve in a box of WIDTH × HEIGHT; ``ticks`` are (y, factor), ``figures`` (games, factor)."""

    path: str
    ticks: list[tuple[float, float]]
    figures: list[tuple[int, float]]
    games: int
    high: float


def build_curve(method: Method) -> Curve | None:
    """Return the curve of a method's factor; None if it has none."""
    factors = [(games, factor) for games in range(1, MAX_GAMES + 1) if (factor := method.factor_of(games)) is not None]
    if not factors:
        return None
    top = max(1.0, *(factor for _, factor in factors))

    def y(factor: float) -> float:
        return round(HEIGHT - MARGIN - factor / top * (HEIGHT - 2 * MARGIN), 1)

    points = " ".join(f"{games / MAX_GAMES * WIDTH:g},{y(factor):g}" for games, factor in factors)
    ticks = [(y(step / 4), step / 4) for step in range(1, int(top * 4) + 1)]
    return Curve(f"M{points}", ticks, [row for row in factors if row[0] in TABLE_GAMES], MAX_GAMES, top)
