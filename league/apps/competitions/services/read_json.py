"""Reads a competition from JSON, as ``selectors.json_document`` has it."""

import json
from collections.abc import Iterable, Mapping, Set
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.db.models import BooleanField, DateTimeField, IntegerField, Model
from django.utils.translation import gettext as _

from league.apps.competitions.files.fixture_plan import PLANNED, get_outside_name
from league.apps.competitions.models import (
    EXTRA_POINTS,
    MAX_ENTRIES,
    MAX_LISTS,
    MAX_NUMBER,
    MAX_ROUNDS,
    MAX_SEED,
    MAX_SIDE,
    MEETINGS,
    RATINGS_OF_ENTRY,
    Entry,
    Fixture,
)
from league.apps.competitions.selectors.exporting import REPORTED
from league.apps.competitions.selectors.json_document import (
    DOCUMENT_ENTRY,
    DOCUMENT_SETTINGS,
    KIND,
    VERSION,
)
from league.apps.competitions.services.category_checks import find_about_problems
from league.apps.competitions.services.entry_checks import (
    BYE_KINDS,
    find_added_points_problems,
    find_apart_problems,
    find_detail_problems,
    find_later_problems,
    find_official_problems,
    normalize_added_points,
    normalize_later,
    read_points,
)
from league.apps.competitions.services.import_people import NamedPerson
from league.apps.competitions.services.imported_competition import (
    ImportedCompetition,
    ImportedEntry,
    ImportedFixture,
    ImportedRound,
)
from league.core.db.field_bounds import get_bounds
from league.core.errors import MAX_PROBLEMS, Invalid, Problem, build_pointer
from league.core.text.strict_json import load
from league.models.facts import MAX_SEATS
from ratings.contract.competition import Seat
from ratings.contract.parameters import is_number

#: What a document has of an entry in forms of their own.
OWN_FORMS = ("by_hand", "byes", *RATINGS_OF_ENTRY, *EXTRA_POINTS)
STATUSES = ("planned", "played", "forfeited", "bye")
MAX_FIXTURES = 100_000
#: Maximum length of a text, of a name, and of awarded points; maximum score.
MAX_TEXT, MAX_NAME, MAX_POINTS_TEXT, MAX_SCORE = 200, 120, 20, 10**9


