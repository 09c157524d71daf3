"""Adjustments: points awarded or deducted by an organiser apart from games, dated, with a reason, voidable."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Max
from django.utils.translation import gettext as _

from league.core.errors import Conflict, Problem, Refused
from league.core.leagues.selectors.adjustments import find_adjustment
from league.core.leagues.services.leagues import note_event
from league.core.locking import locked
from league.core.log.services import entries
from league.core.reasons import require_reason
from league.core.replay.services.inline import catch_up
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, load_rules
from league.models import Adjustment, GamelessChange, League, LogEntry, Player, Result
from league.models.facts import ADJUSTMENT_LOG, ADJUSTMENT_VOID_LOG, MAX_ADJUSTMENT, build_recording
from ratings.contract.parameters import format_localized
from ratings.contract.system import RatingSystem


@dataclass(frozen=True)
class AdjustmentData:
    """A requested adjustment: points, reason and time (None: now)."""

    amount: float
    reason: str
    at: datetime | None = None


def adjust(league_id: int, player: Player, points: AdjustmentData, *, username: str) -> Adjustment:
    """Adjust a player's rating before every game of that time or later, and replay those.

    Raises Invalid without a reason, and Refused, with the field, if the points are 0 or too many, if the player
    has no rating then, or if the rating would exceed the system's bounds.
    """
    reason = require_reason(points.reason)
    return _adjust(league_id, player, points, username, reason)


@locked
def _adjust(
    league: League, now: datetime, player: Player, points: AdjustmentData, username: str, reason: str
) -> Adjustment:
    applies_at = (points.at or now).astimezone(UTC)
    if applies_at > now:
        template = _("An adjustment applies from now or from an earlier time; {at} is in the future.")
        raise Refused.of([Problem("/at", "future", template.format(at=applies_at.isoformat()))])
    system = _get_system_at(league, applies_at)
    check_amount(system, points.amount)
    refuse_unrated(league, player, applies_at)
    last = Adjustment.objects.filter(league=league).aggregate(last=Max("number"))["last"] or 0
    adjustment = Adjustment.objects.create(
        league=league,
        number=last + 1,
        player=player,
        at=applies_at,
        amount=float(points.amount),
        reason=reason,
        **build_recording(now, username),
    )
    entries.append(league, now, username, LogEntry.Kind.ADJUSTMENT_MADE, ADJUSTMENT_LOG.build_payload(adjustment))
    note_event(league)
    catch_up(league, (applies_at, 0))
    refuse_out_of_bounds(adjustment, system)
    return adjustment


def void_adjustment(league_id: int, number: int, *, reason: str, username: str) -> Adjustment:
    """Void an adjustment: it stays readable but has no effect. Raises NotFound, Conflict or Invalid."""
    reason = require_reason(reason)
    return _void_adjustment(league_id, number, reason, username)


@locked
def _void_adjustment(league: League, now: datetime, number: int, reason: str, username: str) -> Adjustment:
    adjustment = find_adjustment(league, number)
    if adjustment.voided_at is not None:
        raise Conflict(_("Adjustment {number} is already void.").format(number=number))
    adjustment.voided_at, adjustment.voided_by, adjustment.void_reason = now, username, reason
    adjustment.save(update_fields=["voided_at", "voided_by", "void_reason"])
    entries.append(
        league, now, username, LogEntry.Kind.ADJUSTMENT_VOIDED, ADJUSTMENT_VOID_LOG.build_payload(adjustment)
    )
    catch_up(league, (adjustment.at, 0))
    return adjustment


def _get_system_at(league: League, time: datetime) -> RatingSystem:
    """Return the system in force at a time; raises Refused if there is none."""
    rule = find_rule_at(load_rules(league), time)
    if rule is None:
        message = _("No rule of the league was in force then, so there were no ratings to adjust.")
        raise Refused.of([Problem("/at", "before_the_league", message)])
    return build_rule_system(rule)


def check_amount(system: RatingSystem | None, amount: float) -> None:
    """Raise Refused if an amount is invalid for any player."""
    if not math.isfinite(amount) or not 0 < abs(amount) <= MAX_ADJUSTMENT:
        template = _("An adjustment adds or deducts points (10, −25), not 0, and {most} at most.")
        raise Refused.of([Problem("/amount", "out_of_bounds", template.format(most=format_localized(MAX_ADJUSTMENT)))])
    if system is not None and system.whole_ratings() and amount != int(amount):
        template = _("{system} uses whole ratings; {amount} is not a whole number of points.")
        message = template.format(system=system.title, amount=format_localized(amount))
        raise Refused.of([Problem("/amount", "not_whole", message)])


def refuse_unrated(league: League, player: Player, time: datetime) -> None:
    """Raise Refused if a player has no rated game before a time."""
    games = Result.objects.rated().filter(league=league, player=player, game__played_at__lt=time)
    if not games.exists():
        template = _(
            "{name} has no rated game before that time, so there is no rating to adjust. Set an initial rating instead."
        )
        raise Refused.of([Problem("/player", "unrated", template.format(name=player.name))])


def refuse_out_of_bounds(adjustment: Adjustment, system: RatingSystem) -> None:
    """Raise Refused if the rating reaches a bound of the system; not checked while a replay is pending."""
    if adjustment.league.stale_from is not None:
        return
    line = GamelessChange.objects.filter(league=adjustment.league, number=adjustment.number).first()
    if line is None or line.change != adjustment.amount:
        low, high = format_localized(system.lowest_rating), format_localized(system.highest_rating)
        template = _("This would take {name} out of range: {system} allows ratings from {low} to {high}.")
        message = template.format(name=adjustment.player.name, system=system.title, low=low, high=high)
        raise Refused.of([Problem("/amount", "out_of_bounds", message)])
