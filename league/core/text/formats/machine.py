"""The formats that every language has here: those of English as Django has them, without groups of thousands."""

from django.conf.locale.en.formats import (  # type: ignore[import-untyped]  # Django's stubs know no formats
    DATE_INPUT_FORMATS,
    DATETIME_INPUT_FORMATS,
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
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ""
NUMBER_GROUPING = 0
