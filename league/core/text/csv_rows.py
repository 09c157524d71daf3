"""Rows as CSV for spreadsheets: numbers keep all digits, and cells that look like formulas are quoted."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from io import StringIO
from operator import itemgetter
from typing import Any

from league.core.text.instants import format_instant
from league.core.text.spreadsheet_cells import quote_cell


def render_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return rows with a header of their columns; ``columns``: the header if there are no rows."""
    flat = [fill_cells(row, {}) for row in rows]
    cells_by_name: dict[str, Any] = {}
    for row in flat:
        cells_by_name.update(row)
    names = list(cells_by_name) or list(columns)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([quote_cell(name) for name in names])
    # Fast path for rows with a cell in every column, which is usual.
    pick = itemgetter(*names) if len(names) > 1 else None
    writer.writerows(
        pick(row) if pick is not None and len(row) == len(names) else [row.get(name, "") for name in names]
        for row in flat
    )
    return text.getvalue()


def fill_cells(row: Mapping[str, Any], result: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Add the cells of a row by name, and return them; names of nested values are joined with a point."""
    for name, value in row.items():
        kind = type(value)
        if kind is float or kind is int:  # the CSV writer keeps all their digits
            result[prefix + name] = value
        elif kind is str:
            result[prefix + name] = quote_cell(value)
        elif isinstance(value, Mapping):
            fill_cells(value, result, f"{prefix}{name}.")
        else:
            result[prefix + name] = format_cell(value)
    return result


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
    return quote_cell(value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False))


def format_time(value: Any) -> str:
    """Return a day or time in ISO 8601; raises TypeError for anything else."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no day.")


def render_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows like a list of the API."""
    return json.dumps({"results": list(rows)}, ensure_ascii=False, allow_nan=False, default=format_time)
