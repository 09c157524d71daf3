"""Counts in sentences: with commas in English, as figures are in other languages."""

import pytest
from django.utils import translation

from league.core.text.wording import format_with_separators


@pytest.mark.parametrize(
    ("language", "count", "written"),
    [
        ("en", 7, "7"),
        ("en", 2000, "2,000"),
        ("en", 500_000_000, "500,000,000"),
        (None, 2000, "2,000"),
        ("de", 2000, "2000"),
        ("de", 20_000, "20\u202f000"),
    ],
)
def test_counts_are_written_as_the_reader_writes_them(language: str | None, count: int, written: str) -> None:
    with translation.override(language):
        assert format_with_separators(count) == written
