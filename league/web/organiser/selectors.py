"""Reads for the organiser's pages: the evening, due decisions, recent actions."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from league.core.calendar import start_of_day
from league.core.capabilities import load_declared
from league.core.games.selectors.games import (
    ShownGame,
    build_evening_condition,
    compute_evening_day,
    compute_evening_end,
    find_games,
    load_games,
)
from league.core.ladders.selectors.ladders import Row, load_live_rows, load_unclosed_periods
from league.core.ladders.selectors.touches import compute_closing_time, find_last_touch
from league.core.permissions import Viewer, find_leagues_for
from league.core.players.selectors.visibility import OWN, build_in_no_league_condition, build_named_in_condition
from league.core.text.display_formats import get_known_zone_name
from league.models import Edition, Game, Job, League, LogEntry, Period, Player, Rating
from league.web.public.selectors.front import sort_by_last_game

#: Maximum number of games of an evening, and of log entries, on the overview.
MAX_GAMES, MAX_ENTRIES = 60, 8
#: Maximum number of evenings whose games are counted, and of the games read for it.
MAX_EVENINGS, MAX_COUNTED_GAMES = 12, 1000
#: Periods that close within this are announced.
SOON = timedelta(days=2)
#: Kinds of log entries shown on the overview.
SHOWN_KINDS = (
    LogEntry.Kind.GAME_RECORDED,
    LogEntry.Kind.GAME_CORRECTED,
    LogEntry.Kind.GAME_VOIDED,
    LogEntry.Kind.GAME_RESTORED,
    LogEntry.Kind.GAMES_MOVED,
    LogEntry.Kind.ADJUSTMENT_MADE,
    LogEntry.Kind.ADJUSTMENT_VOIDED,
    LogEntry.Kind.EDITION_PUBLISHED,
    LogEntry.Kind.PERIOD_REOPENED,
    LogEntry.Kind.PERIOD_CARRIED,
    LogEntry.Kind.RULE_ADOPTED,
    LogEntry.Kind.RULE_WITHDRAWN,
    LogEntry.Kind.LEAGUE_CHANGED,
)


@dataclass(frozen=True)
class Evening:
    """An evening: its newest counted games, their total number, and the number of players."""

    day: date
    games: list[ShownGame]
    count: int
    people: int


@dataclass(frozen=True)
class ClosingPeriod:
    """A period that closes soon; ``at`` is None if it is closed by hand."""

    period: Period
    at: datetime | None
    leaders: list[Row]


def load_evening_at(league: League, time: datetime) -> Evening:
    """Return the evening of a time: a day and the small hours after it, in the league's time zone.

    A game of which only the day is known stands where it was recorded, if that was in the evening (``listed_at``).
    """
    day = compute_evening_day(league, time)
    is_listed_by_recording = Q(
        played_at=start_of_day(day, get_known_zone_name(league.time_zone)),
        recorded_at__lt=compute_evening_end(league, day),
    )
    listed_at = Case(When(is_listed_by_recording, then="recorded_at"), default="played_at")
    games = find_games(league).counting().filter(build_evening_condition(league, day, "played_at"))
    games = games.annotate(listed_at=listed_at).order_by("-listed_at", "-order_key", "-number")
    player_count = games.order_by().values("results__player").distinct().count()
    return Evening(day, load_games(league, games[:MAX_GAMES]), games.count(), player_count)


def find_evening_before(league: League, evening: Evening) -> Evening | None:
    """Return the previous evening with games, or None."""
    starts_at = compute_evening_end(league, evening.day - timedelta(days=1))
    earlier_games = find_games(league).counting().filter(played_at__lt=starts_at)
    # Games of this day without a time are at midnight, before its evening begins.
    last = earlier_games.exclude(build_evening_condition(league, evening.day, "played_at")).first()
    return None if last is None else load_evening_at(league, last.played_at)


def count_games_by_evening(league: League) -> list[tuple[date, int]]:
    """Return the last evenings with games and the number of their games, earliest first."""
    times = find_games(league).counting().values_list("played_at", flat=True)[:MAX_COUNTED_GAMES]
    counts = Counter(compute_evening_day(league, played_at) for played_at in times)
    if len(times) == MAX_COUNTED_GAMES:
        # The earliest of these evenings may have more games.
        del counts[min(counts)]
    return sorted(counts.items())[-MAX_EVENINGS:]


def load_closing_periods(league: League, now: datetime) -> list[ClosingPeriod]:
    """Return the open periods with games that have ended or end soon, earliest first."""
    return [_build_closing_period(league, period) for period in load_unclosed_periods(league, now + SOON)]


def _build_closing_period(league: League, period: Period) -> ClosingPeriod:
    # A reopened period is always closed by hand.
    published = Edition.objects.filter(ladder=period.ladder_id, key=period.key)
    by_hand = league.closing == League.Closing.BY_HAND or published.exists()
    closing_time = None if by_hand else compute_closing_time(league, period, find_last_touch(league, period))
    return ClosingPeriod(period, closing_time, [row for row in load_live_rows(period)[:2] if row["rank"] is not None])


def find_recent_entries(league: League) -> QuerySet[LogEntry]:
    """Return the latest log entries about games, periods and settings."""
    return LogEntry.objects.filter(league=league, kind__in=SHOWN_KINDS).order_by("-position")[:MAX_ENTRIES]


def open_jobs(league: League) -> QuerySet[Job]:
    """Return the waiting and running jobs of a league."""
    states = (Job.State.WAITING, Job.State.RUNNING)
    return Job.objects.filter(league=league, state__in=states).order_by("asked_at")


def find_newest_game(league: League) -> Game | None:
    """Return the game with the highest number, or None."""
    return league.games.order_by("-number").first()


def count_players(league: League) -> int:
    """Return the number of rated players in a league."""
    return Rating.objects.filter(league=league).count()


def find_players_in(league: League, handles: Collection[str]) -> set[str]:
    """Return those of these players who appear in a league."""
    players = Player.objects.filter(build_named_in_condition(League.objects.filter(pk=league.pk)), handle__in=handles)
    return set(players.values_list("handle", flat=True))


def find_players_without_league(handles: Collection[str]) -> list[str]:
    """Return those of these players who appear in no league, newest first."""
    players = Player.objects.filter(build_in_no_league_condition(OWN), handle__in=handles).order_by(
        "-created_at", "-pk"
    )
    return list(players.values_list("handle", flat=True))


def find_free_slug(slug: str) -> str:
    """Return an unused slug: this one, or with a number appended."""
    used_slugs = {*League.objects.filter(slug__startswith=slug[:40]).values_list("slug", flat=True)}
    return next(
        candidate for candidate in (_append_number(slug, number) for number in count(1)) if candidate not in used_slugs
    )


def _append_number(slug: str, number: int) -> str:
    return slug if number == 1 else f"{slug[: 49 - len(str(number))]}-{number}"


@dataclass(frozen=True)
class OwnLeague:
    """A league of the viewer, with its last game and the number of due decisions."""

    league: League
    newest: Game | None
    due: int


def load_own_leagues(viewer: Viewer, limit: int) -> list[OwnLeague]:
    """Return at most ``limit`` leagues in which the viewer may record, the last game first; takes four queries."""
    leagues = list(sort_by_last_game(find_leagues_for(viewer, "record"))[:limit])
    # The last game by time, as on the public pages: a correction of an old game has a higher number.
    counting = Game.objects.counting().filter(league=OuterRef("league"))
    newest = Subquery(counting.order_by("-played_at", "-order_key", "-number").values("pk")[:1])
    newest_games = Game.objects.filter(league__in=leagues, pk=newest)
    games = {game.league_id: game for game in newest_games.order_by()}
    periods = Period.objects.filter(league__in=leagues, awaits=True).order_by()
    due_counts = Counter(dict(periods.values_list("league").annotate(due=Count("pk"))))
    for list_rows in load_declared(lambda app: app.games.open_decisions):
        rows = list_rows(OuterRef("pk")).order_by().values("league").annotate(due=Count("pk")).values("due")
        counted_leagues = League.objects.filter(pk__in=[league.pk for league in leagues])
        due_counts.update(dict(counted_leagues.values_list("pk", Coalesce(Subquery(rows), 0))))
    return [OwnLeague(league, games.get(league.pk), due_counts[league.pk]) for league in leagues]
