"""The nightly drill: a backup is worth what was restored of it. Made, restored beside, compared, verified in part.

What is due stands in the database: one row a night, claimed by one worker, which shows signs of life
while it works. One that is killed shows none, and the sweep has another take the night up.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import F, Q
from django.utils import timezone

from league import queue
from league.models import Drill
from league.services.backup.keep import backups_in, keep_by_calendar
from league.services.backup.make import Backup, Database, database_of, make_backup
from league.services.backup.manifest import differences
from league.services.backup.problems import BackupProblem
from league.services.backup.verified import verify_copy

logger = logging.getLogger(__name__)

TASK = "league.backup"
#: How long after midnight, UTC, a night's drill is due.
DUE = timedelta(hours=2, minutes=30)
#: Seconds between two signs of life, and without one after which a worker counts as dead.
BEAT, LEASE = 5.0, 60.0
#: So often a night is taken up; nights of which a row is kept.
ATTEMPTS, KEPT = 3, 400
#: Seconds after which no further league's verification begins.
LONG = 3600.0


def tonight(now: datetime) -> date:
    """Return the night whose drill is due."""
    return (now - DUE).date()


def to_be_taken(now: datetime) -> Q:
    """Return the condition for rows that a worker is to take up: those waiting, and those whose worker is dead."""
    dead = now - timedelta(seconds=LEASE)
    return Q(state=Drill.State.WAITING) | Q(state=Drill.State.RUNNING, beat_at__lt=dead)


def enqueue_drill() -> list[str]:
    """Send a message where the night's drill is due; returns the night."""
    if not settings.RUNGS_BACKUP_DIR:
        return []
    now = timezone.now()
    night = tonight(now)
    there = Drill.objects.filter(night=night)
    if there.exists() and not there.filter(to_be_taken(now)).exists():
        return []
    queue.enqueue(TASK)
    return [str(night)]


def claim(night: date, now: datetime) -> Drill | None:
    """Take a night up if it is to be had; two workers never have it both."""
    # Ignoring conflicts: of two who come first, one makes the row.
    Drill.objects.bulk_create([Drill(night=night)], ignore_conflicts=True)
    taken = Drill.objects.filter(to_be_taken(now), night=night).update(
        state=Drill.State.RUNNING, attempts=F("attempts") + 1, started_at=now, beat_at=now, ended_at=None
    )
    return Drill.objects.get(night=night) if taken else None


def try_tonight(*, again: bool = False, database: Database | None = None) -> bool:
    """Make the night's backup and try it, if that is due; returns whether it was.

    ``again`` has a night that ended tried once more.
    """
    if not settings.RUNGS_BACKUP_DIR:
        return False
    now = timezone.now()
    night = tonight(now)
    if again:
        Drill.objects.filter(night=night, ended_at__isnull=False).update(state=Drill.State.WAITING, attempts=0)
    drill = claim(night, now)
    if drill is None:
        return False
    if drill.attempts > ATTEMPTS:
        end(drill, problem=f"It was taken up {ATTEMPTS} times, and its worker died each time.")
        return True
    Drill.objects.filter(night__lt=night - timedelta(days=KEPT)).delete()
    try:
        with Alive(drill):
            result = Trial(drill, Path(settings.RUNGS_BACKUP_DIR), database or database_of()).run()
    except BackupProblem as error:
        end(drill, problem=str(error))
    except Exception:  # a fault of ours, whatever it is: whoever waits for backups must hear of it
        end(drill, problem="A fault of the program, which the worker's log tells.")
        raise
    else:
        found = result["differences"]
        end(drill, result=result, problem=" ".join(found))
    return True


def end(drill: Drill, *, result: dict[str, Any] | None = None, problem: str = "") -> None:
    """Write how a drill ended; a bad one is an error in the log, whoever looks at the row or not."""
    drill.state = Drill.State.BAD if problem else Drill.State.GOOD
    drill.result, drill.problem, drill.ended_at = result, problem, timezone.now()
    drill.save(update_fields=["state", "result", "problem", "ended_at", "backup"])
    if problem:
        logger.error("The backup of the night %s is bad: %s", drill.night, problem)
    else:
        logger.info("The backup of the night %s was restored and is good.", drill.night)


class Alive:
    """Signs of life of a worker that waits for other programs: a thread writes them by a connection of its own."""

    def __init__(self, drill: Drill) -> None:
        self.drill, self.stop = drill, threading.Event()
        self.thread = threading.Thread(target=self.beat, name=f"drill {drill.night}", daemon=True)

    def __enter__(self) -> None:
        """Begin."""
        self.thread.start()

    def __exit__(self, *error: object) -> None:
        """Show no more of them."""
        self.stop.set()
        self.thread.join()

    def beat(self) -> None:
        """Write a sign every BEAT seconds."""
        try:
            while not self.stop.wait(BEAT):
                self.sign()
        finally:
            connections.close_all()

    def sign(self) -> None:
        """Write one sign; a database that does not take it now will take the next one."""
        try:
            Drill.objects.filter(pk=self.drill.pk, attempts=self.drill.attempts).update(beat_at=timezone.now())
        except DatabaseError as error:
            logger.warning("The drill could not say that it lives: %s", error)


class Trial:
    """One drill on its way."""

    def __init__(self, drill: Drill, folder: Path, database: Database) -> None:
        self.drill, self.folder, self.database = drill, folder, database
        self.seconds: dict[str, float] = {}

    def timed(self, what: str, work: Callable[[], Any]) -> Any:
        """Do something and keep how long it took."""
        start = time.monotonic()
        try:
            return work()
        finally:
            self.seconds[what] = round(time.monotonic() - start, 2)

    def run(self) -> dict[str, Any]:
        """Back up, try, thin out; returns what was found. What is bad deletes no other backup."""
        backup: Backup = self.timed("backup", lambda: make_backup(self.folder, database=self.database))
        self.drill.backup = backup.path.name
        facts = backup.manifest.facts
        tried = self.timed("trial", lambda: self.tried(backup))
        if not tried["differences"]:
            keep_by_calendar(self.folder)
        return {
            "bytes": backup.size,
            "leagues": len(facts.leagues),
            "games": facts.games,
            "entries": facts.entries,
            "rows": sum(facts.rows.values()),
            **tried,
            "seconds": self.seconds,
            "kept": len(backups_in(self.folder)),
        }

    def tried(self, backup: Backup) -> dict[str, Any]:
        """Restore a backup beside the site, compare it, and verify some of its leagues."""
        manifest = backup.manifest
        copy = backup.path / self.database.file
        with self.database.scratch(copy, self.folder, manifest) as (address, facts):
            found = differences(manifest.facts, facts)
            slugs = in_turn([league["slug"] for league in facts.leagues], self.drill.night)
            verified: list[str] = []
            waiting: list[str] = []
            start = time.monotonic()
            for slug in slugs:
                if time.monotonic() - start > LONG:
                    break
                state, said = verify_copy(address, slug)
                found += said if state == "differs" else []
                (waiting if state == "waits" else verified).append(slug)
        return {"verified": verified, "waiting": waiting, "differences": found}


def in_turn(slugs: list[str], night: date) -> list[str]:
    """Return the leagues that are verified in a night: as many as the setting says, all of them in turn."""
    count = min(settings.RUNGS_BACKUP_VERIFIED, len(slugs))
    first = night.toordinal() * count
    return [slugs[(first + step) % len(slugs)] for step in range(count)]
