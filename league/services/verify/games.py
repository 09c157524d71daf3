"""Games under ``verify``: each held to the entry of the log that brought it into the books.

A span of games is read at once, by columns, and what the log would say of each is written as the import writes it:
where that is the entry's payload to the letter, nothing else is looked at. The rest is compared member by member.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
from django.db.models import F, TextField
from django.db.models.functions import Cast, Coalesce

from league.chain import canonical, quoted
from league.db.columns import Column, read_columns
from league.db.times import written_moment
from league.models import Game, League, Result
from league.models.declared import RESULT, USUAL, said_by
from league.said import Said, phrase
from league.sealing import opened
from league.services.log import entries
from league.services.log.figures import sided, weighed
from league.services.verify.findings import Findings
from league.services.verify.log_replay import LoggedGame

#: So many games are read and compared at once.
SPAN = 5000
#: So many of those that differ are looked at one by one at once.
FEW = 500
#: So many figures and details are remembered as they are written.
REMEMBERED = 100_000
GAME = ("number", "kind", "external_id", "note", "weight", "recorded_by", "replaces_id")
#: When a game was played and recorded, and under which names that is read as the log writes it.
MOMENTS = {"played_at": "played_at_written", "recorded_at": "recorded_at_written"}
#: How long a value may be in a sentence.
LONGEST = 120
#: What an entry raises that does not say what one of its kind says.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)


class HeldGames:
    """The games of a league on their way past the log, in the order in which it brought them into the books."""

    def __init__(self, league: League, opaque: Mapping[int, str], names: Mapping[str, str], findings: Findings) -> None:
        self.league, self.names, self.findings = league, names, findings
        self.waiting: list[LoggedGame] = []
        self.next = 1
        """The number of the next game if the log has no gap."""
        self.numbers: list[Column] = []
        self.positions: list[Column] = []
        self.spelled: dict[tuple[int, int], tuple[str, str]] = {}
        """Number and seat -> for whom a line counted and whom it named, where the entry says both."""
        self.written: dict[Any, str] = {}
        self.words = {key: f'"player":{quoted(handle)},"score":' for key, handle in opaque.items()}

    def take(self, game: LoggedGame) -> None:
        """Take the next game that the log brings into the books."""
        self.waiting.append(game)
        if len(self.waiting) >= SPAN:
            self.compare()

    def compare(self) -> None:
        """Compare the games that wait; each must be the one of the next number."""
        logged, self.waiting = self.waiting, []
        first = self.next
        numbers = np.arange(first, first + len(logged), dtype=np.int64)
        there = dict(self.entries_between(first, first + len(logged) - 1))
        unlike = [
            place
            for place, game in enumerate(logged)
            if there.get(first + place) != (game.payload, game.at, game.by, game.replaces)
        ]
        for start in range(0, len(unlike), FEW):
            part = unlike[start : start + FEW]
            numbers[part] = self.look_at([logged[place] for place in part], numbers[part].tolist())
        self.numbers.append(numbers)
        self.positions.append(np.array([game.position for game in logged], dtype=np.int64))
        if logged:
            self.next = int(numbers[-1]) + 1

    def entries_between(self, first: int, last: int) -> Iterator[tuple[int, tuple[str, str, str, int | None]]]:
        """Yield what the log would say of each game of a span: number, and payload, time, who, what it replaces.

        For whom a line counts is left aside: the log names whom the sheet named, until that one is merged.
        """
        games = Game.objects.filter(league=self.league, number__range=(first, last)).order_by("number")
        rows = games.values_list(*GAME, *map(written_moment, MOMENTS), Cast("details", TextField()))
        sizes, lines = self.lines(first, last)
        at = 0
        for number, kind, external_id, note, weight, by, replaces, played_at, recorded_at, details in rows.iterator(
            SPAN
        ):
            size = sizes.get(number, 0)
            results, at = ",".join(lines[at : at + size]), at + size
            name = "null" if external_id is None else quoted(external_id)
            payload = (
                f'{{"details":{self.details(details)},"external_id":{name},"kind":{quoted(kind)},'
                f'"note":{quoted(note)},"number":{number},"played_at":"{played_at}",'
                f'"results":[{results}]{weighed(weight)}}}'
            )
            yield number, (payload, recorded_at, by, replaces)

    def lines(self, first: int, last: int) -> tuple[dict[int, int], list[str]]:
        """Return how many results the games of a span have, and what the log would say of each, in seat order."""
        found = Result.objects.filter(game__league=self.league, game__number__range=(first, last))
        ordered = found.order_by("game__number", "seat").values_list(
            "game__number", "seat", Coalesce("recorded_as_id", F("player_id")), *RESULT
        )
        said = dict.fromkeys(RESULT, "float")
        rows = read_columns(ordered, number="key", seat="small", player="key", **said)
        counted, starts, sizes = np.unique(rows["number"], return_index=True, return_counts=True)
        # Where seats do not go from 1 on, nothing is written, which differs from what the log says.
        odd = rows["seat"] != np.arange(len(rows["seat"])) - np.repeat(starts, sizes) + 1
        words, figure = self.words, self.figure
        lines = [
            f'{{"place":{place or "null"},{words.get(player)}{figure(score)}}}'
            for player, score, place in zip(
                rows["player"].tolist(),
                rows["score"].tolist(),
                np.nan_to_num(rows["place"]).astype(np.int64).tolist(),
                strict=True,
            )
        ]
        for row in np.flatnonzero(~np.isnan(rows["side"])).tolist():
            lines[row] = sided(lines[row], int(rows["side"][row]))
        for row in np.flatnonzero(odd).tolist():
            lines[row] = ""
        return dict(zip(counted.tolist(), sizes.tolist(), strict=True)), lines

    def figure(self, score: float) -> str:
        """Write a score as the log does; what is no number is none."""
        written = self.written.get(score)
        if written is None:
            written = "null" if isnan(score) else canonical(score)
            self.remember(score, written)
        return written

    def details(self, text: str) -> str:
        """Write the details of a game as the log does, given the database's own JSON."""
        written = self.written.get(text)
        if written is None:
            written = canonical(json.loads(text))
            self.remember(text, written)
        return written

    def remember(self, value: Any, written: str) -> None:
        """Remember how something is written."""
        if len(self.written) < REMEMBERED and value == value:  # noqa: PLR0124 -- NaN is found by no look
            self.written[value] = written

    def look_at(self, logged: Sequence[LoggedGame], assumed: Sequence[int]) -> list[int]:
        """Compare games member by member; returns their numbers as the log says them."""
        payloads = [self.parsed(game.payload) for game in logged]
        numbers = [number_of(payload, other) for payload, other in zip(payloads, assumed, strict=True)]
        found = Game.objects.filter(league=self.league, number__in=numbers).select_related("replaces")
        found = found.annotate(**{name: written_moment(field) for field, name in MOMENTS.items()})
        games = {game.number: game for game in found.prefetch_related("results__player", "results__recorded_as")}
        for number, entry, payload in zip(numbers, logged, payloads, strict=True):
            game = games.get(number)
            if game is None:
                sentence = phrase(
                    "Game {number} is missing: entry {entry} of the log brought it into the books.",
                    number=number,
                    entry=entry.position,
                )
                self.findings.add("games", number, entry.position, sentence)
                continue
            try:
                for sentence in game_differences(game, entry, payload):
                    self.findings.add("games", number, entry.position, sentence)
                self.note_spelled(number, payload["results"])
            except UNREADABLE:
                self.findings.add("games", number, entry.position, unreadable(entry.position))
        return numbers

    def parsed(self, payload: Any) -> Any:
        """Return what an entry says, opened, None where that is no JSON; what is no text any more is opened already."""
        try:
            return opened(json.loads(payload), self.names, {}) if isinstance(payload, str) else payload
        except ValueError:
            return None

    def note_spelled(self, number: int, results: Sequence[Mapping[str, Any]]) -> None:
        """Note the lines of which an entry says for whom they count beside whom they name."""
        for seat, line in enumerate(results, start=1):
            if "recorded_as" in line:
                self.spelled[number, seat] = line["player"], line["recorded_as"]

    def finish(self) -> tuple[Column, Column]:
        """Compare the last games; returns the numbers of all that the log says, and their entries' positions."""
        self.compare()
        numbers, positions = np.concatenate(self.numbers), np.concatenate(self.positions)
        there = read_columns(Game.objects.filter(league=self.league).order_by().values_list("number"), number="key")
        for number in np.setdiff1d(there["number"], numbers).tolist():
            sentence = phrase(
                "Game {number} stands in the books, but no entry of the log brought it there.", number=number
            )
            self.findings.add("games", number, 0, sentence)
        order = np.argsort(numbers, kind="stable")
        numbers, positions = numbers[order], positions[order]
        for row in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
            sentence = phrase(
                "Entry {entry} of the log brings game {number} into the books again.",
                entry=positions[row + 1],
                number=numbers[row],
            )
            self.findings.add("games", int(numbers[row]), int(positions[row + 1]), sentence)
        return numbers, positions


