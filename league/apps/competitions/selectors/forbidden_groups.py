"""Who must not meet whom, as the groups of lines 260 and XXP."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from ratings.trf.document import TrfForbidden

#: Two numbers, and the first and the last round in which they must not meet; 0 and 0: always.
Pair = tuple[int, int, int, int]


def list_forbidden(loaded: LoadedCompetition) -> tuple[TrfForbidden, ...]:
    """Return the groups of a competition, by rounds and numbers."""
    by_rounds: defaultdict[tuple[int, int], set[frozenset[int]]] = defaultdict(set)
    for number, entry in loaded.entries.items():
        for other in entry.not_against:
            by_rounds[0, 0].add(frozenset((number, other)))
        for one in entry.apart:
            first, last = one["rounds"]
            by_rounds[first, last].add(frozenset((number, one["entry"])))
    return tuple(
        TrfForbidden(group, *rounds) for rounds in sorted(by_rounds) for group in _list_groups(by_rounds[rounds])
    )


def _list_groups(pairs: set[frozenset[int]]) -> Iterator[tuple[int, ...]]:
    """Yield groups within which nobody may meet, that together have just these pairs."""
    others: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in map(sorted, pairs):
        others[one].add(other)
        others[other].add(one)
    left = set(pairs)
    for pair in sorted(pairs, key=sorted):
        if pair not in left:
            continue
        group = set(pair)
        for number in sorted(set.intersection(*(others[one] for one in pair))):
            if group <= others[number]:
                group.add(number)
        left -= {frozenset((one, other)) for one in group for other in group if one != other}
        yield tuple(sorted(group))


def list_pairs(groups: Iterable[TrfForbidden], rounds: int) -> set[Pair]:
    """Return the pairs of groups; ``rounds``: as many as the competition has, so that all of them are always."""
    return {
        (one, other, *((0, 0) if group.is_always(rounds) else (group.first_round, group.last_round)))
        for group in groups
        for one in group.players
        for other in group.players
        if one < other
    }
