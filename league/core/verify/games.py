"""Verification of games: each is compared with the log entry that recorded it, in batches.

Each stored game is serialized like its entry. Only games whose text differs are parsed and compared member by member.
The player named by a line never changes; merges change the player it counts for (``MergeChanges``).
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

from league.core.db.columns import Column, format_moment_column, read_columns
from league.core.log.chain import quoted, serialize_canonically, unseal
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.findings import PAYLOAD_ERRORS, VerifyFindings, compare_members, describe_unreadable_entry
from league.core.verify.log_replay import LoggedGame
from league.models import Game, League, Result
from league.models.facts import RESULT, USUAL

#: Games read and compared per batch.
BATCH_SIZE = 5000
#: Columns of a game read without conversion; timestamps and JSON are read as text, which is faster.
UNCONVERTED_COLUMNS = ("number", "kind", "external_id", "note", "weight", "recorded_by", "replaces__number")
quote_cached = lru_cache(maxsize=10_000)(quoted)
Members = dict[str, Any]
#: A game in the log's form: payload, time and author of recording, and the number of the replaced game.
SerializedGame = tuple[str, str, str, int | None]
#: Player -> the log positions at which the player was merged into another one, or (None) the merge was undone.
MergeChanges = Mapping[str, Sequence[tuple[int, str | None]]]


class GameComparison:
    """Compares the games of a league in the order of the log.

    ``opaque`` maps players' keys to opaque handles, ``names`` opaque handles to handles.
    """

    def __init__(
        self,
        league: League,
        opaque: Mapping[int, str],
        names: Mapping[str, str],
        merge_changes: MergeChanges,
        findings: VerifyFindings,
    ) -> None:
        self.league, self.names, self.merge_changes, self.findings = league, names, merge_changes, findings
        self.quoted_handles = {player: quoted(handle) for player, handle in opaque.items()}
        self.merged_players = {player for player, handle in opaque.items() if names.get(handle) in merge_changes}
        self.waiting: list[LoggedGame] = []
        self.numbers, self.positions = array("q"), array("q")

    def add(self, game: LoggedGame) -> None:
        """Add the log's next game."""
        self.waiting.append(game)
        if len(self.waiting) >= BATCH_SIZE:
            self.compare()

    def compare(self) -> None:
        """Compare the games of a batch; each should have the next number."""
        games, self.waiting = self.waiting, []
        first = self.numbers[-1] + 1 if self.numbers else 1
        stored = dict(self.read_games(number__range=(first, first + len(games) - 1)))
        for assumed, game in enumerate(games, start=first):
            text, number = (game.payload, game.at, game.by, game.replaces), assumed
            if stored.get(assumed) != text:
                contents = parse_payload(game.payload)
                number = read_number(contents, assumed)
                if number != assumed and number not in stored:
                    stored |= self.read_games(number=number)
                self.compare_game(number, game, contents, stored.get(number))
            self.numbers.append(number)
            self.positions.append(game.position)

    def read_games(self, **filters: Any) -> Iterator[tuple[int, SerializedGame]]:
        """Yield games in the log's form; a game of a merged player gets a text that equals no entry."""
        results = Result.objects.filter(league=self.league, **{f"game__{key}": value for key, value in filters.items()})
        lines, with_merged_player = self.read_lines(results)
        games = Game.objects.filter(league=self.league, **filters).order_by("number")
        times = (format_moment_column("played_at"), format_moment_column("recorded_at"))
        texts = [Cast(name, TextField()) for name in ("details", "metadata", "withheld")]
        rows = games.values_list(*UNCONVERTED_COLUMNS, *times, *texts)
        for number, kind, key, note, weight, author, replaces, played_at, recorded_at, *json_texts in rows.iterator(
            BATCH_SIZE
        ):
            details, metadata, withheld = map(format_json, json_texts)
            weight_member = "" if weight == 1.0 else f',"weight":{serialize_canonically(weight)}'
            metadata_member = "" if metadata == "{}" else f'"metadata":{metadata},'
            withheld_member = "" if withheld == "{}" else f',"withheld":{withheld}'
            text = (
                f'{{"details":{details},"external_id":{quote_cached(key)},"kind":{quote_cached(kind)},{metadata_member}'
                f'"note":{quote_cached(note)},"number":{number},"played_at":{quoted(played_at)},'
                f'"results":[{",".join(lines[number])}]{weight_member}{withheld_member}}}'
            )
            yield number, (f"{text} " if number in with_merged_player else text, recorded_at, author, replaces)

    def read_lines(self, results: QuerySet[Result]) -> tuple[defaultdict[int, list[str]], set[int]]:
        """Return results in the log's form, by the games' numbers, and the games with a merged player.

        A line in a wrong seat gets a member ``seat``.
        """
        recorded_id = Coalesce("recorded_as_id", Value(0))
        rows = results.order_by("game__number", "seat")
        ordered = rows.values_list("game__number", "seat", "player_id", recorded_id, *RESULT)
        kinds = {"number": "key", "seat": "small", "player": "key", "named": "key", **dict.fromkeys(RESULT, "float")}
        columns = read_columns(ordered, **kinds)
        lines: defaultdict[int, list[str]] = defaultdict(list)
        with_merged_player, handles = set[int](), self.quoted_handles
        keys = (columns[name].tolist() for name in ("number", "seat", "player", "named"))
        numbers_of_lines = (format_numbers(columns[name]) for name in ("place", "score", "side"))
        for number, seat, player, recorded_as, place, score, side in zip(*keys, *numbers_of_lines, strict=True):
            game_lines = lines[number]
            recorded = f',"recorded_as":{handles.get(recorded_as, "null")}' if recorded_as else ""
            end = "" if side == "null" else f',"side":{side}'
            if seat != len(game_lines) + 1:
                end += f',"seat":{seat}'
            if recorded_as or player in self.merged_players:
                with_merged_player.add(number)
            game_lines.append(
                f'{{"place":{place},"player":{handles.get(player, "null")}{recorded},"score":{score}{end}}}'
            )
        return lines, with_merged_player

    def compare_game(self, number: int, game: LoggedGame, contents: Any, serialized: SerializedGame | None) -> None:
        """Compare a game with its entry, member by member."""
        if serialized is None:
            message = phrase(
                "Game {number} is missing, but was recorded in entry {entry} of the log.",
                number=number,
                entry=game.position,
            )
            self.findings.add("games", number, game.position, message)
            return
        text, *values = serialized
        members = ("recorded_at", "recorded_by", "replaces")
        stored = {**USUAL, **unseal(json.loads(text), self.names, {}), **dict(zip(members, values, strict=True))}
        try:
            contents = {**USUAL, **unseal(contents, self.names, {})}
            contents |= {"recorded_at": game.at, "recorded_by": game.by, "replaces": game.replaces}
            contents["results"] = apply_merges(contents["results"], self.merge_changes, game.position)
            for message in _find_game_differences(stored, contents, game.position):
                self.findings.add("games", number, game.position, message)
        except PAYLOAD_ERRORS:
            self.findings.add("games", number, game.position, describe_unreadable_entry(game.position))

    def finish(self, order_keys: Mapping[int, int]) -> None:
        """Compare the last games, and report unlogged games; ``order_keys`` are those other than the games' numbers."""
        self.compare()
        order = np.argsort(self.numbers, kind="stable")
        numbers, positions = np.array(self.numbers)[order], np.array(self.positions)[order]
        rows = Game.objects.filter(league=self.league).order_by("number").values_list("number", "order_key")
        stored = read_columns(rows, number="key", order_key="key")
        for number in np.setdiff1d(stored["number"], numbers).tolist():
            message = phrase("Game {number} exists, but no entry of the log recorded it.", number=number)
            self.findings.add("games", number, 0, message)
        for number, key in zip(stored["number"].tolist(), stored["order_key"].tolist(), strict=True):
            if key != (expected := order_keys.get(number, number)):
                message = phrase(
                    "Game {number} has order_key {value}; by the log it has {other}.",
                    number=number,
                    value=key,
                    other=expected,
                )
                self.findings.add("the order", number, 0, message)
        last = int(stored["number"].max(initial=0))
        if self.league.last_number != last:
            message = phrase(
                "The league's last game is stored as {last}, but is {other}.", last=self.league.last_number, other=last
            )
            self.findings.add("the league", None, 0, message)
        for row in np.flatnonzero(numbers[1:] == numbers[:-1]).tolist():
            number, entry = int(numbers[row]), int(positions[row + 1])
            message = phrase(
                "Entry {entry} of the log records game {number} a second time.", entry=entry, number=number
            )
            self.findings.add("games", number, entry, message)


