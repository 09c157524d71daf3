"""Backs up the whole site to one file and proves it by restoring and verifying it in a scratch database.

A proved file is named ``rungs-…``; before that, or if the proof fails, ``unproved``.
"""

import fcntl
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from django.db import DatabaseError, connection
from psycopg.pq import Conninfo

from league.core.jobs.supervisor import RUN_MODULE, build_environment
from league.environment import Environment

#: Names and suffixes of proved backups; sorting the names sorts them by time.
BACKUP_PATTERN, SUFFIXES = "rungs-????????T??????Z.*", (".sqlite3", ".dump")
#: Maximum seconds per program.
PROGRAM_TIMEOUT = 4 * 3600
#: Bytes to leave free on the disk.
RESERVED_BYTES = 16 << 20
#: Variables that are not passed to the process that verifies the scratch database.
REMOVED_VARIABLES = ("DATABASE_", "RUNGS_SERVING", "RUNGS_POOLER", "RUNGS_METRICS_PORT", "RUNGS_WORKER_METRICS_PORT")
#: Command that verifies the database, and its exit codes without differences (3: a replay is due).
VERIFY_COMMAND, VERIFIED_EXIT_CODES = (*RUN_MODULE, "django", "verify"), (0, 3)


class BackupProblem(Exception):
    """No backup was made, or it was not proved; the message is for the operator."""


class BackupRunning(BackupProblem):
    """Another process is making a backup in the same folder."""


@dataclass(frozen=True)
class Backup:
    """A proved backup."""

    path: Path
    leagues: int
    entries: int  # of all logs


