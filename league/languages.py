"""The languages in which notices of leagues are written."""

from django.conf import settings


def languages() -> list[tuple[str, str]]:
    """Return each with its own name; asked when it is needed, so that another one is no migration."""
    return list(settings.LANGUAGES)
