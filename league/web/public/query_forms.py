"""Parses the query of the what-if page and previews the game."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from django.http import QueryDict
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from league.core.errors import PlayerName, Problem, RungsError
from league.core.games.services.game_input import NewGame, NewResult, share_side_results
from league.core.games.services.what_if import WhatIf, compute_what_if
from league.core.permissions import Viewer
from league.core.players.selectors.search import match_typed_names
from league.core.text.display_formats import MINUS, localize_figure
from league.core.text.numbers import HALF
from league.models import League, Rule
from league.models.facts import MAX_SEATS
from league.web.public.views.base import clean_text, parse_digits
from ratings.contract.parameters import format_all_digits
from ratings.contract.system import GameField, RatingSystem
from ratings.forms import read_number, read_whole

#: A score without separators between thousands.
PLAIN_SCORE = re.compile(r"-?\d+(\.\d+)?")
#: What is typed in a seat.
SEAT_FIELDS = frozenset({"player", "result", "side"})


@dataclass
class TypedSeat:
    """A seat as typed, with its problems."""

    number: int
    who: str
    result: str
    side: str = ""
    problems: list[str] = field(default_factory=list)
    wrong_fields: set[str] = field(default_factory=set)
    """Those of SEAT_FIELDS that have a problem."""

    def add_problem(self, text: str, field_name: str = "") -> None:
        """Add a problem of one field; of the whole seat if it is none of SEAT_FIELDS."""
        self.problems.append(text)
        name = "result" if field_name in {"score", "place"} else field_name
        self.wrong_fields |= {name} if name in SEAT_FIELDS else SEAT_FIELDS

    @property
    def shown_result(self) -> str:
        """Return the result with a real minus and the decimal sign of the reader's language."""
        if not PLAIN_SCORE.fullmatch(self.result):
            return self.result
        return localize_figure(self.result.replace("-", MINUS))


@dataclass
class Field:
    """A game field as typed, with its problems."""

    spec: GameField
    text: str
    problems: list[str] = field(default_factory=list)


@dataclass
class Weight:
    """The weight of the game as typed, with its problems; empty for the usual weight."""

    text: str
    problems: list[str] = field(default_factory=list)


@dataclass
class WhatIfQuestion:
    """The query: seats and game fields; ``places``: whether the system rates places instead of scores."""

    seats: list[TypedSeat]
    fields: list[Field]
    places: bool
    sides: bool | None = None
    """Whether the form has sides; None if the system has none."""
    weight: Weight | None = None
    """None if the system has no weights."""
    problems: list[str] = field(default_factory=list)
    found: list[tuple[str, str]] = field(default_factory=list)
    """Handle and name of who takes each seat, or twice what was typed."""

    @property
    def taken(self) -> list[TypedSeat]:
        """Return the seats that are not empty."""
        return [seat for seat in self.seats if seat.who or seat.result]

    @property
    def complete(self) -> bool:
        """Return whether every seat has a player and a result."""
        return all(seat.who and seat.result for seat in self.seats)

    def begun(self, system: RatingSystem) -> bool:
        """Return whether there are enough players or a result."""
        return len(self.taken) >= system.min_players or any(seat.result for seat in self.seats)

    @property
    def sentences(self) -> list[str]:
        """Return all problems as sentences, those of a seat with its number."""
        elsewhere = [text for one in (*self.fields, self.weight) if one for text in one.problems]
        of_seats = [
            _("Seat {number}: {fault}").format(number=seat.number, fault=text)
            for seat in self.seats
            for text in seat.problems
        ]
        return [*self.problems, *of_seats, *elsewhere]

    @property
    def refused(self) -> bool:
        """Return whether there are problems."""
        elements: list[WhatIfQuestion | Weight | TypedSeat | Field | None]
        elements = [self, self.weight, *self.seats, *self.fields]
        return any(element.problems for element in elements if element)


