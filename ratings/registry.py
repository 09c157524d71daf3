"""Finds the rating systems and the ladders' methods by looking in their folders; nothing is registered by hand."""

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
    """There is no rating system of that key."""


class UnknownMethod(LookupError):
    """There is no ladder method of that key."""


class TakenKey(RuntimeError):
    """Two files claim the same key for their rating systems or methods."""


@cache
def all_systems() -> dict[str, type[RatingSystem]]:
    """Return key -> rating system, ordered by key; raises TakenKey where two files claim one key."""
    found: dict[str, type[RatingSystem]] = {}
    for module_info in pkgutil.iter_modules(systems.__path__):
        module = importlib.import_module(f"{systems.__name__}.{module_info.name}")
        for system in systems_in(module):
            claim(found, system, "rating systems")
    return dict(sorted(found.items()))


@cache
def all_methods() -> dict[str, type[Method]]:
    """Return key -> ladder method, ordered by key; raises TakenKey where two files claim one key."""
    found: dict[str, type[Method]] = {}
    for module_info in pkgutil.iter_modules(ladder_methods.__path__):
        module = importlib.import_module(f"{ladder_methods.__name__}.{module_info.name}")
        for method in defined_in(module, Method):  # type: ignore[type-abstract]  # found ones are whole
            claim(found, method, "ladder methods")
    return dict(sorted(found.items()))


def claim(found: dict[str, type[S]], one: type[S], what: str) -> None:
    """Put a system or method under its key; raises TakenKey where another one has it."""
    other = found.setdefault(one.key, one)
    if other is not one:
        sentence = f"The {what} of {other.__module__} and {one.__module__} both claim the key"
        raise TakenKey(f"{sentence} “{one.key}”; give one of them another.")


def systems_in(module: ModuleType) -> list[type[RatingSystem]]:
    """Return the rating systems that a module defines (not those that it imports)."""
    return defined_in(module, RatingSystem)  # type: ignore[type-abstract]  # as above


def defined_in(module: ModuleType, base: type[S]) -> list[type[S]]:
    """Return the subclasses of a base that a module defines (not those that it imports)."""
    return [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__
    ]


def get_system(key: str) -> type[RatingSystem]:
    """Return the rating system of that key; raises UnknownSystem with a sentence."""
    try:
        return all_systems()[key]
    except KeyError:
        known = ", ".join(all_systems())
        sentence = say("There is no rating system “{key}”; there are: {known}.", key=key, known=known)
        raise UnknownSystem(sentence) from None


def get_method(key: str) -> type[Method]:
    """Return the ladder method of that key; raises UnknownMethod with a sentence."""
    try:
        return all_methods()[key]
    except KeyError:
        known = ", ".join(all_methods())
        sentence = say("There is no ladder method “{key}”; there are: {known}.", key=key, known=known)
        raise UnknownMethod(sentence) from None
