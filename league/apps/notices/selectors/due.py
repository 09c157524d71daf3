"""What of a league is to be told now: evenings that have ended, closed periods, decisions due, failed imports.

Nothing here depends on what was told before but the table of notices itself: a subject that is there is left out.
What ended longer ago than a few days is no one's news: an import of years or a restored league floods no one.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Exists, Max, OuterRef, QuerySet

from league.apps.notices.models import Notice
from league.apps.notices.selectors.evenings import is_written, played_evenings
from league.apps.notices.selectors.facts import decision_facts, evening_facts, import_facts, period_facts
from league.core.calendar import evening_at
from league.core.capabilities import load_declared
from league.core.games.selectors.games import evening_end
from league.core.ladders.selectors.standings import periods_awaiting
from league.models import Decision, Edition, Game, Job, League, LogEntry, Period

Kind = Notice.Kind
#: What ended longer ago is not told any more.
FRESH = timedelta(days=3)
#: A period is told where it ended at most so long before it was published, beside the hours that it waits anyhow.
LATE = timedelta(days=31)
#: Decisions are told when nothing was corrected for so long.
PAUSE = timedelta(minutes=10)
#: How a job ends that someone cancelled.
CANCELLED = "cancelled"
#: Stands in the subject of a decision that is due no more.
MADE = "#"
#: Entries that a user who corrects leaves behind them.
CORRECTIONS = (
    LogEntry.Kind.GAME_CORRECTED, LogEntry.Kind.GAME_VOIDED, LogEntry.Kind.GAME_RESTORED, LogEntry.Kind.GAMES_MOVED,
    LogEntry.Kind.ADJUSTMENT_MADE, LogEntry.Kind.ADJUSTMENT_VOIDED,
    LogEntry.Kind.START_SET, LogEntry.Kind.PLAYER_MERGED, LogEntry.Kind.PLAYER_UNMERGED, LogEntry.Kind.PERIOD_CARRIED,
    LogEntry.Kind.EDITION_PUBLISHED,
)  # fmt: skip


@dataclass(frozen=True)
class News:
    """Something to tell: of which kind, about what, and the facts (None: told together with another one)."""

    kind: str
    subject: str
    facts: dict[str, Any] | None


def leagues_with_news(now: datetime) -> list[League]:
    """Return the leagues in which there may be something to tell, in one query; ``has_news`` looks closer."""
    since = now - FRESH
    days = (since - timedelta(days=2), now)
    games = Game.objects.filter(league=OuterRef("pk"), played_at__range=days, voided_at__isnull=True)
    editions = Edition.objects.filter(league=OuterRef("pk"), published_at__gt=since)
    due = Period.objects.filter(league=OuterRef("pk"), awaits=True)
    jobs = Job.objects.filter(league=OuterRef("pk"), kind=Job.Kind.IMPORT, state=Job.State.FAILED, ended_at__gt=since)
    found: Any = Exists(games) | Exists(editions) | Exists(due)
    for rows in load_declared("open_decisions"):
        found |= Exists(rows(OuterRef("pk")))
    found |= Exists(jobs) | Exists(open_decisions(OuterRef("pk")))
    return list(League.objects.filter(found).order_by("pk"))


def has_news(league: League, now: datetime) -> bool:
    """Return whether there is something to tell of a league, or to note about what was told. Raises UnknownZone."""
    return bool(
        untold_imports(league, now)
        or untold_editions(league, now)
        or decisions_due(league, now)
        or untold_evenings(league, now)
        or made_decisions(league)
    )


def news_of(league: League, now: datetime) -> list[News]:
    """Return what is to be told of a league now, decisions aside: the first things first. Raises UnknownZone."""
    evenings = untold_evenings(league, now)
    told_with = zip(evenings, [None, *evenings], strict=False)
    return [
        *(News(Kind.EVENING, str(day), evening_facts(league, day, before)) for day, before in told_with),
        *(News(Kind.PERIOD_CLOSED, subject, period_facts(one)) for subject, one in untold_editions(league, now)),
        *(News(Kind.IMPORT_FAILED, str(job.pk), import_facts(job)) for job in untold_imports(league, now)),
    ]


def untold(league: League, kind: str, subjects: Collection[str]) -> set[str]:
    """Return those of some subjects that were not told yet."""
    told = Notice.objects.filter(league=league, kind=kind, subject__in=subjects) if subjects else Notice.objects.none()
    return set(subjects) - set(told.values_list("subject", flat=True))


def untold_evenings(league: League, now: datetime) -> list[date]:
    """Return the evenings that ended lately with games, are written down, and were not told; the earliest first."""
    last = evening_at(now, league.time_zone) - timedelta(days=1)
    days = [last - timedelta(days=back) for back in reversed(range(FRESH.days))]
    days = [day for day in days if evening_end(league, day) > now - FRESH]
    if league.stale_from is not None:
        return []
    days = played_evenings(league, days)
    missing = untold(league, Kind.EVENING, [str(day) for day in days])
    return [day for day in days if str(day) in missing and is_written(league, day, now)]


def untold_editions(league: League, now: datetime) -> list[tuple[str, Edition]]:
    """Return the editions of late that were not told, each with its subject, the earliest first.

    Of first editions those only after whose period none was published before: of years that come at once, the last.
    """
    waits = timedelta(hours=league.close_after_hours) + LATE
    since = now - FRESH
    lately = Edition.objects.filter(league=league, published_at__gt=since, ends_at__gt=since - waits)
    lately = lately.select_related("ladder").defer("document")
    found = {
        f"{one.ladder_id}/{one.key}/{one.number}": one
        for one in lately.order_by("published_at", "pk")
        if one.ends_at >= one.published_at - waits and (one.number > 1 or is_newest(one))
    }
    missing = untold(league, Kind.PERIOD_CLOSED, list(found))
    return [(subject, one) for subject, one in found.items() if subject in missing]


def is_newest(edition: Edition) -> bool:
    """Return whether no later period of a ladder is published."""
    return not Edition.objects.filter(ladder=edition.ladder_id, ends_at__gt=edition.ends_at).exists()


def decisions_due(league: League, now: datetime) -> list[News]:
    """Return what awaits a decision and was not told, closed periods and disputed or overdue reports: in one notice.

    A period whose decision is made and that is touched again is told again.
    """
    if league.stale_from is not None:
        return []
    found = to_decide(league)
    new = untold(league, Kind.DECISION_DUE, list(found))
    missing = [subject for subject in found if subject in new]
    periods = [period for subject in missing for period in [found[subject]] if period is not None]
    if not missing or (periods and is_corrected(league, max(period.ends_at for period in periods), now)):
        return []
    facts = decision_facts(periods, len(missing) - len(periods))
    return [News(Kind.DECISION_DUE, subject, None if number else facts) for number, subject in enumerate(missing)]


def to_decide(league: League) -> dict[str, Period | None]:
    """Return subject -> closed period that awaits a decision, or None for something else that does."""
    found: dict[str, Period | None] = {decision_subject(period): period for period in periods_awaiting(league)}
    for list_rows in load_declared("open_decisions"):
        rows = list_rows(league)
        found |= {f"{rows.model._meta.model_name}/{pk}": None for pk in rows.values_list("pk", flat=True)}
    return found


def is_corrected(league: League, end: datetime, now: datetime) -> bool:
    """Return whether a user was correcting, or writing down games from before an instant, a moment ago."""
    since = now - PAUSE
    late = Game.objects.filter(league=league, recorded_at__gt=since, played_at__lt=end)
    return late.exists() or LogEntry.objects.filter(league=league, kind__in=CORRECTIONS, at__gt=since).exists()


def made_decisions(league: League) -> list[Notice]:
    """Return the notices of decisions that were due and are no more: what is due next of that period is told again."""
    noted = list(open_decisions(league.pk))
    due = to_decide(league) if noted else {}
    return [one for one in noted if one.subject not in due]


def open_decisions(league: Any) -> QuerySet[Notice]:
    """Return the notices of decisions that were due when someone looked last."""
    return Notice.objects.filter(league=league, kind=Kind.DECISION_DUE).exclude(subject__contains=MADE)


def decision_subject(period: Period) -> str:
    """Return what a decision is about: a period's last edition, and how often it was decided about."""
    editions = Edition.objects.filter(ladder=period.ladder_id, key=period.key).aggregate(last=Max("number"))
    decisions = Decision.objects.filter(ladder=period.ladder_id, key=period.key, edition=editions["last"])
    return f"{period.ladder_id}/{period.key}/{editions['last']}/{decisions.count()}"


def untold_imports(league: League, now: datetime) -> list[Job]:
    """Return the imports that failed lately and were not told, the earliest first."""
    failed = Job.objects.filter(league=league, kind=Job.Kind.IMPORT, state=Job.State.FAILED, ended_at__gt=now - FRESH)
    # Who cancelled one knows.
    jobs = {
        str(job.pk): job for job in failed.order_by("ended_at", "pk") if (job.problem or {}).get("code") != CANCELLED
    }
    missing = untold(league, Kind.IMPORT_FAILED, list(jobs))
    return [job for subject, job in jobs.items() if subject in missing]
