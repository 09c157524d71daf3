"""What cases of tests are called."""

from typing import Any


def named(thing: Any) -> str:
    """Return the name of a case: a system's or a method's key, an example's title."""
    return str(getattr(thing, "key", None) or getattr(thing, "title", ""))
