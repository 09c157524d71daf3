"""How far a long piece of work is: what it tells as it goes on, to whoever wants to know."""

from collections.abc import Callable

#: Called with what is being done, how many steps are done and how many there are (0: not known).
Progress = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """Tell nobody."""
