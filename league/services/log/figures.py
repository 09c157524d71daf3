"""The ends of what the log says of games and results, as canonical JSON: what is said only where it is unusual.

``entries.of_game`` and ``of_line`` are their specification; who writes or compares games by the thousand does it here.
"""

from league.chain import canonical


def sided(line: str, side: int) -> str:
    """Return what the log says of a result, given what it says of one without a side."""
    return f'{line[:-1]},"side":{side}}}'


def weighed(weight: float) -> str:
    """Return the end of what the log says of a game: what it weighs, where that is not as usual."""
    return "" if weight == 1.0 else f',"weight":{canonical(weight)}'
