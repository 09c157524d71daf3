"""The texts of a system or a method for the parameters in force."""

from dataclasses import dataclass, replace

from ratings.contract.parameters import format_all_digits
from ratings.texts import N_, localize_number, say


@dataclass(frozen=True)
class ChangePart:
    """A visible part of a rating change; the parts of a change sum exactly to it.

    ``words`` is its name within a sentence. The default, the label in lower case, suits English only. ``unearned``:
    the player gets it whatever the result and the expectation are.
    """

    key: str
    symbol: str
    label: str
    help: str = ""
    words: str = ""
    unearned: bool = False


def build_expectation_part(symbol: str) -> ChangePart:
    """Return the part of a change that comes from the distance of the ratings before the game."""
    promised = N_("What the ratings predicted before the game.")
    return ChangePart(
        "expectation", symbol, N_("Difference of ratings"), promised, N_("from the difference of ratings")
    )


@dataclass(frozen=True)
class FormulaFigure:
    """An intermediate result of the formula, under the source's symbol.

    ``of_sides``: shown only for games in which several players share a side.
    """

    key: str
    symbol: str
    label: str
    of_sides: bool = False


@dataclass(frozen=True)
class Wording:
    """The texts that depend on parameters, for the parameters in force.

    ``parts``, ``figures`` and ``pairs`` are in the order of their declaration; a method has none.
    ``filled`` and ``told`` describe a change as a formula and as a sentence (``ratings.describe.filling``);
    ``supposed`` is ``told`` for a game that has not been played, if it is another. ``winner`` is a sentence saying that
    the lowest score wins, if it does. ``summary_of_two`` is the summary where only two play, if it is another.
    """

    summary: str
    formula: str
    score_help: str = ""
    parts: tuple[ChangePart, ...] = ()
    figures: tuple[FormulaFigure, ...] = ()
    pairs: tuple[FormulaFigure, ...] = ()
    filled: str = ""
    told: str = ""
    winner: str = ""
    summary_of_two: str = ""
    supposed: str = ""

    @property
    def opening(self) -> str:
        """Return the summary and ``winner``."""
        return f"{self.summary} {self.winner}" if self.winner else self.summary

    def for_two(self) -> "Wording":
        """Return the texts for a league in which only two play."""
        return replace(self, summary=self.summary_of_two or self.summary)


def format_plain(value: float) -> str:
    """Return a number for a formula in the reader's locale: all digits, a half as ½, a typographic minus."""
    return "½" if value == 0.5 else localize_number(format_all_digits(value).replace("-", "−"))


def format_percent(share: float) -> str:
    """Return a share such as 0.75 as "75%"."""
    return say("{number}%", number=localize_number(format_all_digits(round(100.0 * share, 9))))
