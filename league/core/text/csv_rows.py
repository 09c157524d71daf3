"""Rows as CSV for spreadsheets: numbers keep all digits, and cells that look like formulas are quoted."""

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
    """Return rows with a header of their columns; ``columns``: the header if there are no rows."""
    flat = [cells(row, {}) for row in rows]
    found: dict[str, Any] = {}
    for row in flat:
        found.update(row)
    names = list(found) or list(columns)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([cell(name) for name in names])
    # Fast path for rows with a cell in every column, which is usual.
    pick = itemgetter(*names) if len(names) > 1 else None
    writer.writerows(
        pick(row) if pick is not None and len(row) == len(names) else [row.get(name, "") for name in names]
        for row in flat
    )
    return text.getvalue()


def cells(row: Mapping[str, Any], found: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Add the cells of a row by name, and return them; names of nested values are joined with a point."""
    for name, value in row.items():
        kind = type(value)
        if kind is float or kind is int:  # the CSV writer keeps all their digits
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
    """Return a day or time in ISO 8601; raises TypeError for anything else."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no day.")


def json_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows like a list of the API."""
    return json.dumps({"results": list(rows)}, ensure_ascii=False, allow_nan=False, default=format_time)
