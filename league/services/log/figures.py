"""The ends of what the log says of games and results, as canonical JSON: what is said only where it is unusual.

``entries.of_game`` and ``of_line`` are their specification; who writes or compares games by the thousand does it here.
"""

from collections.abc import Iterator, Sequence

from league.chain import canonical


def closed(lines: Sequence[str], sides: Sequence[int]) -> Iterator[str]:
    """Return what the log says of results, given all but the end of it; ``sides``: 0 where someone is on none."""
    return (f'{line},"side":{side}}}' if side else f"{line}}}" for line, side in zip(lines, sides, strict=True))


def weighed(weight: float) -> str:
    """Return the end of what the log says of a game: what it weighs, where that is not as usual."""
    return "" if weight == 1.0 else f',"weight":{canonical(weight)}'
