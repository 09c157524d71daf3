"""Texts in the reader's language, also for rooms that know no framework: what is in the catalogues, no more."""

from django.utils.translation import get_language, gettext, gettext_noop, ngettext

__all__ = ["gettext", "gettext_noop", "ngettext", "with_thousands_separator"]


def with_thousands_separator(count: int) -> str:
    """Write how many there are: 2,000 in English; elsewhere as figures are, with thin gaps from 10,000."""
    text = f"{count:,}"
    if (get_language() or "en").startswith("en"):
        return text
    return text.replace(",", "\u202f" if abs(count) >= 10_000 else "")
