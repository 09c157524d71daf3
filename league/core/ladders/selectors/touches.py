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

from league.core.ladders.selectors.tallies import method_of
from league.core.log.selectors.log_decode import open_payloads
from league.models import Game, League, LogEntry, Period, Result, Rule, Standing

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


def untouched_periods(league: League, periods: Sequence[Period], since: datetime) -> list[Period]:
    """Return the periods that nothing has touched since a time; their rules must be loaded."""
    adopted = list(Rule.objects.filter(league=league, created_at__gt=since).values_list("starts_at", flat=True))
    quiet = [
        period
        for period in periods
        if period.rule.created_at <= since and not any(start < period.ends_at for start in adopted)
    ]
    quiet = without_games(league, quiet, Q(recorded_at__gt=since) | Q(voided_at__gt=since))
    # The log is searched only for periods that are about to close.
    entries = entries_since(league, since) if quiet else []
    return without_games(league, quiet, games_affected(entries)) if entries else quiet


def without_games(league: League, periods: Sequence[Period], which: Q) -> list[Period]:
    """Return the periods that none of the matching games touches."""
    if not periods:
        return []
    games = Game.objects.filter(
        which, league=league, played_at__gte=OuterRef("starts_at"), played_at__lt=OuterRef("ends_at")
    )
    kept = Period.objects.filter(~Exists(games), pk__in=[period.pk for period in periods])
    ranks = dict(kept.annotate(ranks=Exists(RANKED)).values_list("pk", "ranks"))
    quiet = [period for period in periods if period.pk in ranks]
    deep = {period.pk for period in quiet if ranks[period.pk] and reads_past(period)}
    if not deep:
        return quiet
    # One query for all: the first matching game touches every period that ends after it.
    rated = Game.objects.filter(which, league=league, kind=Game.Kind.PLAYED)
    first = rated.aggregate(first=Min("played_at"))["first"]
    return [period for period in quiet if period.pk not in deep or first is None or period.ends_at <= first]


def reads_past(period: Period) -> bool:
    """Return whether earlier rated games affect the standings of a period, according to its method."""
    return method_of(period.rule).reads_past()


def closes_at(league: League, period: Period, touched: datetime) -> datetime:
    """Return when a period closes automatically, given when it was last touched."""
    return max(period.ends_at, touched) + timedelta(hours=league.close_after_hours)


def last_touch(league: League, period: Period) -> datetime:
    """Return when a period was last touched, at the earliest when its ladder's rule was created."""
    found = games_of(league, period).aggregate(recorded=Max("recorded_at"), voided=Max("voided_at"))
    rules = Rule.objects.filter(league=league, starts_at__lt=period.ends_at).aggregate(adopted=Max("created_at"))
    last: datetime = max(at for at in (*found.values(), *rules.values(), period.rule.created_at) if at is not None)
    entries = entries_since(league, last)
    # Later entries affect fewer games: bisection finds the last one that affects any.
    begin, end = 0, len(entries)
    while begin < end:
        middle = (begin + end) // 2
        if games_of(league, period).filter(games_affected(entries[middle:])).exists():
            begin = middle + 1
        else:
            end = middle
    return entries[begin - 1][0] if begin else last


def games_of(league: League, period: Period) -> QuerySet[Game]:
    """Return all games that touch a period: its own, including void and unrated ones, and earlier rated ones."""
    own = Q(played_at__gte=period.starts_at)
    deep = reads_past(period) and Period.objects.filter(Exists(RANKED), pk=period.pk).exists()
    reaching = own | Q(kind=Game.Kind.PLAYED) if deep else own
    return Game.objects.filter(reaching, league=league, played_at__lt=period.ends_at)


Entry = tuple[datetime, dict[str, Any]]
"""The time and payload of a log entry."""


def entries_since(league: League, since: datetime) -> list[Entry]:
    """Return the entries since a time that affect games recorded earlier, in order."""
    entries = LogEntry.objects.filter(league=league, at__gt=since, kind__in=OF_GAMES).order_by("position")
    found = list(entries.values_list("at", "payload"))
    said = open_payloads(league, [payload for _, payload in found])
    return [(at, one.payload) for (at, _), one in zip(found, said, strict=True)]


def games_affected(entries: Collection[Entry]) -> Q:
    """Return the condition for games affected by entries: those named, and those of the named players.

    A merge affects both players: even taking over only an initial rating changes ratings.
    """
    moved = [number for _, payload in entries for number in payload.get("games", ())]
    told = [payload for _, payload in entries if "since" not in payload]
    handles = [payload[name] for payload in told for name in ("player", "into") if name in payload]
    found = Q(number__in=moved) | Q(Exists(sheets_of(handles)))
    # An adjustment affects nothing before it.
    since: dict[str, str] = {}
    for payload in (payload for _, payload in entries if "since" in payload):
        since[payload["player"]] = min(payload["since"], since.get(payload["player"], payload["since"]))
    for handle, begins in since.items():
        found |= Q(Exists(sheets_of([handle])), played_at__gte=datetime.fromisoformat(begins))
    return found


def sheets_of(handles: Collection[str]) -> QuerySet[Result]:
    """Return the lines, in the game of an outer query, of some players, by current or originally named player."""
    lines = Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"))
    return lines.filter(Q(player__handle__in=handles) | Q(recorded_as__handle__in=handles))
