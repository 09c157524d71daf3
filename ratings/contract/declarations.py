"""What a rating system declares: fields, parts, figures, rulings, examples, laws; see ``ratings.contract.system``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ratings.contract.parameters import is_number, shown
from ratings.texts import say

Use: TypeAlias = Literal["required", "optional", "either", "unused"]

#: A player's state as an example gives it: the rating alone, or every float in the order of the state's fields.
State: TypeAlias = float | Sequence[float]

#: Larger scores than this are typing errors in every game we know of.
ABSURD_SCORE = 1e9
#: The largest table that a score sheet may have in any system.
MAX_PLAYERS = 100
#: The heaviest that a game may weigh where a system knows weights; 0 counts for nothing.
MAX_WEIGHT = 10.0


@dataclass(frozen=True)
class StateField:
    """One float of a player's state; the first one of a system is the rating, whatever its key is.

    ``low`` and ``high`` bound what the kernel may be given and what it leaves behind; those of the rating are the
    system's ``lowest_rating`` and ``highest_rating``. ``decimals``: what pages show, None as many as of the rating.
    ``inner``: the sums alone need it, so that boards and players' pages leave it out; the API tells it as any other.
    """

    key: str
    symbol: str
    label: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    decimals: int | None = None
    inner: bool = False


@dataclass(frozen=True)
class GameField:
    """A number that belongs to the whole game, such as Preferans' bula."""

    key: str
    label: str
    low: float
    high: float
    help: str = ""
    example: float = 1.0

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        if not is_number(value):
            return say("{label} must be a finite number.", label=self.label)
        said = {"label": self.label, "value": shown(value)}
        if value < self.low:
            return say("{label} must be at least {low}; it is {value}.", low=shown(self.low), **said)
        if value > self.high:
            return say("{label} must be at most {high}; it is {value}.", high=shown(self.high), **said)
        return None


@dataclass(frozen=True)
class Ruling:
    """How we read a source that contradicts itself or is silent."""

    number: str
    title: str
    text: str
    parameter: str = ""


@dataclass(frozen=True)
class Preset:
    """A named, published set of parameters, in force from ``since`` (ISO date) where that is known."""

    key: str
    title: str
    parameters: Mapping[str, Any]
    since: str = ""


@dataclass(frozen=True, slots=True)
class GameSheet:
    """A game as the sums see it: seats in order, without names.

    ``sides``: a number a seat, players of one number share their result; empty, and everyone is their own side.
    ``weight``: how much the game counts, 1 as usual. ``day``: when it was played, in days since 1970-01-01 00:00 UTC.
    Systems that know nothing of weights or of time are not told of them.
    """

    scores: Sequence[float | None]
    places: Sequence[int | None]
    fields: Mapping[str, float] = field(default_factory=dict)
    sides: Sequence[int | None] = ()
    weight: float = 1.0
    day: float = 0.0

    @property
    def size(self) -> int:
        """How many players are at the table."""
        return len(self.scores)

    @property
    def captains(self) -> list[int]:
        """Return for each seat the first seat of its side, from 0; seats of one side have the same one."""
        return [self.sides.index(side) for side in self.sides] if self.sides else list(range(self.size))

    @property
    def even(self) -> bool:
        """Return whether all sides are of one size."""
        return len({self.sides.count(side) for side in self.sides}) <= 1


@dataclass(frozen=True)
class WorkedExample:
    """An example whose figures the source prints (``printed``), or that was computed apart from the code.

    What of it is printed and what is computed, the note says where it is not all the same.

    ``before`` and ``after`` hold a state a seat, or its rating only: what is beside it is as at the start then, and
    not compared. ``after`` is met within ``tolerance``, or the one that ``tolerances`` gives the key of a state field;
    ``changes`` are those of the rating;
    ``figures`` and ``pairs`` the intermediates by key, one per player or (i, j) pair in order
    (0,1), (0,2), … (1,2) …, each within ``figure_tolerance`` or the one that
    ``figure_tolerances`` gives its key: half a unit of the last digit that the source prints.
    """

    title: str
    sheet: GameSheet
    before: Sequence[State]
    games: Sequence[int] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    after: Sequence[State] = ()
    changes: Sequence[float] = ()
    figures: Mapping[str, Sequence[float]] = field(default_factory=dict)
    pairs: Mapping[str, Sequence[float]] = field(default_factory=dict)
    names: Sequence[str] = ()
    tolerance: float = 0.0
    tolerances: Mapping[str, float] = field(default_factory=dict)
    figure_tolerance: float = 1e-9
    figure_tolerances: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    printed: bool = False


@dataclass(frozen=True)
class Check:
    """A single figure, such as one line of a table: the source prints it, or it was computed apart from the code."""

    title: str
    actual: Callable[[], float]
    expected: float
    tolerance: float = 0.0
    printed: bool = False


@dataclass(frozen=True)
class Refusal:
    """Why a sheet cannot be rated: a sentence for the person who holds it.

    ``seat`` counts from 0 in seat order, None when the whole sheet is meant; ``field`` is
    ``score``, ``place``, ``side``, ``weight``, ``results`` or the key of a game field.
    """

    code: str
    sentence: str
    field: str = "results"
    seat: int | None = None


@dataclass(frozen=True)
class Law:
    """Something that holds for every game of a system; conformance tests demand it."""

    key: str
    sentence: str
    holds: Callable[[Any, Sequence[float], Sequence[float]], bool]
    """``holds(system, changes, ratings_after)`` for one game."""
    uneven: bool = True
    """Whether it holds where sides of different sizes met, too."""

    def binds(self, sheet: GameSheet) -> bool:
        """Return whether it speaks of such a game."""
        return self.uneven or sheet.even
