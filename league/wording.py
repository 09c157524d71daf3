"""Texts in the reader's language, also for rooms that know no framework: what stands in the catalogues, no more."""

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop, ngettext

__all__ = ["gettext", "gettext_noop", "grouped", "ngettext"]


def grouped(count: int) -> str:
    """Write how many there are: 2,000 in English."""
    return number_format(count, force_grouping=True)
