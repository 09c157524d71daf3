"""What moves ratings between games under ``verify``: adjustments held to the log, and the lines that no game made."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from league.chain import instant
from league.db.columns import Column
from league.db.make_equal import matched
from league.db.times import kept_moment, micros, moment_of
from league.models import Adjustment, GamelessChange, League
from league.said import Said, phrase
from league.services.replay.between import GAMELESS, GamelessLines, StoredGameless, from_turn
from league.services.verify.books import Books, differing, otherwise, some

FIGURES = ("games", "before", "change", "after")


@dataclass(frozen=True)
class Compared:
    """The stored and the computed lines that no game made, without those that wait for a replay."""

    stored: StoredGameless
    computed: GamelessLines


def lines_of(books: Books) -> Compared:
    """Read the stored lines, and put both beside each other."""
    rows = GamelessChange.objects.filter(league=books.league).order_by("player", "at", "number")
    stored = StoredGameless.read(rows, at=kept_moment("at"))
    return Compared(stored.of(settled(books, stored)), books.between.of(settled(books, books.between)))


def settled(books: Books, rows: GamelessLines) -> Column:
    """Return which lines wait for no replay; one that a game opens waits from the turn of its season on."""
    position = from_turn(books.league, books.stale_from, books.rules)
    if position is None:
        return np.ones(len(rows), dtype=bool)
    edge = micros(position[0])
    kept: Column = rows.at <= edge if position[1] else rows.at < edge
    return kept


def between_problems(books: Books) -> Iterator[Said]:
    """Yield which lines that no game made are not what the facts give."""
    lines = lines_of(books)
    same, stands = matched(GAMELESS, lines.stored.by_name(), lines.computed.by_name())
    extra, lost = np.flatnonzero(~stands).tolist(), np.flatnonzero(~same).tolist()
    if not extra and not lost:
        return
    wrong = moment_of(min([*lines.stored.at[extra].tolist(), *lines.computed.at[lost].tolist()]))
    books.wrong_from = wrong if books.wrong_from is None else min(books.wrong_from, wrong)
    count = len({*names(lines.stored, extra), *names(lines.computed, lost)})
    yield from some(count, sentences(books, lines, extra, lost), phrase("of the moves between games"))


def names(rows: GamelessLines, which: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return what names some lines."""
    return [(int(rows.player[row]), int(rows.at[row]), int(rows.number[row])) for row in which]


def sentences(books: Books, lines: Compared, extra: Sequence[int], lost: Sequence[int]) -> Iterator[Said]:
    """Yield what differs."""
    wanted = dict(zip(names(lines.computed, lost), lost, strict=True))
    for name, row in zip(names(lines.stored, extra), extra, strict=True):
        if name not in wanted:
            yield phrase("{fact} must not be there.", fact=move_name(books, name))
            continue
        says, must = differing(lines.stored, row, lines.computed, wanted.pop(name), FIGURES)
        if says:
            yield otherwise(move_name(books, name), says, must)
        else:
            yield phrase("{fact} stands twice.", fact=move_name(books, name))
    yield from (phrase("{fact} is missing.", fact=move_name(books, name)) for name in wanted)


def move_name(books: Books, name: tuple[int, int, int]) -> Said:
    """Return how a sentence names a line that no game made."""
    player, at, number = name
    values = {"player": books.name(player), "when": f"{moment_of(at):%Y-%m-%d %H:%M}", "number": number}
    if number:
        return phrase("The move of {player} by adjustment {number} at {when} UTC", **values)
    return phrase("The pull of {player} at the turn of the season at {when} UTC", **values)


def adjusted(league: League) -> dict[int, dict[str, Any]]:
    """Return what stands of each adjustment of a league, as its log says it."""
    rows = Adjustment.objects.filter(league=league).select_related("player", "recorded_as").order_by("number")
    return {
        one.number: {
            "player": one.player.handle,
            "recorded_as": one.recorded_as and one.recorded_as.handle,
            "since": instant(one.at),
            "amount": one.amount,
            "reason": one.reason,
            "by": one.recorded_by,
            "at": instant(one.recorded_at),
        }
        for one in rows
    }


def voided(league: League) -> dict[int, dict[str, Any]]:
    """Return what stands of each adjustment that is void, as the log says it."""
    rows = Adjustment.objects.filter(league=league).exclude(voided_at=None, voided_by="", void_reason="")
    return {
        one.number: {"at": one.voided_at and instant(one.voided_at), "by": one.voided_by, "reason": one.void_reason}
        for one in rows.order_by("number")
    }


def adjustment_name(number: int) -> Said:
    """Return how a sentence names an adjustment."""
    return phrase("Adjustment {number}", number=number)


def adjustment_void_name(number: int) -> Said:
    """Return how a sentence names the mark of an adjustment that is void."""
    return phrase("The void mark of adjustment {number}", number=number)
