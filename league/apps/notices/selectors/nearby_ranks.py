"""Rating changes without games, for notices of evenings: adjustments and season changes."""

from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Max, Min, Q

from league.apps.notices.models import Notice
from league.core.games.selectors.games import build_evening_condition, compute_evening_end
from league.core.leagues.selectors.adjustments import find_changes_since, load_adjustment_lines
from league.core.text.display_formats import get_known_zone
from league.models import Adjustment, GamelessChange, League, RatingChange

#: Maximum age of an adjustment in a notice, measured at the end of the evening.
MAX_ADJUSTMENT_AGE = timedelta(days=31)


def load_adjustment_news(league: League, day: date, previous_day: date | None) -> list[dict[str, Any]]:
    """Return the adjustments made or voided since the last announced evening, earliest first.

    Their recording time counts, not their effective time, so that each is announced exactly once. ``previous_day`` is
    an evening that is announced together with this one.
    """
    if not league.eventful:
        return []
    last = Notice.objects.filter(league=league, kind=Notice.Kind.EVENING).order_by("-subject").first()
    days = [previous_day, date.fromisoformat(last.subject) if last is not None else None]
    end = compute_evening_end(league, day)
    start = max(
        [
            end - MAX_ADJUSTMENT_AGE,
            *(compute_evening_end(league, adjustment) for adjustment in days if adjustment is not None),
        ]
    )
    recorded, voided = Q(recorded_at__gt=start, recorded_at__lte=end), Q(voided_at__gt=start, voided_at__lte=end)
    # Adjustments both made and voided in this time are left out.
    adjustments = (
        Adjustment.objects.filter(recorded ^ voided, league=league).select_related("player").order_by("number")
    )
    return [
        news
        for adjustment, line in load_adjustment_lines(league, list(adjustments))
        if (news := _describe_adjustment(adjustment, line, end)) is not None
    ]


def _describe_adjustment(adjustment: Adjustment, line: GamelessChange | None, end: datetime) -> dict[str, Any] | None:
    void = adjustment.voided_at is not None and adjustment.voided_at <= end
    if line is None and adjustment.voided_at is None:
        return None
    # A void adjustment has no line in the history; its change was its full amount.
    amount = adjustment.amount if line is None else line.change
    return {
        "number": adjustment.number,
        "name": adjustment.player.name,
        "void": void,
        "change": -amount if void else amount,
        "reason": adjustment.void_reason if void else adjustment.reason,
    }


def load_season_news(league: League, day: date) -> list[dict[str, Any]]:
    """Return the season changes that an evening's games triggered, with the changes of its players."""
    if not league.eventful:
        return []
    games = RatingChange.objects.filter(build_evening_condition(league, day, "at"), league=league, step=1)
    span = games.aggregate(first=Min("at"), last=Max("at"))
    if span["first"] is None:
        return []
    # Only up to its last game; later season changes belong to the next evening.
    changes = (
        find_changes_since(league, span["first"], span["last"]).filter(number=0).order_by("at", "-change", "player")
    )
    player_ids = set(games.order_by().values_list("player", flat=True).distinct())
    changes_by_turn: dict[datetime, list[GamelessChange]] = {}
    for line in changes.select_related("player"):
        changes_by_turn.setdefault(line.at, []).append(line)
    zone = get_known_zone(league.time_zone)
    return [
        {
            "day": changed_at.astimezone(zone).date().isoformat(),
            "count": len(turn_changes),
            "people": [
                {"name": change.player.name, "change": change.change}
                for change in turn_changes
                if change.player_id in player_ids
            ],
        }
        for changed_at, turn_changes in changes_by_turn.items()
    ]
