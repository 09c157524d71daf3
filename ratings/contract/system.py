"""The contract of a rating system: one file, one frozen dataclass, one kernel.

A system describes itself completely: the required fields of a score sheet, its parameters, the meaning of its symbols
and the examples that its source prints. Forms, error messages, explanations, documentation and tests are derived
from that description.

The kernel
    ``kernel(n, before, games, results, fields, parameters, pool, parts, after, figures, pairs)``
    is one plain function. Python runs it over lists of lists for one game; Numba compiles the same
    code over float64 arrays for a long replay. So it indexes as ``before[i][0]``, uses ``math``
    functions, calls only functions like itself, allocates no list or array, and never divides by a
    number that may be 0 (see bench/NOTES.md).

    ==========  ================  =====================================================================
    n           int               players at the table; buffers may have more rows: use the first n
    before      n × state         state before the game, column 0 is the rating whatever its key is
    games       n                 games each player had played in the league before this one
    results     n × 2 or 3        score (higher is better: negated if the lowest wins), place (1 is first), NaN
                                      if the sheet has none; if the system supports ``sides``, the first seat
                                      (from 0) of the seat's side
    fields      game fields       in the order of ``game_fields``; then the game's weight if the system
                                      supports ``weights``, then its day if it is ``timed``
    parameters  parameters        in the order of the dataclass fields
    pool        2                 [0] shift of every player's rating so far (see below),
                                  [1] players with a game so far, this table included
    parts       n × parts         out: the parts of the change; rating after = rating before + their sum
    after       n × state         out: columns 1 and up; column 0 is filled in from the parts
    figures     n × figures       out: intermediates under the source's own symbols
    pairs       n × n × pairs     out: intermediates of each pair of players
    ==========  ================  =====================================================================

    Column constants are the keys in capitals, with a letter before them where needed (``P_ROUNDING``), in the order of
    the declaration; the conformance tests check that. State other than the rating stays within its field's bounds.

    All results are in seat order and are computed from the state before the game. Every out cell of the
    first n rows must be set. In every system ``change`` is the sum of the parts from left to right, and the
    rating after is ``before + change``, so that explanations are exact.

Sides
    Players with the same first seat share a score and a place. The first seat represents its side, so
    ``results[i][2] == i`` counts each side once. Without sides every seat is its own first seat, so a kernel needs one
    code path. Pairs of partners are set too; explanations omit them.

Time
    A ``timed`` system stores the day of a player's last game in a state field (``after[i][LAST] = fields[DAY]``), so
    that a replay can start anywhere from the state alone. For a player without games the field has no meaning: no time
    has passed.

The pool
    A system may move *everyone's* rating with a game (Barbu's zero-sum adjustment of 2005–2012).
    It does so by adding to ``pool[0]``; the players at the table take the same shift as a part.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ratings.contract.declarations import (
    ABSURD_SCORE,
    MAX_PLAYERS,
    Check,
    CurveCase,
    CurveKind,
    GameField,
    GameSheet,
    Law,
    Preset,
    Refusal,
    Ruling,
    State,
    StateField,
    Use,
    WorkedExample,
    check_sides,
    check_weight,
    refuse_unequal_partners,
)
from ratings.contract.orders import refuse_contradiction
from ratings.contract.parameters import NumberParameter, ParameterSet, format_localized, is_number
from ratings.contract.wording import ChangePart, FormulaFigure, Wording
from ratings.contract.worksheet import Worksheet
from ratings.texts import N_, localize_number, say, say_many

__all__ = [
    "ABSURD_SCORE",
    "MAX_PLAYERS",
    "ChangePart",
    "Check",
    "CurveCase",
    "CurveKind",
    "FormulaFigure",
    "GameField",
    "GameSheet",
    "Kernel",
    "Law",
    "Preset",
    "RatingSystem",
    "Refusal",
    "Rows",
    "Ruling",
    "State",
    "StateField",
    "Use",
    "WorkedExample",
    "complete_state",
    "format_player_count",
    "index_state_by_key",
]

Rows: TypeAlias = list[list[float]]
Kernel: TypeAlias = Callable[
    [int, Rows, list[float], Rows, list[float], list[float], list[float], Rows, Rows, Rows, list[Rows]],
    None,
]


@dataclass(frozen=True)
class RatingSystem(ParameterSet, ABC):
    """Base of all rating systems; subclasses declare the class variables and one kernel."""

    key: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """Two or three plain sentences for players: what changes a rating, and what the number means."""
    headline: ClassVar[str] = ""
    """The idea in at most fourteen words, for lists."""
    source: ClassVar[str]
    formula: ClassVar[str]
    """The formula in the source's symbols, as plain text with line breaks; ``wording`` adapts it to the parameters."""
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    score: ClassVar[Use]
    place: ClassVar[Use]
    ties: ClassVar[bool]
    """Whether a sheet may contain equal places (or equal scores, if places are unused)."""
    lowest_score: ClassVar[float] = -ABSURD_SCORE
    lowest_rating: ClassVar[float] = -1e6
    highest_rating: ClassVar[float] = 1e6
    """Bounds of a rating, including initial ratings."""
    game_fields: ClassVar[tuple[GameField, ...]] = ()
    sides: ClassVar[bool] = False
    """Whether several players may share a result; other systems refuse sheets with sides."""
    weights: ClassVar[bool] = False
    """Whether games may have weights."""
    timed: ClassVar[bool] = False
    """Whether the time between games matters, not only their order."""
    worksheet: ClassVar[Worksheet | None] = None
    """The form from which each score is computed, if the game has one."""
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", N_("Rating")),)
    deviates: ClassVar[bool] = False
    """Whether the second state field is the rating's deviation, in the unit of the rating."""
    parts: ClassVar[tuple[ChangePart, ...]]
    figures: ClassVar[tuple[FormulaFigure, ...]] = ()
    pairs: ClassVar[tuple[FormulaFigure, ...]] = ()
    performance: ClassVar[str] = ""
    """The key of the figure that measures a player's performance in one game."""
    performance_label: ClassVar[str] = ""
    expectation: ClassVar[str] = ""
    """The key of the figure that the ratings predicted for a player, if there is one."""
    expects: ClassVar[str] = ""
    """The predicted figure: a key, ``score`` for the score on the sheet, empty for the performance."""
    filled: ClassVar[str] = ""
    """A change as a formula, with keys for numbers; see ``ratings.describe.filling``. Empty: the sum of its parts."""
    told: ClassVar[str] = ""
    """A change as a sentence, with keys in braces for numbers; see ``ratings.describe.filling``."""
    supposed: ClassVar[str] = ""
    """``told`` for a game that has not been played; empty if that sentence suits it, too."""
    score_label: ClassVar[str] = N_("Score")
    """The name of the leaderboard's display score."""
    score_help: ClassVar[str] = ""
    score_difference: ClassVar[str] = ""
    """The name of display score minus rating; required if ``display`` is not the rating."""
    decimals: ClassVar[int] = 0
    """Decimals that pages show; the API never rounds."""
    rulings: ClassVar[tuple[Ruling, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()
    examples: ClassVar[tuple[WorkedExample, ...]]
    checks: ClassVar[tuple[Check, ...]] = ()
    laws: ClassVar[tuple[Law, ...]] = ()
    curve_scores: ClassVar[tuple[float, float]] = (-100.0, 100.0)
    """The scores that a curve of changes covers, from a bad game to a good one."""
    seat_order_matters: ClassVar[str] = ""
    """Why the order of seats changes the result under some parameters; empty if it never does."""
    kernel: ClassVar[Kernel]

    @abstractmethod
    def start(self) -> list[float]:
        """Return a player's state before the first game, one float per state field."""

    def wording(self) -> Wording:
        """Return the texts of this system for these parameters (with default parameters, the declared texts)."""
        return Wording(
            self.summary, self.formula, self.score_help, self.parts, self.figures, self.pairs, self.filled, self.told,
            self.winner_in_words(), supposed=self.supposed,
        )  # fmt: skip

    def points_of_pair(self, figures: Mapping[str, float], pair: Mapping[str, float]) -> float | None:
        """Return the points that a pair gives its first player, from both figures; None if undefined."""
        return None

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float | None:
        """Return a player's expected score against another (1 is a win), from both states before the game.

        None if the system does not predict how often one of two comes out ahead: a prediction of something else,
        such as the margin, does not qualify.
        """
        return None

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return ``expected_of_two`` for columns of pairs; None if the system does not predict all of them.

        mine, theirs: pairs × state. This default asks pair by pair; override it with a vectorised form if millions of
        pairs are evaluated.
        """
        expectations = [self.expected_of_two(*pair) for pair in zip(mine.tolist(), theirs.tolist(), strict=True)]
        return None if None in expectations else np.array(expectations, dtype=np.float64)

    def as_one(self, sides: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the single player that represents each side in ``expected_of_two``; None if undefined.

        sides: sides × players × state, all sides of one size. Returns sides × state.
        """
        return None

    def curve_cases(self, kind: CurveKind) -> tuple[CurveCase, ...]:
        """Return the lines of a curve of this system, that of the parameters in force first; at most three."""
        return (CurveCase(),)

    def weight_of_age(self, age: float) -> float | None:
        """Return the weight of a game after ``age`` more games, 1 when it is new; None if games do not age."""
        return None

    @classmethod
    def whole_ratings(cls) -> bool:
        """Return whether ratings are whole numbers: they start whole, and changes are rounded."""
        start = cls.parameters().get("initial")
        return isinstance(start, NumberParameter) and start.whole

    def performs_as_scored(self) -> bool:
        """Return whether a performance against opponents of the starting rating is the score on the sheet."""
        return False

    def moves_all_players(self) -> bool:
        """Return whether a game may move the ratings of players who were not at the table (the pool)."""
        return False

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the leaderboard score of a player with this state after ``games`` games."""
        return state[0]

    def sure_deviation(self) -> float | None:
        """Return the largest deviation of a rating that is not provisional; None unless the system defines it."""
        return None

    def provisional(self, state: Sequence[float], games: int) -> bool:
        """Return whether a rating is still provisional: its deviation is too large, or what else the system defines."""
        sure = self.sure_deviation()
        return sure is not None and state[1] > sure

    def check(self, sheet: GameSheet) -> list[Refusal]:
        """Return why the sheet cannot be rated; empty when it can."""
        refusals = check_size(self, sheet)
        refusals += check_fields(self, sheet)
        refusals += check_weight(type(self), sheet)
        # Sides are checked first: a missing score may be a partner's.
        refusals += (
            check_sides(type(self), sheet)
            or check_results(self, sheet)
            or refuse_unequal_partners(sheet)
            or check_ties(self, sheet)
        )
        return refusals or self.check_system_rules(sheet)

    def check_system_rules(self, sheet: GameSheet) -> list[Refusal]:
        """Return further refusals of this system, for a sheet that passed the declared rules.

        By default: scores and places that contradict each other, if the system accepts either.
        """
        return refuse_contradiction(sheet, lowest=self.lowest_score_wins()) if self.score == "either" else []

    def can_skip_system_rules(self, *, scores: bool, places: bool) -> bool:
        """Return whether ``check_system_rules`` cannot refuse a sheet.

        ``scores``, ``places``: whether any seat has one.
        """
        has_both = self.score == "either" and scores and places
        return type(self).check_system_rules is RatingSystem.check_system_rules and not has_both


def complete_state(system: RatingSystem, state: State) -> list[float]:
    """Return a complete state, given one or a rating only; other fields then have their initial values."""
    if isinstance(state, int | float):
        return [float(state), *system.start()[1:]]
    return [float(value) for value in state]


def index_state_by_key(system: type[RatingSystem] | RatingSystem, state: Sequence[float]) -> dict[str, float]:
    """Return a state by the keys of its fields, the rating first; further stored values are dropped."""
    return {spec.key: value for spec, value in zip(system.state, state, strict=False)}


def format_player_count(system: type[RatingSystem] | RatingSystem) -> str:
    """Return "3 players", "2 or more players" or "2 to 7 players"."""
    low, high = system.min_players, system.max_players
    if low == high:
        return say_many("{count} player", "{count} players", low, count=low)
    if high >= MAX_PLAYERS:
        return say_many("{count} or more players", "{count} or more players", low, count=low)
    return say_many("{low} to {count} players", "{low} to {count} players", high, low=low, count=high)


def check_size(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse a wrong number of players."""
    if system.min_players <= sheet.size <= system.max_players:
        return []
    message_values = {"title": system.title, "players": format_player_count(system), "size": sheet.size}
    return [Refusal("players", say("{title} is for {players}; this sheet has {size}.", **message_values))]


def check_fields(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse missing, unknown or invalid game fields."""
    specs = {spec.key: spec for spec in system.game_fields}
    refusals = [
        Refusal("unknown_field", say("{title} has no game field “{key}”.", title=system.title, key=key), key)
        for key in sheet.fields
        if key not in specs
    ]
    for key, spec in specs.items():
        if key not in sheet.fields:
            refusals.append(Refusal("missing", say("{label} is missing.", label=spec.label), key))
        elif message := spec.problem(sheet.fields[key]):
            code = "out_of_bounds" if is_number(sheet.fields[key]) else "not_a_number"
            refusals.append(Refusal(code, message, key))
    return refusals


def check_results(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse missing or absurd scores and places."""
    refusals = [refusal for seat in range(sheet.size) for refusal in check_seat(system, sheet, seat)]
    if (
        not refusals
        and system.score == "either"
        and not has_all_values(sheet.scores)
        and not has_all_values(sheet.places)
    ):
        message = say("{title} needs a score for every seat, or a place for every seat.", title=system.title)
        refusals = [Refusal("missing", message), *_refuse_sides_without_result(sheet)]
    return refusals


def _refuse_sides_without_result(sheet: GameSheet) -> list[Refusal]:
    """Refuse each side without a score; or without a place, if the sheet has only places."""
    by_place = not _has_any_value(sheet.scores) and _has_any_value(sheet.places)
    values, field = (sheet.places, "place") if by_place else (sheet.scores, "score")
    template = N_("Team {side} has no place.") if by_place else N_("Team {side} has no score.")
    sides_with_result = {side for side, value in zip(sheet.sides, values, strict=False) if value is not None}
    return [
        Refusal("missing", say(template, side=side), field, sheet.sides.index(side))
        for side in dict.fromkeys(sheet.sides)
        if side not in sides_with_result
    ]


def has_all_values(values: Sequence[float | int | None]) -> bool:
    """Return whether every seat has a value."""
    return all(value is not None for value in values)


def _has_any_value(values: Sequence[float | int | None]) -> bool:
    """Return whether any seat has a value."""
    return any(value is not None for value in values)


def check_seat(system: RatingSystem, sheet: GameSheet, seat: int) -> list[Refusal]:
    """Refuse an invalid score or place of one seat."""
    score, place = sheet.scores[seat], sheet.places[seat]
    refusals: list[Refusal] = []
    if score is None and system.score == "required":
        refusals.append(Refusal("missing", say("Seat {seat} has no score.", seat=seat + 1), "score", seat))
    if place is None and system.place == "required":
        refusals.append(Refusal("missing", say("Seat {seat} has no place.", seat=seat + 1), "place", seat))
    if score is not None:
        message = score_problem(system, seat + 1, score)
        if message:
            refusals.append(Refusal("out_of_bounds", message, "score", seat))
    if place is not None:
        message = place_problem(sheet.size, seat + 1, place)
        if message:
            refusals.append(Refusal("out_of_bounds", message, "place", seat))
    return refusals


def score_problem(system: RatingSystem, seat: int, score: float) -> str | None:
    """Return why the score of a seat (from 1) is invalid, or None."""
    if not is_number(score):
        return say("Seat {seat}: the score must be a finite number.", seat=seat)
    if abs(score) > ABSURD_SCORE:
        template = N_("Seat {seat}: a score of {score} exceeds {most} and must be a typing error.")
        return say(template, seat=seat, score=format_localized(score), most=localize_number(f"{ABSURD_SCORE:,.0f}"))
    if score < system.lowest_score:
        template = N_("Seat {seat}: the score must be at least {low}; it is {score}.")
        return say(template, seat=seat, low=format_localized(system.lowest_score), score=format_localized(score))
    return None


def place_problem(size: int, seat: int, place: float) -> str | None:
    """Return why the place of a seat (from 1) is invalid, or None."""
    if not is_number(place) or place != math.floor(place):
        return say("Seat {seat}: the place must be a whole number.", seat=seat)
    if not 1 <= place <= size:
        template = N_("Seat {seat}: the place must be from 1 to {size}; it is {place}.")
        return say(template, seat=seat, size=size, place=format_localized(place))
    return None


def check_ties(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse equal places of different sides if the system does not support ties."""
    if system.ties:
        return []
    key = "place" if has_all_values(sheet.places) else "score"
    values = sheet.places if key == "place" else sheet.scores
    seats: dict[float, int] = {}
    captains = sheet.captains
    for seat, value in enumerate(values):
        if value is None or captains[seat] != seat:
            continue
        if value in seats:
            template = N_("Seats {one} and {other} are tied at {value}, but {title} does not support ties.")
            message_values = {
                "one": seats[value] + 1,
                "other": seat + 1,
                "value": format_localized(value),
                "title": system.title,
            }
            return [Refusal("tie", say(template, **message_values), key, seat)]
        seats[value] = seat
    return []
