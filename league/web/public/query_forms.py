"""Parses the query of the what-if page and previews the game."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.errors import Problem, RungsError
from league.core.games.services.game_input import NewGame, NewResult, with_shared
from league.core.games.services.what_if import WhatIf, what_if
from league.core.permissions import Viewer
from league.core.players.selectors.search import MAX_NAMESAKES, meanings
from league.models import League
from league.models.facts import MAX_SEATS
from league.web.public.views.base import clean_text, parse_digits
from ratings.contract.parameters import in_full
from ratings.contract.system import GameField, RatingSystem
from ratings.forms import read_number, read_whole


@dataclass
class TypedSeat:
    """A seat as typed, with its problems."""

    number: int
    who: str
    result: str
    side: str = ""
    problems: list[str] = field(default_factory=list)


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

    @property
    def taken(self) -> list[TypedSeat]:
        """Return the seats that are not empty."""
        return [seat for seat in self.seats if seat.who or seat.result]

    def begun(self, system: RatingSystem) -> bool:
        """Return whether there are enough players or a result."""
        return len(self.taken) >= system.fewest_players or any(seat.result for seat in self.seats)

    @property
    def refused(self) -> bool:
        """Return whether there are problems."""
        parts: list[WhatIfQuestion | Weight | TypedSeat | Field | None]
        parts = [self, self.weight, *self.seats, *self.fields]
        return any(part.problems for part in parts if part)


def question_of(given: QueryDict, system: RatingSystem) -> WhatIfQuestion:
    """Parse the query: ``p`` are players, ``r`` their results, ``s`` their sides, if any.

    ``w`` is the weight, ``_seats`` the number of seats, ``_sides`` shows the sides.
    """
    people, results, sides = (given.getlist(name)[:MAX_SEATS] for name in ("p", "r", "s"))
    asked = any(map(clean_text, sides)) or "_sides" in given
    typed = [
        (clean_text(who), clean_text(result), clean_text(side))
        for who, result, side in zip_longest(people, results, sides, fillvalue="")
    ]
    more = parse_digits(clean_text(given.get("_seats", "")), 3) or 0
    size = min(max(system.fewest_players, len(typed), more), system.most_players, MAX_SEATS)
    typed += [("", "", "")] * (size - len(typed))
    return WhatIfQuestion(
        [TypedSeat(number, *one) for number, one in enumerate(typed, start=1)],
        [Field(spec, clean_text(given.get(spec.key, in_full(spec.example)))) for spec in system.game_fields],
        places=system.place == "required",
        sides=asked if type(system).sides else None,
        weight=Weight(clean_text(given.get("w", ""))) if type(system).weights else None,
    )


def preview(league: League, question: WhatIfQuestion, viewer: Viewer) -> WhatIf | None:
    """Preview the game; None if there are problems, which are added to the seat or field."""
    seats = question.taken
    results = [
        NewResult(seat.who, *result_of(seat, places=question.places), side_of(seat) if question.sides else None)
        for seat in seats
    ]
    handles = handles_of(seats, league, viewer)
    details = {one.spec.key: value for one in question.fields if (value := number_of(one)) is not None}
    weight = number_of(question.weight) if question.weight else None
    if question.refused:
        return None
    table = with_shared([replace(line, player=handles[line.player]) for line in results])
    try:
        new = NewGame(table, details=details, weight=1.0 if weight is None else weight, viewer=viewer)
        return what_if(league, new)
    except RungsError as error:
        add_problems(question, error.problems, error.detail)
        return None


def result_of(seat: TypedSeat, *, places: bool) -> tuple[float | None, int | None]:
    """Return the score and the place of a seat; None if empty or malformed."""
    try:
        if seat.result:
            return (None, read_whole(seat.result)) if places else (read_number(seat.result), None)
    except ValueError as error:
        seat.problems.append(str(error))
    return None, None


def side_of(seat: TypedSeat) -> int | None:
    """Return the side of a seat; None if empty or malformed."""
    try:
        return read_whole(seat.side) if seat.side else None
    except ValueError as error:
        seat.problems.append(str(error))
        return None


def number_of(field: Field | Weight) -> float | None:
    """Return the number of a game field or weight; None if empty or malformed."""
    try:
        return read_number(field.text) if field.text else None
    except ValueError as error:
        field.problems.append(str(error))
        return None


def handles_of(seats: Sequence[TypedSeat], league: League, viewer: Viewer) -> dict[str, str]:
    """Return text -> handle of the players; unknown ones add a problem to their seat."""
    found = meanings([seat.who for seat in seats if seat.who], league, viewer)
    for seat in seats:
        handles = found.get(seat.who, [])
        if not seat.who:
            seat.problems.append(_("Who plays in this seat?"))
        elif not handles:
            seat.problems.append(_("No player is called “{name}”.").format(name=seat.who))
        elif len(handles) > 1:
            several = ", ".join(handles[:MAX_NAMESAKES])
            if len(handles) > MAX_NAMESAKES:
                several = _("{names} and others").format(names=several)
            sentence = ngettext(
                "{count} player has that name: {names}. Enter the handle.",
                "{count} players have that name: {names}. Enter the handle.",
                len(handles),
            )
            seat.problems.append(sentence.format(count=len(handles), names=several))
    return {text: handles[0] for text, handles in found.items()}


def add_problems(question: WhatIfQuestion, problems: Sequence[Problem], detail: str) -> None:
    """Add the problems of a refused game to their seats and fields, or to the question."""
    seats, fields = question.taken, {one.spec.key: one for one in question.fields}
    for problem in problems:
        where, *rest = [*problem.pointer.split("/")[1:], ""]
        if where == "results" and rest[0].isdigit() and int(rest[0]) < len(seats):
            seats[int(rest[0])].problems.append(problem.detail)
        elif where == "details" and rest[0] in fields:
            fields[rest[0]].problems.append(problem.detail)
        elif where == "weight" and question.weight:
            question.weight.problems.append(problem.detail)
        else:
            question.problems.append(problem.detail)
    if not problems:
        question.problems.append(detail)
