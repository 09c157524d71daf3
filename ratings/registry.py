"""Finds the rating systems by looking in their folder; nothing is registered by hand."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from ratings import systems
from ratings.system import RatingSystem


class UnknownSystem(LookupError):
    """There is no rating system of that key."""


class TakenKey(RuntimeError):
    """Two files claim the same key for their rating systems."""


@cache
def all_systems() -> dict[str, type[RatingSystem]]:
    """Return key -> rating system, ordered by key; raises TakenKey where two files claim one key."""
    found: dict[str, type[RatingSystem]] = {}
    for module_info in pkgutil.iter_modules(systems.__path__):
        module = importlib.import_module(f"{systems.__name__}.{module_info.name}")
        for system in systems_in(module):
            other = found.setdefault(system.key, system)
            if other is not system:
                sentence = f"The rating systems of {other.__module__} and {module.__name__} both claim the key"
                raise TakenKey(f"{sentence} “{system.key}”; give one of them another.")
    return dict(sorted(found.items()))


def systems_in(module: ModuleType) -> list[type[RatingSystem]]:
    """Return the rating systems that a module defines (not those that it imports)."""
    return [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, RatingSystem) and thing.__module__ == module.__name__
    ]


def get_system(key: str) -> type[RatingSystem]:
    """Return the rating system of that key; raises UnknownSystem with a sentence."""
    try:
        return all_systems()[key]
    except KeyError:
        known = ", ".join(all_systems())
        raise UnknownSystem(f"There is no rating system “{key}”; there are: {known}.") from None
