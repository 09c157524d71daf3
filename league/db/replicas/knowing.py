"""What a process knows of how far the database and its replicas are; no clock is compared with another machine's.

The database is asked every second for its position, and each replica for its own. A replica is as fresh as the last
moment at which the database was no further than the replica is now.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

#: Seconds between two questions.
EVERY = 1.0
Clock = Callable[[], float]


class Samples:
    """How far the database was, and when."""

    def __init__(self, most: int, clock: Clock = time.monotonic) -> None:
        self.clock, self.lock = clock, threading.Lock()
        self.taken: deque[tuple[float, int]] = deque(maxlen=most)
        self.away = False
        """The database did not answer when it was asked last."""

    def add(self, asked_at: float, position: int) -> bool:
        """Note where the database was, as it said when it was asked at a moment.

        One that is behind where it was is another one, restored or put in its place: what was known is worth
        nothing. Returns whether it is.
        """
        with self.lock:
            another = bool(self.taken) and position < self.taken[-1][1]
            if another:
                self.taken.clear()
            self.taken.append((asked_at, position))
            self.away = False
            return another

    def fresh_as_of(self, position: int) -> float | None:
        """Return the last moment at which the database was known to be no further than this; None for none.

        Of a database that is away nobody can know more than it said last.
        """
        with self.lock:
            if self.away and self.taken and position >= self.taken[-1][1]:
                return self.clock()
            return next((at for at, was in reversed(self.taken) if was <= position), None)


class Floors:
    """How far a replica must be to show nothing older than this process has shown, by league.

    What the database itself answered may be as new as the moment after it.
    """

    def __init__(self, most: int, clock: Clock = time.monotonic) -> None:
        self.clock, self.most, self.lock = clock, most, threading.Lock()
        self.by_league: dict[str, int] = {}
        self.of_all = self.highest = 0
        self.open_since: float | None = None
        """Something newer may have been shown, and nobody knows how new, until the database is asked again."""

    def raised(self, league: str, position: int) -> None:
        """Note that something of a league was shown as of a position; "" for of any league."""
        with self.lock:
            self.highest = max(self.highest, position)
            if not league:
                self.of_all = max(self.of_all, position)
                return
            self.by_league[league] = max(self.by_league.pop(league, 0), position)
            while len(self.by_league) > self.most:
                # The one that was shown the longest time ago counts for all.
                self.of_all = max(self.of_all, self.by_league.pop(next(iter(self.by_league))))

    def opened(self) -> None:
        """Note that something was shown of which nobody knows the position."""
        with self.lock:
            self.open_since = self.clock()

    def told(self, asked_at: float, position: int) -> None:
        """Note where the database is: beyond all that was shown before it was asked."""
        with self.lock:
            if self.open_since is not None and asked_at > self.open_since:
                self.of_all, self.highest = max(self.of_all, position), max(self.highest, position)
                self.open_since = None

    def of(self, league: str) -> int | None:
        """Return how far a replica must be for a league; "" for pages of all of them. None: nobody knows."""
        with self.lock:
            if self.open_since is not None:
                return None
            return max(self.of_all, self.by_league.get(league, 0)) if league else self.highest

    def forget(self) -> None:
        """Forget all: another database stands in place of the one that was shown."""
        with self.lock:
            self.by_league.clear()
            self.of_all = self.highest = 0


class Replica:
    """What is known of a replica."""

    def __init__(self, name: str, samples: Samples, lag: float) -> None:
        self.name, self.samples, self.lag = name, samples, lag
        self.replayed = 0
        self.answers = False
        self.good_since: float | None = None

    def seen(self, before: int, position: int) -> bool:
        """Note how far it is, and how far it was known to be when it was asked; False where it has gone back.

        One that was killed begins where it last wrote to its disk.
        """
        if position < before:
            self.replayed = position
            self.lost()
            return False
        self.replayed, self.answers = max(self.replayed, position), True
        if self.behind() > self.lag:
            self.good_since = None
        elif self.good_since is None:
            self.good_since = self.samples.clock()
        return True

    def lost(self) -> None:
        """Note that it did not answer."""
        self.answers, self.good_since = False, None

    def behind(self) -> float:
        """Return by how many seconds it is behind the database, at most."""
        as_of = self.samples.fresh_as_of(self.replayed) if self.answers else None
        return float("inf") if as_of is None else self.samples.clock() - as_of

    def usable(self) -> bool:
        """Tell whether it may be read."""
        return self.good_since is not None and self.behind() <= self.lag


class Choice:
    """Of several replicas the one that a process reads: its own first one, and another only where that fails.

    One at a time: two of them are never equally far, and nothing older may be shown after something newer.
    """

    #: Seconds for which one that failed must have been good before it is read again.
    SETTLED = 30.0

    def __init__(self, replicas: list[Replica], first: int, floors: Floors) -> None:
        first %= len(replicas)
        self.in_order, self.floors = replicas[first:] + replicas[:first], floors
        self.now: Replica | None = None
        self.lock = threading.Lock()

    def choose(self) -> Replica | None:
        """Return which one to read, None for none; with another one nobody knows what the one before has shown."""
        with self.lock:
            chosen = self.best()
            if chosen is not self.now:
                if self.now is not None:
                    self.floors.opened()
                self.now = chosen
            return chosen

    def best(self) -> Replica | None:
        """Return the one to read."""
        usable = [one for one in self.in_order if one.usable()]
        if self.now not in usable:
            return usable[0] if usable else None
        clock = self.floors.clock()
        place = self.in_order.index(self.now)
        return next((one for one in usable if self.in_order.index(one) < place and self.settled(one, clock)), self.now)

    def settled(self, one: Replica, now: float) -> bool:
        """Tell whether a replica has been good for long enough."""
        return one.good_since is not None and now - one.good_since >= self.SETTLED

    def failed(self, one: Replica) -> None:
        """Leave out one that failed in a request, until it was asked again; it may come back further behind."""
        one.lost()
        self.floors.opened()
