"""Finds the rating systems by looking in their folder; nothing is registered by hand."""

import importlib
import pkgutil
from functools import cache

from ratings import systems
from ratings.system import RatingSystem


class UnknownSystem(LookupError):
    """There is no rating system of that key."""


@cache
def all_systems() -> dict[str, type[RatingSystem]]:
    """Return key -> rating system, ordered by key."""
    found: dict[str, type[RatingSystem]] = {}
    for module_info in pkgutil.iter_modules(systems.__path__):
        module = importlib.import_module(f"{systems.__name__}.{module_info.name}")
        for thing in vars(module).values():
            if isinstance(thing, type) and issubclass(thing, RatingSystem) and thing.__module__ == module.__name__:
                found[thing.key] = thing
    return dict(sorted(found.items()))


def get_system(key: str) -> type[RatingSystem]:
    """Return the rating system of that key; raises UnknownSystem with a sentence."""
    try:
        return all_systems()[key]
    except KeyError:
        known = ", ".join(all_systems())
        raise UnknownSystem(f"There is no rating system “{key}”; there are: {known}.") from None
