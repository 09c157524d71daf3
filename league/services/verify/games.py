"""Games under ``verify``: each compared with the entry of the log that recorded it, a span of them at once.

A row of the database is read in the form of an entry, with opaque handles. Only those that differ are opened, and
compared member by member. Whom a line names never changes; for whom it counts, merges do (``Turns``).
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import F

from league.chain import quoted
from league.db.columns import read_columns
from league.db.times import written_moment
from league.models import Game, League, Result
from league.models.declared import RESULT, SHEET, USUAL, unusual
from league.said import Said, phrase
from league.sealing import opened
from league.services.verify.findings import UNREADABLE, Findings, unlike, unreadable
from league.services.verify.log_replay import LoggedGame

#: The games that are read and compared at once.
SPAN = 5000
#: What an entry says of a game beside its sheet, and the columns.
COLUMNS = {"number": "number", **dict(zip(SHEET, SHEET, strict=True)), "recorded_at": "recorded_at",
           "recorded_by": "recorded_by", "replaces": "replaces__number"}  # fmt: skip
MOMENTS = ("played_at", "recorded_at")
Members = dict[str, Any]
#: Player -> the positions at which the log says that one was merged into another player, or (None) split off again.
Turns = Mapping[str, Sequence[tuple[int, str | None]]]


class GameComparison:
    """The games of a league, compared in the order in which the log recorded them.

    ``opaque`` are the players' opaque handles by their keys, ``names`` the handles by these.
    """

    def __init__(
        self,
        league: League,
        opaque: Mapping[int, str],
        names: Mapping[str, str],
        turns: Turns,
        findings: Findings,
    ) -> None:
        self.league, self.opaque, self.names, self.turns, self.findings = league, opaque, names, turns, findings
        self.waiting: list[LoggedGame] = []
        self.numbers, self.positions = array("q"), array("q")

    def take(self, game: LoggedGame) -> None:
        """Take the next game that the log records."""
        self.waiting.append(game)
        if len(self.waiting) >= SPAN:
            self.compare()

    def compare(self) -> None:
        """Compare the games that wait; each should have the next number."""
        games, self.waiting = self.waiting, []
        first = len(self.numbers)
        for game in games:
            self.numbers.append(number_of(game.payload, self.numbers[-1] + 1 if self.numbers else 1))
            self.positions.append(game.position)
        numbers = self.numbers[first:].tolist()
        stored = dict(self.stored_games(numbers))
        for number, game in zip(numbers, games, strict=True):
            if number not in stored:
                sentence = phrase(
                    "Game {number} is missing: entry {entry} of the log brought it into the books.",
                    number=number,
                    entry=game.position,
                )
                self.findings.add("games", number, game.position, sentence)
            elif not is_alike(stored[number], game) or self.is_turned(stored[number]):
                self.look_at(number, game, stored[number])

    def stored_games(self, numbers: Sequence[int]) -> Iterator[tuple[int, Members]]:
        """Yield the games of these numbers as the log would say them."""
        if not numbers:
            return
        low, high = min(numbers), max(numbers)
        how, which = ("range", (low, high)) if high - low < 2 * len(numbers) else ("in", numbers)
        games = Game.objects.filter(league=self.league, **{f"number__{how}": which})
        rows = Result.objects.filter(game__league=self.league, **{f"game__number__{how}": which})
        names = ("game__number", "seat", "player_id", "recorded_as_id", *RESULT)
        lines = rows.order_by("game__number", "seat").values_list(*names)
        found = {number: list(group) for number, group in groupby(lines.iterator(SPAN), key=itemgetter(0))}
        columns = [written_moment(name) if name in MOMENTS else F(name) for name in COLUMNS.values()]
        for values in games.order_by("number").values_list(*columns).iterator(SPAN):
            members = unusual(dict(zip(COLUMNS, values, strict=True)))
            results = found.get(members["number"], [])
            members["results"] = [self.line(*result[2:]) for result in results]
            if results and results[-1][1] != len(results):
                members["seats"] = [result[1] for result in results]
            yield members["number"], members

    def line(self, player: int, recorded_as: int | None, *values: Any) -> Members:
        """Return a result as the log says it."""
        line = unusual({"player": self.opaque.get(player), **dict(zip(RESULT, values, strict=True))})
        return line if recorded_as is None else {**line, "recorded_as": self.opaque.get(recorded_as)}

    def is_turned(self, stored: Members) -> bool:
        """Return whether a line names a player who was ever merged."""
        named = (line.get("recorded_as", line["player"]) for line in stored["results"])
        return bool(self.turns) and any(self.names.get(player) in self.turns for player in named)

    def look_at(self, number: int, game: LoggedGame, stored: Members) -> None:
        """Compare a game member by member."""
        try:
            said = {**USUAL, **opened(game.payload, self.names, {}), **own_members(game)}
            said["results"] = lines_after(said["results"], self.turns, game.position)
            for sentence in game_differences({**USUAL, **opened(stored, self.names, {})}, said, game.position):
                self.findings.add("games", number, game.position, sentence)
        except UNREADABLE:
            self.findings.add("games", number, game.position, unreadable(game.position))

    def finish(self, order_keys: Mapping[int, int]) -> None:
        """Compare the last games, and which there are beside them, given order keys that are not the games' numbers."""
        self.compare()
        order = np.argsort(self.numbers, kind="stable")
        numbers, positions = np.array(self.numbers)[order], np.array(self.positions)[order]
        rows = Game.objects.filter(league=self.league).order_by("number").values_list("number", "order_key")
        stored = read_columns(rows, number="key", order_key="key")
        for number in np.setdiff1d(stored["number"], numbers).tolist():
            sentence = phrase(
                "Game {number} stands in the books, but no entry of the log brought it there.", number=number
            )
            self.findings.add("games", number, 0, sentence)
        for number, key in zip(stored["number"].tolist(), stored["order_key"].tolist(), strict=True):
            if key != (wanted := order_keys.get(number, number)):
                sentence = phrase(
                    "Game {number} has order_key {value}; by the log it has {other}.",
                    number=number,
                    value=key,
                    other=wanted,
                )
                self.findings.add("the order", number, 0, sentence)
        last = int(stored["number"].max(initial=0))
        if self.league.last_number != last:
            sentence = phrase(
                "The league says that its last game is {last}; it is {other}.", last=self.league.last_number, other=last
            )
            self.findings.add("the league", None, 0, sentence)
        for row in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
            number, entry = int(numbers[row]), int(positions[row + 1])
            sentence = phrase(
                "Entry {entry} of the log brings game {number} into the books again.", entry=entry, number=number
            )
            self.findings.add("games", number, entry, sentence)


