"""What a rating system declares: fields, rulings, examples, laws; see ``ratings.contract.system``.

A game's sheet, with the checks of its sides, weight and total score that systems share.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ratings.contract.parameters import format_localized, is_number
from ratings.texts import N_, localize_number, say

Use: TypeAlias = Literal["required", "optional", "either", "unused"]

#: A player's state in an example: the rating alone, or every float in the order of the state's fields.
State: TypeAlias = float | Sequence[float]

#: Larger scores than this are typing errors in every game we know of.
ABSURD_SCORE = 1e9
#: The largest table that a score sheet may have in any system.
MAX_PLAYERS = 100
#: The highest weight of a game, in systems that support weights; a game of weight 0 changes no rating.
MAX_WEIGHT = 10.0
#: Tolerance for sums of scores: 0.1 + 0.2 counts as 0.3.
SAME_TOTAL = 1e-6


@dataclass(frozen=True)
class StateField:
    """One float of a player's state; the first field of a system is the rating, whatever its key.

    ``low`` and ``high`` bound the kernel's input and output; the bounds of the rating are the system's
    ``lowest_rating`` and ``highest_rating``. ``decimals``: shown on pages; None: as many as the rating has.
    ``inner``: only the kernel needs it. Pages omit it; the API includes it. ``detail``: pages show it in full
    calculations only.
    """

    key: str
    symbol: str
    label: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    decimals: int | None = None
    inner: bool = False
    detail: bool = False


@dataclass(frozen=True)
class GameField:
    """A number that applies to the whole game, such as the bula in Preferans."""

    key: str
    label: str
    low: float
    high: float
    help: str = ""
    example: float = 1.0

    def problem(self, value: object) -> str | None:
        """Return an error message, or None if ``value`` is acceptable."""
        if not is_number(value):
            return say("{label} must be a finite number.", label=self.label)
        message_values = {"label": self.label, "value": format_localized(value)}
        if value < self.low:
            return say(
                "{label} must be at least {low}; it is {value}.", low=format_localized(self.low), **message_values
            )
        if value > self.high:
            return say(
                "{label} must be at most {high}; it is {value}.", high=format_localized(self.high), **message_values
            )
        return None


@dataclass(frozen=True)
class Ruling:
    """How this program reads a source that contradicts itself or leaves something open."""

    number: str
    title: str
    text: str
    parameter: str = ""


@dataclass(frozen=True)
class Preset:
    """A named, published set of parameters, in force from ``since`` (ISO date; empty if unknown)."""

    key: str
    title: str
    parameters: Mapping[str, Any]
    since: str = ""


@dataclass(frozen=True, slots=True)
class GameSheet:
    """The input of a kernel: a game's seats in order, without names.

    ``sides``: one number per seat; players with the same number share their result. Empty: everyone plays alone.
    ``weight``: how much the game counts, usually 1. ``day``: when it was played, in days since 1970-01-01 00:00 UTC.
    Systems that do not support weights or time do not receive them.
    """

    scores: Sequence[float | None]
    places: Sequence[int | None]
    fields: Mapping[str, float] = field(default_factory=dict)
    sides: Sequence[int | None] = ()
    weight: float = 1.0
    day: float = 0.0

    @property
    def size(self) -> int:
        """Return the number of players."""
        return len(self.scores)

    @property
    def captains(self) -> list[int]:
        """Return the first seat (from 0) of each seat's side."""
        return [self.sides.index(side) for side in self.sides] if self.sides else list(range(self.size))

    @property
    def even(self) -> bool:
        """Return whether all sides have the same size."""
        return len({self.sides.count(side) for side in self.sides}) <= 1


#: What a curve draws: the weight of a game by its age, the expected score or the change by a win against the
#: difference of two ratings, the change against a player's place or score, or a ladder's score after each game.
CurveKind: TypeAlias = Literal["weight", "expectation", "win", "place", "score", "season"]


@dataclass(frozen=True)
class CurveCase:
    """A line of a system's curve: the parameters and the player's state that differ from the usual.

    ``state`` is also that of the opponent, if a curve compares two players. ``games``: rated games of every player.
    """

    label: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    state: Sequence[float] = ()
    games: int = 100


