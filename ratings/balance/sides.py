"""The best splits of people into sides: every split is compared, or, where there are too many, many good ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ratings.balance.judging import JudgedSplits, NoExpectation, SplitJudge
from ratings.balance.partitions import SideFiller, Splits, list_splits, name_sides_in_order
from ratings.contract.system import RatingSystem

#: Beginnings of the search that improves splits by exchanges.
STARTS = 6


class NoSplit(ValueError):
    """The parties do not fit into sides of these sizes."""


@dataclass(frozen=True)
class SidePlayer:
    """A person to put on a side; ``key`` is unique among them."""

    key: str
    state: tuple[float, ...]


@dataclass(frozen=True)
class Exchange:
    """Two people whose exchange changes the expected results most, with the figures after it."""

    players: tuple[str, str]
    expected: tuple[float, ...]
    quality: float


@dataclass(frozen=True)
class SideSplit:
    """A split: the players' keys and the expected result of each side; see ``JudgedSplits``.

    ``broken``: people on one side who should be apart. ``swap``: None if every exchange would separate a party or break
    another wish.
    """

    sides: tuple[tuple[str, ...], ...]
    expected: tuple[float, ...]
    ratings: tuple[float, ...]
    quality: float
    broken: tuple[tuple[str, ...], ...]
    swap: Exchange | None


@dataclass(frozen=True)
class BestSplits:
    """The best splits in order. ``exact``: all were compared; ``bound``: no split has a higher quality.

    Among all that break as few wishes as the first one. Without a comparison of all, the bound is 1.
    """

    splits: tuple[SideSplit, ...]
    exact: bool
    bound: float


def find_best_splits(
    system: RatingSystem,
    players: Iterable[SidePlayer],
    sizes: Sequence[int],
    *,
    together: Iterable[Iterable[str]] = (),
    apart: Iterable[Iterable[str]] = (),
    count: int = 1,
) -> BestSplits:
    """Return the best splits into sides of these sizes, which add up to the number of players.

    ``together``: parties, always kept; those that share a person are one. ``apart``: wishes; as few pairs as possible
    are broken, before anything else counts. The answer does not depend on the order of players, parties or wishes.
    Raises NoSplit, and NoExpectation if the system does not say what sides expect.
    """
    if not system.sides:
        raise NoExpectation(system.title)
    # From the strongest on, so sides of one size begin with the one that has the strongest player.
    ordered = sorted(players, key=lambda player: (-player.state[0], player.key))
    index_of = {player.key: index for index, player in enumerate(ordered)}
    units = join_parties(len(ordered), [[index_of[key] for key in party] for party in together])
    wishes = sorted({tuple(sorted({index_of[key] for key in wish})) for wish in apart})
    states = np.array([player.state for player in ordered], dtype=np.float64)
    judge = SplitJudge(system, states, sizes, wishes)
    unit_sizes = [len(unit) for unit in units]
    if SideFiller(unit_sizes, sizes).fill(lambda _unit, _placed: range(len(sizes))) is None:
        raise NoSplit
    splits, unit_of = list_splits(unit_sizes, sizes), _find_unit_of_each(units)
    exact = splits is not None
    judged = judge.judge(splits[:, unit_of]) if splits is not None else _SplitSearch(judge, units, unit_of).search()
    best = judged.rank()[:count].tolist()
    alone = [unit[0] for unit in units if len(unit) == 1]
    told = tuple(_describe_split(judge, judged, index, [player.key for player in ordered], alone) for index in best)
    return BestSplits(told, exact, told[0].quality if exact else 1.0)


def join_parties(count: int, parties: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return people and parties by their first person; parties that share a person are one."""
    units = {index: [index] for index in range(count)}
    for party in parties:
        joined = sorted({person for member in party for person in units[member]})
        units.update(dict.fromkeys(joined, joined))
    return sorted({tuple(unit) for unit in units.values()})


