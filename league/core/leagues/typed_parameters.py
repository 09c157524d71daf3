"""Parameters of a rating system as someone types them: "k = 40, scale = 400"."""

import math
import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from ratings.contract.parameters import WordParameter, is_number
from ratings.registry import get_system, load_systems
from ratings.texts import localize_number

#: A parameter as it is typed, up to the next one.
ASSIGNMENT = re.compile(r"(?P<name>\w+)\s*=\s*(?P<value>[^\s=;]+?)(?=[\s,;]*(?:\w+\s*=|$))")


def read_parameters(system: str, text: str) -> dict[str, Any]:
    """Return parameters of a system as someone typed them: "k=40, scale=400"; numbers may have a decimal comma.

    Raises ValueError with a message for what is none.
    """
    declared = load_systems().get(system)
    kinds = declared.parameters() if declared else {}
    # A word may look like a number: the Preferans rounds on the way to 3 decimals, or "none".
    word_parameters = {name for name, kind in kinds.items() if isinstance(kind, WordParameter)}
    typed = [(match["name"], match["value"]) for match in ASSIGNMENT.finditer(text)]
    parameters = {name: value if name in word_parameters else _read_value(value) for name, value in typed}
    if ASSIGNMENT.sub("", text).strip(" ,;\n\r\t"):
        raise ValueError(
            _("“{text}” contains no parameters: write them like k = 40, scale = 400.").format(text=text[:80])
        )
    return parameters


def format_parameters(system: str, parameters: Mapping[str, Any]) -> str:
    """Return the parameters that are not as declared as someone would type them."""
    defaults = get_system(system).defaults()
    non_defaults = [(name, value) for name, value in parameters.items() if value != defaults.get(name)]
    return ", ".join(
        f"{name} = {localize_number(str(value)) if is_number(value) else value}" for name, value in non_defaults
    )


def _read_value(text: str) -> float | str:
    """Return a value as it was typed: a number, else a word."""
    try:
        number = float(text.replace(",", ".").replace("−", "-"))
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return int(number) if number == int(number) else number
