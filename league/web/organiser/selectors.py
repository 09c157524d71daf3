"""What an organiser's desk shows of a league: the evening, what is due, what was done lately."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from league.core.capabilities import load_declared
from league.core.games.selectors.games import ShownGame, evening_day, evening_end, games_of, load_games, of_evening
from league.core.ladders.selectors.ladders import Row
from league.core.ladders.selectors.standings import live_rows, unclosed_periods
from league.core.ladders.selectors.touches import closes_at, last_touch
from league.core.permissions import Viewer, leagues_for
from league.core.players.selectors.visibility import OWN, in_no_book, named_in
from league.models import Edition, Game, Job, League, LogEntry, Period, Player, Rating

#: Maximum number of games of an evening, and of log entries, on a desk.
MAX_GAMES, MAX_ENTRIES = 60, 8
#: Periods that close within this are announced.
SOON = timedelta(days=2)
#: Kinds of log entries shown on a desk: actions on games and periods.
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
class DeskEvening:
    """The games of one evening that count, the newest first; ``count`` of them, of which the first few are shown."""

    day: date
    games: list[ShownGame]
    count: int
    people: int


@dataclass(frozen=True)
class ClosingPeriod:
    """A period that closes soon: when (None: when someone closes it), and who leads."""

    period: Period
    at: datetime | None
    leaders: list[Row]


def evening_at(league: League, moment: datetime) -> DeskEvening:
    """Return the evening in which a moment lies, by the league's clock: a day and the small hours after it."""
    day = evening_day(league, moment)
    games = games_of(league).filter(of_evening(league, day, "played_at"), voided_at__isnull=True)
    people = games.order_by().values("results__player").distinct().count()
    return DeskEvening(day, load_games(league, games[:MAX_GAMES]), games.count(), people)


def evening_before(league: League, evening: DeskEvening) -> DeskEvening | None:
    """Return the last evening before one, None if nothing was played."""
    begins = evening_end(league, evening.day - timedelta(days=1))
    earlier = games_of(league).filter(played_at__lt=begins, voided_at__isnull=True)
    # Those that were recorded with this day only stand at its first instant, before its evening begins.
    last = earlier.exclude(of_evening(league, evening.day, "played_at")).first()
    return None if last is None else evening_at(league, last.played_at)


def closing_soon(league: League, now: datetime) -> list[ClosingPeriod]:
    """Return the periods that ended with games in them, or end soon, and are not closed; the earliest first."""
    return [closing(league, period) for period in unclosed_periods(league, now + SOON)]


def closing(league: League, period: Period) -> ClosingPeriod:
    """Return when a period closes, and its first two."""
    # A period that was opened again is closed by hand, whatever the league does with others.
    published = Edition.objects.filter(ladder=period.ladder_id, key=period.key)
    by_hand = league.closing == League.Closing.BY_HAND or published.exists()
    at = None if by_hand else closes_at(league, period, last_touch(league, period))
    return ClosingPeriod(period, at, [row for row in live_rows(period)[:2] if row["rank"] is not None])


def done_lately(league: League) -> QuerySet[LogEntry]:
    """Return the last entries of the log about games, periods and settings."""
    return LogEntry.objects.filter(league=league, kind__in=SHOWN_KINDS).order_by("-position")[:MAX_ENTRIES]


def jobs_under_way(league: League) -> QuerySet[Job]:
    """Return the jobs of a league that wait or run."""
    states = (Job.State.WAITING, Job.State.RUNNING)
    return Job.objects.filter(league=league, state__in=states).order_by("asked_at")


def newest_game(league: League) -> Game | None:
    """Return the game with the highest number."""
    return league.games.order_by("-number").first()


def people_in(league: League) -> int:
    """Return how many people have a rating in a league."""
    return Rating.objects.filter(league=league).count()


def players_in(league: League, handles: Collection[str]) -> set[str]:
    """Return which of these players a league's data names."""
    found = Player.objects.filter(named_in(League.objects.filter(pk=league.pk)), handle__in=handles)
    return set(found.values_list("handle", flat=True))


def players_in_no_league(handles: Collection[str]) -> list[str]:
    """Return which of these players no league's data names, the latest added first."""
    found = Player.objects.filter(in_no_book(OWN), handle__in=handles).order_by("-created_at", "-pk")
    return list(found.values_list("handle", flat=True))


def free_slug(slug: str) -> str:
    """Return a slug that no league has: this one, or it with a number behind."""
    taken = {*League.objects.filter(slug__startswith=slug[:40]).values_list("slug", flat=True)}
    return next(one for one in (numbered(slug, number) for number in count(1)) if one not in taken)


def numbered(slug: str, number: int) -> str:
    """Return the first, second … slug to try, within the length of a slug."""
    return slug if number == 1 else f"{slug[: 49 - len(str(number))]}-{number}"


@dataclass(frozen=True)
class OwnLeague:
    """A league of someone's, as a line: its last game, and how many decisions wait."""

    league: League
    newest: Game | None
    due: int


def own_leagues(viewer: Viewer, most: int) -> list[OwnLeague]:
    """Return the leagues in which someone may record, by title, the first of them; four questions, however many."""
    leagues = list(leagues_for(viewer, "record").order_by("title", "slug")[:most])
    newest = Game.objects.filter(league__in=leagues, number=F("league__last_number"))
    games = {game.league_id: game for game in newest.order_by()}
    periods = Period.objects.filter(league__in=leagues, awaits=True).order_by()
    due = Counter(dict(periods.values_list("league").annotate(due=Count("pk"))))
    for list_rows in load_declared("open_decisions"):
        rows = list_rows(OuterRef("pk")).order_by().values("league").annotate(due=Count("pk")).values("due")
        found = League.objects.filter(pk__in=[league.pk for league in leagues])
        due.update(dict(found.values_list("pk", Coalesce(Subquery(rows), 0))))
    return [OwnLeague(league, games.get(league.pk), due[league.pk]) for league in leagues]
