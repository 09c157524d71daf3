"""The contract of a rating system: one file, one frozen dataclass, one kernel.

A system describes itself completely: what a score sheet must hold, which parameters there are,
what the symbols mean, which examples its source prints. Everything that people see of it (forms,
refusals, explanations, documentation, tests) is derived from that description.

The kernel
    ``kernel(n, before, games, results, fields, parameters, pool, parts, after, figures, pairs)``
    is one plain function. Python runs it as it stands over lists of lists for one game; Numba
    compiles the very same lines over float64 arrays for a long replay. Hence it indexes as
    ``before[i][0]``, uses ``math`` functions, only calls other such functions, makes no list or
    array of its own, and divides by nothing that may be 0 (see bench/NOTES.md).

    ==========  ================  =====================================================================
    n           int               players at the table; buffers may have more rows: use the first n
    before      n × state         state before the game, column 0 is the rating whatever its key is
    games       n                 games each player had played in the league before this one
    results     n × 2 or 3        score (more is better: where the lowest wins, its sign is turned), place (1 is
                                  first), NaN if the sheet has none; where the system knows ``sides``, the
                                  first seat (from 0) of the side on which a seat is
    fields      game fields       in the order of ``game_fields``; then the game's weight where the system
                                  knows ``weights``, then its day where it is ``timed``
    parameters  parameters        in the order of the dataclass fields
    pool        2                 [0] shift of every player's rating so far (see below),
                                  [1] players with a game so far, this table included
    parts       n × parts         out: what the change is made of; rating after = rating before + sum
    after       n × state         out: columns 1 and up; column 0 is filled in from the parts
    figures     n × figures       out: intermediates under the source's own symbols
    pairs       n × n × pairs     out: intermediates of each pair of players
    ==========  ================  =====================================================================

    The constants by which it finds its columns bear the keys in capitals, behind a letter where that is needed
    (``P_ROUNDING``), in the order of the declaration: the conformance tests hold them to it. State beside the rating
    stays within the bounds that its field declares.

    All results are in seat order and all sums use the state before the game. Every out cell of the
    first n rows must be set. ``change`` is the sum of the parts from left to right and the rating
    after is ``before + change``, for every system, by construction: the explanation is the sum.

Sides
    Whoever has the same first seat shares a score and a place; a seat that is its own first seat stands for its
    side, so ``results[i][2] == i`` counts each side once. Without sides everyone is their own first seat: a
    kernel has one way for both. Pairs of partners are set too; the explanation leaves them out.

Time
    A ``timed`` system keeps the day of a player's last game in a state field of its own, and says so by setting it
    (``after[i][LAST] = fields[DAY]``): the state is whole, so a replay from anywhere needs nothing else. Who has played
    no game yet has been away for no time, whatever is there.

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
)
from ratings.contract.orders import contradiction
from ratings.contract.parameters import NumberParameter, ParameterSet, is_number, shown
from ratings.contract.sides import check_sides, check_weight, partners_apart
from ratings.contract.wording import ChangePart, FormulaFigure, Wording
from ratings.contract.worksheet import Worksheet
from ratings.texts import N_, localised, say, say_many

__all__ = [
    "ABSURD_SCORE",
    "MAX_PLAYERS",
    "ChangePart",
    "Check",
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
    "by_key",
    "players_phrase",
    "whole_state",
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
    sides: ClassVar[bool] = False
    """Whether several players may share a result; a sheet with sides is refused by the others."""
    weights: ClassVar[bool] = False
    """Whether a game may count for more or less than another one."""
    timed: ClassVar[bool] = False
    """Whether it matters when a game was played, not only after which."""
    worksheet: ClassVar[Worksheet | None] = None
    """The paper of which each score is made, where the game has one."""
    state: ClassVar[tuple[StateField, ...]] = (StateField("rating", "R", N_("Rating")),)
    deviates: ClassVar[bool] = False
    """Whether the float beside the rating says how far off that may be, in the rating's own unit."""
    parts: ClassVar[tuple[ChangePart, ...]]
    figures: ClassVar[tuple[FormulaFigure, ...]] = ()
    pairs: ClassVar[tuple[FormulaFigure, ...]] = ()
    performance: ClassVar[str] = ""
    """The key of the figure that is the system's own figure for one player's game."""
    performance_label: ClassVar[str] = ""
    expectation: ClassVar[str] = ""
    """The key of the figure that says what the ratings promised a player, where there is one."""
    expects: ClassVar[str] = ""
    """What ``expectation`` foretells: the key of a figure, ``score`` for the one on the sheet, empty: performance."""
    filled: ClassVar[str] = ""
    """A change as one line, with keys for numbers; see ``ratings.describe.filling``. Empty: the sum of its parts."""
    told: ClassVar[str] = ""
    """A change as a sentence, with keys in braces for numbers; see ``ratings.describe.filling``."""
    score_label: ClassVar[str] = N_("Score")
    """What the leaderboard's display score is called."""
    score_help: ClassVar[str] = ""
    score_difference: ClassVar[str] = ""
    """What the display score less the rating is called; needed where ``display`` is not the rating."""
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
        return Wording(
            self.summary, self.formula, self.score_help, self.parts, self.figures, self.pairs, self.filled, self.told,
            self.winner_in_words(),
        )  # fmt: skip

    def points_of_pair(self, figures: Mapping[str, float], pair: Mapping[str, float]) -> float | None:
        """Return what a pair gives its first player, given the figures of both; None if that is not said."""
        return None

    def expected_of_two(self, mine: Sequence[float], theirs: Sequence[float]) -> float | None:
        """Return what a player is expected to score against another one, 1 a win, by both states before the game.

        None if the system does not say how often one of two comes out ahead: a figure that predicts something
        else, such as by how much, is no answer.
        """
        return None

    def expected_of_pairs(self, mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return ``expected_of_two`` of many pairs; None if the system does not say it of all of them.

        mine, theirs: pairs × state. Worth a form of its own, over the columns, where millions of pairs are judged; this
        asks one pair after the other.
        """
        found = [self.expected_of_two(*pair) for pair in zip(mine.tolist(), theirs.tolist(), strict=True)]
        return None if None in found else np.array(found, dtype=np.float64)

    def as_one(self, sides: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the one player as whom each side counts in ``expected_of_two``; None if that is not said.

        sides: sides × players × state, all of as many players; answers sides × state.
        """
        return None

    @classmethod
    def whole_ratings(cls) -> bool:
        """Return whether ratings are whole numbers: they start as such, and changes are rounded."""
        start = cls.parameters().get("initial")
        return isinstance(start, NumberParameter) and start.whole

    def moves_everybody(self) -> bool:
        """Return whether a game may move the ratings of players who were not at the table (the pool)."""
        return False

    def display(self, state: Sequence[float], games: int) -> float:
        """Return the leaderboard score of a player with this state after ``games`` games."""
        return state[0]

    def provisional(self, state: Sequence[float], games: int) -> bool:
        """Return whether a rating is not yet to be relied on: never, unless the system says since when it is."""
        return False

    def check(self, sheet: GameSheet) -> list[Refusal]:
        """Return why the sheet cannot be rated; empty when it can."""
        refusals = check_size(self, sheet)
        refusals += check_fields(self, sheet)
        refusals += check_weight(type(self), sheet)
        # Who plays with whom comes first: a score that is missing may be one that a partner has.
        refusals += (
            check_sides(type(self), sheet)
            or check_results(self, sheet)
            or partners_apart(sheet)
            or check_ties(self, sheet)
        )
        return refusals or self.check_more(sheet)

    def check_more(self, sheet: GameSheet) -> list[Refusal]:
        """Return what this system refuses beyond the declared rules; the sheet passed those.

        Unless a system says otherwise: scores and places that contradict each other, if it takes either.
        """
        return contradiction(sheet, lowest=self.lowest_score_wins()) if self.score == "either" else []

    def needs_no_more(self, *, scores: bool, places: bool) -> bool:
        """Return whether ``check_more`` surely refuses no sheet; ``scores``, ``places``: whether some seat has one."""
        both = self.score == "either" and scores and places
        return type(self).check_more is RatingSystem.check_more and not both


def whole_state(system: RatingSystem, given: State) -> list[float]:
    """Return a whole state of one, or of a rating only: what is beside it is as at the start then."""
    if isinstance(given, int | float):
        return [float(given), *system.start()[1:]]
    return [float(value) for value in given]


def by_key(system: type[RatingSystem] | RatingSystem, state: Sequence[float]) -> dict[str, float]:
    """Return a state by the keys of its fields, the rating first; what is stored beyond them is left out."""
    return {spec.key: value for spec, value in zip(system.state, state, strict=False)}


def players_phrase(system: type[RatingSystem] | RatingSystem) -> str:
    """Return "3 players", "2 or more players" or "2 to 7 players"."""
    low, high = system.fewest_players, system.most_players
    if low == high:
        return say_many("{count} player", "{count} players", low, count=low)
    if high >= MAX_PLAYERS:
        return say_many("{count} or more players", "{count} or more players", low, count=low)
    return say_many("{low} to {count} players", "{low} to {count} players", high, low=low, count=high)


def check_size(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse a wrong number of players."""
    if system.fewest_players <= sheet.size <= system.most_players:
        return []
    said = {"title": system.title, "players": players_phrase(system), "size": sheet.size}
    return [Refusal("players", say("{title} is played by {players}; this sheet has {size}.", **said))]


def check_fields(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse missing, unknown or unacceptable game fields."""
    known = {spec.key: spec for spec in system.game_fields}
    refusals = [
        Refusal("unknown_field", say("{title} has no game field “{key}”.", title=system.title, key=key), key)
        for key in sheet.fields
        if key not in known
    ]
    for key, spec in known.items():
        if key not in sheet.fields:
            refusals.append(Refusal("missing", say("{label} is missing.", label=spec.label), key))
        elif sentence := spec.problem(sheet.fields[key]):
            code = "out_of_bounds" if is_number(sheet.fields[key]) else "not_a_number"
            refusals.append(Refusal(code, sentence, key))
    return refusals


def check_results(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse missing or absurd scores and places."""
    refusals = [refusal for seat in range(sheet.size) for refusal in check_seat(system, sheet, seat)]
    if not refusals and system.score == "either" and not complete(sheet.scores) and not complete(sheet.places):
        sentence = say("{title} needs a score at every seat, or a place at every seat.", title=system.title)
        refusals = [Refusal("missing", sentence), *sides_without_result(sheet)]
    return refusals


def sides_without_result(sheet: GameSheet) -> list[Refusal]:
    """Refuse each side none of whose players has a score; or a place, if places are all that is written."""
    by_place = not any_given(sheet.scores) and any_given(sheet.places)
    values, field = (sheet.places, "place") if by_place else (sheet.scores, "score")
    template = N_("Side {side} has no place.") if by_place else N_("Side {side} has no score.")
    written = {side for side, value in zip(sheet.sides, values, strict=False) if value is not None}
    return [
        Refusal("missing", say(template, side=side), field, sheet.sides.index(side))
        for side in dict.fromkeys(sheet.sides)
        if side not in written
    ]


def complete(values: Sequence[float | int | None]) -> bool:
    """Return whether every seat has a value."""
    return all(value is not None for value in values)


def any_given(values: Sequence[float | int | None]) -> bool:
    """Return whether some seat has a value."""
    return any(value is not None for value in values)


def check_seat(system: RatingSystem, sheet: GameSheet, seat: int) -> list[Refusal]:
    """Refuse what is wrong with the score or the place of one seat."""
    score, place = sheet.scores[seat], sheet.places[seat]
    refusals: list[Refusal] = []
    if score is None and system.score == "required":
        refusals.append(Refusal("missing", say("Seat {seat} has no score.", seat=seat + 1), "score", seat))
    if place is None and system.place == "required":
        refusals.append(Refusal("missing", say("Seat {seat} has no place.", seat=seat + 1), "place", seat))
    if score is not None:
        sentence = score_problem(system, seat + 1, score)
        if sentence:
            refusals.append(Refusal("out_of_bounds", sentence, "score", seat))
    if place is not None:
        sentence = place_problem(sheet.size, seat + 1, place)
        if sentence:
            refusals.append(Refusal("out_of_bounds", sentence, "place", seat))
    return refusals


def score_problem(system: RatingSystem, seat: int, score: float) -> str | None:
    """Return why the score of a seat (from 1) is unacceptable, or None."""
    if not is_number(score):
        return say("Seat {seat}: the score must be a finite number.", seat=seat)
    if abs(score) > ABSURD_SCORE:
        sentence = N_("Seat {seat}: a score of {score} is beyond {most} and must be a typing error.")
        return say(sentence, seat=seat, score=shown(score), most=localised(f"{ABSURD_SCORE:,.0f}"))
    if score < system.lowest_score:
        sentence = N_("Seat {seat}: the score must be at least {low}; it is {score}.")
        return say(sentence, seat=seat, low=shown(system.lowest_score), score=shown(score))
    return None


def place_problem(size: int, seat: int, place: float) -> str | None:
    """Return why the place of a seat (from 1) is unacceptable, or None."""
    if not is_number(place) or place != math.floor(place):
        return say("Seat {seat}: the place must be a whole number.", seat=seat)
    if not 1 <= place <= size:
        sentence = N_("Seat {seat}: the place must be from 1 to {size}; it is {place}.")
        return say(sentence, seat=seat, size=size, place=shown(place))
    return None


def check_ties(system: RatingSystem, sheet: GameSheet) -> list[Refusal]:
    """Refuse equal places of different sides where the system knows none."""
    if system.ties:
        return []
    key = "place" if complete(sheet.places) else "score"
    values = sheet.places if key == "place" else sheet.scores
    seats: dict[float, int] = {}
    captains = sheet.captains
    for seat, value in enumerate(values):
        if value is None or captains[seat] != seat:
            continue
        if value in seats:
            template = N_("Seats {one} and {other} are tied at {value}; {title} does not say how a tie is rated.")
            said = {"one": seats[value] + 1, "other": seat + 1, "value": shown(value), "title": system.title}
            return [Refusal("tie", say(template, **said), key, seat)]
        seats[value] = seat
    return []
