"""A tournament report file (FIDE's TRF16 and TRF26, Handbook C.04) as data.

Every line keeps its text, so that a file that nobody changed is written as it came. Columns count from 1, as in the
description of the format.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

from ratings.contract.competition import ByeKind
from ratings.person_names import put_first_name_first
from ratings.trf.problems import TrfProblem

MAX_PLAYERS, MAX_ROUNDS = 2000, 100
AT_THE_END = 999
#: Who must not meet: a federation of 600 at an event has 179,700 pairs.
MAX_PAIRS = 200_000
#: The first column of round 1, the width of a round, and the columns of the colour and the result in it.
FIRST_ROUND, ROUND_WIDTH, COLOUR_AT, RESULT_AT = 92, 10, 5, 7
#: Codes of results over the board, without play, and of games that are not rated. Codes of byes: kind.
PLAYED, FORFEITS, UNRATED = "1=0", "+-", "WDL"
BYES: dict[str, ByeKind] = {"F": "full_bye", "H": "half_bye", "Z": "zero_bye", "U": "pairing_bye"}
#: The result of a game that is adjourned or not known; it is written with the first sign.
ADJOURNED = "?X"
#: Some programs write forfeits and draws without an opponent; they are byes.
UNOPPOSED: dict[str, ByeKind] = BYES | {"+": "full_bye", "=": "half_bye", "-": "zero_bye"}

T = TypeVar("T")


class TrfCell(NamedTuple):
    """A player's round. ``opponent``: 0 without one. ``colour``: w, b or "". ``result``: upper case, "" if unknown."""

    opponent: int = 0
    colour: str = ""
    result: str = ""

    @property
    def is_absent(self) -> bool:
        """Whether the player neither plays nor has points."""
        return not self.opponent and UNOPPOSED.get(self.result, "zero_bye") == "zero_bye"


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """Line 001. ``rounds`` ends with the last cell that is not blank; None is a cell that could not be read."""

    number: int
    name: str
    sex: str = ""
    title: str = ""
    rating: int | None = None
    federation: str = ""
    fide_id: str = ""
    birth: str = ""
    points: Fraction | None = None
    rank: int | None = None
    rounds: tuple[TrfCell | None, ...] = ()

    @property
    def display_name(self) -> str:
        """The name with the first name first."""
        return put_first_name_first(self.name)

    def get_cell(self, number: int) -> TrfCell | None:
        """Return the cell of a round; None if it could not be read."""
        return self.rounds[number - 1] if number <= len(self.rounds) else TrfCell()


@dataclass(frozen=True, slots=True)
class TrfText:
    """A line with one text from column 5 on, such as 012 or 102."""

    text: str


@dataclass(frozen=True, slots=True)
class TrfRounds:
    """Lines XXR and 142: the number of rounds."""

    count: int


@dataclass(frozen=True, slots=True)
class TrfRoundDates:
    """Line 132: the dates of the rounds as they are written, "" if one is missing."""

    dates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrfFirstColour:
    """Lines XXC and 152: the colour of the first player in round 1. ``by_rank``: ranks are the pairing numbers."""

    colour: str
    by_rank: bool = False


@dataclass(frozen=True, slots=True)
class TrfPoints:
    """Lines XXS and 162: the points, by the names of ``PointsTable``."""

    amounts: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class TrfByes:
    """Lines XXZ and 240: byes of players. ``round``: 0 is the round to be paired."""

    kind: ByeKind
    round: int
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TrfAcceleration:
    """A line 250, or a run of equal points in a line XXA: points that count for the pairing alone."""

    points: Fraction
    first_round: int
    last_round: int
    first_player: int
    last_player: int


@dataclass(frozen=True, slots=True)
class TrfAccelerations:
    """The accelerations of a line."""

    runs: tuple[TrfAcceleration, ...]


@dataclass(frozen=True, slots=True)
class TrfForbidden:
    """Lines XXP and 260: players who must not meet. ``last_round``: 0 in all rounds."""

    players: tuple[int, ...]
    first_round: int = 0
    last_round: int = 0

    def is_always(self, rounds: int) -> bool:
        """Return whether these are all rounds of a competition; ``rounds``: as many as it has, 0 if that is open."""
        return not self.last_round or (self.first_round <= 1 and 0 < rounds <= self.last_round)


