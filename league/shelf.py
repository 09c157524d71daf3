"""What a process keeps of what it has worked out: so much of it, what nobody asked for the longest time goes first."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K")
V = TypeVar("V")


def one(_kept: Any) -> int:
    """Count what is kept by its number."""
    return 1


class Shelf(Generic[K, V]):
    """What is kept by its key, ``most`` of it by ``size`` in all, or one thing alone that is larger; for all threads.

    It knows nothing of the books: whoever keeps something keeps beside it, or in its key, by what it stands.
    """

    def __init__(self, most: int, size: Callable[[V], int] = one) -> None:
        self.most, self.size = most, size
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        SHELVES.add(self)

    def get(self, key: K) -> V | None:
        """Return what is kept, which is now the last that goes; None for nothing."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: K, kept: V) -> V:
        """Keep something in place of what was there, and forget what there is no room for; returns it."""
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            held = sum(map(self.size, self._kept.values()))
            while held > self.most and len(self._kept) > 1:
                held -= self.size(self._kept.popitem(last=False)[1])
        return kept

    def in_order(self) -> list[K]:
        """Return of what something is kept, what goes first before the others."""
        with self._lock:
            return list(self._kept)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    def __contains__(self, key: K) -> bool:
        """Tell whether something is kept, which nobody asks for by that."""
        return key in self._kept

    def __len__(self) -> int:
        """Return how many things are kept."""
        return len(self._kept)


#: All of them in this process.
SHELVES: WeakSet[Shelf[Any, Any]] = WeakSet()


def forget_everything() -> None:
    """Empty every shelf: tests have other books under the same keys."""
    for shelf in list(SHELVES):
        shelf.clear()