def _find_unit_of_each(units: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return the unit of each person."""
    unit_of = np.zeros(sum(map(len, units)), dtype=np.int64)
    for index, unit in enumerate(units):
        unit_of[list(unit)] = index
    return unit_of


def _exchange_each(split: Splits, pairs: Sequence[tuple[int, int]]) -> Splits:
    """Return a row for each pair of columns, in which their sides are exchanged."""
    rows = np.repeat(split[None, :], len(pairs), axis=0)
    at = np.arange(len(pairs))
    ones, others = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    rows[at, ones], rows[at, others] = split[others], split[ones]
    return rows


class _SplitSearch:
    """Improves several splits by exchanges of two units, as long as one makes them better."""

    def __init__(self, judge: SplitJudge, units: Sequence[Sequence[int]], unit_of: NDArray[np.int64]) -> None:
        self.judge, self.unit_of = judge, unit_of
        self.unit_sizes = [len(unit) for unit in units]
        self.strengths = [float(judge.states[list(unit), 0].mean()) for unit in units]
        self.filler = SideFiller(self.unit_sizes, judge.sizes)

    def search(self) -> JudgedSplits:
        """Return the splits that were met, each once."""
        met = [self._improve(start) for start in self._begin()]
        splits = np.unique(name_sides_in_order(np.concatenate(met), self.judge.sizes), axis=0)
        return self.judge.judge(splits[:, self.unit_of])

    def _begin(self) -> list[Splits]:
        """Return splits to begin with: one that fills the weakest side first, and others by lot, always the same."""
        lots = np.random.default_rng(0)
        sides = len(self.judge.sizes)
        filled = [self.filler.fill(self._list_weakest_sides)]
        filled += [self.filler.fill(lambda _unit, _placed: lots.permutation(sides).tolist()) for _ in range(1, STARTS)]
        return [np.array(split, dtype=np.int8) for split in filled if split is not None]

    def _list_weakest_sides(self, _unit: int, placed: Sequence[int]) -> list[int]:
        """Return the sides from the one whose places have the least strength so far."""
        totals = [0.0] * len(self.judge.sizes)
        for side, strength, size in zip(placed, self.strengths, self.unit_sizes, strict=True):
            if side >= 0:
                totals[side] += strength * size
        return sorted(range(len(totals)), key=lambda side: (totals[side] / self.judge.sizes[side], side))

    def _improve(self, start: Splits) -> Splits:
        """Return a split, those that it became, and all that were one exchange away."""
        split, met = start, [start[None, :]]
        while True:
            pairs = [
                (one, other)
                for one, other in combinations(range(len(split)), 2)
                if split[one] != split[other] and self.unit_sizes[one] == self.unit_sizes[other]
            ]
            rows = np.concatenate([split[None, :], _exchange_each(split, pairs)])
            met.append(rows)
            best = int(self.judge.judge(rows[:, self.unit_of]).rank()[0])
            # The split itself is the first row, so one that is only level does not replace it.
            if best == 0:
                return np.concatenate(met)
            split = rows[best]


def _describe_split(
    judge: SplitJudge, judged: JudgedSplits, index: int, keys: Sequence[str], alone: Sequence[int]
) -> SideSplit:
    """Return a judged split by the players' keys."""
    split = judged.splits[index]
    sides = [[at for at in range(len(keys)) if split[at] == side] for side in range(len(judge.sizes))]
    together = [[at for at in wish if split[at] == side] for wish in judge.apart for side in range(len(judge.sizes))]
    return SideSplit(
        tuple(tuple(keys[at] for at in side) for side in sides),
        tuple(judged.expected[index].tolist()),
        tuple(judged.ratings[index].tolist()),
        float(judged.quality[index]),
        tuple(tuple(keys[at] for at in group) for group in together if len(group) > 1),
        _find_exchange(judge, judged, index, keys, alone),
    )


def _find_exchange(
    judge: SplitJudge, judged: JudgedSplits, index: int, keys: Sequence[str], alone: Sequence[int]
) -> Exchange | None:
    """Return the exchange of two people without a party that changes a side's expected result most."""
    split = judged.splits[index]
    pairs = [(one, other) for one, other in combinations(alone, 2) if split[one] != split[other]]
    if not pairs:
        return None
    after = judge.judge(_exchange_each(split, pairs))
    kept = np.flatnonzero(after.broken <= judged.broken[index])
    if not len(kept):
        return None
    changes = np.abs(after.expected[kept] - judged.expected[index]).max(axis=1)
    chosen = int(kept[np.argmax(np.round(changes, 12))])
    one, other = pairs[chosen]
    return Exchange((keys[one], keys[other]), tuple(after.expected[chosen].tolist()), float(after.quality[chosen]))
