"""The status of the site: Celery's last sign of life and the state of each public league, in few queries."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from league.core.capabilities import merge_declared
from league.core.jobs.selectors import compute_progress
from league.core.permissions import ANONYMOUS, find_visible_leagues
from league.models import Game, Head, Job, League, Sign

#: Celery counts as down after this time without a sign of life; its sweep runs every 15 seconds.
SILENCE = timedelta(seconds=90)
LEAGUES = settings.RUNGS_PAGE_SIZES["status"]


@dataclass(frozen=True)
class LeagueStatus:
    """The state of one league's data."""

    league: League
    recorded_at: datetime | None
    """The time of the last recorded game."""
    verified: Job | None
    """The last finished verification."""
    replay: Job | None
    """The replay that is waiting or running."""

    head: Head | None = None
    """The latest signed head of its log."""

    @property
    def pending(self) -> bool:
        """Return whether a replay is pending."""
        return self.league.stale_from is not None or self.replay is not None

    @property
    def progress(self) -> float:
        """Return the progress of the replay, from 0 to 1."""
        return compute_progress(self.replay) if self.replay else 0.0

    @property
    def verified_at(self) -> datetime | None:
        """Return the time of the last verification."""
        return self.verified.ended_at if self.verified else None

    @property
    def verdict(self) -> dict[str, Any] | None:
        """Return the result of the last verification; None if there was none or it failed."""
        return self.verified.result if self.verified else None


@dataclass(frozen=True)
class WaitingWork:
    """Work waiting for a worker: the number of items, and since when the oldest waits (None: unknown)."""

    label: str
    count: int
    since: datetime | None


@dataclass(frozen=True)
class Status:
    """The status of the site."""

    at: datetime
    heard_at: datetime | None
    """Celery's last sign of life."""
    books: list[LeagueStatus]
    backlog: dict[str, WaitingWork]
    """Waiting work: jobs (replays, verifications, imports) and work declared by apps, such as e-mails."""
    next_page: int | None = None
    """The number of the next page of leagues."""

    @property
    def heard(self) -> bool:
        """Return whether Celery is running."""
        return self.heard_at is not None and self.at - self.heard_at < SILENCE

    @property
    def well(self) -> bool:
        """Return whether Celery is running and no check of the page's leagues failed or found a difference."""
        checked = [league for league in self.books if league.verified]
        return self.heard and all(league.verdict and not league.verdict["found"] for league in checked)

    @property
    def seconds(self) -> int | None:
        """Return the seconds since Celery's last sign of life."""
        return None if self.heard_at is None else max(int((self.at - self.heard_at).total_seconds()), 0)


def load_site_status(now: datetime, page: int = 1) -> Status:
    """Return the public status of the site with one page of the public leagues."""
    ended = _find_finished_verifications().filter(league=OuterRef("pk"))
    published = Head.objects.filter(league=OuterRef("pk"))
    leagues = list(
        find_visible_leagues(ANONYMOUS)
        .annotate(
            verified=Subquery(ended.order_by("-asked_at").values("pk")[:1]),
            newest_head=Subquery(published.order_by("-position").values("pk")[:1]),
        )
        .order_by("title", "slug")[(page - 1) * LEAGUES : page * LEAGUES + 1]
    )
    has_more, leagues = len(leagues) > LEAGUES, leagues[:LEAGUES]
    jobs = Job.objects.in_bulk([league.verified for league in leagues if league.verified is not None])
    open_jobs = list(Job.objects.filter(ended_at=None))
    replays = {job.league_id: job for job in open_jobs if job.kind == Job.Kind.REPLAY}
    # The number is indexed; finding the latest time would read all games.
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
    # Signs of life are Celery's sweep and the heartbeats of running jobs.
    beats = [job.beat_at for job in open_jobs if job.beat_at is not None]
    heard_at = max([*Sign.objects.filter(name="sweep").values_list("at", flat=True), *beats], default=None)
    return Status(now, heard_at, books, _count_waiting_work(open_jobs, now), page + 1 if has_more else None)


def _count_waiting_work(open_jobs: Iterable[Job], now: datetime) -> dict[str, WaitingWork]:
    """Return the waiting work of all leagues, including private ones, as counts and times only."""
    request_times = [job.asked_at for job in open_jobs if job.state == Job.State.WAITING]
    declared = merge_declared(lambda app: app.monitoring.backlogs)
    return {
        "jobs": WaitingWork(_("Jobs"), len(request_times), min(request_times, default=None)),
        **{
            name: WaitingWork(str(source.label), *import_string(source.measure)(now))
            for name, source in declared.items()
        },
    }


def find_last_verification(league: League) -> Job | None:
    """Return the last finished verification of a league."""
    return _find_finished_verifications().filter(league=league).order_by("-asked_at").first()


def _find_finished_verifications() -> QuerySet[Job]:
    """Return the finished verifications without cancelled ones."""
    ended = Job.objects.filter(kind=Job.Kind.VERIFY, ended_at__isnull=False)
    return ended.exclude(state=Job.State.FAILED, cancelled_by__gt="")
