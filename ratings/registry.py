"""Discovers rating systems, ladder methods and pairing formats in their folders; there is no manual registration."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType
from typing import TypeVar

from ratings import ladder_methods, pairing_formats, systems
from ratings.contract.method import Method
from ratings.contract.pairing_format import PairingFormat
from ratings.contract.system import RatingSystem
from ratings.texts import say

S = TypeVar("S", RatingSystem, Method, PairingFormat)


class UnknownSystem(LookupError):
    """There is no rating system with that key."""


class UnknownMethod(LookupError):
    """There is no ladder method with that key."""


class UnknownFormat(LookupError):
    """There is no pairing format with that key."""


class TakenKey(RuntimeError):
    """Two rating systems, methods or formats have the same key."""


@cache
def load_systems() -> dict[str, type[RatingSystem]]:
    """Return key -> rating system, ordered by key; raises TakenKey if two have the same key."""
    return _find_declared_classes(systems, RatingSystem, "rating systems")  # type: ignore[type-abstract]  # subclasses are concrete


@cache
def load_methods() -> dict[str, type[Method]]:
    """Return key -> ladder method, ordered by key; raises TakenKey if two have the same key."""
    return _find_declared_classes(ladder_methods, Method, "ladder methods")  # type: ignore[type-abstract]  # as above


@cache
def load_pairing_formats() -> dict[str, type[PairingFormat]]:
    """Return key -> pairing format, ordered by key; raises TakenKey if two have the same key."""
    return _find_declared_classes(pairing_formats, PairingFormat, "pairing formats")  # type: ignore[type-abstract]  # as above


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


def get_pairing_format(key: str) -> type[PairingFormat]:
    """Return the pairing format with that key; raises UnknownFormat with a message."""
    try:
        return load_pairing_formats()[key]
    except KeyError:
        keys = ", ".join(load_pairing_formats())
        message = say("There is no pairing format “{key}”; the formats are: {known}.", key=key, known=keys)
        raise UnknownFormat(message) from None
