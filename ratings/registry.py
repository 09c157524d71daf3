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
def load_systems() -> dict[str, type[RatingSystem]]:
    """Return key -> rating system, ordered by key; raises TakenKey if two have the same key."""
    return _find_declared_classes(systems, RatingSystem, "rating systems")  # type: ignore[type-abstract]  # subclasses are concrete


@cache
def load_methods() -> dict[str, type[Method]]:
    """Return key -> ladder method, ordered by key; raises TakenKey if two have the same key."""
    return _find_declared_classes(ladder_methods, Method, "ladder methods")  # type: ignore[type-abstract]  # as above


def _find_declared_classes(folder: ModuleType, base: type[S], kind: str) -> dict[str, type[S]]:
    """Return the subclasses of a base that the modules of a folder define (not import), by key."""
    classes: dict[str, type[S]] = {}
    for module_info in pkgutil.iter_modules(folder.__path__):
        module = importlib.import_module(f"{folder.__name__}.{module_info.name}")
        for candidate in vars(module).values():
            if not (
                isinstance(candidate, type) and issubclass(candidate, base) and candidate.__module__ == module.__name__
            ):
                continue
            other = classes.setdefault(candidate.key, candidate)
            if other is not candidate:
                message = f"The {kind} of {other.__module__} and {candidate.__module__} both claim the key"
                raise TakenKey(f"{message} “{candidate.key}”; give one of them another.")
    return dict(sorted(classes.items()))


def get_system(key: str) -> type[RatingSystem]:
    """Return the rating system with that key; raises UnknownSystem with a message."""
    try:
        return load_systems()[key]
    except KeyError:
        keys = ", ".join(load_systems())
        message = say("There is no rating system “{key}”; the systems are: {known}.", key=key, known=keys)
        raise UnknownSystem(message) from None


def get_method(key: str) -> type[Method]:
    """Return the ladder method with that key; raises UnknownMethod with a message."""
    try:
        return load_methods()[key]
    except KeyError:
        keys = ", ".join(load_methods())
        message = say("There is no ladder method “{key}”; the methods are: {known}.", key=key, known=keys)
        raise UnknownMethod(message) from None
