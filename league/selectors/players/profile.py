"""What a player's games come to: finishes, seats, table sizes, streaks, the best and the worst game."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from league.selectors.players.played import Line, Played


class Share(NamedTuple):
    """How often a player finished so; ``last`` is another one than ``first`` where several finishes are one line."""

    first: int
    last: int
    games: int
    share: float


class Group(NamedTuple):
    """Games of one seat, or at tables of one size; finish and change are means, None where nothing tells them."""

    key: int
    games: int
    won: int
    finish: float | None
    change: float | None


class Streak(NamedTuple):
    """Games won one after the other, from a game's number to another's."""

    games: int
    first: int
    last: int


@dataclass(frozen=True)
class Profile:
    """A player's record of the games that count; ``pairs``: all of them were played by two."""

    games: int
    won: int
    drawn: int
    known: int
    pairs: bool
    finishes: list[Share]
    seats: list[Group]
    sizes: list[Group]
    longest: Streak | None
    current: Streak | None
    best: Line | None
    worst: Line | None

    @property
    def lost(self) -> int:
        """Return how many games of known result were neither won nor drawn."""
        return self.known - self.won - self.drawn


#: So many finishes have a line of their own, and so many seats or table sizes are told apart at most.
FINISHES, GROUPS = 6, 10


def profile_of(played: Sequence[Played], lines: Sequence[Line]) -> Profile:
    """Return a player's record, given all their games and all their changes, each the earliest first."""
    games = [one for one in played if one.counts]
    known = [one for one in games if one.finish is not None]
    changes = {line.number: line.change for line in lines}
    won = {one.number for one in known if one.won}
    runs = streaks(known, won)
    current = runs[-1] if runs and known[-1].number in won else None
    return Profile(
        games=len(games),
        won=len(won),
        drawn=sum(one.drawn for one in known),
        known=len(known),
        pairs=all(one.size == 2 for one in games),
        finishes=finishes_of(known),
        seats=groups(games, changes, won, lambda one: one.seat),
        sizes=groups(games, changes, won, lambda one: one.size),
        longest=max(runs, key=lambda run: run.games, default=None),
        current=current,
        best=max((line for line in lines if line.change > 0), key=lambda line: line.change, default=None),
        worst=min((line for line in lines if line.change < 0), key=lambda line: line.change, default=None),
    )


def finishes_of(known: Sequence[Played]) -> list[Share]:
    """Return how often the player finished first, second and so on; the last ones together where there are many."""
    counts = Counter(one.finish or 0 for one in known)
    worst = max(counts, default=0)
    alone = worst if worst <= FINISHES + 1 else FINISHES
    shares = [share_of(counts, rank, rank, len(known)) for rank in range(1, alone + 1)]
    return shares if alone == worst else [*shares, share_of(counts, alone + 1, worst, len(known))]


def share_of(counts: Mapping[int, int], first: int, last: int, games: int) -> Share:
    """Return the share of the finishes from one to another."""
    count = sum(counts.get(rank, 0) for rank in range(first, last + 1))
    return Share(first, last, count, count / games)


def groups(
    games: Sequence[Played], changes: Mapping[int, float], won: Set[int], key: Callable[[Played], int]
) -> list[Group]:
    """Return the games apart by seat or size; empty where that tells nothing: one of a kind, or too many of them."""
    apart: dict[int, list[Played]] = {}
    for one in games:
        apart.setdefault(key(one), []).append(one)
    return [group_of(key, apart[key], changes, won) for key in sorted(apart)] if 1 < len(apart) <= GROUPS else []


def group_of(key: int, games: Sequence[Played], changes: Mapping[int, float], won: Set[int]) -> Group:
    """Return what some games come to."""
    finishes = [one.finish for one in games if one.finish is not None]
    moved = [changes[one.number] for one in games if one.number in changes]
    return Group(key, len(games), sum(one.number in won for one in games), mean(finishes), mean(moved))


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, None of nothing."""
    known = list(values)
    return fmean(known) if known else None


def streaks(known: Sequence[Played], won: Set[int]) -> list[Streak]:
    """Return the runs of games won, the earliest first; ``won``: their numbers."""
    runs: list[Streak] = []
    going = False
    for one in known:
        was, going = going, one.number in won
        if going and was:
            runs[-1] = Streak(runs[-1].games + 1, runs[-1].first, one.number)
        elif going:
            runs.append(Streak(1, one.number, one.number))
    return runs
