"""The borders between levels: who crosses them, who plays off across them, and what each place leads to.

``R159`` and ``R172`` (``ratings.seasons.rulings``) say how the sources are read.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from ratings.seasons.rules import DivisionRule

Zone: TypeAlias = Literal["champion", "up", "play_off", "stays", "play_down", "down"]


@dataclass(frozen=True)
class FinalPlace:
    """A member's line in the standings of a division. ``played``: games. ``values``: of the tie-breaks, in order.

    ``player``: any text that is unique in the season, such as a handle.
    """

    player: str
    rank: int
    points: Fraction = Fraction(0)
    played: int = 0
    withdrawn: bool = False
    values: tuple[Fraction | None, ...] = ()

    @property
    def points_a_game(self) -> Fraction:
        """The points divided by the games; 0 without games."""
        return self.points / self.played if self.played else Fraction(0)


@dataclass(frozen=True)
class FinalDivision:
    """The standings of a division, best first. ``level`` from 1, the highest; ``letter``: "" if alone in its level."""

    level: int
    letter: str
    places: tuple[FinalPlace, ...]

    @property
    def name(self) -> str:
        """The name that people use: 1, 2A, 2B."""
        return f"{self.level}{self.letter}"


@dataclass(frozen=True)
class PlayOff:
    """Two who play off across a border, by ``FinalPlace.player``; ``winner``: None if it is not decided."""

    upper: str
    lower: str
    winner: str | None = None


def find_moves(rule: DivisionRule, divisions: Iterable[FinalDivision], lot: str) -> dict[str, int]:
    """Return by how many levels each player moves: -1 rises, 1 falls; those who stay are left out.

    ``lot``: a text that nobody chose, which decides between places that nothing else separates; "" before there is one.
    """
    moves: dict[str, int] = {}
    for border in _list_borders(divisions, lot):
        risers = border.list_risers(rule, rule.count_up, lot)
        # Who rises does not fall: those above did not play enough.
        fallers = border.list_fallers(moves, rule.count_down, lot)
        count = min(len(risers), len(fallers))
        moves |= dict.fromkeys(risers[:count], -1) | dict.fromkeys(fallers[:count], 1)
    return moves


def find_play_offs(
    rule: DivisionRule, divisions: Sequence[FinalDivision], moves: Mapping[str, int], lot: str
) -> list[PlayOff]:
    """Return who plays off across each border, from the first level down; ``moves``: of ``find_moves``.

    The best who do not rise meet those who only just do not fall, the best of the first the last of the others.
    """
    number = rule.play_off_number
    taken = {*moves}
    found: list[PlayOff] = []
    for border in _list_borders(divisions, lot) if number else ():
        gone = {place.player for division in border.upper for place in division.places if place.withdrawn}
        rising = {player for player, move in moves.items() if move < 0} | {one.lower for one in found}
        risers = border.list_risers(rule, lambda size: rule.count_up(size) + number, lot)
        fallers = border.list_fallers(rising | (gone - moves.keys()), lambda size: rule.count_down(size) + number, lot)
        lower = [player for player in risers if player not in taken][:number]
        upper = [player for player in fallers if player not in taken][:number]
        found += [PlayOff(*pair) for pair in zip(upper, lower, strict=False)]
        taken |= {player for pair in zip(upper, lower, strict=False) for player in pair}
    return found


def find_zones(rule: DivisionRule, divisions: Sequence[FinalDivision], lot: str) -> dict[str, Zone]:
    """Return what the present place of each player leads to."""
    moves = find_moves(rule, divisions, lot)
    words: dict[str, Zone] = {player: "up" if move < 0 else "down" for player, move in moves.items()}
    for play_off in find_play_offs(rule, divisions, moves, lot):
        words |= {play_off.upper: "play_down", play_off.lower: "play_off"}
    zones: dict[str, Zone] = {}
    for division in divisions:
        for place in division.places:
            champion = division.level == 1 and place.rank == 1 and not place.withdrawn
            zones[place.player] = "champion" if champion else words.get(place.player, "stays")
    return zones


@dataclass(frozen=True)
class _Border:
    """The divisions above and below a border; whether both rise and fall from those above, and from those below."""

    upper: Sequence[FinalDivision]
    lower: Sequence[FinalDivision]
    both_above: bool
    both_below: bool

    def list_risers(self, rule: DivisionRule, count: Callable[[int], int], lot: str) -> list[str]:
        """Return who may rise, the best first; ``count``: how many of a division of some size."""
        candidates = [
            (_list_risers(rule, one), _limit(count(len(one.places)), one, both=self.both_below)) for one in self.lower
        ]
        return _order_borders(candidates, lot)

    def list_fallers(self, others: Collection[str], count: Callable[[int], int], lot: str) -> list[str]:
        """Return who may fall, the last first; ``others``: who does not."""
        candidates = [
            (_list_fallers(one, others), _limit(count(len(one.places)), one, both=self.both_above))
            for one in self.upper
        ]
        return _order_borders(candidates, lot, worst=True)


def _list_borders(divisions: Iterable[FinalDivision], lot: str) -> Iterator[_Border]:
    """Yield the borders, from the first level down; those who share a place are in the order of their lots."""
    levels: dict[int, list[FinalDivision]] = {}
    for division in divisions:
        levels.setdefault(division.level, []).append(_settle_ties(division, lot) if lot else division)
    for level, upper in sorted(levels.items()):
        if lower := levels.get(level + 1):
            yield _Border(upper, lower, level > 1, level + 1 != max(levels))


def _settle_ties(division: FinalDivision, lot: str) -> FinalDivision:
    places = sorted(division.places, key=lambda place: (place.rank, draw_lot(lot, place.player)))
    return replace(division, places=tuple(places))


def draw_lot(lot: str, player: str) -> str:
    """Return the player's lot, the lower the better. Anybody can compute it: SHA-256 of both, a line end between."""
    return hashlib.sha256(f"{lot}\n{player}".encode()).hexdigest()


def _limit(count: int, division: FinalDivision, *, both: bool) -> int:
    """Return how many may cross a border: at most half of a division from which both rise and fall."""
    return min(count, len(division.places) // 2 if both else len(division.places))


def _list_risers(rule: DivisionRule, division: FinalDivision) -> list[FinalPlace]:
    return [place for place in division.places if not place.withdrawn and place.played >= rule.min_played]


def _list_fallers(division: FinalDivision, rising: Collection[str]) -> list[FinalPlace]:
    """Return the members from the one who falls first: those who withdrew, then from the last place up."""
    staying = [place for place in reversed(division.places) if place.player not in rising]
    return sorted(staying, key=lambda place: not place.withdrawn)


def _order_borders(
    candidates: Sequence[tuple[Sequence[FinalPlace], int]], lot: str, *, worst: bool = False
) -> list[str]:
    """Return who crosses a border, those who cross it first before others: the first of each division, then the second.

    ``candidates``: of each parallel division in their order, and how many of them may cross.
    """
    lines: list[tuple[Any, ...]] = []
    sign = 1 if worst else -1
    for places, count in candidates:
        for position, place in enumerate(places[:count]):
            values = tuple(sign * value if value is not None else Fraction(0) for value in place.values)
            # The lower lot is the better one, and so falls last.
            drawn = -sign * int(draw_lot(lot, place.player), 16)
            lines.append(
                (position, not (worst and place.withdrawn), sign * place.points_a_game, values, drawn, place.player)
            )
    return [line[-1] for line in sorted(lines)]
