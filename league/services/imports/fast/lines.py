"""Lines of JSON that are plain, read many at a time; the strict reader of single lines takes all others.

Plain are lines in which nothing has to be explained: every key is known and stands once, every value
has its type, every time its offset. What is read here is what the strict reader reads, held by a test over nasty lines.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from league.db.write_columns import Column
from league.models import Game
from league.models.facts import MOST_SEATS
from league.services.imports.files import NOTHING, Block
from league.services.imports.read_csv import parse_time
from league.services.recording.game_input import unsigned
from ratings.contract.system import ABSURD_SCORE
from ratings.run.replay import NAN

#: What stands for a key that is not there.
ABSENT = object()
TEXTS: set[type] = {str}
NUMBERS: set[type] = {int, float}
#: The types of what may be left out.
MAYBE: set[type] = {type(None), type(ABSENT)}


class NotPlain(Exception):
    """Something that the strict reader must look at."""


def refuse(constant: str) -> NoReturn:
    """Leave NaN and the infinities to the strict reader."""
    raise NotPlain


DECODER = json.JSONDecoder(parse_constant=refuse)


def read_plain(lines: Sequence[bytes], first: int, time_zone: str) -> Block | None:
    """Return the games of lines, the number of the first one being ``first``; None where one of them is not plain."""
    try:
        return block_of(b"".join(lines).decode(), len(lines), first, time_zone)
    except (NotPlain, ValueError, OverflowError, RecursionError):
        return None  # why, the strict reader says


def block_of(text: str, count: int, first: int, time_zone: str) -> Block:
    """Return the games of so many lines; raises NotPlain, or what parsing raises."""
    demand(only_plain_escapes(text))
    games, keys = scanned(text, count), Keys()
    times, results = keys.taken(games, "played_at", TEXTS), keys.taken(games, "results", {list})
    external_ids, kinds, notes = (keys.taken(games, key, TEXTS | MAYBE) for key in ("external_id", "kind", "note"))
    details = keys.taken(games, "details", {dict} | MAYBE)
    sizes = list(map(len, results))
    demand(min(sizes) >= 1 and max(sizes) <= MOST_SEATS)
    lines = list(chain.from_iterable(results))
    demand(set(map(type, lines)) == {dict})
    players = keys.taken(lines, "player", TEXTS)
    scores, places = keys.taken(lines, "score", NUMBERS | MAYBE), keys.taken(lines, "place", {int} | MAYBE)
    sides = keys.taken(lines, "side", {int} | MAYBE)
    demand(all(map(str.strip, players)) and 0 not in places and 0 not in sides)
    demand({kind.strip() or Game.Kind.PLAYED for kind in kinds if kind and kind is not ABSENT} <= {Game.Kind.PLAYED})
    fields = plain_details(details)
    # Each key and each text stands between two marks; more of them belong to keys that are unknown or stand twice.
    demand(text.count('"') == 2 * (keys.count + sum(map(len, fields))))
    return Block(
        lines=range(first, first + count),
        moments=moments_of(times, time_zone),
        external_ids=stripped(external_ids, None),
        notes=stripped(notes, ""),
        details=fields,
        sizes=np.array(sizes, dtype=np.int64),
        players=players,
        scores=numbers(scores, NAN),
        places=numbers(places, 0.0).astype(np.int64),
        sides=numbers(sides, 0.0).astype(np.int64),
    )


def demand(plain: bool) -> None:
    """Raise NotPlain unless something is as it is in plain lines."""
    if not plain:
        raise NotPlain


def only_plain_escapes(text: str) -> bool:
    r"""Tell whether nothing is escaped, or only letters as \u00e9, which are no NUL and no half of a pair."""
    if "\\" not in text:
        return True
    return text.count("\\") == text.count("\\u") and not any(code in text for code in ("\\u0000", "\\ud", "\\uD"))


def scanned(text: str, count: int) -> list[dict[str, Any]]:
    """Return the objects of so many lines; raises NotPlain where a line is not just one object."""
    games = []
    for line in text.removesuffix("\n").split("\n"):
        game, end = DECODER.raw_decode(line)
        demand(end == len(line) or not line[end:].strip(" \t\r"))
        games.append(game)
    demand(len(games) == count and set(map(type, games)) == {dict})
    return games


class Keys:
    """Counts the known keys of objects, and the texts among their values, as they are taken."""

    def __init__(self) -> None:
        self.count = 0

    def taken(self, objects: Sequence[dict[str, Any]], key: str, types: set[type]) -> list[Any]:
        """Return the values of a key, ABSENT where it is not there; raises NotPlain for another type."""
        values = [one.get(key, ABSENT) for one in objects]
        found = list(map(type, values))
        demand(set(found) <= types)
        self.count += len(values) - found.count(type(ABSENT)) + found.count(str)
        return values


def plain_details(details: Sequence[Any]) -> list[Mapping[str, Any]]:
    """Return the details of games, those that have none sharing one; raises NotPlain unless all are plain numbers."""
    if set(map(type, details)) <= MAYBE:
        return [NOTHING] * len(details)
    fields = [NOTHING if given is ABSENT or not given else given for given in details]
    for given in fields:
        for value in given.values():
            demand(type(value) in NUMBERS and abs(value) <= ABSURD_SCORE)
    return [{key: unsigned(value) for key, value in given.items()} if given else given for given in fields]


def moments_of(times: Sequence[str], time_zone: str) -> list[datetime]:
    """Return when games were played; raises NotPlain or ValueError where that is not said."""
    moments = [parse_time(text, time_zone) if len(text) == 10 else datetime.fromisoformat(text) for text in times]
    demand(None not in [moment.tzinfo for moment in moments])
    demand(min(moments).year >= 2 and max(moments).year < 9998)
    return moments


def stripped(texts: Sequence[Any], nothing: str | None) -> list[Any]:
    """Return texts without the space around them, ``nothing`` where there is none."""
    return [nothing if text is None or text is ABSENT else text.strip() or nothing for text in texts]


def numbers(values: Sequence[Any], nothing: float) -> Column:
    """Return numbers as floats; raises NotPlain where one is larger than any may be, or none at all."""
    given = [nothing if value is None or value is ABSENT else value for value in values]
    column = np.array(given, dtype=np.float64) + 0.0  # no -0.0 in the books
    demand(bool(((np.abs(column) <= ABSURD_SCORE) | np.isnan(column)).all()))
    return column
