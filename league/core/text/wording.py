"""Translation functions, also for packages that do not import Django."""

from django.utils.translation import get_language, gettext, gettext_noop, ngettext

__all__ = ["format_with_separators", "gettext", "gettext_noop", "ngettext"]


def format_with_separators(count: int) -> str:
    """Format a count: 2,000 in English; in other languages with thin spaces from 10,000, like other figures."""
    text = f"{count:,}"
    if (get_language() or "en").startswith("en"):
        return text
    return text.replace(",", "\u202f" if abs(count) >= 10_000 else "")
