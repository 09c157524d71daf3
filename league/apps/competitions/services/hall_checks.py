"""Checks the rooms of a hall and the times of its evening."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from league.apps.competitions.models import (
    MAX_ROOMS,
    MAX_SEATS_OF_TABLE,
    MAX_TABLE,
    MAX_TABLES,
    Hall,
)
from league.core.calendar import explain_far_time
from league.core.errors import Problem, build_pointer

#: Member of a room -> what it is if it is left out.
ROOM = {"title": "", "first": 1, "last": 1, "seats": 0, "competitions": []}
MAX_ROOM_TITLE, MAX_COMPETITIONS, MAX_PLANNED = 60, 50, 2000


def complete_rooms(rooms: Any) -> Any:
    """Return rooms with all members, if they are well-formed."""
    if not isinstance(rooms, list):
        return rooms
    return [{**ROOM, **room} if isinstance(room, Mapping) else room for room in rooms]


def find_hall_problems(hall: Hall) -> Iterator[Problem]:
    """Yield what is wrong with a hall."""
    try:
        hall.clean_fields(exclude=["league", "rooms", "parts", "planned", "created_at"])
    except ValidationError as error:
        for name, texts in error.message_dict.items():
            yield Problem(build_pointer(name.removesuffix("_at")), "invalid", " ".join(texts))
    if "\0" in hall.title:
        yield Problem("/title", "nul", _("A text must not contain a NUL character."))
    yield from _find_rooms_problems(hall.rooms)
    yield from _find_evening_problems(hall)


def _find_rooms_problems(rooms: Any) -> Iterator[Problem]:
    if not isinstance(rooms, list) or not 1 <= len(rooms) <= MAX_ROOMS:
        message = _("A hall has from 1 to {limit} rooms.").format(limit=MAX_ROOMS)
        yield Problem("/rooms", "invalid", message)
        return
    problems = [problem for at, room in enumerate(rooms) for problem in _find_room_problems(at, room)]
    yield from problems
    if problems:
        return
    taken: dict[int, int] = {}
    for at, room in enumerate(rooms):
        numbers = range(room["first"], room["last"] + 1)
        double = next((number for number in numbers if number in taken), None)
        if double is not None:
            template = _("Table {number} is in two rooms: each table has a number of its own.")
            yield Problem(build_pointer("rooms", at, "first"), "table_twice", template.format(number=double))
        taken.update(dict.fromkeys(numbers, at))
    if len(taken) > MAX_TABLES:
        message = _("A hall has at most {limit} tables.").format(limit=MAX_TABLES)
        yield Problem("/rooms", "too_many", message)


def _find_room_problems(at: int, room: Any) -> Iterator[Problem]:
    """Yield what is wrong with a room by itself."""
    if not isinstance(room, Mapping) or room.keys() != ROOM.keys():
        message = _("A room has these members: {names}.").format(names=", ".join(ROOM))
        yield Problem(build_pointer("rooms", at), "invalid", message)
        return
    title = room["title"]
    if not isinstance(title, str) or len(title) > MAX_ROOM_TITLE or "\0" in title:
        message = _("The name of a room has at most {limit} characters.").format(limit=MAX_ROOM_TITLE)
        yield Problem(build_pointer("rooms", at, "title"), "too_long", message)
    for name, low, high in (("first", 1, MAX_TABLE), ("last", 1, MAX_TABLE), ("seats", 0, MAX_SEATS_OF_TABLE)):
        if type(room[name]) is not int or not low <= room[name] <= high:
            message = _("This must be a whole number from {low} to {high}.").format(low=low, high=high)
            yield Problem(build_pointer("rooms", at, name), "out_of_bounds", message)
            return
    if not room["first"] <= room["last"] < room["first"] + MAX_TABLES:
        message = _("The last table of a room is not before its first, and a hall has at most {limit} tables.")
        yield Problem(build_pointer("rooms", at, "last"), "out_of_order", message.format(limit=MAX_TABLES))
    slugs = room["competitions"]
    if not isinstance(slugs, list) or len(slugs) > MAX_COMPETITIONS or not all(isinstance(one, str) for one in slugs):
        message = _("The competitions of a room are a list of at most {limit} addresses.")
        pointer = build_pointer("rooms", at, "competitions")
        yield Problem(pointer, "invalid", message.format(limit=MAX_COMPETITIONS))


def _find_evening_problems(hall: Hall) -> Iterator[Problem]:
    """Yield what is wrong with the evening, which a hall need not have."""
    starts, ends = hall.starts_at, hall.ends_at
    if (starts is None) != (ends is None):
        yield Problem("/ends", "missing", _("An evening has a beginning and an end."))
    for name, value in (("starts", starts), ("ends", ends)):
        if value is not None and value.tzinfo is None:
            message = _("The time needs an offset, e.g. 2024-03-05T19:30:00Z.")
            yield Problem(build_pointer(name), "no_offset", message)
            return
        if value is not None and (message := explain_far_time(value)):
            yield Problem(build_pointer(name), "invalid", message)
            return
    if starts is not None and ends is not None and ends <= starts:
        yield Problem("/ends", "out_of_order", _("The evening ends after it starts."))
    parts, planned = hall.parts, hall.planned
    if not isinstance(parts, list) or len(parts) > MAX_COMPETITIONS or not all(map(_is_part, parts)):
        message = _("The competitions of an evening are a list of at most {limit}, each with a round or null.")
        yield Problem("/parts", "invalid", message.format(limit=MAX_COMPETITIONS))
    if not isinstance(planned, list) or not all(type(number) is int for number in planned):
        yield Problem("/planned", "invalid", _("What is planned is a list of numbers of fixtures."))


def _is_part(part: Any) -> bool:
    if not isinstance(part, Mapping) or part.keys() != {"competition", "round"}:
        return False
    return isinstance(part["competition"], str) and (part["round"] is None or type(part["round"]) is int)