def number_of(payload: Any, assumed: int) -> int:
    """Return the number of a game by its entry, where that has one."""
    number = payload.get("number") if isinstance(payload, dict) else None
    return number if type(number) is int else assumed


def game_differences(game: Game, entry: LoggedGame, payload: Mapping[str, Any]) -> Iterator[Said]:
    """Yield how a game differs from its entry in the log; for whom its lines count is left aside."""
    results = sorted(game.results.all(), key=lambda line: line.seat)
    said = {**USUAL, "recorded_at": entry.at, "recorded_by": entry.by, "replaces": entry.replaces, **payload}
    lines = said.pop("results")
    stands = {
        "weight": game.weight,
        **entries.of_game(game, []),
        **{field: getattr(game, name) for field, name in MOMENTS.items()},
        "recorded_by": game.recorded_by,
        "replaces": game.replaces and game.replaces.number,
    }
    stands.pop("results")
    yield from unlike(phrase("Game {number}", number=game.number), stands, said, entry.position)
    if [line.seat for line in results] != list(range(1, len(lines) + 1)):
        yield phrase(
            "Game {number} has the seats {seats}; entry {entry} of the log says 1 to {last}.",
            number=game.number,
            seats=[line.seat for line in results] or phrase("none"),
            entry=entry.position,
            last=len(lines),
        )
        return
    for result, line in zip(results, lines, strict=True):
        stood = {"side": result.side, **entries.of_line(*written_line(result))}
        name = seat_name(result.seat, game.number)
        yield from unlike(name, named(stood), named(line), entry.position)


