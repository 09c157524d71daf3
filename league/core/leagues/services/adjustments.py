"""Adjustments: points awarded or deducted by an organiser apart from games, dated, with a reason, voidable."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Max
from django.utils.translation import gettext as _

from league.core.errors import Conflict, Problem, Refused
from league.core.games.services.record import checked_reason
from league.core.leagues.selectors.adjustments import find_adjustment
from league.core.leagues.selectors.rules import rule_at, rules_of, system_of
from league.core.leagues.services.leagues import note_event
from league.core.locking import locked
from league.core.log.services import entries
from league.core.replay.services.inline import catch_up
from league.models import Adjustment, Game, GamelessChange, League, LogEntry, Player, Result
from league.models.facts import MAX_ADJUSTMENT
from ratings.contract.parameters import shown
from ratings.contract.system import RatingSystem


@dataclass(frozen=True)
class AdjustmentData:
    """A requested adjustment: points, reason and time (None: now)."""

    amount: float
    reason: str
    at: datetime | None = None


def adjust(league_id: int, player: Player, points: AdjustmentData, *, by: str) -> Adjustment:
    """Adjust a player's rating before every game of that time or later, and replay those.

    Raises Invalid without a reason, and Refused, with the field, if the points are 0 or too many, if the player
    has no rating then, or if the rating would exceed the system's bounds.
    """
    reason = checked_reason(points.reason)
    return _adjust(league_id, player, points, by, reason)


@locked
def _adjust(league: League, now: datetime, player: Player, points: AdjustmentData, by: str, reason: str) -> Adjustment:
    at = (points.at or now).astimezone(UTC)
    if at > now:
        sentence = _("An adjustment applies from now or from an earlier time; {at} is in the future.")
        raise Refused.of([Problem("/at", "future", sentence.format(at=at.isoformat()))])
    system = system_then(league, at)
    check_amount(system, points.amount)
    refuse_unrated(league, player, at)
    last = Adjustment.objects.filter(league=league).aggregate(last=Max("number"))["last"] or 0
    made = Adjustment.objects.create(
        league=league,
        number=last + 1,
        player=player,
        at=at,
        amount=float(points.amount),
        reason=reason,
        recorded_at=now,
        recorded_by=by,
    )
    entries.append(league, now, by, LogEntry.Kind.ADJUSTMENT_MADE, entries.of_adjustment(made))
    note_event(league)
    catch_up(league, (at, 0))
    refuse_out_of_bounds(made, system)
    return made


def void_adjustment(league_id: int, number: int, *, reason: str, by: str) -> Adjustment:
    """Void an adjustment: it stays readable but has no effect. Raises NotFound, Conflict or Invalid."""
    reason = checked_reason(reason)
    return _void_adjustment(league_id, number, reason, by)


@locked
def _void_adjustment(league: League, now: datetime, number: int, reason: str, by: str) -> Adjustment:
    found = find_adjustment(league, number)
    if found.voided_at is not None:
        raise Conflict(_("Adjustment {number} is already void.").format(number=number))
    found.voided_at, found.voided_by, found.void_reason = now, by, reason
    found.save(update_fields=["voided_at", "voided_by", "void_reason"])
    entries.append(league, now, by, LogEntry.Kind.ADJUSTMENT_VOIDED, entries.of_adjustment_void(found))
    catch_up(league, (found.at, 0))
    return found


def system_then(league: League, at: datetime) -> RatingSystem:
    """Return the system in force at a time; raises Refused if there is none."""
    rule = rule_at(rules_of(league), at)
    if rule is None:
        sentence = _("No rule of the league was in force then, so there were no ratings to adjust.")
        raise Refused.of([Problem("/at", "before_the_league", sentence)])
    return system_of(rule)


def check_amount(system: RatingSystem | None, amount: float) -> None:
    """Raise Refused if an amount is invalid for any player."""
    if not math.isfinite(amount) or not 0 < abs(amount) <= MAX_ADJUSTMENT:
        sentence = _("An adjustment adds or deducts points (10, −25), not 0, and {most} at most.")
        raise Refused.of([Problem("/amount", "out_of_bounds", sentence.format(most=shown(MAX_ADJUSTMENT)))])
    if system is not None and system.whole_ratings() and amount != int(amount):
        sentence = _("{system} uses whole ratings; {amount} is not a whole number of points.")
        said = sentence.format(system=system.title, amount=shown(amount))
        raise Refused.of([Problem("/amount", "not_whole", said)])


def refuse_unrated(league: League, player: Player, at: datetime) -> None:
    """Raise Refused if a player has no rated game before a time."""
    games = Result.objects.filter(
        league=league, player=player, game__kind=Game.Kind.PLAYED, game__voided_at=None, game__played_at__lt=at
    )
    if not games.exists():
        sentence = _(
            "{name} has no rated game before that time, so there is no rating to adjust. Set an initial rating instead."
        )
        raise Refused.of([Problem("/player", "unrated", sentence.format(name=player.name))])


def refuse_out_of_bounds(made: Adjustment, system: RatingSystem) -> None:
    """Raise Refused if the rating reaches a bound of the system; not checked while a replay is pending."""
    if made.league.stale_from is not None:
        return
    line = GamelessChange.objects.filter(league=made.league, number=made.number).first()
    if line is None or line.change != made.amount:
        low, high = shown(system.lowest_rating), shown(system.highest_rating)
        sentence = _("This would take {name} out of range: {system} allows ratings from {low} to {high}.")
        said = sentence.format(name=made.player.name, system=system.title, low=low, high=high)
        raise Refused.of([Problem("/amount", "out_of_bounds", said)])
