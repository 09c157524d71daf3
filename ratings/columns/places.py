"""An order of people by places, worked through game by game: what a challenge ladder is made of.

Moments and spans are whole numbers: microseconds, as the times of games count them.
"""

from collections.abc import Sequence

import numpy as np

from ratings.columns.records import Floats, Wholes

DAY = 86_400_000_000
#: How each seat came in, more is better; None where nobody has beaten anybody.
Finish = list[float] | None


def days(count: float) -> int:
    """Return a span as the times of games count it: in microseconds."""
    return round(count * DAY)


class Standings:
    """The order of N players (0 … N − 1), worked through game by game; places count from 0, -1 is nowhere yet.

    entered: N, the place at which each came in. won: N, places taken by beating people. away: N, places lost by
    absence less those gained by that of others. counted: N, games in which there was a challenge.
    """

    def __init__(self, count: int, reach: int, cooldown: int, absence: int) -> None:
        """Begin without anybody; a reach of 0 is that to everybody, spans of 0 are none."""
        self.reach, self.cooldown, self.absence = reach or count, cooldown, absence
        self.size = 0
        self.order = np.zeros(count, dtype=np.int64)
        self.place = np.full(count, -1, dtype=np.int64)
        self.entered, self.won, self.away, self.counted = (np.zeros(count, dtype=np.int64) for _ in range(4))
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
        if self.place[player] < 0:
            self.order[self.size] = player
            self.place[player] = self.entered[player] = self.size
            self.size += 1

    def challenge(self, at: int, seats: Sequence[int], finish: Sequence[float]) -> None:
        """Let everybody take the best place of those beaten, the last first; of level ones who stands above."""
        places = [int(self.place[player]) for player in seats]
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
            best = min((int(self.place[player]) for player in beaten[seat]), default=self.size)
            if best < self.place[seats[seat]]:
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
        """Move a player up to a place; whoever stands between moves down one."""
        place = int(self.place[player])
        between = self.order[best:place].copy()
        self.order[best + 1 : place + 1] = between
        self.order[best] = player
        self.place[between] += 1
        self.place[player] = best
        self.won[player] += place - best

    def send_away(self, at: int) -> None:
        """Move to the end who has not played for too long, whose time ran out first, of one moment the higher one."""
        gone: list[tuple[int, int, int]] = []
        for player, then in self.last.items():
            if at - then <= self.absence:
                break
            gone.append((then, int(self.place[player]), player))
        for _, _, player in sorted(gone):
            del self.last[player]
            place = int(self.place[player])
            below = self.order[place + 1 : self.size].copy()
            self.order[place : self.size - 1] = below
            self.order[self.size - 1] = player
            self.place[below] -= 1
            self.away[below] -= 1
            self.place[player] = self.size - 1
            self.away[player] += self.size - 1 - place

    def restore(self, known: Wholes, figures: Sequence[Floats]) -> None:
        """Put players where their figures, as ``figures`` gave them, say that they stand: all who are somewhere.

        Figures do not say who has met whom (``met``), and who is silent since when (``last``): to be said beside them.
        """
        below, entered, won, _, away, counted = (column.astype(np.int64) for column in figures)
        self.size = len(known)
        place = self.size - 1 - below
        self.order[place], self.place[known] = known, place
        self.entered[known], self.won[known], self.away[known], self.counted[known] = entered - 1, won, away, counted

    def figures(self) -> list[Wholes]:
        """Return how many stand below each, and what stands in the columns: place = entered − won + lost + away."""
        lost = self.place - self.entered + self.won - self.away
        return [self.size - 1 - self.place, self.entered + 1, self.won, lost, self.away, self.counted]