def make_backup(folder: Path, *, keep: int = 0) -> Backup:
    """Make and prove a backup in a folder, then delete all but the ``keep`` newest (0: none); raises BackupProblem."""
    ending = "sqlite3" if connection.vendor == "sqlite" else "dump"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_folder(folder) as handle:
            copy = folder / f"unproved.{ending}"
            copy.unlink(missing_ok=True)
            check_free_space(folder)
            now, expected_lengths = datetime.now(UTC), query_log_lengths()
            copy_database(copy)
            prove(copy, expected_lengths)
            with copy.open("rb") as file:
                os.fsync(file.fileno())
            path = copy.rename(folder / f"rungs-{now:%Y%m%dT%H%M%SZ}.{ending}")
            os.fsync(handle)
            for old in list_backups(folder)[:-keep] if keep else []:
                old.unlink()
    except (OSError, sqlite3.Error, DatabaseError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise BackupProblem(f"No backup was made in {folder}: {reason}.") from None
    return Backup(path, len(expected_lengths), sum(expected_lengths.values()))


@contextmanager
def lock_folder(folder: Path) -> Iterator[int]:
    """Lock a folder for one backup at a time; the lock ends with the process."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield handle
    except BlockingIOError:
        raise BackupRunning(f"Another process is making a backup in {folder}.") from None
    finally:
        os.close(handle)


def check_free_space(folder: Path) -> None:
    """Raise BackupProblem unless two copies fit, each 1.5 times the size of the newest backup.

    Without a backup, each is expected to have the size of the database.
    """
    backups = list_backups(folder)
    needed = RESERVED_BYTES + (3 * backups[-1].stat().st_size if backups else 2 * query_database_size())
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise BackupProblem(
            f"The disk of {folder} has {free / 1e6:,.1f} MB free, and a backup needs {needed / 1e6:,.1f} MB. "
            "Nothing was written: make room, or take another folder."
        )


def list_backups(folder: Path) -> list[Path]:
    """Return the proved backups of a folder, the newest last."""
    return sorted(path for path in folder.glob(BACKUP_PATTERN) if path.suffix in SUFFIXES)


def query_database_size() -> int:
    """Return the size of the database in bytes."""
    of_sqlite = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    of_postgresql = "SELECT pg_database_size(current_database())"
    with connection.cursor() as cursor:
        cursor.execute(of_sqlite if connection.vendor == "sqlite" else of_postgresql)
        return int(cursor.fetchone()[0])


def query_log_lengths(database: Any = connection) -> dict[str, int]:
    """Return the length of each league's log."""
    with database.cursor() as cursor:
        cursor.execute("SELECT slug, log_length FROM league_league")
        return dict(cursor.fetchall())


def copy_database(target: Path) -> None:
    """Copy a snapshot of the database to a new file without blocking; an incomplete copy is deleted."""
    target.touch(mode=0o600)
    try:
        if connection.vendor == "sqlite":
            connection.ensure_connection()
            with closing(sqlite3.connect(target)) as copy:
                connection.connection.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file, with no write-ahead log beside it
            return
        options = ("--format=custom", "--no-owner", "--no-privileges", "--lock-wait-timeout=60000")
        run_postgresql("pg_dump", *options, f"--file={target}")
    except BaseException:
        target.unlink()
        raise


def prove(copy: Path, expected_lengths: Mapping[str, int]) -> None:
    """Restore a copy into a scratch database and verify all leagues there; raises BackupProblem.

    ``verify`` would accept a copy without the newest games, so the logs must be at least as long as before the copy.
    """
    with restore_scratch(copy) as name:
        with closing(connection.copy("scratch")) as scratch:
            scratch.settings_dict["NAME"] = name
            restored_lengths = query_log_lengths(scratch)
        for slug, length in expected_lengths.items():
            if restored_lengths.get(slug, 0) < length:
                raise BackupProblem(
                    f"{copy} is not proved: the log of {slug} has {restored_lengths.get(slug, 0)} entries in it, "
                    f"and had {length}."
                )
        environment = {
            key: value for key, value in build_environment().items() if not key.startswith(REMOVED_VARIABLES)
        }
        environment["DATABASE_URL"] = make_scratch_url(name)
        try:
            run_program(VERIFY_COMMAND, environment, good=VERIFIED_EXIT_CODES)
        except BackupProblem as error:
            raise BackupProblem(f"{copy} is not proved: {error}") from None


@contextmanager
def restore_scratch(copy: Path) -> Iterator[str]:
    """Restore a copy into a temporary scratch database; yields its name."""
    if connection.vendor == "sqlite":
        path = copy.with_name("scratch.sqlite3")
        scratch_files = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", "-journal")]
        try:
            path.unlink(missing_ok=True)
            path.touch(mode=0o600)
            shutil.copyfile(copy, path)
            with closing(sqlite3.connect(path)) as scratch:
                ((integrity,), *_) = scratch.execute("PRAGMA integrity_check").fetchall()
            if integrity != "ok":
                raise BackupProblem(f"{copy} is not proved: SQLite finds it broken: {integrity}.")
            yield str(path)
        except sqlite3.DatabaseError as error:
            raise BackupProblem(f"{copy} is not proved: SQLite cannot read it: {error}.") from None
        finally:
            for file in scratch_files:
                file.unlink(missing_ok=True)
        return
    # The server cuts names to 63 bytes, so the difference comes first. Without --force, dropdb drops nothing in use.
    name = f"backup_proof_of_{connection.settings_dict['NAME']}"[:63]
    run_postgresql("dropdb", "--if-exists", name)
    run_postgresql("createdb", "--template=template0", "--encoding=UTF8", name)
    try:
        options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", f"--dbname={name}")
        run_postgresql("pg_restore", *options, str(copy))
        yield name
    finally:
        run_postgresql("dropdb", "--if-exists", name)


def make_scratch_url(name: str) -> str:
    """Return the DATABASE_URL of a scratch database."""
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(name)}"
    database_url = urlsplit(Environment().address("DATABASE_URL", "DATABASE_PASSWORD"))
    return urlunsplit(database_url._replace(path=f"/{quote(name, safe='')}"))


def run_postgresql(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL on the site's server."""
    connection.ensure_connection()
    info = connection.connection.info
    connection_parameters = {
        **info.get_parameters(),
        "password": info.password,
        "options": "",
    }  # without our limits of time
    names = {option.keyword.decode(): option.envvar.decode() for option in Conninfo.get_defaults() if option.envvar}
    environment = {names[key]: value for key, value in connection_parameters.items() if value and key in names}
    run_program([program, "--no-password", *arguments], {**os.environ, **environment})


def run_program(command: Sequence[str], environment: Mapping[str, str], good: tuple[int, ...] = (0,)) -> None:
    """Run a program; raises BackupProblem with the end of its output if it fails."""
    name = Path(command[0]).name
    try:
        completed = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PROGRAM_TIMEOUT,
        )
    except FileNotFoundError:
        raise BackupProblem(
            f"There is no {name} on PATH: install the client programs of PostgreSQL, of the server's version or newer."
        ) from None
    except subprocess.TimeoutExpired:
        raise BackupProblem(f"{name} did not end within {PROGRAM_TIMEOUT} seconds.") from None
    if completed.returncode not in good:
        output = (completed.stdout + completed.stderr).strip()[-1000:]
        raise BackupProblem(f"{name} failed: {output or f'it ended with {completed.returncode}'}")
