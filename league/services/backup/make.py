"""Making a backup: while the site runs, of one state, whole or not at all."""

import os
import shutil
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from league.services.backup.files import need_room, to_disk, write_private
from league.services.backup.keep import MAKING, NAME, backups_in, clear_away, keep_newest
from league.services.backup.manifest import MANIFEST, SECRETS, Facts, Manifest, file_facts, read_manifest
from league.services.backup.postgres import Postgres
from league.services.backup.problems import BackupProblem
from league.services.backup.secrets import site_secrets
from league.services.backup.sqlite import Sqlite

Database = Sqlite | Postgres


@dataclass(frozen=True)
class Backup:
    """A backup that is whole."""

    path: Path
    manifest: Manifest

    @property
    def size(self) -> int:
        """Return the bytes of its files."""
        return sum(int(file["bytes"]) for file in self.manifest.files.values())


def database_of(given: dict[str, Any] | None = None) -> Database:
    """Return the site's database, or another one by its settings."""
    given = connection.settings_dict if given is None else given
    return Sqlite(given) if given["ENGINE"].endswith("sqlite3") else Postgres(given)


def make_backup(folder: Path, *, keep: int = 0, secrets: bool = False, database: Database | None = None) -> Backup:
    """Make a backup in a folder, and delete all but the ``keep`` newest (0: none); raises BackupProblem.

    It is written beside under a name that begins with a dot, brought to the disk and renamed: a
    backup that has its name is whole.
    """
    there = database or database_of()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        need_room(folder, wanted_room(folder, there))
        making = folder / f"{MAKING}{os.getpid()}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        making.mkdir(mode=0o700)
        try:
            backup = written(making, there, secrets)
        finally:
            shutil.rmtree(making, ignore_errors=True)
        clear_away(folder)
        if keep:
            keep_newest(folder, keep)
    except OSError as error:
        raise BackupProblem(f"No backup was made in {folder}: {error.strerror or error}.") from None
    return backup


def written(making: Path, database: Database, secrets: bool) -> Backup:
    """Write a backup and give it its name."""
    copy = making / database.file
    facts, tool = database.dump(copy)
    copy.chmod(0o600)
    to_disk(copy)
    if secrets:
        write_private(making / SECRETS, site_secrets())
    manifest = described(database, facts, tool, making)
    write_private(making / MANIFEST, manifest.as_text())
    to_disk(making)
    path = making.parent / free_name(making.parent, datetime.fromisoformat(manifest.made_at))
    making.rename(path)
    to_disk(path.parent)
    return Backup(path, manifest)


def described(database: Database, facts: Facts, tool: str, making: Path) -> Manifest:
    """Return what a backup says of itself."""
    files = {path.name: file_facts(path) for path in sorted(making.iterdir())}
    now = datetime.now(UTC).replace(microsecond=0)
    return Manifest(now.isoformat(), rungs_version(), database.engine, database.server(), tool, facts, files)


def free_name(folder: Path, now: datetime) -> str:
    """Return the name of a backup: when it was made, in UTC; the second one of a second counts on."""
    name = f"rungs-{now:%Y%m%dT%H%M%SZ}"
    number = 1
    while (folder / (found := name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    assert NAME.fullmatch(found)
    return found


def wanted_room(folder: Path, database: Database) -> int:
    """Return how many bytes a backup may need: half as much again as the last one, else what the database says."""
    for path in reversed(backups_in(folder)):
        try:
            last = Backup(path, read_manifest(path))
        except BackupProblem:
            continue
        if last.manifest.engine == database.engine:
            return last.size * 3 // 2
    return database.estimate()


def rungs_version() -> str:
    """Return the version of Rungs: of the checkout, or of the package that is installed; "" if neither says it."""
    try:
        return str(tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"])
    except OSError:
        pass
    try:
        return version("rungs")
    except PackageNotFoundError:
        return ""