def parse_question(query: QueryDict, system: RatingSystem) -> WhatIfQuestion:
    """Parse the query: ``p`` are players, ``r`` their results, ``s`` their sides, if any.

    ``w`` is the weight, ``_seats`` the number of seats, ``_sides`` shows the sides.
    """
    players, results, sides = (query.getlist(name)[:MAX_SEATS] for name in ("p", "r", "s"))
    has_sides = any(map(clean_text, sides)) or "_sides" in query
    typed = [
        (clean_text(player), clean_text(result), clean_text(side))
        for player, result, side in zip_longest(players, results, sides, fillvalue="")
    ]
    seat_count = parse_digits(clean_text(query.get("_seats", "")), 3) or 0
    size = min(max(system.min_players, len(typed), seat_count), system.max_players, MAX_SEATS)
    typed += [("", "", "")] * (size - len(typed))
    return WhatIfQuestion(
        [TypedSeat(number, *values) for number, values in enumerate(typed, start=1)],
        [Field(spec, clean_text(query.get(spec.key, format_all_digits(spec.example)))) for spec in system.game_fields],
        places=system.place == "required",
        sides=has_sides if type(system).sides else None,
        weight=Weight(clean_text(query.get("w", ""))) if type(system).weights else None,
    )


def preview(league: League, question: WhatIfQuestion, viewer: Viewer, rules: Sequence[Rule]) -> WhatIf | None:
    """Preview the game; None if there are problems, which are added to the seat or field."""
    seats = question.taken
    results = [
        NewResult(seat.who, *parse_result(seat, places=question.places), _parse_side(seat) if question.sides else None)
        for seat in seats
    ]
    players = _resolve_seats(seats, league, viewer)
    question.found = [
        (player.handle, player.name) if (player := players.get(seat.who)) else (seat.who, seat.who) for seat in seats
    ]
    details = {
        detail_field.spec.key: value
        for detail_field in question.fields
        if (value := _parse_number(detail_field)) is not None
    }
    weight = _parse_number(question.weight) if question.weight else None
    if question.refused:
        return None
    try:
        new = NewGame(
            share_side_results([replace(line, player=players[line.player].handle) for line in results]),
            details=details,
            weight=1.0 if weight is None else weight,
            viewer=viewer,
        )
        return compute_what_if(league, new, rules)
    except RungsError as error:
        add_problems(question, error.problems, error.detail)
        return None


def parse_result(seat: TypedSeat, *, places: bool) -> tuple[float | None, int | None]:
    """Return the score and the place of a seat; None if empty or malformed."""
    try:
        if seat.result:
            return (None, read_whole(seat.result)) if places else (read_score(seat.result), None)
    except ValueError as error:
        seat.add_problem(str(error), "result")
    return None, None


def read_score(text: str) -> float:
    """Read a score, also ½; raises ValueError with a message."""
    half = HALF.fullmatch(text.strip())
    return float(half[1] or 0) + 0.5 if half else read_number(text)


def _parse_side(seat: TypedSeat) -> int | None:
    """Return the side of a seat; None if empty or malformed."""
    try:
        return read_whole(seat.side) if seat.side else None
    except ValueError as error:
        seat.add_problem(str(error), "side")
        return None


def _parse_number(field: Field | Weight) -> float | None:
    """Return the number of a game field or weight; None if empty or malformed."""
    try:
        return read_number(field.text) if field.text else None
    except ValueError as error:
        field.problems.append(str(error))
        return None


def _resolve_seats(seats: Sequence[TypedSeat], league: League, viewer: Viewer) -> dict[str, PlayerName]:
    """Return text -> player; add a problem to each seat whose text does not name one player.

    Names are typed here, and the page shows who was found: a unique first name, surname or beginning is enough.
    """
    typed = match_typed_names([seat.who for seat in seats if seat.who], league, viewer)
    for seat in seats:
        if not seat.who:
            seat.add_problem(_("Who plays in this seat?"), "player")
        elif problem := typed[seat.who].problem:
            seat.add_problem(capfirst(problem.detail), "player")
    return {text: one.player for text, one in typed.items() if one.player}


def add_problems(question: WhatIfQuestion, problems: Sequence[Problem], detail: str) -> None:
    """Add the problems of a refused game to their seats and fields, or to the question."""
    seats, fields = question.taken, {detail_field.spec.key: detail_field for detail_field in question.fields}
    for problem in problems:
        section, *segments = [*problem.pointer.split("/")[1:], ""]
        if section == "results" and segments[0].isdigit() and int(segments[0]) < len(seats):
            seats[int(segments[0])].add_problem(problem.detail, segments[1])
        elif section == "details" and segments[0] in fields:
            fields[segments[0]].problems.append(problem.detail)
        elif section == "weight" and question.weight:
            question.weight.problems.append(problem.detail)
        else:
            question.problems.append(problem.detail)
    if not problems:
        question.problems.append(detail)
