"""Output of tables and JSON."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any


def format_json(value: Any) -> str:
    """Return a value as JSON; times and dates as in ISO 8601."""
    return json.dumps(value, default=_format_time, ensure_ascii=False, indent=1)


def _format_time(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    raise TypeError(f"{value!r} has no form in JSON.")


def format_table(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as lines with aligned columns."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in texts)
    return "\n".join(line.rstrip() for line in lines)
