"""The contract of a rating system: one file, one frozen dataclass, one kernel.

A system describes itself completely: what a score sheet must hold, which parameters there are,
what the symbols mean, which examples its source prints. Everything that people see of it (forms,
refusals, explanations, documentation, tests) is derived from that description.

The kernel
    ``kernel(n, before, games, results, fields, parameters, pool, parts, after, figures, pairs)``
    is one plain function. Python runs it as it stands over lists of lists for one game; Numba
    compiles the very same lines over float64 arrays for a long replay. Hence it indexes as
    ``before[i][0]``, uses ``math`` functions, only calls other such functions, makes no list or
    array of its own, and divides by nothing that may be 0 (see docs/performance.md).

    ==========  ================  =====================================================================
    n           int               players at the table; buffers may have more rows: use the first n
    before      n × state         state before the game, column 0 is the rating
    games       n                 games each player had played in the league before this one
    results     n × 2             score, place (1 is first); NaN where the sheet has none
    fields      game fields       in the order of ``game_fields``
    parameters  parameters        in the order of the dataclass fields
    pool        2                 [0] shift of every player's rating so far (see below),
                                  [1] players with a game so far, this table included
    parts       n × parts         out: what the change is made of; rating after = rating before + sum
    after       n × state         out: columns 1 and up; column 0 is filled in from the parts
    figures     n × figures       out: intermediates under the source's own symbols
    pairs       n × n × pairs     out: intermediates of each pair of players
    ==========  ================  =====================================================================

    All results are in seat order and all sums use the state before the game. Every out cell of the
    first n rows must be set. ``change`` is the sum of the parts from left to right and the rating
    after is ``before + change``, for every system, by construction: the explanation is the sum.

The pool
    A system may move *everybody's* rating with a game (Barbu's zero-sum adjustment of 2005–2012).
    It does so by adding to ``pool[0]``; the players at the table take the same shift as a part.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from ratings import wording
from ratings.parameters import Parameterised, in_full, is_number
from ratings.wording import Wording

#: Systems declare them with everything else.
Part = wording.Part
Figure = wording.Figure
Use: TypeAlias = Literal["required", "optional", "either", "unused"]

#: Larger scores than this are typing errors in every game we know of.
ABSURD_SCORE = 1e9
#: The largest table that a score sheet may have in any system.
MOST_PLAYERS = 100


@dataclass(frozen=True)
class StateField:
    """One float of a player's state; the first one of a system is the rating."""

    key: str
    symbol: str
    label: str


@dataclass(frozen=True)
class GameField:
    """A number that belongs to the whole game, such as Preferans' bula."""

    key: str
    label: str
    low: float
    high: float
    help: str = ""
    low_excluded: bool = False
    example: float = 1.0

    def problem(self, value: object) -> str | None:
        """Return the sentence that refuses ``value``, or None when it is fine."""
        if not is_number(value):
            return f"{self.label} must be a finite number."
        if value < self.low or (self.low_excluded and value == self.low):
            edge = "greater than" if self.low_excluded else "at least"
            return f"{self.label} must be {edge} {in_full(self.low)}; it is {in_full(value)}."
        if value > self.high:
            return f"{self.label} must be at most {in_full(self.high)}; it is {in_full(value)}."
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


