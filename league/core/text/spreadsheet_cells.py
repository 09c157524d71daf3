"""Quotes cells that a spreadsheet would run as formulas, and reads them back.

A spreadsheet runs cells that begin with ``= + - @``, also after a tab or line break; a leading apostrophe makes them
text. In locales with a decimal comma a spreadsheet splits lines at semicolons and ignores quotation marks within a
part, so text after a semicolon or line break is quoted too. Numbers are not formulas and stay numbers. If there are
already apostrophes before such a character, one more is added, so that reading removes exactly what writing added.
"""

import re
from typing import Any

#: Characters that start a formula; full-width forms count too.
RUN = "=+\\-@\t\r\n＝＋－＠"
FORMULA = re.compile(f"(^|[;\n])(?='*[{RUN}])")
QUOTED = re.compile(f"(^|[;\n])'(?='*[{RUN}])")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def quote_cell(value: Any) -> Any:
    """Return the value of a CSV cell, with text that looks like a formula quoted."""
    if isinstance(value, str) and FORMULA.search(value) and not NUMBER.fullmatch(value):
        return FORMULA.sub(r"\1'", value)
    return value


def unquote_cell(text: str) -> str:
    """Return the original text of a quoted cell."""
    return QUOTED.sub(r"\1", text) if "'" in text else text