@dataclass(frozen=True)
class WorkedExample:
    """An example that the source prints (``printed``), or that was computed independently of the code.

    If only part of it is printed, the note says which.

    ``before`` and ``after`` hold one state per seat, or only its rating: the other fields then have their initial
    values and are not compared. ``after`` must match within ``tolerance``, or within ``tolerances[key]`` of a state
    field. ``changes`` are the changes of the rating. ``figures`` and ``pairs`` are intermediates by key, one per
    player or per pair in the order (0,1), (0,2), … (1,2) …. Each must match within ``figure_tolerance``, or within
    ``figure_tolerances[key]``: half a unit of the last digit that the source prints.
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
    """A single figure, such as an entry of a table: printed by the source, or computed independently of the code."""

    title: str
    actual: Callable[[], float]
    expected: float
    tolerance: float = 0.0
    printed: bool = False


@dataclass(frozen=True)
class Refusal:
    """A reason why a sheet cannot be rated, with a message for the person who entered it.

    ``seat`` counts from 0 in seat order; None means the whole sheet. ``field`` is
    ``score``, ``place``, ``side``, ``weight``, ``results`` or the key of a game field.
    """

    code: str
    sentence: str
    field: str = "results"
    seat: int | None = None


@dataclass(frozen=True)
class Law:
    """A property of every game of a system; conformance tests check it."""

    key: str
    sentence: str
    holds: Callable[[Any, Sequence[float], Sequence[float]], bool]
    """``holds(system, changes, ratings_after)`` for one game."""
    uneven: bool = True
    """Whether it also holds between sides of different sizes."""

    def binds(self, sheet: GameSheet) -> bool:
        """Return whether the law applies to this game."""
        return self.uneven or sheet.even


def check_sides(system: Any, sheet: GameSheet) -> list[Refusal]:
    """Refuse sides that the system does not support, that are missing at some seats, or that put everyone together.

    ``system``: a rating system or its class (its ``title`` and ``sides`` are read).
    """
    if not sheet.sides:
        return []
    if not system.sides:
        template = N_("{title} does not support teams; leave them out, or choose a system that does.")
        return [Refusal("sides", say(template, title=system.title), "side")]
    refusals = [refusal for seat, side in enumerate(sheet.sides) if (refusal := _check_side(seat, side))]
    return refusals or refuse_single_side(sheet)


def _check_side(seat: int, side: object) -> Refusal | None:
    """Refuse an invalid side number."""
    if side is None:
        message = say("Seat {seat} has no team; give one to every seat or to none.", seat=seat + 1)
        return Refusal("missing", message, "side", seat)
    if type(side) is not int or not 1 <= side <= MAX_PLAYERS:
        template = N_("Seat {seat}: the team must be a whole number from 1 to {most}.")
        return Refusal("out_of_bounds", say(template, seat=seat + 1, most=MAX_PLAYERS), "side", seat)
    return None


def refuse_single_side(sheet: GameSheet) -> list[Refusal]:
    """Refuse a game in which no player plays against anyone."""
    if len(set(sheet.sides)) != 1:
        return []
    return [Refusal("sides", say("All players are in one team; a game needs at least two."), "side")]


def refuse_unequal_partners(sheet: GameSheet) -> list[Refusal]:
    """Refuse a side whose players have different scores or places."""
    if not sheet.sides:
        return []
    for key, values in (("score", sheet.scores), ("place", sheet.places)):
        for seat, first in enumerate(sheet.captains):
            if values[seat] != values[first]:
                template = (
                    N_("Seats {one} and {other} are in one team and must have the same score.")
                    if key == "score"
                    else N_("Seats {one} and {other} are in one team and must have the same place.")
                )
                return [Refusal("contradiction", say(template, one=first + 1, other=seat + 1), key, seat)]
    return []


def check_weight(system: Any, sheet: GameSheet) -> list[Refusal]:
    """Refuse an invalid weight, and any weight but 1 if the system does not support weights.

    ``system``: a rating system or its class (its ``title`` and ``weights`` are read).
    """
    weight = sheet.weight
    if not is_number(weight) or not 0 <= weight <= MAX_WEIGHT:
        message = say("The weight must be a number from 0 to {most}.", most=format_localized(MAX_WEIGHT))
        return [Refusal("out_of_bounds", message, "weight")]
    if weight != 1.0 and not system.weights:
        message = say("{title} does not support weights; leave the weight out.", title=system.title)
        return [Refusal("weights", message, "weight")]
    return []


def check_total(sheet: GameSheet, demand: str, total: float) -> list[Refusal]:
    """Refuse scores that do not add up to ``total``; ``demand`` is "yes" if the league requires that, or "no"."""
    score_sum = math.fsum(score for score in sheet.scores if score is not None)
    if demand == "no" or abs(score_sum - total) < SAME_TOTAL:
        return []
    # Fifteen digits, so that different sums never look equal.
    expected, actual = localize_number(f"{total:.15g}"), localize_number(f"{score_sum:.15g}")
    return [Refusal("total", say("The scores must sum to {total}, but sum to {found}.", total=expected, found=actual))]
