"""How the site is: was Celery heard, and how each public league's books are. Few and light queries, always as many."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from league.core.capabilities import merge_declared
from league.core.jobs.selectors import progress_of
from league.core.permissions import STRANGER, visible_leagues
from league.models import Game, Head, Job, League, Sign

#: The sweep runs every 15 seconds; who was not heard for so long is not there.
SILENCE = timedelta(seconds=90)
LEAGUES = settings.RUNGS_PAGE_SIZES["status"]


@dataclass(frozen=True)
class LeagueStatus:
    """How the data of one league are."""

    league: League
    recorded_at: datetime | None
    """When its last game was recorded."""
    verified: Job | None
    """The last verification that ended."""
    replay: Job | None
    """The replay that is asked for or under way."""

    head: Head | None = None
    """The last one that was published of its log."""

    @property
    def pending(self) -> bool:
        """Return whether a replay is on its way."""
        return self.league.stale_from is not None or self.replay is not None

    @property
    def progress(self) -> float:
        """Return how far that replay is, from 0 to 1."""
        return progress_of(self.replay) if self.replay else 0.0

    @property
    def verified_at(self) -> datetime | None:
        """Return when that verification ended."""
        return self.verified.ended_at if self.verified else None

    @property
    def verdict(self) -> dict[str, Any] | None:
        """Return what the last verification found; None if there was none, or it failed."""
        return self.verified.result if self.verified else None


@dataclass(frozen=True)
class WaitingWork:
    """What waits for a worker: how many, and since when the one that waits longest; None if it is not known."""

    label: str
    count: int
    since: datetime | None


@dataclass(frozen=True)
class Status:
    """How the site is at a moment."""

    at: datetime
    heard_at: datetime | None
    """The last sign of life of Celery."""
    books: list[LeagueStatus]
    backlog: dict[str, WaitingWork]
    """What is due and not done: jobs (replays, checks, imports), and what capabilities declare, such as mails."""
    next_page: int | None = None
    """The page that tells of the next leagues."""

    @property
    def heard(self) -> bool:
        """Return whether Celery is there."""
        return self.heard_at is not None and self.at - self.heard_at < SILENCE

    @property
    def seconds(self) -> int | None:
        """Return how many seconds ago Celery was heard."""
        return None if self.heard_at is None else max(int((self.at - self.heard_at).total_seconds()), 0)


def site_status(now: datetime, page: int = 1) -> Status:
    """Return how the site is, for everyone: private leagues are left out, and a page tells of so many."""
    ended = ended_checks().filter(league=OuterRef("pk"))
    published = Head.objects.filter(league=OuterRef("pk"))
    leagues = list(
        visible_leagues(STRANGER)
        .annotate(
            verified=Subquery(ended.order_by("-asked_at").values("pk")[:1]),
            newest_head=Subquery(published.order_by("-position").values("pk")[:1]),
        )
        .order_by("title", "slug")[(page - 1) * LEAGUES : page * LEAGUES + 1]
    )
    more, leagues = len(leagues) > LEAGUES, leagues[:LEAGUES]
    jobs = Job.objects.in_bulk([league.verified for league in leagues if league.verified is not None])
    open_jobs = list(Job.objects.filter(ended_at=None))
    replays = {job.league_id: job for job in open_jobs if job.kind == Job.Kind.REPLAY}
    # By its number the last game is found in the index; the latest time would read them all.
    last = Game.objects.filter(league__in=leagues, number=F("league__last_number"))
    recorded = dict(last.order_by().values_list("league", "recorded_at"))
    heads = Head.objects.in_bulk([league.newest_head for league in leagues if league.newest_head is not None])
    books = [
        LeagueStatus(
            league,
            recorded.get(league.pk),
            jobs.get(league.verified),
            replays.get(league.pk),
            heads.get(league.newest_head),
        )
        for league in leagues
    ]
    # Celery was last heard by its sweep, or by a worker that is busy with a job.
    beats = [job.beat_at for job in open_jobs if job.beat_at is not None]
    heard_at = max([*Sign.objects.filter(name="sweep").values_list("at", flat=True), *beats], default=None)
    return Status(now, heard_at, books, backlog_of(open_jobs, now), page + 1 if more else None)


def backlog_of(open_jobs: Iterable[Job], now: datetime) -> dict[str, WaitingWork]:
    """Return what is due of all leagues, private ones too: only how much, and for how long."""
    asked = [job.asked_at for job in open_jobs if job.state == Job.State.WAITING]
    declared = merge_declared("backlogs")
    return {
        "jobs": WaitingWork(_("Jobs"), len(asked), min(asked, default=None)),
        **{name: WaitingWork(str(one.label), *import_string(one.measure)(now)) for name, one in declared.items()},
    }


def verification_of(league: League) -> Job | None:
    """Return the last verification of a league that ended."""
    return ended_checks().filter(league=league).order_by("-asked_at").first()


def ended_checks() -> QuerySet[Job]:
    """Return the verifications that ended; one that was cancelled says nothing, and hides nothing that was found."""
    ended = Job.objects.filter(kind=Job.Kind.VERIFY, ended_at__isnull=False)
    return ended.exclude(state=Job.State.FAILED, cancelled_by__gt="")