def read_number(payload: Any, assumed: int) -> int:
    """Return the number in an entry's payload, if it has a valid one."""
    number = payload.get("number") if isinstance(payload, dict) else None
    return number if type(number) is int and abs(number) < 2**63 else assumed


def parse_payload(payload: Any) -> Any:
    """Return a parsed payload; None if it is invalid."""
    try:
        return json.loads(payload) if isinstance(payload, str) else payload
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def format_json(text: str) -> str:
    """Return JSON of the database in the log's form."""
    return serialize_canonically(json.loads(text))


def format_numbers(column: Column) -> list[str]:
    """Return numbers in the log's form; NaN is null."""
    texts = {number: serialize_canonically(number) for number in np.unique(column[~np.isnan(column)]).tolist()}
    return [texts.get(number, "null") for number in column.tolist()]


def apply_merges(lines: Sequence[Members], merge_changes: MergeChanges, position: int) -> list[Members]:
    """Return the lines of a game after the merges that followed its entry.

    A line is not reassigned to a player who already has a line in the game.
    """
    players = [line["player"] for line in lines]
    named_players = [read_seat_players(line)[0] for line in lines]
    changes = [
        (when, row, survivor)
        for row, player in enumerate(named_players)
        for when, survivor in merge_changes.get(player, ())
    ]
    for when, row, survivor in sorted(changes, key=itemgetter(0, 1)):
        if when > position and survivor is None:
            players[row] = named_players[row]
        elif when > position and players[row] == named_players[row] and survivor not in players:
            players[row] = survivor
    return [
        {**line, "player": player, "recorded_as": None if player == name else name}
        for line, player, name in zip(lines, players, named_players, strict=True)
    ]


