"""The filter of a context: which games count, by values of declared fields, number of sides, and their sizes.

A filter is an object: ``field.mode`` lists values of a field, one of which the game or one of its seats has; ``sides``
is a number of sides, or lists several; ``sizes`` lists the sizes of all sides, in any order, or has one number for
every side. All conditions hold. Players without partners are a side each.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Problem, build_pointer
from league.core.fields.values import StoredValues, find_fault, format_index_text
from league.models import DeclaredField, Game
from league.models.facts import MAX_SEATS
from league.models.recorded import DECLARED

PREFIX = "field."
SIDES, SIZES = "sides", "sizes"
Filter = dict[str, Any]


def normalize_filter(sent: Mapping[str, Any]) -> Filter:
    """Return a filter as it is stored: values of a field as a list, numbers as sent, lists of them sorted."""
    filters: Filter = {}
    for name, value in sorted(sent.items()):
        if name not in (SIDES, SIZES):
            filters[name] = list(dict.fromkeys(list_wanted(value)))
        elif isinstance(value, list):
            filters[name] = sorted(set(value) if name == SIDES else value)
        else:
            filters[name] = value
    return filters


def list_wanted(value: Any) -> list[Any]:
    """Return the values of a condition, which may be a single one."""
    return list(value) if isinstance(value, list) else [value]


def find_filter_problems(sent: Mapping[str, Any], fields: Sequence[DeclaredField]) -> list[Problem]:
    """Return what is wrong with a filter; ``fields``: those of the league."""
    known = {f"{PREFIX}{declared.key}": declared for declared in fields if declared.of != DeclaredField.Of.PLAYER}
    problems = []
    for name, value in sent.items():
        if name in (SIDES, SIZES):
            problem = _find_number_problem(name, value)
        else:
            problem = _find_value_problem(known.get(name), name, value)
        if problem is not None:
            code, message = problem
            problems.append(Problem(build_pointer("filter", name), code, message))
    return problems


def _find_number_problem(name: str, value: Any) -> tuple[str, str] | None:
    numbers = list_wanted(value)
    if numbers and all(type(number) is int and 1 <= number <= MAX_SEATS for number in numbers):
        return None
    template = _("{name} must be a whole number from 1 to {limit}, or a list of such numbers.")
    return "not_whole", template.format(name=name, limit=MAX_SEATS)


def _find_value_problem(declared: DeclaredField | None, name: str, value: Any) -> tuple[str, str] | None:
    if declared is None:
        template = _("The league declares no such field of games or seats: “{field}”.")
        return "undeclared_field", template.format(field=name[: len(PREFIX) + 40])
    if declared.is_withheld:
        template = _("The field “{field}” cannot choose games, because it is a text or not everyone may read it.")
        return "withheld_field", template.format(field=declared.key)
    values = list_wanted(value)
    if not values:
        return "empty", _("The list is empty; name at least one value.")
    return next((fault for item in values if (fault := find_fault(declared, item)) is not None), None)


def matches_sides(filters: Mapping[str, Any], sizes: Sequence[int]) -> bool:
    """Return whether the sizes of a game's sides are those of a filter."""
    if SIDES in filters and len(sizes) not in list_wanted(filters[SIDES]):
        return False
    wanted = filters.get(SIZES)
    if wanted is None:
        return True
    return sorted(sizes) == wanted if isinstance(wanted, list) else set(sizes) == {wanted}


def count_sizes(sides: Sequence[int | None]) -> list[int]:
    """Return the sizes of the sides of a game; a player without a side is alone."""
    return [*Counter(side for side in sides if side is not None).values(), *([1] * sides.count(None))]


def matches_game(filters: Mapping[str, Any], game: Game, sides: Sequence[int | None]) -> bool:
    """Return whether a game with these sides, in seat order, counts for a filter."""
    if not matches_sides(filters, count_sizes(sides)):
        return False
    stored = StoredValues.read(game.details.get(DECLARED))
    for name, wanted in filters.items():
        if name.startswith(PREFIX):
            key = name.removeprefix(PREFIX)
            texts = set(map(format_index_text, wanted))
            if not any(format_index_text(part[key]) in texts for part in (stored.game, *stored.seats) if key in part):
                return False
    return True
