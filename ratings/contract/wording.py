"""What a system or a method says in words, made from the parameters in force."""

from dataclasses import dataclass

from ratings.contract.parameters import in_full
from ratings.texts import N_, localised, say


@dataclass(frozen=True)
class ChangePart:
    """A visible part of a rating change; the parts of a change sum exactly to it.

    ``words`` is what it is called within a sentence; the label with a small first letter by default, which only English
    is sure to bear.
    """

    key: str
    symbol: str
    label: str
    help: str = ""
    words: str = ""


def expectation_part(symbol: str) -> ChangePart:
    """Return the part of a change that the ratings promised."""
    promised = N_("What the ratings promised before the game.")
    return ChangePart("expectation", symbol, N_("Rating expectation"), promised, N_("rating expectation"))


@dataclass(frozen=True)
class FormulaFigure:
    """An intermediate of the sum, under the source's own symbol.

    ``of_sides``: it says something only where several players share a side, and is told of such games alone.
    """

    key: str
    symbol: str
    label: str
    of_sides: bool = False


@dataclass(frozen=True)
class Wording:
    """The texts that name a parameter's value, as they are with the parameters in force.

    ``parts``, ``figures`` and ``pairs`` stand in the order in which they are declared; a method has none.
    ``filled`` and ``told`` say a change as one line and as a sentence (``ratings.describe.filling``). ``winner`` is the
    sentence that the lowest score wins, if it does.
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

    @property
    def opening(self) -> str:
        """Return the summary with the sentence of the winner."""
        return f"{self.summary} {self.winner}" if self.winner else self.summary


def plain(value: float) -> str:
    """Return a number as a formula prints it: every digit, a half as ½, a real minus; as the reader writes it."""
    return "½" if value == 0.5 else localised(in_full(value).replace("-", "−"))


def percent(share: float) -> str:
    """Return a share such as 0.75 as "75 %"."""
    return say("{number} %", number=localised(in_full(round(100.0 * share, 9))))
