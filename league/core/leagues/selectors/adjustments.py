"""Adjustments of a league, and all rating changes of players between games."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from league.core.errors import NotFound
from league.models import Adjustment, GamelessChange, League, Player, RatingChange, Rule
from league.models.contexts import changes_of, gameless_changes_of
from league.models.derived import SYSTEM_CHANGE

#: Maximum number of new seasons in a feed.
MAX_TURNS = 12


class AdjustmentLine(NamedTuple):
    """An adjustment and its line of the history; None if it has no effect."""

    adjustment: Adjustment
    line: GamelessChange | None


def find_adjustments(league: League) -> QuerySet[Adjustment]:
    """Return the adjustments of a league, including void ones, last recorded first."""
    return Adjustment.objects.filter(league=league).select_related("player").order_by("-number")


def find_adjustment(league: League, number: int) -> Adjustment:
    """Return an adjustment by its number; raises NotFound."""
    adjustment = Adjustment.objects.select_related("player").filter(league=league, number=number).first()
    if adjustment is None:
        template = _("{league} has no adjustment {number}.")
        raise NotFound(template.format(league=league.title, number=number))
    return adjustment


def load_adjustment_lines(league: League, adjustments: Sequence[Adjustment]) -> list[AdjustmentLine]:
    """Return adjustments with their lines of the history."""
    lines = gameless_changes_of(league).filter(number__in=[adjustment.number for adjustment in adjustments])
    by_number = {line.number: line for line in lines}
    return [AdjustmentLine(adjustment, by_number.get(adjustment.number)) for adjustment in adjustments]


@dataclass(frozen=True)
class AdjustmentMove:
    """A rating change between games: a change of system, a new season or an ``adjustment`` (otherwise None)."""

    line: GamelessChange
    adjustment: Adjustment | None

    @property
    def state(self) -> tuple[float, ...]:
        """Return the state after it, with all stored columns."""
        return self.line.after, self.line.state_1, self.line.state_2, self.line.state_3

    @property
    def cause(self) -> str:
        """Return the cause: "system", "season" or "adjustment"."""
        return self.line.cause


def load_moves(league: League, player: Player) -> list[AdjustmentMove]:
    """Return a player's rating changes between games, in order."""
    if not league.eventful:
        return []
    lines = list(gameless_changes_of(league).filter(player=player).order_by("at", "number"))
    adjustments_by_number = {
        adjustment.number: adjustment for adjustment in Adjustment.objects.filter(league=league, player=player)
    }
    return [AdjustmentMove(line, adjustments_by_number.get(line.number)) for line in lines]


def load_system_starts(league: League, change: Rule | None, lines: Sequence[RatingChange]) -> list[GamelessChange]:
    """Return the lines of a change of system for players of a game whose first game since it is this one.

    change: the last one before the game, None if there is none. lines: the game's.
    """
    if change is None or not lines:
        return []
    first = reduce(or_, (Q(player=line.player_id, games=line.games - 1) for line in lines))
    start_lines = gameless_changes_of(league).filter(first, at=change.starts_at, number=SYSTEM_CHANGE)
    return list(start_lines.select_related("player").order_by("player__name"))


def find_changes_since(league: League, first: datetime, end: datetime) -> QuerySet[GamelessChange]:
    """Return all lines without a game after the last rated game before ``first``, until ``end``."""
    earlier_lines = changes_of(league).filter(at__lt=first).order_by("-at", "-order_key")
    last = earlier_lines.values_list("at", flat=True).first()
    lines = gameless_changes_of(league).filter(at__lte=end)
    return lines if last is None else lines.filter(at__gt=last)


def load_moves_since(league: League, first: datetime, end: datetime, players: Sequence[int]) -> list[AdjustmentMove]:
    """Return some players' rating changes between the last rated game before ``first`` and ``end``, in order."""
    if not league.eventful:
        return []
    lines = find_changes_since(league, first, end).filter(player__in=players).select_related("player")
    adjustments_by_number = {
        adjustment.number: adjustment for adjustment in Adjustment.objects.filter(league=league, player__in=players)
    }
    return [
        AdjustmentMove(line, adjustments_by_number.get(line.number))
        for line in lines.order_by("at", "number", "player")
    ]


def load_turning_points(league: League, start: datetime) -> list[AdjustmentMove]:
    """Return the effective adjustments since a time, and each new season once, latest first."""
    if not league.eventful:
        return []
    lines = gameless_changes_of(league).filter(at__gte=start).order_by("at", "number", "player")
    adjusted = Adjustment.objects.counting().filter(league=league, at__gte=start).select_related("player")
    adjustments_by_number = {item.number: item for item in adjusted}
    moves = [
        AdjustmentMove(line, adjustments_by_number[line.number])
        for line in lines.filter(number__in=adjustments_by_number)
    ]
    turns = lines.filter(number=0).order_by("-at").values_list("at", flat=True).distinct()[:MAX_TURNS]
    firsts = (lines.filter(number=0, at=turned_at).first() for turned_at in turns)
    moves += [AdjustmentMove(line, None) for line in firsts if line is not None]
    return sorted(moves, key=lambda item: (item.line.at, item.line.number), reverse=True)


def load_full_history(
    league: League, player: Player, lines: QuerySet[RatingChange], start: datetime | None, end: datetime | None
) -> Sequence[RatingChange | AdjustmentMove]:
    """Return lines of a player's history between two times, merged with changes between games."""
    moves = [
        move
        for move in load_moves(league, player)
        if (start is None or move.line.at >= start) and (end is None or move.line.at < end)
    ]
    if not moves:
        return lines  # type: ignore[return-value]  # a query can be sliced like a list
    return sorted([*lines, *moves], key=order_of_line)


def order_of_line(line: RatingChange | AdjustmentMove) -> tuple[datetime, int, int, int]:
    """Return the position of a line in the history: lines without a game before the games of their time."""
    if isinstance(line, AdjustmentMove):
        return line.line.at, 0, line.line.number, 0
    return line.at, 1, line.order_key, line.step
