"""Rating changes without games, for notices of evenings: adjustments and season changes."""

from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Max, Min, Q

from league.apps.notices.models import Notice
from league.core.games.selectors.games import evening_end, of_evening
from league.core.leagues.selectors.adjustments import load_adjustment_lines, moved_since
from league.core.text.display_formats import known_zone
from league.models import Adjustment, GamelessChange, League, RatingChange

#: Maximum age of an adjustment in a notice, measured at the end of the evening.
MAX_ADJUSTMENT_AGE = timedelta(days=31)


def load_adjustment_news(league: League, day: date, before: date | None) -> list[dict[str, Any]]:
    """Return the adjustments made or voided since the last announced evening, earliest first.

    Their recording time counts, not their effective time, so that each is announced exactly once. ``before`` is an
    evening that is announced together with this one.
    """
    if not league.eventful:
        return []
    last = Notice.objects.filter(league=league, kind=Notice.Kind.EVENING).order_by("-subject").first()
    days = [before, date.fromisoformat(last.subject) if last is not None else None]
    end = evening_end(league, day)
    start = max(
        [end - MAX_ADJUSTMENT_AGE, *(evening_end(league, adjustment) for adjustment in days if adjustment is not None)]
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
    games = RatingChange.objects.filter(of_evening(league, day, "at"), league=league, step=1)
    span = games.aggregate(first=Min("at"), last=Max("at"))
    if span["first"] is None:
        return []
    # Only up to its last game; later season changes belong to the next evening.
    changes = moved_since(league, span["first"], span["last"]).filter(number=0).order_by("at", "-change", "player")
    played = set(games.order_by().values_list("player", flat=True).distinct())
    changes_by_turn: dict[datetime, list[GamelessChange]] = {}
    for line in changes.select_related("player"):
        changes_by_turn.setdefault(line.at, []).append(line)
    zone = known_zone(league.time_zone)
    return [
        {
            "day": at.astimezone(zone).date().isoformat(),
            "count": len(turn_changes),
            "people": [
                {"name": change.player.name, "change": change.change}
                for change in turn_changes
                if change.player_id in played
            ],
        }
        for at, turn_changes in changes_by_turn.items()
    ]
