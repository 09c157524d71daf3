"""The curve of a ladder method's factor by number of games."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from league.core.text.display_formats import format_number
from league.web.public.charts.plots import Plot, Series, plot_of
from ratings.contract.method import Method

#: Maximum number of games on the curve, and the numbers of games in the table.
MAX_GAMES = 40
TABLE_GAMES = (1, 2, 5, 10, 15, 20, 30, 40)
#: Decimals of a factor on the axis and in the table.
DECIMALS = 2


@dataclass(frozen=True)
class Curve:
    """A chart with the names of its axes, like that of a system; ``figures`` are (games, factor)."""

    title: str
    across: str
    up: str
    plot: Plot
    figures: list[tuple[int, float]]
    label: str = ""
    sentence: str = ""


def build_curve(method: Method) -> Curve | None:
    """Return the curve of a method's factor; None if it has none."""
    factors = [(games, factor) for games in range(1, MAX_GAMES + 1) if (factor := method.factor_of(games)) is not None]
    if not factors:
        return None
    plot = plot_of(
        [Series(factors)],
        0.0,
        float(MAX_GAMES),
        decimals=DECIMALS,
        marks=[(float(games), format_number(games)) for games in range(0, MAX_GAMES + 1, 10)],
        scale_from=[0.0, 1.0, *(factor for _games, factor in factors)],
        describe=format_number,
    )
    title = _("Games factor by number of games")
    figures = [row for row in factors if row[0] in TABLE_GAMES]
    return Curve(title, _("games"), _("factor"), plot, figures, label=title)
