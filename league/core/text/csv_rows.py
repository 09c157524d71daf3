"""Rows as CSV: what a spreadsheet opens. Numbers keep every digit; cells that it would run as formulas are quoted."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from io import StringIO
from operator import itemgetter
from typing import Any

from league.core.log.chain import instant
from league.core.text.spreadsheet_cells import cell


def csv_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return rows below their columns; if there are none, below these ones."""
    flat = [cells(row, {}) for row in rows]
    found: dict[str, Any] = {}
    for row in flat:
        found.update(row)
    names = list(found) or list(columns)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([cell(name) for name in names])
    # Which has a cell in every column is picked at once: as a rule all rows have.
    pick = itemgetter(*names) if len(names) > 1 else None
    writer.writerows(
        pick(row) if pick is not None and len(row) == len(names) else [row.get(name, "") for name in names]
        for row in flat
    )
    return text.getvalue()


def cells(row: Mapping[str, Any], found: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Add name and cell of everything in a row, and return them; what stands inside something else has a point."""
    for name, value in row.items():
        kind = type(value)
        if kind is float or kind is int:  # the writer of CSV gives every digit of them
            found[before + name] = value
        elif kind is str:
            found[before + name] = cell(value)
        elif isinstance(value, Mapping):
            cells(value, found, f"{before}{name}.")
        else:
            found[before + name] = format_cell(value)
    return found


def format_cell(value: Any) -> Any:
    """Return a value as a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, date):
        return format_time(value)
    return cell(value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False))


def format_time(value: Any) -> str:
    """Return a day or a moment as machines read it; raises TypeError for anything else."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no day.")


def json_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as the API gives a list."""
    return json.dumps({"results": list(rows)}, ensure_ascii=False, allow_nan=False, default=format_time)