@dataclass(frozen=True)
class Sheet:
    """A game as the sums see it: seats in order, without names."""

    scores: Sequence[float | None]
    places: Sequence[int | None]
    fields: Mapping[str, float] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many players are at the table."""
        return len(self.scores)


@dataclass(frozen=True)
class WorkedExample:
    """An example that the source prints: the literals are the source's, never computed here.

    ``after`` holds the ratings after the game within ``tolerance``; ``changes`` the changes;
    ``figures`` and ``pairs`` the intermediates by key, one per player or (i, j) pair in order
    (0,1), (0,2), … (1,2) …, each within ``figure_tolerance`` or the one that
    ``figure_tolerances`` gives its key: half a unit of the last digit that the source prints.
    """

    title: str
    sheet: Sheet
    before: Sequence[float]
    games: Sequence[int] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    after: Sequence[float] = ()
    changes: Sequence[float] = ()
    figures: Mapping[str, Sequence[float]] = field(default_factory=dict)
    pairs: Mapping[str, Sequence[float]] = field(default_factory=dict)
    names: Sequence[str] = ()
    tolerance: float = 0.0
    figure_tolerance: float = 1e-9
    figure_tolerances: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Check:
    """A single figure that the source prints, such as one line of a table."""

    title: str
    actual: Callable[[], float]
    expected: float
    tolerance: float = 0.0


@dataclass(frozen=True)
class Refusal:
    """Why a sheet cannot be rated: a sentence for the person who holds it.

    ``seat`` counts from 0 in seat order, None when the whole sheet is meant; ``field`` is
    ``score``, ``place``, ``results`` or the key of a game field.
    """

    code: str
    sentence: str
    field: str = "results"
    seat: int | None = None


@dataclass(frozen=True)
class Law:
    """Something that holds for every game of a system; conformance tests and ``verify`` demand it."""

    key: str
    sentence: str
    holds: Callable[[Any, Sequence[float], Sequence[float]], bool]
    """``holds(system, changes, ratings_after)`` for one game."""


Rows: TypeAlias = list[list[float]]
Kernel: TypeAlias = Callable[
    [int, Rows, list[float], Rows, list[float], list[float], list[float], Rows, Rows, Rows, list[Rows]],
    None,
]


@dataclass(frozen=True)
class RatingSystem(Parameterised, ABC):
    """Base of all rating systems; subclasses declare the class variables and one kernel."""

    key: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """Two or three plain sentences for players: what moves a rating, what the number means."""
    source: ClassVar[str]
    formula: ClassVar[str]
    """The sums in the source's own symbols, as plain text with line breaks; ``wording`` has those in force."""
    fewest_players: ClassVar[int]
    most_players: ClassVar[int]
    score: ClassVar[Use]
    place: ClassVar[Use]
    ties: ClassVar[bool]
    """Whether equal places (or scores, where no place is used) may stand on a sheet."""
    lowest_score: ClassVar[float] = -ABSURD_SCORE
    lowest_rating: ClassVar[float] = -1e6
    highest_rating: ClassVar[float] = 1e6
    """Bounds of a rating, also of one that a player starts with."""
    game_fields: ClassVar[tuple[GameField, ...]] = ()
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", "Rating"),)
    parts: ClassVar[tuple[Part, ...]]
    figures: ClassVar[tuple[Figure, ...]] = ()
    pairs: ClassVar[tuple[Figure, ...]] = ()
    performance: ClassVar[str] = ""
    """The key of the figure that is the system's own figure for one player's game."""
    performance_label: ClassVar[str] = ""
    score_label: ClassVar[str] = "Score"
    """What the leaderboard's display score is called."""
    score_help: ClassVar[str] = ""
    decimals: ClassVar[int] = 0
    """Decimals that pages show; the API never rounds."""
    rulings: ClassVar[tuple[Ruling, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()
    examples: ClassVar[tuple[WorkedExample, ...]]
    checks: ClassVar[tuple[Check, ...]] = ()
    laws: ClassVar[tuple[Law, ...]] = ()
    seat_order_matters: ClassVar[str] = ""
    """Why the order of seats changes the result with some parameters, if it ever does."""
    kernel: ClassVar[Kernel]

    @abstractmethod
    def start(self) -> list[float]:
        """Return the state of a player before the first game, one float per state field."""

    def wording(self) -> Wording:
        """Return the texts of this system as they are with these parameters; with the defaults as declared."""
        return Wording(self.summary, self.formula, self.score_help, self.parts, self.figures, self.pairs)

    def moves_everybody(self) -> bool:
        """Tell whether a game may move the ratings of players who were not at the table (the pool)."""
        return False

    def lowest_score_wins(self) -> bool:
        """Tell whether the lower of two scores is the better one, with these parameters."""
        return False

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the leaderboard score of a player with this state after ``games`` games."""
        return state[0]

    def check(self, sheet: Sheet) -> list[Refusal]:
        """Return why the sheet cannot be rated; empty when it can."""
        refusals = check_size(self, sheet)
        refusals += check_fields(self, sheet)
        refusals += check_results(self, sheet)
        return refusals or self.check_more(sheet)

    def check_more(self, sheet: Sheet) -> list[Refusal]:
        """Return what this system refuses beyond the declared rules; the sheet passed those."""
        return []

    def needs_no_more(self, *, scores: bool, places: bool) -> bool:
        """Tell whether ``check_more`` surely refuses no sheet; ``scores``, ``places``: whether some seat has one."""
        return type(self).check_more is RatingSystem.check_more


def players_phrase(system: type[RatingSystem] | RatingSystem) -> str:
    """Return "3 players", "2 or more players" or "2 to 7 players"."""
    low, high = system.fewest_players, system.most_players
    if low == high:
        return f"{low} players"
    return f"{low} or more players" if high >= MOST_PLAYERS else f"{low} to {high} players"


def check_size(system: RatingSystem, sheet: Sheet) -> list[Refusal]:
    """Refuse a wrong number of players."""
    if system.fewest_players <= sheet.size <= system.most_players:
        return []
    sentence = f"{system.title} is played by {players_phrase(system)}; this sheet has {sheet.size}."
    return [Refusal("players", sentence)]


def check_fields(system: RatingSystem, sheet: Sheet) -> list[Refusal]:
    """Refuse missing, unknown or unacceptable game fields."""
    known = {spec.key: spec for spec in system.game_fields}
    refusals = [
        Refusal("unknown_field", f"{system.title} has no game field “{key}”.", key)
        for key in sheet.fields
        if key not in known
    ]
    for key, spec in known.items():
        if key not in sheet.fields:
            refusals.append(Refusal("missing", f"{spec.label} is missing.", key))
        elif sentence := spec.problem(sheet.fields[key]):
            refusals.append(Refusal("out_of_bounds", sentence, key))
    return refusals


def check_results(system: RatingSystem, sheet: Sheet) -> list[Refusal]:
    """Refuse missing, absurd or tied scores and places."""
    refusals = [refusal for seat in range(sheet.size) for refusal in check_seat(system, sheet, seat)]
    if not refusals and system.score == "either" and not complete(sheet.scores) and not complete(sheet.places):
        sentence = f"{system.title} needs a score at every seat, or a place at every seat."
        refusals.append(Refusal("missing", sentence))
    return refusals or check_ties(system, sheet)


def complete(values: Sequence[float | int | None]) -> bool:
    """Tell whether every seat has a value."""
    return all(value is not None for value in values)


def check_seat(system: RatingSystem, sheet: Sheet, seat: int) -> list[Refusal]:
    """Refuse what is wrong with the score or the place of one seat."""
    score, place = sheet.scores[seat], sheet.places[seat]
    refusals: list[Refusal] = []
    if score is None and system.score == "required":
        refusals.append(Refusal("missing", f"Seat {seat + 1} has no score.", "score", seat))
    if place is None and system.place == "required":
        refusals.append(Refusal("missing", f"Seat {seat + 1} has no place.", "place", seat))
    if score is not None:
        sentence = score_problem(system, score)
        if sentence:
            refusals.append(Refusal("out_of_bounds", f"Seat {seat + 1}: {sentence}", "score", seat))
    if place is not None:
        sentence = place_problem(sheet.size, place)
        if sentence:
            refusals.append(Refusal("out_of_bounds", f"Seat {seat + 1}: {sentence}", "place", seat))
    return refusals


def score_problem(system: RatingSystem, score: float) -> str | None:
    """Return why a score is unacceptable, or None."""
    if not is_number(score):
        return "the score must be a finite number."
    if abs(score) > ABSURD_SCORE:
        return f"a score of {in_full(score)} is beyond {ABSURD_SCORE:,.0f} and must be a typing error."
    if score < system.lowest_score:
        return f"the score must be at least {in_full(system.lowest_score)}; it is {in_full(score)}."
    return None


def place_problem(size: int, place: float) -> str | None:
    """Return why a place is unacceptable, or None."""
    if not is_number(place) or place != math.floor(place):
        return "the place must be a whole number."
    if not 1 <= place <= size:
        return f"the place must be from 1 to {size}; it is {in_full(place)}."
    return None


def check_ties(system: RatingSystem, sheet: Sheet) -> list[Refusal]:
    """Refuse equal places where the system knows none."""
    if system.ties:
        return []
    key = "place" if complete(sheet.places) else "score"
    values = sheet.places if key == "place" else sheet.scores
    seats: dict[float, int] = {}
    for seat, value in enumerate(values):
        if value is None:
            continue
        if value in seats:
            sentence = (
                f"Seats {seats[value] + 1} and {seat + 1} are tied at {in_full(value)}; "
                f"{system.title} does not say how a tie is rated."
            )
            return [Refusal("tie", sentence, key, seat)]
        seats[value] = seat
    return []
