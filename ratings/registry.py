"""Discovers the rating systems and ladder methods in their folders; there is no manual registration."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import TypeVar

from ratings import ladder_methods, systems
from ratings.contract.method import Method
from ratings.contract.system import RatingSystem
from ratings.texts import say

S = TypeVar("S", RatingSystem, Method)


class UnknownSystem(LookupError):
    """There is no rating system with that key."""


class UnknownMethod(LookupError):
    """There is no ladder method with that key."""


class TakenKey(RuntimeError):
    """Two rating systems or methods have the same key."""


@cache
def all_systems() -> dict[str, type[RatingSystem]]:
    """Return key -> rating system, ordered by key; raises TakenKey if two have the same key."""
    return declared_in(systems, RatingSystem, "rating systems")  # type: ignore[type-abstract]  # subclasses are concrete


@cache
def all_methods() -> dict[str, type[Method]]:
    """Return key -> ladder method, ordered by key; raises TakenKey if two have the same key."""
    return declared_in(ladder_methods, Method, "ladder methods")  # type: ignore[type-abstract]  # as above


def declared_in(folder: ModuleType, base: type[S], what: str) -> dict[str, type[S]]:
    """Return the subclasses of a base that the modules of a folder define (not import), by key."""
    found: dict[str, type[S]] = {}
    for module_info in pkgutil.iter_modules(folder.__path__):
        module = importlib.import_module(f"{folder.__name__}.{module_info.name}")
        for one in vars(module).values():
            if not (isinstance(one, type) and issubclass(one, base) and one.__module__ == module.__name__):
                continue
            other = found.setdefault(one.key, one)
            if other is not one:
                sentence = f"The {what} of {other.__module__} and {one.__module__} both claim the key"
                raise TakenKey(f"{sentence} “{one.key}”; give one of them another.")
    return dict(sorted(found.items()))


def get_system(key: str) -> type[RatingSystem]:
    """Return the rating system with that key; raises UnknownSystem with a message."""
    try:
        return all_systems()[key]
    except KeyError:
        known = ", ".join(all_systems())
        sentence = say("There is no rating system “{key}”; the systems are: {known}.", key=key, known=known)
        raise UnknownSystem(sentence) from None


def get_method(key: str) -> type[Method]:
    """Return the ladder method with that key; raises UnknownMethod with a message."""
    try:
        return all_methods()[key]
    except KeyError:
        known = ", ".join(all_methods())
        sentence = say("There is no ladder method “{key}”; the methods are: {known}.", key=key, known=known)
        raise UnknownMethod(sentence) from None
