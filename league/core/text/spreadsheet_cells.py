"""Cells that a spreadsheet would run as formulas, quoted on the way out and read back on the way in.

A spreadsheet runs what begins with one of ``= + - @``, also behind a tab or a line's end; a leading apostrophe
makes it a text. Where decimals are written with a comma, a spreadsheet splits lines at semicolons, and knows no
quotation marks that stand inside of such a part: what follows a semicolon or a line's end in a text is quoted
likewise. Numbers are no formulas and stay numbers. What begins with apostrophes before such a sign gets one more, so
that reading takes off exactly what writing put on.
"""

import re
from typing import Any

#: What is run; the wide forms are read like the narrow ones.
RUN = "=+\\-@\t\r\n＝＋－＠"
FORMULA = re.compile(f"(^|[;\n])(?='*[{RUN}])")
QUOTED = re.compile(f"(^|[;\n])'(?='*[{RUN}])")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell(value: Any) -> Any:
    """Return what a cell of a CSV file holds: a text that a spreadsheet would run is quoted."""
    if isinstance(value, str) and FORMULA.search(value) and not NUMBER.fullmatch(value):
        return FORMULA.sub(r"\1'", value)
    return value


def plain(text: str) -> str:
    """Return the text of a cell as it was before it was quoted."""
    return QUOTED.sub(r"\1", text) if "'" in text else text