def read_json_document(data: bytes) -> ImportedCompetition:
    """Return the competition of a document; raises Invalid with a pointer for each problem."""
    try:
        document = load(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise Invalid(_("The file is not UTF-8 text.")) from None
    except json.JSONDecodeError as error:
        message = _("This is not JSON: {error} at line {line}, column {column}.")
        raise Invalid(message.format(error=error.msg, line=error.lineno, column=error.colno)) from None
    reader = _DocumentReader()
    read = reader.read(document)
    if reader.problems or read is None:
        raise Invalid.of(reader.problems)
    return read


class _DocumentReader:
    """Reads the members of a document and collects the problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.is_long = False
        self.boards = 0
        """How many a match has, 0 without teams."""

    def report(self, pointer: str, sentence: str) -> None:
        """Report a problem."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(pointer, "invalid", f"{pointer}: {sentence}"))

    def read(self, document: Any) -> ImportedCompetition | None:
        """Return the competition."""
        is_ours = isinstance(document, dict) and document.get("document") == KIND
        if not is_ours or document.get("version") != VERSION:
            message = _("the document needs “document”: “{kind}” and “version”: {version}.")
            self.report("/document", message.format(kind=KIND, version=VERSION))
            return None
        settings = self.get(document, "", "competition", dict)
        self.is_long = (settings or {}).get("long") is True
        self.boards = self.read_number("/competition", settings, "sides_of", 1, MAX_SIDE) or 1
        self.boards *= bool((settings or {}).get("teams"))
        entries = [self.read_entry(f"/entries/{at}", one) for at, one in self.list(document, "entries", MAX_ENTRIES)]
        numbers = [entry.number for entry in entries if entry is not None]
        paired = [entry.row.moved_number or entry.number for entry in entries if entry is not None]
        squads = {entry.number: len(entry.people) for entry in entries if entry is not None}
        if len(squads) != len(numbers) or len(set(paired)) != len(paired):
            self.report("/entries", _("a number occurs twice."))
        rounds = {
            number: (self.read_time(f"/rounds/{at}", one, "starts"), list[ImportedFixture]())
            for at, one in self.list(document, "rounds", MAX_ROUNDS)
            if (number := self.read_number(f"/rounds/{at}", one, "number", 1, MAX_ROUNDS))
        }
        for at, one in self.list(document, "fixtures", MAX_FIXTURES):
            pointer = f"/fixtures/{at}"
            number = self.read_number(pointer, one, "round", 1, MAX_ROUNDS) or 0
            fixture = self.read_fixture(pointer, one, squads)
            if fixture is not None:
                rounds.setdefault(number, (None, []))[1].append(fixture)
        seed = self.read_number("/competition", settings, "seed", 0, MAX_SEED)
        if self.problems or settings is None:
            return None
        return ImportedCompetition(
            self.read_settings(settings),
            [entry for entry in entries if entry is not None],
            [
                ImportedRound(number, tuple(fixtures), starts_at=starts)
                for number, (starts, fixtures) in sorted(rounds.items())
            ],
            seed=seed,
        )

    def get(self, holder: Any, pointer: str, name: str, kind: type, default: Any = None) -> Any:
        """Return a member of a type; None if it is missing or null."""
        value = holder.get(name, default) if isinstance(holder, dict) else None
        if value is None and default is not None:
            return default
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool) != (kind is bool)):
            self.report(f"{pointer}{build_pointer(name)}", _("this has another type."))
            return default
        if value is None and kind is dict:
            self.report(f"{pointer}{build_pointer(name)}", _("this is missing."))
        if isinstance(value, str) and (len(value) > MAX_TEXT or "\0" in value):
            message = _("this must have at most {limit} characters, and no NUL.").format(limit=MAX_TEXT)
            self.report(f"{pointer}{build_pointer(name)}", message)
            return default
        return value

    def list(self, holder: Any, name: str, limit: int, pointer: str = "") -> Any:
        """Return position and value of each item of a list."""
        items = self.get(holder, pointer, name, list, [])
        if len(items) > limit:
            self.report(f"{pointer}/{name}", _("there are more than {limit}.").format(limit=limit))
            return []
        return enumerate(items)

    def read_number(self, pointer: str, holder: Any, name: str, low: int, high: int) -> int | None:
        """Return a whole number within bounds."""
        value: int | None = self.get(holder, pointer, name, int)
        if value is not None and not low <= value <= high:
            message = _("this must be a number from {low} to {high}.").format(low=low, high=high)
            self.report(f"{pointer}/{name}", message)
            return None
        return value

    def read_time(self, pointer: str, holder: Any, name: str) -> datetime | None:
        """Return a time with an offset."""
        text = self.get(holder, pointer, name, str)
        if text is None:
            return None
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            value = None
        if value is None or value.tzinfo is None or not 2 <= value.year < 9998:
            self.report(f"{pointer}/{name}", _("this must be a time such as 2024-03-05T19:30:00Z."))
            return None
        return value

    def read_fields(self, pointer: str, holder: Any, model: type[Model], names: Iterable[str]) -> dict[str, Any]:
        """Return members of the types and lengths of a model's fields."""
        return {name: self.read_field(pointer, holder, model._meta.get_field(name)) for name in names}

    def read_field(self, pointer: str, holder: Any, field: Any) -> Any:
        """Return a member of the type and length of a model's field."""
        name = get_outside_name(field.name)
        if isinstance(field, DateTimeField):
            return self.read_time(pointer, holder, name)
        if isinstance(field, BooleanField):
            return self.get(holder, pointer, name, bool, False)
        if isinstance(field, IntegerField):
            return self.read_number(pointer, holder, name, *get_bounds(field))
        return self.get(holder, pointer, name, str, "")[: field.max_length]

    def read_settings(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings for the services, which check them."""
        found = {name: settings[name] for name in (*DOCUMENT_SETTINGS, "time_zone") if settings.get(name) is not None}
        times = {
            f"{name}_at": time
            for name in ("starts", "ends")
            if (time := self.read_time("/competition", settings, name)) is not None
        }
        return {**found, **times, "seeding": "hand"}

    def read_entry(self, pointer: str, one: Any) -> ImportedEntry | None:
        """Return an entry."""
        number, moved = (self.read_number(pointer, one, name, 1, MAX_NUMBER) for name in ("number", "pairing_number"))
        people = []
        for at, person in self.list(one, "players", MAX_SIDE, pointer):
            names = [self.get(person, f"{pointer}/players/{at}", name, str, "") for name in ("handle", "name")]
            spellings = tuple(name for name in names if name)
            if not spellings:
                self.report(f"{pointer}/players/{at}", _("this needs a handle or a name."))
            people.append(NamedPerson(tuple(dict.fromkeys(reversed(spellings))) if len(spellings) > 1 else spellings))
        if number is None or not people:
            self.report(pointer, _("an entry needs a number and players."))
            return None
        byes = [
            (self.read_number(f"{pointer}/byes/{at}", bye, "round", 1, MAX_ROUNDS) or 0,
             self.get(bye, f"{pointer}/byes/{at}", "kind", str, ""))
            for at, bye in self.list(one, "byes", MAX_ROUNDS, pointer)
        ]  # fmt: skip
        for at, (_round, kind) in enumerate(byes):
            if kind not in BYE_KINDS:
                self.report(f"{pointer}/byes/{at}/kind", _("this is no bye that an entry can ask for."))
        others = [value for _at, value in self.list(one, "not_against", MAX_ENTRIES, pointer) if type(value) is int]
        apart, added, virtual = self.read_lists(pointer, one)
        about = self.get(one, pointer, "about", dict, {})
        for problem in find_about_problems(pointer, about):
            self.report(problem.pointer, problem.detail)
        row = Entry(
            **self.read_fields(pointer, one, Entry, (name for name in DOCUMENT_ENTRY if name not in OWN_FORMS)),
            virtual_points=virtual,
            added_points=added,
            about=about,
            **self.read_values(pointer, one),
        )
        row.moved_number = None if moved == number else moved
        return ImportedEntry(
            number,
            tuple(people),
            row,
            not_against=tuple(others),
            kept_apart=tuple((value["entry"], value["rounds"][0], value["rounds"][1]) for value in apart),
            byes=tuple(byes),
        )

    def read_values(self, pointer: str, one: Any) -> dict[str, Any]:
        """Return the value by hand of an entry, its ratings of lists, and those that apply in later rounds."""
        by_hand = self.get(one, pointer, "by_hand", str, "")
        official = [value for _at, value in self.list(one, "official_ratings", MAX_LISTS, pointer)]
        later = [value for _at, value in self.list(one, "later_ratings", MAX_ROUNDS, pointer)]
        problems = [*find_detail_problems(pointer, {"by_hand": by_hand}), *find_official_problems(pointer, official)]
        problems += find_later_problems(pointer, later, is_long=self.is_long)
        for problem in problems:
            self.report(problem.pointer, problem.detail)
        if problems:
            return {}
        return {"by_hand": by_hand, "official_ratings": official, "later_ratings": normalize_later(later)}

    def read_lists(self, pointer: str, one: Any) -> tuple[Any, Any, Any]:
        """Return whom an entry must not meet in some rounds, points that were added, and those for the pairing."""
        lists = [("apart", MAX_ENTRIES), ("added_points", MAX_ROUNDS), ("virtual_points", MAX_ROUNDS)]
        apart, added, virtual = ([value for _at, value in self.list(one, *of, pointer)] for of in lists)
        known = {value["entry"] for value in apart if isinstance(value, dict) and type(value.get("entry")) is int}
        problems = [*find_apart_problems("", 0, apart, known), *find_added_points_problems(added)]
        for problem in problems:
            self.report(f"{pointer}{problem.pointer}", problem.detail)
        if not all(isinstance(text, str) and read_points(text) is not None for text in virtual):
            self.report(f"{pointer}/virtual_points", _("this must be a number such as 1/2."))
        return ([], [], []) if problems else (apart, normalize_added_points(added), virtual)

    def read_fixture(
        self, pointer: str, one: Any, squads: Mapping[int, int], *, is_board: bool = False
    ) -> ImportedFixture | None:
        """Return a fixture. ``squads``: how many players each entry has."""
        kind, status = (self.get(one, pointer, name, str, "") for name in ("kind", "status"))
        if kind not in Fixture.Kind.values or status not in STATUSES:
            self.report(pointer, _("kind or status is unknown."))
            return None
        seats, members = list[Seat](), list[int | None]()
        for at, value in self.list(one, "seats", MAX_SEATS, pointer):
            seat = self.read_seat(f"{pointer}/seats/{at}", value, squads)
            if seat is None:
                return None
            seats.append(seat)
            if is_board:
                members.append(self.read_number(f"{pointer}/seats/{at}", value, "member", 0, squads[seat.entry]))
        is_meeting = kind in MEETINGS
        if not seats or (len(seats) > 1) != is_meeting or (self.boards and len(seats) > 2):
            self.report(f"{pointer}/seats", _("a game has two seats or more, a match two, a bye one."))
            return None
        is_match = bool(self.boards) and not is_board
        if is_meeting and (kind == Fixture.Kind.MATCH) != is_match:
            self.report(f"{pointer}/kind", _("teams meet in matches, others in games."))
            return None
        teams = {seat.entry for seat in seats}
        boards = self.read_boards(pointer, one, squads, teams) if kind == Fixture.Kind.MATCH else None
        reason = self.get(one, pointer, "reason", str, "")
        if reason and reason not in Fixture.Reason.values:
            self.report(f"{pointer}/reason", _("this reason is unknown."))
        played: Any = {"planned": "planned", "played": "played", "forfeited": "forfeit"}.get(status, kind)
        return ImportedFixture(
            tuple(seats),
            played if is_meeting else kind,
            rated=self.get(one, pointer, "rated", bool, True),
            reason=reason,
            played_at=self.read_time(pointer, one, "played_at"),
            adjourned=self.get(one, pointer, "adjourned", bool, False),
            reported=self.read_reported(pointer, one),
            boards=boards,
            members=tuple(members),
            **self.read_fields(pointer, one, Fixture, PLANNED),
        )

    def read_boards(
        self, pointer: str, one: Any, squads: Mapping[int, int], teams: Set[int]
    ) -> tuple[ImportedFixture, ...]:
        """Return the boards of a match of two teams: all of them, or none yet."""
        found = []
        for at, value in self.list(one, "boards", MAX_SIDE, pointer):
            board = self.read_fixture(f"{pointer}/boards/{at}", value, squads, is_board=True)
            if board is not None and {seat.entry for seat in board.seats} != teams:
                self.report(f"{pointer}/boards/{at}/seats", _("these are not the teams of the match."))
            found.append(board)
        if len(found) not in (0, self.boards):
            message = _("a match has {count} boards here, or none yet.").format(count=self.boards)
            self.report(f"{pointer}/boards", message)
        return tuple(board for board in found if board is not None)

    def read_reported(self, pointer: str, one: Any) -> str:
        """Return the result that only the report has."""
        reported: str = self.get(one, pointer, "reported", str, "")
        if reported not in ("", *REPORTED):
            self.report(f"{pointer}/reported", _("this result is unknown."))
        return reported

    def read_seat(self, pointer: str, one: Any, squads: Mapping[int, int]) -> Seat | None:
        """Return a seat with its result."""
        entry = self.read_number(pointer, one, "entry", 1, MAX_NUMBER)
        if entry not in squads:
            self.report(f"{pointer}/entry", _("there is no such entry."))
            return None
        score = one.get("score")
        if score is not None and not (is_number(score) and abs(score) <= MAX_SCORE):
            message = _("this must be a number from {low} to {high}.").format(low=-MAX_SCORE, high=MAX_SCORE)
            self.report(f"{pointer}/score", message)
            score = None
        points = self.get(one, pointer, "points", str)
        try:
            # An exponent could write a number of a billion digits.
            awarded = None if points is None else Fraction(points.casefold().replace("e", "?")[:MAX_POINTS_TEXT])
        except (ValueError, ZeroDivisionError):
            self.report(f"{pointer}/points", _("this must be a number such as 1/2."))
            awarded = None
        place = self.read_number(pointer, one, "place", 1, MAX_SEATS) or 0
        return Seat(entry or 0, place, None if score is None else Fraction(str(score)), awarded)