def _find_game_differences(stored: Members, contents: Members, position: int) -> Iterator[StoredMessage]:
    number, results, lines = stored["number"], stored.pop("results"), contents["results"]
    seats = [result.pop("seat", seat) for seat, result in enumerate(results, start=1)]
    yield from compare_members(phrase("Game {number}", number=number), stored, contents, position)
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
        stored_players, logged_players = read_seat_players(result), read_seat_players(line)
        stored_line, logged_line = (
            {**USUAL, **members, "player": seat[0], "recorded_as": None}
            for members, seat in ((result, stored_players), (line, logged_players))
        )
        yield from compare_members(name, stored_line, logged_line, position)
        if stored_players[0] == logged_players[0] and stored_players != logged_players:
            yield phrase(
                "{seat} counts for {stands}; by the log it counts for {wanted}.",
                seat=name,
                stands=_describe_counted_player(*stored_players),
                wanted=_describe_counted_player(*logged_players),
            )


def read_seat_players(line: Members) -> tuple[str, str]:
    """Return the player named by a line, and the one it counts for."""
    return line.get("recorded_as") or line["player"], line["player"]


def _describe_counted_player(named_player: str, player: str) -> str | StoredMessage:
    if named_player == player:
        return player
    return phrase("{player} (recorded as {recorded_as})", player=player, recorded_as=named_player)
