"""Games under ``verify``: each compared with the entry of the log that recorded it, a span of them at once.

A game is read as its entry would say it, as text with opaque handles: most are alike to the letter. Only those that
differ are parsed, opened, and compared member by member. Whom a line names never changes; for whom it counts, merges
do (``Turns``).
"""

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce

from league.core.db.columns import Column, read_columns, written_moment
from league.core.log.chain import canonical, quoted, unseal
from league.core.text.stored_messages import Said, phrase
from league.core.verify.findings import UNREADABLE, VerifyFindings, unlike, unreadable
from league.core.verify.log_replay import LoggedGame
from league.models import Game, League, Result
from league.models.declared import RESULT, USUAL

#: The games that are read and compared at once.
SPAN = 5000
#: The columns of a game that are read as they are; moments and JSON are read as text, which is quicker.
PLAIN = ("number", "kind", "external_id", "note", "weight", "recorded_by", "replaces__number")
word = lru_cache(maxsize=10_000)(quoted)
Members = dict[str, Any]
#: A game as the log would say it: text, when and by whom it was recorded, and what it replaces.
Written = tuple[str, str, str, int | None]
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
        findings: VerifyFindings,
    ) -> None:
        self.league, self.names, self.turns, self.findings = league, names, turns, findings
        self.words = {player: quoted(handle) for player, handle in opaque.items()}
        self.turned = {player for player, handle in opaque.items() if names.get(handle) in turns}
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
        first = self.numbers[-1] + 1 if self.numbers else 1
        stored = dict(self.stored_games(number__range=(first, first + len(games) - 1)))
        for assumed, game in enumerate(games, start=first):
            text, number = (game.payload, game.at, game.by, game.replaces), assumed
            if stored.get(assumed) != text:
                said = parsed(game.payload)
                number = number_of(said, assumed)
                if number != assumed and number not in stored:
                    stored |= self.stored_games(number=number)
                self.look_at(number, game, said, stored.get(number))
            self.numbers.append(number)
            self.positions.append(game.position)

    def stored_games(self, **which: Any) -> Iterator[tuple[int, Written]]:
        """Yield some games as the log would say them; one with a line of a merged player is alike to none."""
        results = Result.objects.filter(league=self.league, **{f"game__{key}": one for key, one in which.items()})
        lines, turned = self.stored_lines(results)
        games = Game.objects.filter(league=self.league, **which).order_by("number")
        moments = (written_moment("played_at"), written_moment("recorded_at"))
        texts = (Cast("details", TextField()), Cast("metadata", TextField()))
        rows = games.values_list(*PLAIN, *moments, *texts)
        for number, kind, key, note, weight, by, replaces, played_at, recorded_at, *json_texts in rows.iterator(SPAN):
            details, metadata = map(written_json, json_texts)
            weighed = "" if weight == 1.0 else f',"weight":{canonical(weight)}'
            brought = "" if metadata == "{}" else f'"metadata":{metadata},'
            text = (
                f'{{"details":{details},"external_id":{word(key)},"kind":{word(kind)},{brought}'
                f'"note":{word(note)},"number":{number},"played_at":{quoted(played_at)},'
                f'"results":[{",".join(lines[number])}]{weighed}}}'
            )
            yield number, (f"{text} " if number in turned else text, recorded_at, by, replaces)

    def stored_lines(self, results: QuerySet[Result]) -> tuple[defaultdict[int, list[str]], set[int]]:
        """Return results as the log would say them, by the games' numbers, and the games with a merged player.

        A line in a wrong seat says so.
        """
        named = Coalesce("recorded_as_id", Value(0))
        rows = results.order_by("game__number", "seat")
        ordered = rows.values_list("game__number", "seat", "player_id", named, *RESULT)
        kinds = {"number": "key", "seat": "small", "player": "key", "named": "key", **dict.fromkeys(RESULT, "float")}
        found = read_columns(ordered, **kinds)
        lines: defaultdict[int, list[str]] = defaultdict(list)
        turned, words = set[int](), self.words
        keys = (found[name].tolist() for name in ("number", "seat", "player", "named"))
        figures = (written_figures(found[name]) for name in ("place", "score", "side"))
        for number, seat, player, recorded_as, place, score, side in zip(*keys, *figures, strict=True):
            own = lines[number]
            recorded = f',"recorded_as":{words.get(recorded_as, "null")}' if recorded_as else ""
            end = "" if side == "null" else f',"side":{side}'
            if seat != len(own) + 1:
                end += f',"seat":{seat}'
            if recorded_as or player in self.turned:
                turned.add(number)
            own.append(f'{{"place":{place},"player":{words.get(player, "null")}{recorded},"score":{score}{end}}}')
        return lines, turned

    def look_at(self, number: int, game: LoggedGame, said: Any, written: Written | None) -> None:
        """Compare a game member by member."""
        if written is None:
            sentence = phrase(
                "Game {number} is missing, but was recorded in entry {entry} of the log.",
                number=number,
                entry=game.position,
            )
            self.findings.add("games", number, game.position, sentence)
            return
        text, *own = written
        members = ("recorded_at", "recorded_by", "replaces")
        stored = {**USUAL, **unseal(json.loads(text), self.names, {}), **dict(zip(members, own, strict=True))}
        try:
            said = {**USUAL, **unseal(said, self.names, {})}
            said |= {"recorded_at": game.at, "recorded_by": game.by, "replaces": game.replaces}
            said["results"] = lines_after(said["results"], self.turns, game.position)
            for sentence in game_differences(stored, said, game.position):
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
            sentence = phrase("Game {number} exists, but no entry of the log recorded it.", number=number)
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
                "The league's last game is stored as {last}, but is {other}.", last=self.league.last_number, other=last
            )
            self.findings.add("the league", None, 0, sentence)
        for row in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
            number, entry = int(numbers[row]), int(positions[row + 1])
            sentence = phrase(
                "Entry {entry} of the log records game {number} a second time.", entry=entry, number=number
            )
            self.findings.add("games", number, entry, sentence)


def number_of(payload: Any, assumed: int) -> int:
    """Return the number of a game by its entry, if that has one."""
    number = payload.get("number") if isinstance(payload, dict) else None
    return number if type(number) is int and abs(number) < 2**63 else assumed


def parsed(payload: Any) -> Any:
    """Return what an entry says, None if that is no JSON; what is no text is parsed already."""
    try:
        return json.loads(payload) if isinstance(payload, str) else payload
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def written_json(text: str) -> str:
    """Write JSON of the database as the log does."""
    return canonical(json.loads(text))


def written_figures(column: Column) -> list[str]:
    """Write figures as the log does; NaN is none."""
    texts = {figure: canonical(figure) for figure in np.unique(column[~np.isnan(column)]).tolist()}
    return [texts.get(figure, "null") for figure in column.tolist()]


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
    seats = [result.pop("seat", seat) for seat, result in enumerate(results, start=1)]
    yield from unlike(phrase("Game {number}", number=number), stored, said, position)
    if seats != list(range(1, len(lines) + 1)):
        yield phrase(
            "Game {number} has the seats {seats}; entry {entry} of the log has 1 to {last}.",
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