@dataclass(frozen=True, slots=True)
class TrfAward:
    """Line 299: points that an arbiter gave. ``code``: of a result, "" for a bonus or penalty. ``round``: 0 is all.

    A bonus or penalty counts after its round; in round ``AT_THE_END`` after the last.
    """

    code: str
    points: Fraction
    round: int = 0
    players: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TrfTeam:
    """Lines 013 and 310: a team and its players in the order of the boards.

    ``number``: 0 in lines 013, where it follows from their order. ``points``, ``board_points``: of all matches.
    """

    name: str
    players: tuple[int, ...]
    number: int = 0
    nickname: str = ""
    strength: int | None = None
    points: Fraction | None = None
    board_points: Fraction | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class TrfColumns:
    """A line of teams whose text is in columns already, from column 5 on."""

    text: str


TrfValue: TypeAlias = (
    TrfPlayer
    | TrfText
    | TrfRounds
    | TrfRoundDates
    | TrfFirstColour
    | TrfPoints
    | TrfByes
    | TrfAccelerations
    | TrfForbidden
    | TrfAward
    | TrfTeam
    | TrfColumns
)


@dataclass(frozen=True, slots=True)
class TrfLine:
    """A line. ``value`` is None if only the text counts. ``text``: as it came; None if it must be formatted.

    ``end``: the line end, "" if the file stops without one. ``number``: in the file, 0 if it came from none.
    """

    tag: str
    value: TrfValue | None
    text: str | None = None
    end: str = "\n"
    number: int = 0

    def change(self, value: TrfValue) -> "TrfLine":
        """Return the line with another value; its text is kept if the value is the same."""
        return self if value == self.value else replace(self, value=value, text=None)


@dataclass(frozen=True)
class TrfDays:
    """First and last day of a competition, and the days of its rounds; None if one is not stated."""

    first: date | None = None
    last: date | None = None
    rounds: tuple[date | None, ...] = ()

    def find_first(self) -> date | None:
        """Return the first day that is stated."""
        return self.first or min((day for day in self.rounds if day), default=self.last)


@dataclass(frozen=True)
class TrfDocument:
    """The lines of a file, in order. ``encoding``: a codec of Python. ``mark``: its byte order mark, if it had one.

    ``of_teams``: it is a competition of teams, of which the games of their players are read.
    """

    lines: tuple[TrfLine, ...]
    encoding: str = "utf-8"
    mark: bytes = b""
    of_teams: bool = False
    days: TrfDays = field(default=TrfDays(), compare=False)
    warnings: tuple[TrfProblem, ...] = field(default=(), compare=False)

    @cached_property
    def players(self) -> dict[int, TrfPlayer]:
        """The players by start number, in the order of the file."""
        return {player.number: player for player in self.list_values(TrfPlayer)}

    @cached_property
    def planned_rounds(self) -> int:
        """The number of rounds that line 142, otherwise XXR, states; 0 if there is none."""
        lines = (line for tag in ("142", "XXR") for line in self.list_lines(tag))
        return next((line.value.count for line in lines if isinstance(line.value, TrfRounds)), 0)

    @cached_property
    def paired_rounds(self) -> int:
        """The last round in which anyone has an opponent or a pairing-allocated bye, or in which all have byes."""
        last = max(
            (
                number
                for player in self.players.values()
                for number, cell in enumerate(player.rounds, 1)
                if cell and (cell.opponent or cell.result == "U")
            ),
            default=0,
        )
        while self._has_only_byes(last + 1):
            last += 1
        return last

    def _has_only_byes(self, number: int) -> bool:
        """Return whether all have byes in a round; who was absent in the round before may have left."""
        cells = [
            player.get_cell(number)
            for player in self.players.values()
            if number == 1 or not (player.get_cell(number - 1) or TrfCell()).is_absent
        ]
        return bool(cells) and TrfCell() not in cells

    def list_values(self, kind: type[T]) -> list[T]:
        """Return the values of one kind."""
        return [line.value for line in self.lines if isinstance(line.value, kind)]

    def list_lines(self, *tags: str) -> Iterator[TrfLine]:
        """Yield the lines with these tags."""
        return (line for line in self.lines if line.tag in tags)

    def get_text(self, tag: str) -> str:
        """Return the text of the first line with a tag, "" if there is none."""
        return next((line.value.text for line in self.list_lines(tag) if isinstance(line.value, TrfText)), "")

    def list_texts(self, tag: str) -> list[str]:
        """Return the texts of all lines with a tag."""
        return [line.value.text for line in self.list_lines(tag) if isinstance(line.value, TrfText)]

    def change_player(self, player: TrfPlayer) -> "TrfDocument":
        """Return the document with another line of a player."""
        return replace(
            self,
            lines=tuple(
                line.change(player)
                if isinstance(line.value, TrfPlayer) and line.value.number == player.number
                else line
                for line in self.lines
            ),
        )
