"""Machines' formats while German is read, see ``league.formats``."""

from league.formats.machine import (
    DATE_INPUT_FORMATS,
    DATETIME_INPUT_FORMATS,
    DECIMAL_SEPARATOR,
    NUMBER_GROUPING,
    THOUSAND_SEPARATOR,
    TIME_INPUT_FORMATS,
)

__all__ = [
    "DATETIME_INPUT_FORMATS",
    "DATE_INPUT_FORMATS",
    "DECIMAL_SEPARATOR",
    "NUMBER_GROUPING",
    "THOUSAND_SEPARATOR",
    "TIME_INPUT_FORMATS",
]
