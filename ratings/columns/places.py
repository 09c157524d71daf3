"""An order of people by places, worked through game by game: what a challenge ladder is made of.

Moments and spans are whole numbers: microseconds, as the times of games count them.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence

import numpy as np

from ratings.columns.records import Wholes

DAY = 86_400_000_000
#: At least so many may go to the end before the holes that they left are closed.
SPARE = 1024
#: How each seat came in, more is better; None where nobody has beaten anybody.
Finish = list[float] | None


def days(count: float) -> int:
    """Return a span as the times of games count it: in microseconds."""
    return round(count * DAY)


class Standings:
    """The order of N players (0 … N − 1), worked through game by game; places count from 0.

    They stand in a row of slots, the first at the top, in which whoever goes to the end leaves a hole: a place is what
    stands before a slot, less the holes there, and nobody behind has to be moved up. slot: N, -1 for nowhere yet.
    entered: N, the place at which each came in. won: N, places taken by beating people. lost: N, places that others
    took so. counted: N, games in which there was a challenge. What absence moved is the rest of the way.
    """

    def __init__(self, count: int, reach: int, cooldown: int, absence: int) -> None:
        """Begin without anybody; a reach of 0 is that to everybody, spans of 0 are none."""
        self.reach, self.cooldown, self.absence = reach or count, cooldown, absence
        self.size = self.end = 0
        self.order = np.full(count + max(count, SPARE) if absence else count, -1, dtype=np.int64)
        #: The slots before the end at which nobody stands, ascending.
        self.holes: list[int] = []
        self.slot = np.full(count, -1, dtype=np.int64)
        self.entered, self.won, self.lost, self.counted = (np.zeros(count, dtype=np.int64) for _ in range(4))
        #: When the players who are not away played last, the longest ago first.
        self.last: dict[int, int] = {}
        #: When two last met in a game that counted.
        self.met: dict[tuple[int, int], int] = {}

    def play(self, at: int, seats: Sequence[int], finish: Finish) -> None:
        """Work through a game of these players, in the order of the seats."""
        if self.absence:
            self.send_away(at)
        for seat in sorted(range(len(seats)), key=lambda seat: -finish[seat] if finish else 0.0):
            self.enter(seats[seat])
        if self.absence:
            for player in seats:
                self.last.pop(player, None)
                self.last[player] = at
        if finish:
            self.challenge(at, seats, finish)

    def enter(self, player: int) -> None:
        """Let a newcomer in, at the bottom."""
        if self.slot[player] < 0:
            self.entered[player] = self.size
            self.size += 1
            self.append(player)

    def append(self, player: int) -> None:
        """Put somebody behind all others."""
        if self.end == len(self.order):
            self.close_up()
        self.order[self.end] = player
        self.slot[player] = self.end
        self.end += 1

    def close_up(self) -> None:
        """Move everybody up into the holes; places stay."""
        standing = self.order[self.order >= 0]
        self.end = len(standing)
        self.order[: self.end], self.order[self.end :] = standing, -1
        self.slot[standing] = np.arange(self.end)
        self.holes.clear()

    def place(self, player: int) -> int:
        """Return at which place somebody stands."""
        slot = int(self.slot[player])
        return slot - bisect_left(self.holes, slot)

    def challenge(self, at: int, seats: Sequence[int], finish: Sequence[float]) -> None:
        """Let everybody take the best place of those beaten, the last first; of level ones who stands above."""
        places = [self.place(player) for player in seats]
        beaten: dict[int, list[int]] = {}
        for one in range(len(seats)):
            for other in range(one):
                if abs(places[one] - places[other]) > self.reach or not self.due(at, seats[one], seats[other]):
                    continue
                beaten.setdefault(one, [])
                beaten.setdefault(other, [])
                if finish[one] != finish[other]:
                    winner, loser = (one, other) if finish[one] > finish[other] else (other, one)
                    beaten[winner].append(seats[loser])
        for seat in sorted(beaten, key=lambda seat: (finish[seat], places[seat])):
            self.counted[seats[seat]] += 1
            best = min((int(self.slot[player]) for player in beaten[seat]), default=self.end)
            if best < self.slot[seats[seat]]:
                self.take(seats[seat], best)

    def due(self, at: int, one: int, other: int) -> bool:
        """Tell whether two may challenge each other again; if so they have met now."""
        if not self.cooldown:
            return True
        pair = (one, other) if one < other else (other, one)
        then = self.met.get(pair)
        if then is not None and at - then < self.cooldown:
            return False
        self.met[pair] = at
        return True

    def take(self, player: int, best: int) -> None:
        """Move a player up to a slot; whoever stands between moves down one."""
        own = int(self.slot[player])
        between = self.order[best:own].copy()
        if bisect_left(self.holes, best) == bisect_left(self.holes, own):
            self.order[best + 1 : own + 1] = between
            self.slot[between] += 1
        else:
            slots = best + np.flatnonzero(self.order[best : own + 1] >= 0)
            between = between[between >= 0]
            self.order[slots[1:]], self.slot[between] = between, slots[1:]
        self.order[best], self.slot[player] = player, best
        self.lost[between] += 1
        self.won[player] += len(between)

    def send_away(self, at: int) -> None:
        """Move to the end who has not played for too long, whose time ran out first, of one moment the higher one."""
        gone: list[tuple[int, int, int]] = []
        for player, then in self.last.items():
            if at - then <= self.absence:
                break
            gone.append((then, int(self.slot[player]), player))
        for _, _, player in sorted(gone):
            del self.last[player]
            # Not the slot of above: making room for somebody may have closed the holes.
            slot = int(self.slot[player])
            if slot + 1 < self.end:
                self.order[slot] = -1
                insort(self.holes, slot)
                self.append(player)

    def figures(self) -> list[Wholes]:
        """Return how many stand below each, and what stands in the columns: place = entered − won + lost + away."""
        self.close_up()
        away = self.slot - self.entered + self.won - self.lost
        return [self.size - 1 - self.slot, self.entered + 1, self.won, self.lost, away, self.counted]
