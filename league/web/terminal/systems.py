"""Rating systems as arguments of commands."""

from typing import Any

from django.core.management.base import CommandError

from league.core.leagues.typed_parameters import read_parameters


def read_system(text: str) -> dict[str, Any]:
    """Read a system with parameters, such as "elo" or "elo: k = 40"."""
    key, _, parameters = text.partition(":")
    try:
        return {"system": key.strip(), "parameters": read_parameters(key.strip(), parameters)}
    except ValueError as error:
        raise CommandError(str(error)) from None
