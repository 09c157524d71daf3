"""The contract of a ladder's method: how the games of a period become a ranking.

One file in ``ratings/ladder_methods/``, one frozen dataclass whose fields are its parameters. A method
sees, per player of the period, the games with everybody's line in them and where the ratings stood
(:class:`Record`), and answers a :class:`Tally`: the score, the figures of its columns, and why the
player is not qualified, if so. It knows no names, no dates and no database. Sums run in the order
of the games, so that the same games give the same bits. Where there are many, records and tallies are
columns (``ratings.columns.records``): a method may have a form of its own for them, which must give the same
bits, and one more game may be added to a tally (``extended``).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from ratings.columns.rankings import ranks_of
from ratings.columns.records import Records, Tallies, column_of, optional
from ratings.contract.parameters import Parameterised
from ratings.contract.system import Check, Preset, RatingSystem, Ruling
from ratings.contract.wording import Wording
from ratings.texts import made, say, say_many

#: "own": a game moves the standings of those who sat at it. "period": it may move anybody's who met them, by way of
#: others, too. "all": it may move everybody's of the period.
Reach: TypeAlias = Literal["own", "period", "all"]
#: What the books have room for beside score and games.
MOST_COLUMNS = 6
#: What ``to_go`` says.
TO_GO = re.compile(r"(\d+) of (\d+) games? played; (\d+) to go\.")


@dataclass(frozen=True)
class Line:
    """One player's line of a rated game. ``games``: it is the player's n-th game in the league.

    ``score`` is as the rating system counts it: the higher is the better one (ruling R113).
    """

    player: int
    score: float | None = None
    place: int | None = None
    performance: float | None = None
    after: float = 0.0
    games: int = 1
    side: int | None = None
    """Who has the same one shares the result; None plays alone."""
    deviation: float = 0.0
    """How far off ``after`` may be, where the system says that (``RatingSystem.deviates``), else 0."""


@dataclass(frozen=True)
class Played:
    """One rated game: its number in the league and its lines in seat order.

    ``at``: when it was played, in microseconds since 1970. ``order``: its place in the order of the games, which tells
    those of one moment apart; numbers do not, for an old game may be entered late.
    """

    number: int
    lines: tuple[Line, ...]
    at: int = 0
    order: int = 0


@dataclass
class Record:
    """What a player did in a period.

    ``own`` holds the player's lines in the order of the games; ``played`` the games themselves, in the
    same order, for methods that look at the whole table.
    ``before`` is the rating at the period's beginning, None where the player was unrated then;
    ``rating`` the rating at its end.
    """

    player: int
    own: list[Line] = field(default_factory=list)
    played: list[Played] = field(default_factory=list)
    before: float | None = None
    rating: float = 0.0


@dataclass(frozen=True)
class Column:
    """A figure shown beside the score; ``decimals`` is what pages show."""

    key: str
    label: str
    help: str = ""
    decimals: int = 0


@dataclass(frozen=True)
class Tally:
    """What a method makes of a player's period.

    ``score`` None: there is no value, shown as "–", never 0. ``values`` are in the order of the
    method's columns. ``why_not`` is the sentence that says why the player is not qualified.
    """

    score: float | None
    values: tuple[float | None, ...] = ()
    games: int = 0
    why_not: str = ""


class Past(Protocol):
    """What tallies do not tell of a period's games before the league's newest one; spans in microseconds."""

    def met(self, span: int) -> bool:
        """Tell whether two of the newest game's players were at one table less than so long before it."""

    def silent(self, span: int) -> Mapping[int, int]:
        """Return who had been silent for longer at the newest game, but not yet at the one before it.

        By player when the last game was, the longest ago first.
        """


@dataclass(frozen=True)
class MethodExample:
    """An example that the source prints or that was computed: a period's records, and the tally of one of the players.

    ``expected`` maps ``score`` or the key of a column to the printed value.
    """

    title: str
    records: Callable[[], Mapping[int, Record]]
    player: int
    expected: Mapping[str, float | None]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = 0.0
    note: str = ""
    printed: bool = False