def written_line(result: Result) -> entries.Line:
    """Return what there is to tell of a result as an opened entry has it: by handles."""
    return result.player.handle, *said_by(result), result.recorded_as and result.recorded_as.handle


def named(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line with whom it named as its player, whoever that one is since."""
    kept = {name: value for name, value in line.items() if name != "recorded_as"}
    return {**kept, "player": line.get("recorded_as", line["player"])}


def unlike(name: Said, stands: Mapping[str, Any], said: Mapping[str, Any], position: int) -> Iterator[Said]:
    """Yield the members in which something differs from what an entry says; what that does not say is nothing."""
    for member, value in stands.items():
        other = said.get(member)
        if canonical(value) != canonical(other):
            yield phrase(
                "{fact} has {member} {value}; entry {entry} of the log says {other}.",
                fact=name,
                member=member,
                value=shown(value),
                entry=position,
                other=shown(other),
            )


def shown(value: Any) -> str:
    """Write a value into a sentence."""
    if value is None:
        return phrase("nothing")
    text = f"“{value}”" if isinstance(value, str) else canonical(value)
    seen = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return seen if len(seen) <= LONGEST else f"{seen[:LONGEST]}…"


def seat_name(seat: int, number: int) -> Said:
    """Return how a sentence names a seat."""
    return phrase("Seat {seat} of game {number}", seat=seat, number=number)


def untold(name: Said) -> Said:
    """Return the sentence about a fact of which the log says nothing."""
    return phrase("{fact} stands in the books, but not in the log.", fact=name)


def missing(name: Said, position: int) -> Said:
    """Return the sentence about a fact of which the log says, and which is not there."""
    return phrase("{fact} is missing: entry {entry} of the log says of it.", fact=name, entry=position)


def unreadable(position: int) -> Said:
    """Return the sentence about an entry that does not say what one of its kind says."""
    return phrase("Entry {entry} of the log does not say what an entry of its kind says.", entry=position)
