"""Finds a league's news: finished evenings, closed periods, decisions due and failed imports.

News are left out if the table of notices has their subject, or if they are older than a few days, so that a large
import or a restored league causes no flood.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Exists, Max, OuterRef

from league.apps.notices.models import Notice
from league.apps.notices.selectors.evenings import find_played_evenings, is_complete
from league.apps.notices.selectors.facts import (
    build_decision_facts,
    build_evening_facts,
    build_import_facts,
    build_period_facts,
)
from league.core.calendar import compute_evening_at
from league.core.capabilities import load_declared
from league.core.games.selectors.games import compute_evening_end
from league.core.ladders.selectors.ladders import load_periods_awaiting_decision
from league.core.news import AddedNews
from league.models import Decision, Edition, Game, Job, League, LogEntry, Period

Kind = Notice.Kind
#: Maximum age of news.
MAX_NEWS_AGE = timedelta(days=3)
#: Maximum time from the end of a period to its first edition, in addition to the league's closing time.
MAX_PERIOD_DELAY = timedelta(days=31)
#: Decisions are announced if nothing was corrected for this time.
CORRECTION_PAUSE = timedelta(minutes=10)
#: Problem code of a cancelled job.
CANCELLED = "cancelled"
#: Kinds of log entries by corrections.
CORRECTIONS = (
    LogEntry.Kind.GAME_CORRECTED, LogEntry.Kind.GAME_VOIDED, LogEntry.Kind.GAME_RESTORED, LogEntry.Kind.GAMES_MOVED,
    LogEntry.Kind.ADJUSTMENT_MADE, LogEntry.Kind.ADJUSTMENT_VOIDED,
    LogEntry.Kind.START_SET, LogEntry.Kind.PLAYER_MERGED, LogEntry.Kind.PLAYER_UNMERGED, LogEntry.Kind.PERIOD_CARRIED,
    LogEntry.Kind.EDITION_PUBLISHED,
)  # fmt: skip


@dataclass(frozen=True)
class News:
    """News of a league; ``facts`` is None if another news item covers it."""

    kind: str
    subject: str
    facts: dict[str, Any] | None


def find_leagues_with_news(now: datetime) -> list[League]:
    """Return the leagues that may have news, in one query; ``has_news`` checks exactly."""
    cutoff = now - MAX_NEWS_AGE
    days = (cutoff - timedelta(days=2), now)
    games = Game.objects.counting().filter(league=OuterRef("pk"), played_at__range=days)
    editions = Edition.objects.filter(league=OuterRef("pk"), published_at__gt=cutoff)
    awaiting_periods = Period.objects.filter(league=OuterRef("pk"), awaits=True)
    jobs = Job.objects.filter(league=OuterRef("pk"), kind=Job.Kind.IMPORT, state=Job.State.FAILED, ended_at__gt=cutoff)
    condition: Any = Exists(games) | Exists(editions) | Exists(awaiting_periods)
    for rows in load_declared(lambda app: app.games.open_decisions):
        condition |= Exists(rows(OuterRef("pk")))
    for source in load_declared(lambda app: app.messages.news):
        for rows in source.query(OuterRef("pk"), cutoff, now):
            condition |= Exists(rows)
    condition |= Exists(jobs) | Exists(Notice.objects.undecided().filter(league=OuterRef("pk")))
    return list(League.objects.filter(condition).order_by("pk"))


def has_news(league: League, now: datetime) -> bool:
    """Return whether a league has news, or decided notices to mark. Raises UnknownZone."""
    return bool(
        find_unsent_imports(league, now)
        or find_unsent_editions(league, now)
        or find_due_decisions(league, now)
        or find_unsent_evenings(league, now)
        or find_unsent_added(league, now)
        or find_decided_notices(league)
    )


def load_news(league: League, now: datetime) -> list[News]:
    """Return the news of a league except decisions, earliest first. Raises UnknownZone."""
    evenings = find_unsent_evenings(league, now)
    pairs = zip(evenings, [None, *evenings], strict=False)
    return [
        *(News(Kind.EVENING, str(day), build_evening_facts(league, day, previous_day)) for day, previous_day in pairs),
        *(
            News(Kind.PERIOD_CLOSED, subject, build_period_facts(edition))
            for subject, edition in find_unsent_editions(league, now)
        ),
        *(News(Kind.IMPORT_FAILED, str(job.pk), build_import_facts(job)) for job in find_unsent_imports(league, now)),
        *(News(added.kind, added.subject, added.load_facts()) for added in find_unsent_added(league, now)),
    ]


def _find_unsent(league: League, kind: str, subjects: Collection[str]) -> set[str]:
    if not subjects:
        return set()
    sent = league.notices.filter(kind=kind, subject__in=subjects)
    return set(subjects) - set(sent.values_list("subject", flat=True))


def find_unsent_added(league: League, now: datetime) -> list[AddedNews]:
    """Return the recent news of other capabilities without a notice."""
    found = [
        added
        for source in load_declared(lambda app: app.messages.news)
        for added in source.find(league, now - MAX_NEWS_AGE, now)
    ]
    unsent = {
        (kind, subject)
        for kind in {added.kind for added in found}
        for subject in _find_unsent(league, kind, [added.subject for added in found if added.kind == kind])
    }
    return [added for added in found if (added.kind, added.subject) in unsent]


def find_unsent_evenings(league: League, now: datetime) -> list[date]:
    """Return the recent complete evenings without a notice, earliest first."""
    last = compute_evening_at(now, league.time_zone) - timedelta(days=1)
    if league.stale_from is not None:
        return []
    days = [last - timedelta(days=back) for back in reversed(range(MAX_NEWS_AGE.days))]
    days = find_played_evenings(league, [day for day in days if compute_evening_end(league, day) > now - MAX_NEWS_AGE])
    unsent = _find_unsent(league, Kind.EVENING, [str(day) for day in days])
    return [day for day in days if str(day) in unsent and is_complete(league, day, now)]


def find_unsent_editions(league: League, now: datetime) -> list[tuple[str, Edition]]:
    """Return the recent editions without a notice, by subject, earliest first.

    A first edition is left out if a later period is already published: of years that are imported at once, only the
    last is news.
    """
    max_delay = timedelta(hours=league.close_after_hours) + MAX_PERIOD_DELAY
    cutoff = now - MAX_NEWS_AGE
    recent = Edition.objects.filter(league=league, published_at__gt=cutoff, ends_at__gt=cutoff - max_delay)
    recent = recent.select_related("ladder").defer("document")
    editions = {
        f"{edition.ladder_id}/{edition.key}/{edition.number}": edition
        for edition in recent.order_by("published_at", "pk")
        if edition.ends_at >= edition.published_at - max_delay and (edition.number > 1 or _is_newest(edition))
    }
    unsent = _find_unsent(league, Kind.PERIOD_CLOSED, list(editions))
    return [(subject, edition) for subject, edition in editions.items() if subject in unsent]


def _is_newest(edition: Edition) -> bool:
    return not Edition.objects.filter(ladder=edition.ladder_id, ends_at__gt=edition.ends_at).exists()


def find_due_decisions(league: League, now: datetime) -> list[News]:
    """Return the decisions due without a notice, as one item of news.

    A decided period that is changed again is announced again.
    """
    if league.stale_from is not None:
        return []
    decisions = _find_open_decisions(league)
    unsent = _find_unsent(league, Kind.DECISION_DUE, list(decisions))
    due_subjects = [subject for subject in decisions if subject in unsent]
    periods = [period for subject in due_subjects if (period := decisions[subject]) is not None]
    if not due_subjects or (periods and _is_being_corrected(league, max(period.ends_at for period in periods), now)):
        return []
    others = Counter(subject.partition("/")[0] for subject in due_subjects if decisions[subject] is None)
    facts = build_decision_facts(periods, others)
    return [News(Kind.DECISION_DUE, subject, None if number else facts) for number, subject in enumerate(due_subjects)]


def _find_open_decisions(league: League) -> dict[str, Period | None]:
    decisions: dict[str, Period | None] = {
        _build_decision_subject(period): period for period in load_periods_awaiting_decision(league)
    }
    for list_rows in load_declared(lambda app: app.games.open_decisions):
        rows = list_rows(league)
        decisions |= {f"{rows.model._meta.model_name}/{pk}": None for pk in rows.values_list("pk", flat=True)}
    return decisions


def _is_being_corrected(league: League, end: datetime, now: datetime) -> bool:
    cutoff = now - CORRECTION_PAUSE
    recent_games = Game.objects.filter(league=league, recorded_at__gt=cutoff, played_at__lt=end)
    return recent_games.exists() or LogEntry.objects.filter(league=league, kind__in=CORRECTIONS, at__gt=cutoff).exists()


def find_decided_notices(league: League) -> list[Notice]:
    """Return the notices whose decision is no longer due; the next decision on that period is announced again."""
    notices = list(league.notices.undecided())
    decisions = _find_open_decisions(league) if notices else {}
    return [notice for notice in notices if notice.subject not in decisions]


def _build_decision_subject(period: Period) -> str:
    editions = Edition.objects.filter(ladder=period.ladder_id, key=period.key).aggregate(last=Max("number"))
    decisions = Decision.objects.filter(ladder=period.ladder_id, key=period.key, edition=editions["last"])
    return f"{period.ladder_id}/{period.key}/{editions['last']}/{decisions.count()}"


def find_unsent_imports(league: League, now: datetime) -> list[Job]:
    """Return the recently failed imports without a notice, earliest first."""
    failed = Job.objects.filter(
        league=league, kind=Job.Kind.IMPORT, state=Job.State.FAILED, ended_at__gt=now - MAX_NEWS_AGE
    )
    # Cancelled imports need no notice.
    jobs = {
        str(job.pk): job for job in failed.order_by("ended_at", "pk") if (job.problem or {}).get("code") != CANCELLED
    }
    unsent = _find_unsent(league, Kind.IMPORT_FAILED, list(jobs))
    return [job for subject, job in jobs.items() if subject in unsent]
