"""Which backups are kept, and how others go: renamed first, so that half of one never looks like a whole one."""

import re
import shutil
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path

from league.services.backup.manifest import MANIFEST

#: The name of a backup that is whole.
NAME = re.compile(r"rungs-([0-9]{8}T[0-9]{6})Z(-[0-9]+)?")
#: How names begin of what is being made, and of what is being deleted.
MAKING, GOING = ".making-", ".going-"
#: Seconds after which what a killed process left is cleared away.
LEFT = 24 * 60 * 60
#: The newest of so many days, weeks and months are kept of what is made every night.
DAYS, WEEKS, MONTHS = 7, 4, 12


def made_at(path: Path) -> datetime:
    """Return when a backup was made, by its name."""
    found = NAME.fullmatch(path.name)
    assert found is not None, path
    return datetime.strptime(found[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)


def order(path: Path) -> tuple[datetime, int]:
    """Return the place of a backup among others: by its time, and those of one second by their numbers."""
    found = NAME.fullmatch(path.name)
    assert found is not None, path
    return made_at(path), int((found[2] or "-1")[1:])


def backups_in(folder: Path) -> list[Path]:
    """Return the backups in a folder, the oldest first."""
    there = [path for path in folder.glob("rungs-*") if NAME.fullmatch(path.name) and (path / MANIFEST).is_file()]
    return sorted(there, key=order)


def keep_newest(folder: Path, count: int) -> list[Path]:
    """Delete all backups but the newest ones; returns those that went."""
    return delete(backups_in(folder)[:-count])


def keep_by_calendar(folder: Path) -> list[Path]:
    """Delete all backups but the newest of each of the last days, weeks and months that have one; returns those."""
    there = backups_in(folder)
    wanted = {
        *newest_of(there, "%Y-%m-%d", DAYS),
        *newest_of(there, "%G-%V", WEEKS),
        *newest_of(there, "%Y-%m", MONTHS),
    }
    return delete([path for path in there if path not in wanted])


def newest_of(there: Collection[Path], span: str, count: int) -> list[Path]:
    """Return the newest backup of each of the last spans of time."""
    newest = {f"{made_at(path):{span}}": path for path in there}
    return [newest[key] for key in sorted(newest)[-count:]]


def delete(paths: Collection[Path]) -> list[Path]:
    """Delete backups; returns them."""
    for path in paths:
        going = path.with_name(GOING + path.name)
        path.rename(going)
        shutil.rmtree(going, ignore_errors=True)
    return list(paths)


def clear_away(folder: Path, now: Callable[[], float] = time.time) -> None:
    """Delete what processes left that were killed while they made or deleted a backup."""
    for path in [*folder.glob(f"{MAKING}*"), *folder.glob(f"{GOING}*")]:
        if now() - path.stat().st_mtime > LEFT:
            shutil.rmtree(path, ignore_errors=True)
