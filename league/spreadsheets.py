"""Cells that a spreadsheet would run as formulas, quoted on the way out and read back on the way in.

A spreadsheet runs what begins with one of ``= + - @``, also behind a tab or a line's end; a leading apostrophe
makes it a text. Numbers are no formulas and stay numbers. A text that begins with apostrophes before such a sign
gets one more, so that reading takes off exactly what writing put on.
"""

import re
from typing import Any

#: What is run; the wide forms are read like the narrow ones.
RUN = "=+\\-@\t\r\n＝＋－＠"
FORMULA = re.compile(f"'*[{RUN}]")
QUOTED = re.compile(f"'+[{RUN}]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell(value: Any) -> Any:
    """Return what a cell of a CSV file holds: a text that a spreadsheet would run is quoted."""
    if isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def plain(text: str) -> str:
    """Return the text of a cell as it was before it was quoted."""
    return text[1:] if text[:1] == "'" and QUOTED.match(text) else text
