"""SQLite: copied by its own backup interface, which sees one state however many write meanwhile."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from league.services.backup.files import need_room, to_disk
from league.services.backup.manifest import Facts, Manifest, count_facts
from league.services.backup.problems import BackupProblem

#: Seconds that a copy waits for the database.
PATIENCE = 60.0


class Sqlite:
    """The site's database where it is a file."""

    engine, file = "sqlite", "database.sqlite3"

    def __init__(self, settings: dict[str, Any]) -> None:
        self.path = Path(settings["NAME"])
        self.name = str(self.path)

    def server(self) -> str:
        """Return the version of SQLite."""
        return sqlite3.sqlite_version

    def estimate(self) -> int:
        """Return how many bytes a copy will have at most."""
        there = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(path.stat().st_size for path in there if path.exists())

    def dump(self, target: Path) -> tuple[Facts, str]:
        """Copy the database into a file while it is written to; returns what is in it, and what made the copy."""
        if not self.path.exists():
            raise BackupProblem(f"There is no database {self.path} to back up.")
        copied(self.path, target)
        return settled(target), f"sqlite3.backup {sqlite3.sqlite_version}"

    def has_data(self) -> bool:
        """Tell whether there is a site that must not be written over; a file that cannot be read counts as one."""
        if not self.path.exists() or not self.path.stat().st_size:
            return False
        try:
            with closing(opened(self.path)) as there:
                return has_rows(asker(there), tables_of(there))
        except sqlite3.DatabaseError:
            return True

    def bring_back(self, dump: Path, manifest: Manifest, stamp: str) -> tuple[Facts, str]:
        """Put a copy in the place of the database; returns what is in it, and where the old one is ("": none).

        The file is checked under another name first, and renamed at the end.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        need_room(self.path.parent, dump.stat().st_size)
        fresh = self.path.with_name(f"{self.path.name}.restoring-{stamp}")
        try:
            copied(dump, fresh, still=True)
            facts = settled(fresh)
            if facts != manifest.facts:
                return facts, ""
            old = self.step_aside(stamp)
            fresh.rename(self.path)
            to_disk(self.path.parent)
        finally:
            fresh.unlink(missing_ok=True)
        return facts, old

    def step_aside(self, stamp: str) -> str:
        """Give the present database another name, which is returned; raises BackupProblem where it is in use."""
        if not self.path.exists():
            return ""
        try:
            with closing(sqlite3.connect(self.path, timeout=0)) as there:
                # Leaving the mode of a log beside the file needs the file for oneself, and leaves nothing beside it.
                there.execute("PRAGMA journal_mode=DELETE").fetchall()
        except sqlite3.OperationalError as error:
            raise BackupProblem(f"{self.path} is in use ({error}): stop the site first. Nothing was changed.") from None
        except sqlite3.DatabaseError:
            pass  # broken: it goes aside as it is, with what lies beside it
        old = self.path.with_name(f"{self.path.name}.before-{stamp}")
        for ending in ("", "-wal", "-shm"):
            beside = self.path.with_name(self.path.name + ending)
            if beside.exists():
                beside.rename(old.with_name(old.name + ending))
        return str(old)

    @contextmanager
    def scratch(self, dump: Path, folder: Path, manifest: Manifest) -> Iterator[tuple[str, Facts]]:
        """Restore a copy beside the backups for a while: its address for Django, and what is in it."""
        path = folder / "drill.sqlite3"
        remove(path)
        need_room(folder, dump.stat().st_size)
        try:
            copied(dump, path, still=True)
            yield f"sqlite:///{quote(str(path))}", settled(path)
        finally:
            remove(path)


def opened(path: Path, *, still: bool = False) -> sqlite3.Connection:
    """Open a database that is there, for reading. ``still``: nobody writes to it, and it is read as its file is.

    SQLite would otherwise take in what lies beside it as ``-journal`` or ``-wal``, which no checksum knows of.
    """
    how = "mode=ro&immutable=1" if still else "mode=rw"
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?{how}", uri=True, timeout=PATIENCE)


def copied(source: Path, target: Path, *, still: bool = False) -> None:
    """Copy a database into a new file that only its owner may read."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(opened(source, still=still)) as there, closing(sqlite3.connect(target)) as copy:
        # All pages in one step: one reader's state, for which no writer waits.
        there.backup(copy)


def asker(database: sqlite3.Connection) -> Any:
    """Return what asks a database."""
    return lambda sql: database.execute(sql).fetchall()


def tables_of(database: sqlite3.Connection) -> Sequence[str]:
    """Return the names of all tables."""
    found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return [name for (name,) in found]


def has_rows(ask: Any, tables: Sequence[str]) -> bool:
    """Tell whether anybody has begun to use a site: an account, a token, a league or a player is there."""
    used = ("auth_user", "league_token", "league_league", "league_player")
    return any(ask(f"SELECT 1 FROM {table} LIMIT 1") for table in used if table in tables)  # noqa: S608 -- own names


def settled(path: Path) -> Facts:
    """Make one file of a copy, check it page by page, bring it to the disk; returns what is in it."""
    try:
        with closing(sqlite3.connect(path)) as copy:
            copy.execute("PRAGMA journal_mode=DELETE").fetchall()
            (said,), *_ = copy.execute("PRAGMA integrity_check").fetchall()
            if said != "ok":
                raise BackupProblem(f"SQLite finds the copy {path} broken: {said}.")
            facts = count_facts(asker(copy), tables_of(copy))
    except sqlite3.DatabaseError as error:
        raise BackupProblem(f"The copy {path} cannot be read: {error}.") from None
    to_disk(path)
    return facts


def remove(path: Path) -> None:
    """Remove a database and what lies beside it."""
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
