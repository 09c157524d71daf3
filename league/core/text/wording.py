"""Texts in the reader's language, also for packages that do not import Django: only what the catalogues hold."""

from django.utils.translation import get_language, gettext, gettext_noop, ngettext

__all__ = ["gettext", "gettext_noop", "ngettext", "with_thousands_separator"]


def with_thousands_separator(count: int) -> str:
    """Format a count: 2,000 in English; elsewhere with thin spaces from 10,000 on, like other figures."""
    text = f"{count:,}"
    if (get_language() or "en").startswith("en"):
        return text
    return text.replace(",", "\u202f" if abs(count) >= 10_000 else "")
