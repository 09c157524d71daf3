"""For whom results count, under ``verify``: the merges that the log says of, taken again line by line.

Whom a line names never changes, and is compared with its game. Only games with somebody who was merged are read here.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
from django.db.models import Q

from league.db.columns import Column
from league.models import League, Result
from league.said import Said, phrase
from league.services.verify.findings import Findings
from league.services.verify.games import seat_name
from league.services.verify.log_replay import LoggedFacts

#: So many games are read at once.
SPAN = 500
#: For whom a line counts, and whom it named where that one was merged into the player.
Seat = tuple[str, str | None]
Spelled = Mapping[tuple[int, int], tuple[str, str]]


def seat_findings(
    league: League, facts: LoggedFacts, spelled: Spelled, games: tuple[Column, Column], findings: Findings
) -> None:
    """Note the results that count for others than the log says.

    ``games`` are numbers (ascending) and entries' positions of all games that the log says; ``spelled`` are the lines
    of which it says for whom they counted from the beginning.
    """
    numbers, positions = games
    for number, lines in merged_games(league, facts):
        row = int(np.searchsorted(numbers, number))
        if row == len(numbers) or numbers[row] != number:
            continue
        begun = [first_seat(number, seat, stands, spelled) for seat, stands in lines]
        must = seats_after(begun, facts, int(positions[row]))
        for (seat, stands), wanted in zip(lines, must, strict=True):
            if stands != wanted:
                sentence = phrase(
                    "{seat} counts for {stands}; by the log it counts for {wanted}.",
                    seat=seat_name(seat, number),
                    stands=counted(stands),
                    wanted=counted(wanted),
                )
                findings.add("merged players", number, int(positions[row]), sentence)


def merged_games(league: League, facts: LoggedFacts) -> Iterator[tuple[int, list[tuple[int, Seat]]]]:
    """Yield the games in which somebody sits who was ever merged, with the seats and for whom they count."""
    own = Result.objects.filter(game__league=league)
    affected = own.filter(Q(recorded_as__isnull=False) | Q(player__handle__in=list(facts.turns)))
    numbers = sorted(set(affected.order_by().values_list("game__number", flat=True)))
    for start in range(0, len(numbers), SPAN):
        lines = own.filter(game__number__in=numbers[start : start + SPAN]).order_by("game__number", "seat")
        rows = lines.values_list("game__number", "seat", "player__handle", "recorded_as__handle")
        for number, found in groupby(rows, key=lambda row: row[0]):
            yield number, [(seat, (player, named)) for _, seat, player, named in found]


def first_seat(number: int, seat: int, stands: Seat, spelled: Spelled) -> Seat:
    """Return for whom a line counted when its game was recorded."""
    player, named = stands
    return spelled.get((number, seat), (named or player, None))


def seats_after(begun: Sequence[Seat], facts: LoggedFacts, position: int) -> list[Seat]:
    """Return for whom the lines of a game count by all that the log says after its entry.

    A line is not handed over to somebody who has one in the same game: that one is void.
    """
    seats = list(begun)
    named = [recorded_as or player for player, recorded_as in begun]
    turns = sorted(
        (when, row, into)
        for row, player in enumerate(named)
        for when, into in facts.turns.get(player, ())
        if when > position
    )
    for _, row, into in turns:
        if into is None:
            if seats[row][1] is not None:
                seats[row] = named[row], None
        elif seats[row][1] is None and into not in [player for player, _ in seats]:
            seats[row] = into, named[row]
    return seats


def counted(seat: Seat) -> str | Said:
    """Say for whom a line counts."""
    player, named = seat
    return player if named is None else phrase("{player} (recorded as {recorded_as})", player=player, recorded_as=named)
