"""What of an evening's news no game made: adjustments with their reasons, and turns of seasons."""

from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Max, Min, Q

from league.apps.notices.models import Notice
from league.core.games.selectors.games import evening_end, of_evening
from league.core.leagues.selectors.adjustments import load_adjustment_lines, moved_since
from league.core.text.timestamps import known_zone
from league.models import Adjustment, GamelessChange, League, RatingChange

#: An adjustment that was recorded longer before the end of an evening is no one's news.
LATELY = timedelta(days=31)


def adjustments_told(league: League, day: date, before: date | None) -> list[dict[str, Any]]:
    """Return the adjustments that were made or voided since the evening that was told before, the first one first.

    They are told by when they were written down, not from when they count: so each is told once, and none is missed.
    ``before``: an evening that is told together with this one, ahead of it.
    """
    if not league.eventful:
        return []
    last = Notice.objects.filter(league=league, kind=Notice.Kind.EVENING).order_by("-subject").first()
    days = [before, date.fromisoformat(last.subject) if last is not None else None]
    end = evening_end(league, day)
    start = max([end - LATELY, *(evening_end(league, one) for one in days if one is not None)])
    made, gone = Q(recorded_at__gt=start, recorded_at__lte=end), Q(voided_at__gt=start, voided_at__lte=end)
    # Whoever was given points and had them taken back in between has nothing to be told.
    found = Adjustment.objects.filter(made ^ gone, league=league).select_related("player").order_by("number")
    return [
        news
        for one, line in load_adjustment_lines(league, list(found))
        if (news := news_of(one, line, end)) is not None
    ]


def news_of(one: Adjustment, line: GamelessChange | None, end: datetime) -> dict[str, Any] | None:
    """Return what is told of an adjustment: what it moved, or gave back until a moment; None if it moves nothing."""
    void = one.voided_at is not None and one.voided_at <= end
    if line is None and one.voided_at is None:
        return None
    # Of one that is void by now nothing is in the history; it moved what it says, or would have been refused.
    moved = one.amount if line is None else line.change
    return {
        "number": one.number,
        "name": one.player.name,
        "void": void,
        "change": -moved if void else moved,
        "reason": one.void_reason if void else one.reason,
    }


def seasons_told(league: League, day: date) -> list[dict[str, Any]]:
    """Return the turns of seasons that an evening's games opened, with whom of its players each pulled, and how far."""
    if not league.eventful:
        return []
    games = RatingChange.objects.filter(of_evening(league, day, "at"), league=league, step=1)
    span = games.aggregate(first=Min("at"), last=Max("at"))
    if span["first"] is None:
        return []
    # Until its last game: what turned after that a game of the next evening has opened, which may be told together.
    lines = moved_since(league, span["first"], span["last"]).filter(number=0).order_by("at", "-change", "player")
    played = set(games.order_by().values_list("player", flat=True).distinct())
    turns: dict[datetime, list[GamelessChange]] = {}
    for line in lines.select_related("player"):
        turns.setdefault(line.at, []).append(line)
    zone = known_zone(league.time_zone)
    return [
        {
            "day": at.astimezone(zone).date().isoformat(),
            "count": len(pulled),
            "people": [{"name": one.player.name, "change": one.change} for one in pulled if one.player_id in played],
        }
        for at, pulled in turns.items()
    ]
