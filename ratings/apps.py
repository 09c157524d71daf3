"""The Django app of the rating systems and ladder methods: checks, forms and translation."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import get_language, gettext, ngettext

from ratings.checks import check_methods, check_systems
from ratings.texts import ENGLISH, LanguageReader, Marks, install

#: The marks of numbers in all languages except English.
WITH_COMMA = Marks(",", "\N{NARROW NO-BREAK SPACE}")


class RatingsConfig(AppConfig):
    """Registers the checks and the translation of texts."""

    name = "ratings"

    def ready(self) -> None:
        """Register the checks and install Django's translations."""
        register(check_systems)
        register(check_methods)
        install(LanguageReader(gettext, ngettext, get_number_marks))


def get_number_marks() -> Marks:
    """Return the marks of numbers in the current language."""
    return ENGLISH if (get_language() or "en").startswith("en") else WITH_COMMA
