"""The time of the last change that affects a period, which delays its automatic closing.

A period is touched by anything that may change its edition: log entries about its games, and, if its method depends
on more than these (``Method.reads_past``), entries about earlier rated games.

Nothing is stored for this: it follows from the facts (when games were recorded and voided, rules adopted) and from
the log (initial ratings, merges). So it is the same after a replay and in a restored league, and costs nothing when
recording.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from league.core.ladders.selectors.tallies import build_method
from league.core.log.selectors.log_decode import open_payloads
from league.models import Adjustment, Game, League, LogEntry, Period, Result, Rule, Standing

#: Log entries that affect games recorded earlier: those of a player, and reordered ones.
OF_GAMES = (
    LogEntry.Kind.START_SET,
    LogEntry.Kind.ADJUSTMENT_MADE,
    LogEntry.Kind.ADJUSTMENT_VOIDED,
    LogEntry.Kind.PLAYER_MERGED,
    LogEntry.Kind.PLAYER_UNMERGED,
    LogEntry.Kind.GAMES_MOVED,
)

#: Periods with standings; a period without rated games has no ranking and is deleted when it ends.
RANKED = Standing.objects.filter(league=OuterRef("league"), period=OuterRef("pk"))


def find_untouched_periods(league: League, periods: Sequence[Period], cutoff: datetime) -> list[Period]:
    """Return the periods that nothing has touched since a time; their rules must be loaded."""
    adopted = list(Rule.objects.filter(league=league, created_at__gt=cutoff).values_list("starts_at", flat=True))
    quiet = [
        period
        for period in periods
        if period.rule.created_at <= cutoff and not any(start < period.ends_at for start in adopted)
    ]
    quiet = _exclude_periods_with_games(league, quiet, Q(recorded_at__gt=cutoff) | Q(voided_at__gt=cutoff))
    # The log is searched only for periods that are about to close.
    entries = _load_entries_since(league, cutoff) if quiet else []
    return _exclude_periods_with_games(league, quiet, _build_affected_condition(entries)) if entries else quiet


def _exclude_periods_with_games(league: League, periods: Sequence[Period], condition: Q) -> list[Period]:
    """Return the periods that none of the matching games touches."""
    if not periods:
        return []
    games = Game.objects.filter(
        condition, league=league, played_at__gte=OuterRef("starts_at"), played_at__lt=OuterRef("ends_at")
    )
    remaining = Period.objects.filter(~Exists(games), pk__in=[period.pk for period in periods])
    ranks = dict(remaining.annotate(ranks=Exists(RANKED)).values_list("pk", "ranks"))
    quiet = [period for period in periods if period.pk in ranks]
    deep = {period.pk for period in quiet if ranks[period.pk] and _depends_on_earlier_games(period)}
    if not deep:
        return quiet
    # One query for all: the first matching game touches every period that ends after it.
    rated = Game.objects.filter(condition, league=league, kind=Game.Kind.PLAYED)
    first = rated.aggregate(first=Min("played_at"))["first"]
    return [period for period in quiet if period.pk not in deep or first is None or period.ends_at <= first]


def _depends_on_earlier_games(period: Period) -> bool:
    """Return whether earlier rated games affect the standings of a period, according to its method."""
    return build_method(period.rule).reads_past()


def compute_closing_time(league: League, period: Period, touched: datetime) -> datetime:
    """Return when a period closes automatically, given when it was last touched."""
    return max(period.ends_at, touched) + timedelta(hours=league.close_after_hours)


def find_last_touch(league: League, period: Period) -> datetime:
    """Return when a period was last touched, at the earliest when its ladder's rule was created."""
    game_times = find_touching_games(league, period).aggregate(recorded=Max("recorded_at"), voided=Max("voided_at"))
    rules = Rule.objects.filter(league=league, starts_at__lt=period.ends_at).aggregate(adopted=Max("created_at"))
    last: datetime = max(
        time for time in (*game_times.values(), *rules.values(), period.rule.created_at) if time is not None
    )
    entries = _load_entries_since(league, last)
    # Later entries affect fewer games: bisection finds the last one that affects any.
    begin, end = 0, len(entries)
    while begin < end:
        middle = (begin + end) // 2
        if find_touching_games(league, period).filter(_build_affected_condition(entries[middle:])).exists():
            begin = middle + 1
        else:
            end = middle
    return entries[begin - 1][0] if begin else last


def find_touching_games(league: League, period: Period) -> QuerySet[Game]:
    """Return all games that touch a period: its own, including void and unrated ones, and earlier rated ones."""
    in_period = Q(played_at__gte=period.starts_at)
    deep = _depends_on_earlier_games(period) and Period.objects.filter(Exists(RANKED), pk=period.pk).exists()
    reaching = in_period | Q(kind=Game.Kind.PLAYED) if deep else in_period
    return Game.objects.filter(reaching, league=league, played_at__lt=period.ends_at)


Entry = tuple[datetime, dict[str, Any]]
"""The time and payload of a log entry."""


def _load_entries_since(league: League, from_time: datetime) -> list[Entry]:
    """Return the entries since a time that affect games recorded earlier, in order."""
    entries = LogEntry.objects.filter(league=league, at__gt=from_time, kind__in=OF_GAMES).order_by("position")
    rows = list(entries.values_list("at", "payload"))
    opened = open_payloads(league, [payload for _, payload in rows])
    return [(time, entry.payload) for (time, _), entry in zip(rows, opened, strict=True)]


def _build_affected_condition(entries: Collection[Entry]) -> Q:
    """Return the condition for games affected by entries: those named, and those of the named players.

    A merge affects both players: even taking over only an initial rating changes ratings.
    """
    numbers = [number for _, payload in entries for number in payload.get("games", ())]
    payloads = [payload for _, payload in entries if "since" not in payload]
    handles = [payload[name] for payload in payloads for name in ("player", "into") if name in payload]
    condition = Q(number__in=numbers) | Q(Exists(_find_lines_of_players(handles)))
    # An adjustment affects nothing before it.
    adjustments = Adjustment.objects.filter(
        league=OuterRef("league"),
        number__in=[payload["number"] for _, payload in entries if "since" in payload],
        at__lte=OuterRef("played_at"),
        player__results__league=OuterRef("league"),
        player__results__game=OuterRef("pk"),
    )
    return condition | Q(Exists(adjustments))


def _find_lines_of_players(handles: Collection[str]) -> QuerySet[Result]:
    """Return the lines, in the game of an outer query, of some players, by current or originally named player."""
    lines = Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"))
    return lines.filter(Q(player__handle__in=handles) | Q(recorded_as__handle__in=handles))