@dataclass(frozen=True)
class Method(Parameterised, ABC):
    """Base of all ladder methods."""

    key: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """Two or three plain sentences for players: what the ladder rewards."""
    source: ClassVar[str]
    formula: ClassVar[str]
    score_label: ClassVar[str]
    columns: ClassVar[tuple[Column, ...]] = ()
    decimals: ClassVar[int] = 0
    """Decimals of the score that pages show; the API never rounds."""
    reach: ClassVar[Reach] = "own"
    reads_ratings: ClassVar[bool] = False
    """Whether it looks at ``Record.rating``, which a system may move for players who are not at the table."""
    reads_before: ClassVar[bool] = False
    """Whether it looks at ``Record.before``."""
    reads_tables: ClassVar[bool] = False
    """Whether it looks at ``Record.played``, which is empty otherwise; the order of the games stands there alone."""
    reads_scores: ClassVar[bool] = True
    """Whether it looks at ``Line.score`` or ``Line.place``, which may be absent otherwise."""
    tie_breaks: ClassVar[tuple[str, ...]] = ()
    """Keys of columns that may decide between equal scores, in this order; the higher value first."""
    rulings: ClassVar[tuple[Ruling, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()
    examples: ClassVar[tuple[MethodExample, ...]] = ()
    checks: ClassVar[tuple[Check, ...]] = ()

    def tallies(self, records: Mapping[int, Record]) -> dict[int, Tally]:
        """Return player -> tally for every record of a period."""
        return {player: self.tally(record) for player, record in records.items()}

    @abstractmethod
    def tally(self, record: Record) -> Tally:
        """Return the tally of one player who has at least one game in the period."""

    def tabulate(self, records: Records) -> Tallies:
        """Return the tallies of records of any number of periods, the same bits as ``tallies`` gives.

        A method that sums up may do so by columns; this goes by way of the objects.
        """
        found = [tally for group in objects(records, self.reads_tables) for tally in self.tallies(group).values()]
        sentences = {
            sentence: code for code, sentence in enumerate(dict.fromkeys(["", *(one.why_not for one in found)]))
        }
        return Tallies(
            column_of([tally.score for tally in found]),
            tuple(column_of([tally.values[index] for tally in found]) for index in range(len(self.columns))),
            np.array([tally.games for tally in found], dtype=np.int64),
            np.array([sentences[tally.why_not] for tally in found], dtype=np.int64),
            tuple(sentences),
        )

    def extended(self, tally: Tally, own: Line, game: Played) -> Tally | None:
        """Return a player's tally after one more game, the league's newest; None: it takes the whole record.

        Only where ``tally`` has all that it takes, to the last bit. ``game`` is the one of ``own``.
        """
        return None

    def moved(self, tallies: Mapping[int, Tally], game: Played, past: Past) -> dict[int, Tally] | None:
        """Return the tallies that the league's newest game changes, of those of all players of the period before it.

        For methods of the reach "all"; None: it takes the whole period. Only where the tallies, and what ``past``
        answers, have all that it takes, to the last bit. Newcomers are among what is returned.
        """
        return None

    def wording(self) -> Wording:
        """Return the texts of this method as they are with these parameters; with the defaults as declared."""
        return Wording(self.summary, self.formula)

    def factor_of(self, games: int) -> float | None:
        """Return by what so many games of the period multiply a score; None where they do not: pages draw its curve."""
        return None

    def unplayed(self) -> float | None:
        """Return the score that stands before a first game, where there is one: races begin there."""
        return None

    def chain(self) -> tuple[str, ...]:
        """Return the keys of the columns that decide between equal scores under these parameters."""
        return self.tie_breaks

    def reads_past(self) -> bool:
        """Tell whether games from before a period move its tallies under these parameters.

        They do by all that follows from ratings: ``before``, ``rating``, and of a line ``performance``, ``after``,
        ``deviation`` and ``games``. Scores and places do not. A period that may still be moved does not close by
        itself, so a method that does not say waits for all games before it.
        """
        return True

    def refusal(self, system: type[RatingSystem]) -> str:
        """Return the sentence why the method cannot rank games of this system, empty where it can."""
        return ""


def came_in(game: Played) -> list[float] | None:
    """Return how each line of a game came in, more is better; None where nothing tells: ``Records.finishes``."""
    if all(line.place is not None for line in game.lines):
        return [-float(line.place or 0) for line in game.lines]
    if all(line.score is not None for line in game.lines):
        return [line.score or 0.0 for line in game.lines]
    return None


def maybe(value: float | None) -> int | None:
    """Return a whole number of a column."""
    return None if value is None else int(value)


def objects(records: Records, tables: bool) -> Iterator[dict[int, Record]]:
    """Yield the records of each period as objects, in the order of the records; with tables where asked."""
    columns = records.lines
    starts, game = records.tables()
    lines = [
        Line(player, score, maybe(place), performance, after, games, maybe(side), deviation)
        for player, score, place, performance, after, games, side, deviation in zip(
            columns.player.tolist(),
            optional(columns.score),
            optional(columns.place),
            optional(columns.performance),
            columns.after.tolist(),
            columns.games.tolist(),
            optional(columns.side),
            columns.deviation.tolist(),
            strict=True,
        )
    ]
    edges = [*starts.tolist(), len(lines)]
    told = zip(columns.number[starts].tolist(), columns.at[starts].tolist(), edges[:-1], edges[1:], strict=True)
    played = [
        Played(number, tuple(lines[first:last]), at, order) for order, (number, at, first, last) in enumerate(told)
    ]
    made = [
        Record(player, before=before, rating=rating)
        for player, before, rating in zip(
            records.player.tolist(), optional(records.before), records.rating.tolist(), strict=True
        )
    ]
    for line, of, index in zip(lines, records.of.tolist(), game.tolist(), strict=True):
        made[of].own.append(line)
        if tables:
            made[of].played.append(played[index])
    for _, group in groupby(zip(records.period.tolist(), made, strict=True), key=itemgetter(0)):
        yield {record.player: record for _, record in group}


def tally_objects(tallies: Tallies) -> list[Tally]:
    """Return tallies as objects, in the same order."""
    values = zip(*map(optional, tallies.values), strict=True) if tallies.values else [()] * len(tallies.games)
    rows = zip(optional(tallies.score), values, tallies.games.tolist(), tallies.why_not.tolist(), strict=True)
    return [Tally(score, tuple(figures), games, tallies.sentences[code]) for score, figures, games, code in rows]


@dataclass(frozen=True)
class Ranked:
    """A place in a ranking: equal scores (and tie-breaks) share a rank, 1-2-2-4.

    ``rank`` is None for who is not qualified. ``decided_by`` is the key of the column that put the
    player above or below another of the same score, empty where the score alone did.
    """

    player: int
    rank: int | None
    decided_by: str
    tally: Tally


def ranked(method: Method, tallies: Mapping[int, Tally], order: Mapping[int, str]) -> list[Ranked]:
    """Return the ranking, best first, the unqualified at the end; ``order`` sorts who share a rank."""
    players = sorted(tallies, key=order.__getitem__)
    rows = [tallies[player] for player in players]
    deciding = [position(method, key) for key in method.chain()]
    found = ranks_of(
        column_of([row.score for row in rows]),
        [column_of([row.values[column] for row in rows]) for column in deciding],
        np.array([bool(row.why_not) for row in rows], dtype=bool),
        np.arange(len(rows)),
    )
    deciders = ("", *method.chain())
    return [
        Ranked(players[row], int(found.rank[row]) or None, deciders[found.decided_by[row]], rows[row])
        for row in found.order.tolist()
    ]


def figures(method: Method, tally: Tally) -> dict[str, float | None]:
    """Return a tally's score under ``score`` and its values under the keys of their columns."""
    keys = [column.key for column in method.columns]
    return {"score": tally.score, **dict(zip(keys, tally.values, strict=True))}


def position(method: Method, key: str) -> int:
    """Return at which place of ``values`` a column stands."""
    return [column.key for column in method.columns].index(key)


def counted(count: int, noun: str = "game") -> str:
    """Return "1 game" or "5 games"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def to_go(games: int, minimum: int) -> str:
    """Return the sentence that games are missing to qualify, empty where none are."""
    return f"{games} of {counted(minimum)} played; {minimum - games} to go." if games < minimum else ""


def why_not_said(why_not: str) -> str:
    """Return the sentence of a tally for who reads now; the books keep it in English."""
    found = TO_GO.fullmatch(why_not)
    if found is None:
        return say(why_not)
    games, minimum, left = found.groups()
    return say_many(
        "{games} of {count} game played; {left} to go.",
        "{games} of {count} games played; {left} to go.",
        int(minimum),
        games=games,
        count=minimum,
        left=left,
    )


def why_not_shown(why_not: str) -> str:
    """Return the sentence of a tally: English as data, in the language of who reads where it is shown."""
    return made(why_not, partial(why_not_said, why_not))


def missing(why_not: str) -> int | None:
    """Return how many more games qualify, by the sentence that ``to_go`` made; None for other sentences."""
    found = TO_GO.fullmatch(why_not)
    return int(found[3]) if found else None
