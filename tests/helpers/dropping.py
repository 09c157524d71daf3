"""Dropping one more file into the folder of the systems, in tests alone: the registry finds it by its own looking."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratings import systems
from ratings.contract.system import RatingSystem
from ratings.registry import load_systems

FOLDER = Path(__file__).parents[1] / "dropped"


@contextmanager
def dropped_in() -> Iterator[dict[str, type[RatingSystem]]]:
    """Let the registry look in the folder of the tests, too; yields what it finds."""
    systems.__path__.append(str(FOLDER))
    load_systems.cache_clear()
    try:
        yield load_systems()
    finally:
        systems.__path__.remove(str(FOLDER))
        load_systems.cache_clear()


def every_system_there_is() -> list[type[RatingSystem]]:
    """Return the systems of the folder, and those of the tests."""
    with dropped_in() as found:
        return list(found.values())
