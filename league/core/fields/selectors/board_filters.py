"""Filters of a board by club, country and year of birth: fields of players that a league declares under these keys."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from league.core.fields.selectors.fields import Of, ValueFilter, parse_filter
from league.models import DeclaredField

Type = DeclaredField.Type
#: Parameter -> the key of the field of players, and its possible types.
KEYS: Mapping[str, tuple[str, tuple[Type, ...]]] = {
    "club": ("club", (Type.CHOICE, Type.TEXT)),
    "country": ("country", (Type.CHOICE, Type.TEXT)),
    "born_from": ("born", (Type.NUMBER, Type.DATE)),
    "born_to": ("born", (Type.NUMBER, Type.DATE)),
}
#: Years have four digits, so that their texts have the order of the numbers.
MIN_YEAR, MAX_YEAR = 1000, 9998


def build_board_parsers(fields: Sequence[DeclaredField]) -> dict[str, Callable[[str], Any]]:
    """Return the parsers of these parameters; ``fields``: those that the viewer may read, so that no other is found.

    Their ValueErrors complete the sentence "… must be".
    """
    mine = {declared.key: declared for declared in fields if declared.of == Of.PLAYER}
    return {name: partial(_parse, mine.get(key), key, types) for name, (key, types) in KEYS.items()}


def _parse(declared: DeclaredField | None, key: str, types: Sequence[Type], text: str) -> Any:
    if declared is None:
        raise ValueError(f"left out: the league declares no field “{key}” of players that you may read")
    if declared.type not in types:
        raise ValueError(f"left out: the field “{key}” has the type {declared.type}, not {' or '.join(types)}")
    if Type.NUMBER not in types:
        return parse_filter(declared, text)
    if not (text.isascii() and text.isdigit() and MIN_YEAR <= int(text[:5]) <= MAX_YEAR):
        raise ValueError(f"a year from {MIN_YEAR} to {MAX_YEAR}")
    year = int(text)
    return ValueFilter(declared, lowest=str(year), below=str(year + 1))


def list_board_filters(query: Mapping[str, Any]) -> list[ValueFilter]:
    """Return the filters of a parsed query by club, country and year of birth."""
    filters = [query[name] for name in ("club", "country") if name in query]
    born: list[ValueFilter] = [query[name] for name in ("born_from", "born_to") if name in query]
    if born:
        lowest = born[0].lowest if "born_from" in query else str(MIN_YEAR)
        below = born[-1].below if "born_to" in query else str(MAX_YEAR + 1)
        filters.append(replace(born[0], lowest=lowest, below=below))
    return filters
