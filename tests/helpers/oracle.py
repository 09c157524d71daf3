"""A league's books in plain Python, from the docs and the published formulas: what the product must agree with.

Nothing of ``league`` or ``ratings`` is used here, and nothing is kept between questions: each one replays all games.

Elo (A. E. Elo, The Rating of Chessplayers, 1978), for more than two players pairwise:

    E_ij = 1 / (1 + 10 ** ((R_j - R_i) / 400))        what i is expected to take from j
    A_ij = 1, 1/2 or 0                                 what i took
    R_i' = R_i + sum over j of K / (n - 1) * (A_ij - E_ij)

The ladder is a points table of months: alone at the top 1, at the top with others 1/2, else 0; equal points are told
apart by wins, then by the sum of scores, then share a rank.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

Line = tuple[str, float]
"""Whom the sheet named, and the score."""
Ranked = tuple[int, str, float, int]
"""Rank, player, points, games."""
START, SCALE = 1500.0, 400.0


class Refused(Exception):
    """The books do not allow it; nothing has changed."""


@dataclass(frozen=True)
class Game:
    """A sheet in the books."""

    number: int
    place: int
    """Among games of one time: the number of the first game of a line of corrections."""
    at: datetime
    lines: tuple[Line, ...]
    rated: bool = True
    external: str = ""
    counts: bool = True


@dataclass(frozen=True)
class Step:
    """What a game did to a player."""

    number: int
    games: int
    before: float
    after: float


@dataclass
class Rule:
    """K from an instant on; another K in the first so many games of a player."""

    since: datetime
    k: float
    first_games: int
    first_k: float


@dataclass
class Books:
    """Facts, and what follows from them."""

    rules: list[Rule]
    games: dict[int, Game] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    merged: dict[str, str] = field(default_factory=dict)
    editions: dict[str, list[list[Ranked]]] = field(default_factory=dict)
    """Month -> what each of its editions said."""
    said_last: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)
    """Month -> all that its last edition knew, by whom."""
    closed: set[str] = field(default_factory=set)
    logged: int = 0
    """Entries of the log since the books were opened."""

    def who(self, name: str) -> str:
        """Return for whom a name counts."""
        return self.merged.get(name, name)

    def playing(self) -> list[Game]:
        """Return the games that count, in the order in which they were played."""
        return sorted((one for one in self.games.values() if one.counts), key=lambda one: (one.at, one.place))

    # --- facts -------------------------------------------------------------------------------------------------

    def seated(self, lines: Sequence[Line]) -> None:
        """Refuse a sheet on which one person sits twice."""
        names = [self.who(name) for name, _ in lines]
        if len(set(names)) < len(names):
            raise Refused("somebody sits twice")

    def record(self, at: datetime, lines: Sequence[Line], *, rated: bool, external: str = "") -> int:
        """Take a new game; returns its number. One whose external name is known is that game."""
        for one in self.games.values():
            if external and one.external == external:
                return one.number
        self.seated(lines)
        number = len(self.games) + 1
        self.games[number] = Game(number, number, at, tuple(lines), rated, external)
        self.logged += 1
        return number

    def counting(self, number: int) -> Game:
        """Return a game that counts."""
        game = self.games.get(number)
        if game is None or not game.counts:
            raise Refused("no such game counts")
        return game

    def void(self, number: int) -> None:
        """Let a game count no more."""
        self.games[number] = replace(self.counting(number), counts=False)
        self.logged += 1

    def correct(self, number: int, at: datetime, lines: Sequence[Line], *, rated: bool) -> None:
        """Replace a game by another sheet in its place; who was named by an old name stays named so."""
        old = self.counting(number)
        self.seated(lines)
        named = {self.who(name): name for name, _ in old.lines if name != self.who(name)}
        kept = tuple((named.get(name, name), score) for name, score in lines)
        self.games[number] = replace(old, counts=False)
        new = len(self.games) + 1
        self.games[new] = Game(new, old.place, at, kept, rated, old.external)
        self.logged += 1

    def restore(self, number: int) -> None:
        """Let a void sheet count again, as a new game in its place; what counts there instead is voided."""
        old = self.games.get(number)
        if old is None or old.counts:
            raise Refused("it counts")
        self.seated(old.lines)
        for one in list(self.games.values()):
            if one.counts and one.place == old.place:
                self.games[one.number] = replace(one, counts=False)
        new = len(self.games) + 1
        self.games[new] = replace(old, number=new, counts=True)
        self.logged += 1

    def start(self, name: str, rating: float) -> None:
        """Set with what a player begins; of a merged pair there is one beginning."""
        there = [one for one in self.starts if self.who(one) == name]
        self.starts[there[0] if there else name] = rating
        self.logged += 1

    def merge(self, name: str, into: str) -> None:
        """Let all of a player count for another one."""
        if name in self.merged or into in self.merged or name in self.merged.values():
            raise Refused("part of another merge")
        if any({name, into} <= {self.who(one) for one, _ in game.lines} for game in self.playing()):
            raise Refused("they sit in one game")
        if {name, into} <= {self.who(one) for one in self.starts}:
            raise Refused("both have a start")
        # The log of a league tells of whom its books name.
        self.logged += self.names(name)
        self.merged[name] = into

    def names(self, name: str) -> bool:
        """Tell whether the books name a player."""
        return name in self.starts or any(name == one for game in self.games.values() for one, _ in game.lines)

    def unmerge(self, name: str) -> None:
        """Take a merge back."""
        if name not in self.merged:
            raise Refused("not merged")
        self.logged += self.names(name)
        del self.merged[name]

    def rule(self, day: date, k: float, first_games: int, first_k: float) -> None:
        """Rate by other parameters from a day on."""
        since = datetime(day.year, day.month, day.day, tzinfo=UTC)
        if any(one.since == since for one in self.rules):
            raise Refused("there is a rule of that day")
        if any(end_of(month) > since for month in self.closed):
            raise Refused("it reaches into a closed month")
        self.rules = sorted([*self.rules, Rule(since, k, first_games, first_k)], key=lambda one: one.since)
        self.logged += 1

    # --- what follows ------------------------------------------------------------------------------------------

    def history(self) -> dict[str, list[Step]]:
        """Return what every rated game did to everybody."""
        done: dict[str, list[Step]] = {}
        starts = {self.who(name): rating for name, rating in self.starts.items()}
        for game in self.playing():
            if not game.rated:
                continue
            rule = [one for one in self.rules if one.since <= game.at][-1]
            table = [(self.who(name), score) for name, score in game.lines]
            before = {name: done[name][-1].after if name in done else starts.get(name, START) for name, _ in table}
            moves = {name: moved(name, table, before, k_of(rule, len(done.get(name, ())))) for name, _ in table}
            for name, change in moves.items():
                steps = done.setdefault(name, [])
                steps.append(Step(game.number, len(steps) + 1, before[name], before[name] + change))
        return done

    def months(self) -> dict[str, list[tuple[object, ...]]]:
        """Return the ranking of every month that has a game that counts and is rated: all that it knows of each."""
        found: dict[str, dict[str, list[float]]] = {}
        for game in self.playing():
            if game.rated:
                month = found.setdefault(f"{game.at:%Y-%m}", {})
                top = max(score for _, score in game.lines)
                heads = sum(score == top for _, score in game.lines)
                for name, score in game.lines:
                    won, drawn = float(score == top and heads == 1), float(score == top and heads > 1)
                    row = month.setdefault(self.who(name), [0.0, 0.0, 0.0, 0.0])
                    month[self.who(name)] = [row[0] + won, row[1] + drawn, row[2] + score, row[3] + 1]
        return {month: ranked(rows) for month, rows in found.items()}

    def close(self, month: str) -> list[Ranked]:
        """Publish a month; returns what its edition says."""
        months = self.months()
        now, published = months.get(month, []), self.editions.setdefault(month, [])
        if not published:
            if not now:
                raise Refused("nobody played")
            if any(one < month and not self.editions.get(one) for one in months):
                raise Refused("an earlier month is open")
        elif month in self.closed and now == self.said_last[month]:
            raise Refused("nothing has changed")
        said = [(int(str(row[0])), str(row[1]), float(str(row[2])), int(float(str(row[-1])))) for row in now]
        published.append(said)
        self.said_last[month] = now
        self.closed.add(month)
        self.logged += 1
        return said

    def reopen(self, month: str) -> None:
        """Open a closed month again; its editions stay."""
        if month not in self.closed:
            raise Refused("it is open")
        self.closed.remove(month)
        self.logged += 1


def k_of(rule: Rule, games: int) -> float:
    """Return the K of a player who has so many games."""
    return rule.first_k if games < rule.first_games else rule.k


def moved(name: str, table: Iterable[Line], before: dict[str, float], k: float) -> float:
    """Return by how much a game moves a player."""
    scores = dict(table)
    total = 0.0
    for other, score in scores.items():
        if other != name:
            taken = 1.0 if scores[name] > score else 0.5 if scores[name] == score else 0.0
            total += taken - 1.0 / (1.0 + 10.0 ** ((before[other] - before[name]) / SCALE))
    return k / (len(scores) - 1) * total


def ranked(rows: dict[str, list[float]]) -> list[tuple[object, ...]]:
    """Return a month's rows, best first: rank, player, points, wins, draws, sum of scores, games."""
    by: Callable[[str], tuple[float, float, float]] = lambda name: (  # noqa: E731 -- used thrice below, once as a key
        rows[name][0] + rows[name][1] / 2,
        rows[name][0],
        rows[name][2],
    )
    order = sorted(rows, key=lambda name: (*(-value for value in by(name)), name))
    return [(1 + sum(by(other) > by(name) for other in rows), name, by(name)[0], *rows[name]) for name in order]


def end_of(month: str) -> datetime:
    """Return when a month such as 2024-03 ends, in UTC."""
    year, number = map(int, month.split("-"))
    return datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)
