"""Figures of the whole site for whoever watches it: sums and oldest, never a league's own. Always as many queries."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery, Sum

from league.apps.notices.models import Notice, NoticeMail
from league.apps.operations.selectors.backups import backup_state
from league.apps.webhooks.models import Webhook
from league.apps.webhooks.selectors import OF_LOG, due
from league.core.jobs.signs import VERIFIED
from league.models import Head, Job, League, LogEntry, Sign

#: Figures by the name of what they tell, then by its labels.
Figures = dict[str, dict[tuple[str, ...], float]]
SWEEP = "sweep"
#: Webhooks that are looked at, of those with something to send, and as many again of chats.
MAX_WEBHOOKS = 5000


def figures_of_site(now: datetime) -> Figures:
    """Return what is in the database."""
    jobs, due_jobs = open_jobs(now)
    waiting = {**due_jobs, "webhook": webhooks_due(now), "mail": mails_due(now)}
    return {
        **league_figures(),
        **signs(now),
        **backups(now),
        "rungs_jobs": jobs,
        "rungs_webhooks": webhooks(),
        "rungs_due": {(kind,): float(count) for kind, (count, _) in waiting.items()},
        "rungs_due_oldest_seconds": {(kind,): age(since, now) for kind, (_, since) in waiting.items()},
        "rungs_head_last_seconds": last_head(now),
        "rungs_database_bytes": {(): float(size())},
    }


def age(since: datetime | None, now: datetime) -> float:
    """Return how many seconds ago something was; 0 if there is nothing."""
    return 0.0 if since is None else max((now - since).total_seconds(), 0.0)


def league_figures() -> Figures:
    """Return sums over all leagues."""
    told: dict[str, Any] = League.objects.aggregate(
        rungs_leagues=Count("pk"),
        rungs_leagues_stale=Count("pk", filter=Q(stale_from__isnull=False)),
        rungs_games=Sum("last_number"),
        rungs_log_entries=Sum("log_length"),
        rungs_log_longest=Max("log_length"),
    )
    return {name: {(): float(value or 0)} for name, value in told.items()}


def open_jobs(now: datetime) -> tuple[dict[tuple[str, ...], float], dict[str, tuple[int, datetime | None]]]:
    """Return how many jobs have not ended by kind and state, and those that wait: how many, and since when."""
    states = (Job.State.WAITING, Job.State.RUNNING)
    rows = Job.objects.filter(ended_at=None).order_by().values_list("kind", "state")
    found = {(kind, state): (count, since) for kind, state, count, since in rows.annotate(Count("pk"), Min("asked_at"))}
    kinds = Job.Kind.values
    counts: dict[tuple[str, ...], float] = {
        (kind, str(state)): float(found.get((kind, state), (0, None))[0]) for kind in kinds for state in states
    }
    return counts, {kind: found.get((kind, Job.State.WAITING), (0, None)) for kind in kinds}


def webhooks() -> dict[tuple[str, ...], float]:
    """Return how many webhooks are active, how many of these fail, and how many are disabled."""
    active = Q(state=Webhook.State.ACTIVE)
    told = Webhook.objects.aggregate(
        active=Count("pk", filter=active), failing=Count("pk", filter=active & Q(failures__gt=0)), all=Count("pk")
    )
    found = {"active": told["active"], "failing": told["failing"], "disabled": told["all"] - told["active"]}
    return {(state,): float(count) for state, count in found.items()}


def webhooks_due(now: datetime) -> tuple[int, datetime | None]:
    """Return how many webhooks have something to send, and since when the first of it waits."""
    entry = LogEntry.objects.filter(league=OuterRef("league"), position=OuterRef("position") + 1).values("at")[:1]
    notice = Notice.objects.filter(league=OuterRef("league"), number=OuterRef("position") + 1).values("at")[:1]
    ways = (
        due(now).filter(OF_LOG).annotate(came=Subquery(entry)),
        due(now).exclude(OF_LOG).annotate(came=Subquery(notice)),
    )
    found = [row for way in ways for row in way.values_list("next_try_at", "came", "test_asked_at")[:MAX_WEBHOOKS]]
    since = [next(at for at in row if at is not None) for row in found if any(row)]
    return len(found), min(since, default=None)


def mails_due(now: datetime) -> tuple[int, datetime | None]:
    """Return how many mails are to be sent, and since when the first of them waits."""
    waiting = NoticeMail.objects.filter(state=NoticeMail.State.WAITING, next_try_at__lte=now).order_by()
    told = waiting.aggregate(count=Count("pk"), since=Min("next_try_at"))
    return told["count"], told["since"]


def signs(now: datetime) -> Figures:
    """Return how long ago was heard what is heard regularly; what was never heard is left out."""
    heard = {sign.name: age(sign.at, now) for sign in Sign.objects.all()}
    verified: dict[tuple[str, ...], float] = {
        (name.removeprefix(VERIFIED),): at for name, at in heard.items() if name.startswith(VERIFIED)
    }
    swept: dict[tuple[str, ...], float] = {(): heard[SWEEP]} if SWEEP in heard else {}
    return {"rungs_verify_last_seconds": verified, "rungs_swept_seconds": swept}


def backups(now: datetime) -> Figures:
    """Return how the site's backups are; that none was ever found good is told by nothing."""
    state = backup_state()
    return {
        "rungs_backup_wanted": {(): float(state.wanted)},
        "rungs_backup_failing": {(): float(state.failing)},
        "rungs_backup_last_seconds": {} if state.good_at is None else {(): age(state.good_at, now)},
    }


def last_head(now: datetime) -> dict[tuple[str, ...], float]:
    """Return how long ago the last head was published; nothing if none was."""
    at = Head.objects.order_by("-pk").values_list("at", flat=True).first()
    return {} if at is None else {(): age(at, now)}


def size() -> int:
    """Return how many bytes the database has."""
    if connection.vendor == "sqlite":
        name = Path(str(connection.settings_dict["NAME"]))
        return sum(one.stat().st_size for one in (name, name.with_name(name.name + "-wal")) if one.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
