"""How many divisions and levels a season has, and how large they are (``R160``)."""

import math
from fractions import Fraction

from ratings.seasons.rules import DivisionRule


def count_divisions(rule: DivisionRule, players: int, before: int | None = None) -> int:
    """Return the number of divisions for so many players; ``before``: that of the last season, if there was one."""
    target = Fraction(int(rule.target_size))
    if before is None:
        count = math.floor(Fraction(players) / target + Fraction(1, 2))
    else:
        count = before
        while players >= (count + 1) * target:
            count += 1
        while count > 1 and players <= (count - 1) * target + target / 2:
            count -= 1
    return max(1, min(count, players // int(rule.smallest)))


def list_levels(rule: DivisionRule, count: int) -> list[int]:
    """Return the number of divisions of each level, from the first down; only the last has fewer than usual."""
    levels, rest = [1], count - 1
    while rest > 0:
        levels.append(min(rest, int(rule.parallel)))
        rest -= levels[-1]
    return levels


def list_sizes(players: int, count: int) -> list[int]:
    """Return the sizes of divisions, from the first down: lower ones get the surplus."""
    size, surplus = divmod(players, count)
    return [size] * (count - surplus) + [size + 1] * surplus