def number_of(payload: Any, assumed: int) -> int:
    """Return the number of a game by its entry, if that has one."""
    number = payload.get("number") if isinstance(payload, dict) else None
    return number if type(number) is int and abs(number) < 2**63 else assumed


def own_members(game: LoggedGame) -> Members:
    """Return what an entry says of its game by itself."""
    return {"recorded_at": game.at, "recorded_by": game.by, "replaces": game.replaces}


def is_alike(stored: Members, game: LoggedGame) -> bool:
    """Return whether a game is what its entry says to the letter; True and 1 are alike to Python, not in details."""
    said = game.payload
    if not isinstance(said, dict) or stored != {**said, **own_members(game)}:
        return False
    return quoted(stored["details"]) == quoted(said["details"])


def lines_after(lines: Sequence[Members], turns: Turns, position: int) -> list[Members]:
    """Return the lines of an opened game as they are by all that the log says after its entry.

    A line is not handed over to a player who has one in the same game: that one is void.
    """
    players = [line["player"] for line in lines]
    named = [seat_of(line)[0] for line in lines]
    due = [(when, row, into) for row, player in enumerate(named) for when, into in turns.get(player, ())]
    for when, row, into in sorted(due, key=itemgetter(0, 1)):
        if when > position and into is None:
            players[row] = named[row]
        elif when > position and players[row] == named[row] and into not in players:
            players[row] = into
    return [
        {**line, "player": player, "recorded_as": None if player == name else name}
        for line, player, name in zip(lines, players, named, strict=True)
    ]


def game_differences(stored: Members, said: Members, position: int) -> Iterator[Said]:
    """Yield how a game differs from its entry."""
    number, results, lines = stored["number"], stored.pop("results"), said["results"]
    seats = stored.pop("seats", list(range(1, len(results) + 1)))
    yield from unlike(phrase("Game {number}", number=number), stored, said, position)
    if seats != list(range(1, len(lines) + 1)):
        yield phrase(
            "Game {number} has the seats {seats}; entry {entry} of the log says 1 to {last}.",
            number=number,
            seats=seats or phrase("none"),
            entry=position,
            last=len(lines),
        )
        return
    for number_of_seat, (result, line) in enumerate(zip(results, lines, strict=True), start=1):
        name = phrase("Seat {seat} of game {number}", seat=number_of_seat, number=number)
        counts, must = seat_of(result), seat_of(line)
        stood, stated = (
            {**USUAL, **one, "player": seat[0], "recorded_as": None} for one, seat in ((result, counts), (line, must))
        )
        yield from unlike(name, stood, stated, position)
        if counts[0] == must[0] and counts != must:
            yield phrase(
                "{seat} counts for {stands}; by the log it counts for {wanted}.",
                seat=name,
                stands=counted(*counts),
                wanted=counted(*must),
            )


def seat_of(line: Members) -> tuple[str, str]:
    """Return whom a line names, and for whom it counts."""
    return line.get("recorded_as") or line["player"], line["player"]


def counted(named: str, player: str) -> str | Said:
    """Return the name of the player for whom a line counts."""
    if named == player:
        return player
    return phrase("{player} (recorded as {recorded_as})", player=player, recorded_as=named)
