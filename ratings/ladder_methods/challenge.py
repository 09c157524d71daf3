"""A challenge ladder: beating a higher-placed player takes that place, and those between move down one.

Source: the custom of clubs for squash, tennis, chess and billiards. Games are processed in order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ratings.columns.tallies import Records, Tallies, Wholes
from ratings.contract.method import (
    LOWEST_WINS,
    Method,
    MethodExample,
    RatedLine,
    Reach,
    ScoreColumn,
    build_records,
    ladder_winner,
)
from ratings.contract.parameters import number
from ratings.contract.system import Preset, Ruling
from ratings.contract.wording import Wording, format_plain
from ratings.texts import N_, say, say_many

DAY = 86_400_000_000
#: The finish of each seat, higher is better; None if the order is unknown.
Finish = list[float] | None


def days(count: float) -> int:
    """Return a number of days in microseconds, the unit of games' times."""
    return round(count * DAY)


class ChallengeOrder:
    """The order of N players (0 … N − 1), updated game by game; places count from 0, times are in microseconds.

    order: the players by place. place: N, -1 before entering. entered: N, the initial place.
    won: N, places gained by wins. lost: N, places lost to others' wins. counted: N, games with a challenge. Any other
    difference between place and initial place is due to absence.
    """

    def __init__(self, count: int, reach: int, cooldown: int, absence: int) -> None:
        """Begin with no players; a reach of 0 is unlimited, spans of 0 are off."""
        self.reach, self.cooldown, self.absence = reach or count, cooldown, absence
        self.size = 0
        self.order, self.place = (np.full(count, -1, dtype=np.int64) for _ in range(2))
        self.entered, self.won, self.lost, self.counted = (np.zeros(count, dtype=np.int64) for _ in range(4))
        #: The last game of each player who is not away, oldest first.
        self.last: dict[int, int] = {}
        #: The last counted game of each pair.
        self.met: dict[tuple[int, int], int] = {}

    def play(self, at: int, seats: Sequence[int], finish: Finish) -> None:
        """Process a game of these players, in seat order."""
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
        """Place a newcomer at the bottom."""
        if self.place[player] < 0:
            self.entered[player] = self.place[player] = self.size
            self.order[self.size] = player
            self.size += 1

    def challenge(self, at: int, seats: Sequence[int], finish: Sequence[float]) -> None:
        """Move everyone to the best place of those they beat: last finishers first, of ties the higher-placed first."""
        places = self.place[seats].tolist()
        beaten: dict[int, list[int]] = {}
        for index in range(len(seats)):
            for other in range(index):
                if abs(places[index] - places[other]) > self.reach or not self.due(at, seats[index], seats[other]):
                    continue
                beaten.setdefault(index, [])
                beaten.setdefault(other, [])
                if finish[index] != finish[other]:
                    winner, loser = (index, other) if finish[index] > finish[other] else (other, index)
                    beaten[winner].append(seats[loser])
        for seat in sorted(beaten, key=lambda seat: (finish[seat], places[seat])):
            player = seats[seat]
            self.counted[player] += 1
            best = min((int(self.place[other]) for other in beaten[seat]), default=self.size)
            if best < self.place[player]:
                self.take(player, best)

    def due(self, at: int, one: int, other: int) -> bool:
        """Return whether two players may challenge each other again; if so, record this game."""
        if not self.cooldown:
            return True
        pair = (one, other) if one < other else (other, one)
        last_met = self.met.get(pair)
        if last_met is not None and at - last_met < self.cooldown:
            return False
        self.met[pair] = at
        return True

    def take(self, player: int, best: int) -> None:
        """Move a player up to a place; those between move down one."""
        position = int(self.place[player])
        between = self.order[best:position].copy()
        self.order[best + 1 : position + 1] = between
        self.place[between] += 1
        self.order[best], self.place[player] = player, best
        self.lost[between] += 1
        self.won[player] += len(between)

    def send_away(self, at: int) -> None:
        """Move absent players to the end, the longest absent first, at equal times the higher-placed first."""
        absent: list[tuple[int, int, int]] = []
        for player, last_played in self.last.items():
            if at - last_played <= self.absence:
                break
            absent.append((last_played, int(self.place[player]), player))
        for _, _, player in sorted(absent):
            del self.last[player]
            position = int(self.place[player])
            behind = self.order[position + 1 : self.size].copy()
            self.order[position : self.size - 1] = behind
            self.place[behind] -= 1
            self.order[self.size - 1], self.place[player] = player, self.size - 1

    def figures(self) -> list[Wholes]:
        """Return the number of players below each, and the columns: place = entered − won + lost + away."""
        away = self.place - self.entered + self.won - self.lost
        return [self.size - 1 - self.place, self.entered + 1, self.won, self.lost, away, self.counted]


