"""The Django app of the rating systems and ladders' methods: checks and forms, a thin crust over the sums."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import get_language, gettext, ngettext

from ratings.checks import check_methods, check_systems
from ratings.texts import ENGLISH, LanguageReader, Marks, install

#: How all languages but English write numbers here, as the pages do.
WITH_COMMA = Marks(",", "\N{NARROW NO-BREAK SPACE}")


class RatingsConfig(AppConfig):
    """Does the sums."""

    name = "ratings"

    def ready(self) -> None:
        """Have ``manage.py check`` look at every system and method, and their texts be in the language of who reads."""
        register(check_systems)
        register(check_methods)
        install(LanguageReader(gettext, ngettext, marks))


def marks() -> Marks:
    """Return how numbers are written in the language of who reads."""
    return ENGLISH if (get_language() or "en").startswith("en") else WITH_COMMA
