"""Figures of the whole site for monitoring: sums and extremes, in a constant number of queries."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.models import Count, Max, Min, Q, Sum

from league.apps.operations.selectors.backups import load_backup_state
from league.core.capabilities import load_declared
from league.core.jobs.signs import VERIFIED
from league.core.monitoring.gauges import Figures, compute_age, measure_waiting, merge_figures
from league.models import Head, Job, League, Sign

SWEEP = "sweep"


def measure_site(now: datetime) -> Figures:
    """Return the figures of the database and those of all apps."""
    jobs, due_jobs = count_open_jobs(now)
    site_values: Figures = {
        **measure_leagues(),
        **measure_signs(now),
        **measure_backups(now),
        "rungs_jobs": jobs,
        **measure_waiting(due_jobs, now),
        "rungs_head_last_seconds": measure_head_age(now),
        "rungs_database_bytes": {(): float(query_database_size())},
    }
    return merge_figures(site_values, *(measure(now) for measure in load_declared(lambda app: app.monitoring.gauges)))


def measure_leagues() -> Figures:
    """Return sums over all leagues."""
    totals: dict[str, Any] = League.objects.aggregate(
        rungs_leagues=Count("pk"),
        rungs_leagues_stale=Count("pk", filter=Q(stale_from__isnull=False)),
        rungs_games=Sum("last_number"),
        rungs_log_entries=Sum("log_length"),
        rungs_log_longest=Max("log_length"),
    )
    return {name: {(): float(value or 0)} for name, value in totals.items()}


def count_open_jobs(now: datetime) -> tuple[dict[tuple[str, ...], float], dict[str, tuple[int, datetime | None]]]:
    """Return the number of open jobs by kind and state, and number and earliest time of waiting ones by kind."""
    states = (Job.State.WAITING, Job.State.RUNNING)
    rows = Job.objects.filter(ended_at=None).order_by().values_list("kind", "state")
    open_jobs = {
        (kind, state): (count, first_asked_at)
        for kind, state, count, first_asked_at in rows.annotate(Count("pk"), Min("asked_at"))
    }
    kinds = Job.Kind.values
    counts: dict[tuple[str, ...], float] = {
        (kind, str(state)): float(open_jobs.get((kind, state), (0, None))[0]) for kind in kinds for state in states
    }
    return counts, {kind: open_jobs.get((kind, Job.State.WAITING), (0, None)) for kind in kinds}


def measure_signs(now: datetime) -> Figures:
    """Return the age of each regular signal; those never received are left out."""
    heard = {sign.name: compute_age(sign.at, now) for sign in Sign.objects.all()}
    verified: dict[tuple[str, ...], float] = {
        (name.removeprefix(VERIFIED),): seconds for name, seconds in heard.items() if name.startswith(VERIFIED)
    }
    swept: dict[tuple[str, ...], float] = {(): heard[SWEEP]} if SWEEP in heard else {}
    return {"rungs_verify_last_seconds": verified, "rungs_swept_seconds": swept}


def measure_backups(now: datetime) -> Figures:
    """Return the state of the site's backups, without an age if none was ever proved."""
    state = load_backup_state()
    return {
        "rungs_backup_wanted": {(): float(state.wanted)},
        "rungs_backup_failing": {(): float(state.failing)},
        "rungs_backup_last_seconds": {} if state.good_at is None else {(): compute_age(state.good_at, now)},
    }


def measure_head_age(now: datetime) -> dict[tuple[str, ...], float]:
    """Return the age of the last published log head, empty if there is none."""
    head_at = Head.objects.order_by("-pk").values_list("at", flat=True).first()
    return {} if head_at is None else {(): compute_age(head_at, now)}


def query_database_size() -> int:
    """Return how many bytes the database has."""
    if connection.vendor == "sqlite":
        name = Path(str(connection.settings_dict["NAME"]))
        return sum(path.stat().st_size for path in (name, name.with_name(name.name + "-wal")) if path.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