def evenings(*games: tuple[float, Sequence[int]]) -> Records:
    """Return the records of games, each given as its day and its players in finishing order."""
    lines = [[RatedLine(player, place=place) for place, player in enumerate(players, 1)] for _, players in games]
    return build_records(lines, at=[days(day) for day, _ in games])


def four_then(*games: tuple[float, Sequence[int]]) -> Records:
    """Return the records of players 1 to 4, who enter at places 1 to 4 on day 0, and of further games."""
    return evenings((0, (1, 2)), (0, (3, 4)), *games)


@dataclass(frozen=True, kw_only=True)
class Challenge(Method):
    """The order of a challenge ladder."""

    key: ClassVar[str] = "challenge"
    title: ClassVar[str] = N_("Challenge ladder")
    summary: ClassVar[str] = N_(
        "Beat a player above you to take their place; everyone in between moves down one. "
        "Losing to a player above costs nothing, draws change nothing, and newcomers enter "
        "at the bottom with their first game."
    )
    headline: ClassVar[str] = N_("Beat a player above you and take their place.")
    source: ClassVar[str] = N_("Custom in squash, tennis, chess and billiards clubs")
    formula: ClassVar[str] = N_("place = entered − won + lost + away\nscore = players − place")
    score_label: ClassVar[str] = N_("Players below you")
    columns: ClassVar[tuple[ScoreColumn, ...]] = (
        ScoreColumn("entered", N_("Entered at"), N_("The place of the first game of the period: the lowest one then.")),
        ScoreColumn("won", N_("Places won"), N_("Places gained by beating players above.")),
        ScoreColumn("lost", N_("Places lost"), N_("Places lost to players from below who won.")),
        ScoreColumn(
            "away", N_("By absence"), N_("Places lost by your own absence, minus those gained by that of others.")
        ),
        ScoreColumn("counted", N_("Challenges"), N_("Games against players who could be challenged.")),
    )
    reach: ClassVar[Reach] = "all"
    reads_tables: ClassVar[bool] = True
    rulings: ClassVar[tuple[Ruling, ...]] = (
        Ruling(
            "R132",
            N_("How places change"),
            N_(
                "A player who beats someone above takes that place. The places before the game "
                "decide who may be challenged; newcomers are already at the bottom, in finishing "
                "order. In a game of more than two, everyone has played each of the others: starting "
                "with the last, each player takes the best place among those they beat, so that "
                "finishing order decides. Games with partners do not change the order, as nobody has "
                "beaten anyone single-handedly. Draws change nothing."
            ),
            "places",
        ),
        Ruling(
            "R133",
            N_("Repeated challenges and absence"),
            N_(
                "After a game that counted, whether won, lost or drawn, the same two players do not "
                "count against each other until the rest days are over; games in between do not "
                "extend them. A player absent for longer than the allowed days moves to the end, not "
                "down one place, so that this can be checked without the other games. Time advances "
                "only with games: absence takes effect when the next game is played, and at the end "
                "of a period as of its last game, so that no place changes without a game."
            ),
            "absence",
        ),
        Ruling(
            "R134",
            N_("Every period starts empty"),
            N_(
                "The order in a period depends only on its own games. If it were carried over, one "
                "correction would change every later month, including published ones. For a "
                "permanent ladder choose the cadence “all time”."
            ),
        ),
        LOWEST_WINS,
    )
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "club",
            N_("A club's ladder: three places up, a week of rest, a month of absence"),
            {"places": 3, "cooldown": 7, "absence": 30},
        ),
    )
    examples: ClassVar[tuple[MethodExample, ...]] = (
        MethodExample(
            N_("The fourth beats the second"),
            lambda: four_then((1, (4, 2))),
            4,
            {"score": 2.0, "entered": 4.0, "won": 2.0, "lost": 0.0, "away": 0.0, "counted": 2.0},
            note=N_("Calculated by hand: 1, 4, 2, 3."),
        ),
        MethodExample(
            N_("The third, who was moved down"),
            lambda: four_then((1, (4, 2))),
            3,
            {"score": 0.0, "entered": 3.0, "won": 0.0, "lost": 1.0},
            note=N_("Calculated by hand: 1, 4, 2, 3."),
        ),
        MethodExample(
            N_("The fourth beats the first, two places beyond reach"),
            lambda: four_then((1, (4, 1))),
            4,
            {"score": 0.0, "won": 0.0, "counted": 1.0},
            {"places": 1},
            note=N_("Calculated by hand: 1, 2, 3, 4."),
        ),
        MethodExample(
            N_("Beaten on Monday, won back on Tuesday, within a week of rest"),
            lambda: four_then((10, (2, 1)), (11, (1, 2))),
            2,
            {"score": 3.0, "won": 1.0, "lost": 0.0, "counted": 2.0},
            {"cooldown": 7},
            note=N_("Calculated by hand: 2, 1, 3, 4."),
        ),
        MethodExample(
            N_("The first stays away for more than thirty days"),
            lambda: four_then((20, (2, 3)), (25, (2, 4)), (31, (2, 3))),
            1,
            {"score": 0.0, "entered": 1.0, "away": 3.0},
            {"absence": 30},
            note=N_("Calculated by hand: 2, 3, 4, 1."),
        ),
        MethodExample(
            N_("A game of four: players pass those they have beaten"),
            lambda: four_then((1, (3, 4, 1, 2))),
            4,
            {"score": 2.0, "won": 3.0, "lost": 1.0},
            note=N_("Calculated by hand: 3, 4, 1, 2."),
        ),
    )

    places: float = number(
        0,
        label=N_("Reach"),
        low=0,
        high=1000,
        unit=N_("places"),
        whole=True,
        help=N_("How many places above a player may be challenged; 0: any."),
        source="R132",
    )
    cooldown: float = number(
        0,
        label=N_("Rest"),
        low=0,
        high=1000,
        unit=N_("days"),
        help=N_("Days until the same two players count against each other again; 0: at once."),
        source="R133",
    )
    absence: float = number(
        0,
        label=N_("Absence"),
        low=0,
        high=1000,
        unit=N_("days"),
        help=N_("Days without a game after which a player moves to the end; 0: never."),
        source="R133",
    )
    winner: str = ladder_winner()

    def wording(self) -> Wording:
        """Return the texts for these parameters."""
        lines = [say(self.formula)]
        if self.places:
            lines.append(
                say_many(
                    "challenges: up to {count} place above",
                    "challenges: up to {count} places above",
                    self.places,
                    count=format_plain(self.places),
                )
            )
        if self.cooldown:
            lines.append(
                say_many(
                    "rematch: after {count} day",
                    "rematch: after {count} days",
                    self.cooldown,
                    count=format_plain(self.cooldown),
                )
            )
        if self.absence:
            lines.append(
                say_many(
                    "moved to the end: after more than {count} day without a game",
                    "moved to the end: after more than {count} days without a game",
                    self.absence,
                    count=format_plain(self.absence),
                )
            )
        return replace(super().wording(), formula="\n".join(lines))

    def reads_past(self) -> bool:
        """Return False: each period starts from scratch."""
        return False

    def tabulate(self, records: Records) -> Tallies:
        """Return the standings of each period."""
        count = len(records)
        figures = [np.zeros(count) for _ in range(1 + len(self.columns))]
        if count:
            for first, last, standings in self.worked(records):
                for column, values in zip(figures, standings.figures(), strict=True):
                    column[first:last] = values
        return Tallies(figures[0], tuple(figures[1:]), records.counts(), np.zeros(count, dtype=np.int64))

    def worked(self, records: Records) -> Iterator[tuple[int, int, ChallengeOrder]]:
        """Yield for each period the range of its records, and the order after its games."""
        starts, game = records.tables()
        values, has_finish = records.finishes(self.scores_in(records))
        tells = (has_finish & np.logical_and.reduceat(records.heads(), starts)[game])[starts].tolist()
        period = records.period[records.of[starts]]
        period_starts = np.flatnonzero(np.diff(period, prepend=period[0] - 1))
        edges = [*starts.tolist(), len(game)]
        played_at = records.lines.at[starts].tolist()
        for begin, end in zip(period_starts.tolist(), [*period_starts[1:].tolist(), len(period)], strict=True):
            first, last = np.searchsorted(records.period, [period[begin], period[begin] + 1]).tolist()
            standings = ChallengeOrder(last - first, int(self.places), days(self.cooldown), days(self.absence))
            seats = (records.of[edges[begin] : edges[end]] - first).tolist()
            finish = values[edges[begin] : edges[end]].tolist()
            for game_index in range(begin, end):
                seat_slice = slice(edges[game_index] - edges[begin], edges[game_index + 1] - edges[begin])
                standings.play(
                    played_at[game_index], seats[seat_slice], finish[seat_slice] if tells[game_index] else None
                )
            yield first, last, standings
