"""Rows as CSV: what a spreadsheet opens. Numbers keep every digit; cells that it would run as formulas are quoted."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from io import StringIO
from typing import Any

from league.chain import instant
from league.spreadsheets import cell


def csv_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return rows below their columns; where there are none, below these ones."""
    flat = [dict(cells(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row)) or list(columns)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([cell(name) for name in names])
    writer.writerows([row.get(name, "") for name in names] for row in flat)
    return text.getvalue()


def cells(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield name and cell of everything in a row; what stands inside something else is named with a point."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from cells(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", written(value)


def written(value: Any) -> Any:
    """Return a value as a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, date):
        return said(value)
    return cell(value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False))


def said(value: Any) -> str:
    """Return a day or a moment as machines read it; raises TypeError for anything else."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no day.")


def json_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as the API gives a list."""
    return json.dumps({"results": list(rows)}, ensure_ascii=False, allow_nan=False, default=said)
