"""Bringing a whole site back from a backup: everything is checked before anything of the present site is touched."""

import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from league.services.backup.keep import backups_in
from league.services.backup.make import Backup, Database, database_of
from league.services.backup.manifest import (
    MANIFEST,
    SECRETS,
    check_files,
    check_manifest,
    differences,
    read_manifest,
)
from league.services.backup.problems import BackupProblem
from league.services.backup.secrets import bring_secrets


@dataclass(frozen=True)
class BroughtBack:
    """What was restored, where the site is that stood there before ("": none), and what is to be done yet."""

    backup: Backup
    old: str
    pending: list[str] = field(default_factory=list)
    """Migrations that this version has and the backup has not."""
    said: list[str] = field(default_factory=list)


@contextmanager
def found_backup(path: Path) -> Iterator[Backup]:
    """Find a backup: its folder or manifest, the newest in a folder of several, or a tar file; raises BackupProblem."""
    if path.is_file() and path.name == MANIFEST:
        path = path.parent
    if path.is_file():
        with tempfile.TemporaryDirectory(prefix="rungs-restore-") as folder:
            yield whole(newest_in(unpacked(path, Path(folder))))
    elif path.is_dir():
        yield whole(newest_in(path))
    else:
        raise BackupProblem(f"There is no {path}.")


def unpacked(path: Path, folder: Path) -> Path:
    """Unpack a tar file into a folder."""
    try:
        with tarfile.open(path) as packed:
            for member in packed:
                unpack(packed, member, folder)
    except (tarfile.TarError, OSError) as error:
        raise BackupProblem(f"{path} cannot be read as a tar file of a backup: {error}.") from None
    return folder


def unpack(packed: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Unpack a folder or a file, to whoever restores alone; raises TarError for what leads out of the folder.

    The filters of the standard library say the same, but the first releases of Python 3.11 have none.
    """
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
        raise tarfile.TarError(f"“{member.name}” is no file or folder of its own")
    kept = folder / path
    (kept if member.isdir() else kept.parent).mkdir(mode=0o700, parents=True, exist_ok=True)
    read = packed.extractfile(member)
    if read is not None:
        with kept.open("xb") as written:
            shutil.copyfileobj(read, written)


def newest_in(folder: Path) -> Path:
    """Return the backup that a folder is, or the newest one in it; raises BackupProblem."""
    if (folder / MANIFEST).is_file():
        return folder
    there = backups_in(folder)
    if not there:
        raise BackupProblem(f"{folder} holds no backup: it has no {MANIFEST}, and no folder such as rungs-…Z with one.")
    return there[-1]


def whole(path: Path) -> Backup:
    """Return a backup whose files are what its manifest says; raises BackupProblem."""
    manifest = read_manifest(path)
    check_files(path, manifest)
    return Backup(path, manifest)


def bring_site_back(
    path: Path, *, replace: bool = False, secrets: bool = False, sha256: str = "", database: Database | None = None
) -> BroughtBack:
    """Restore a site; raises BackupProblem, and nothing was changed then.

    ``replace`` lets it take the place of a site that has data, which is kept under another name; ``sha256`` is that of
    the manifest, kept where nobody who can write backups can write.
    """
    there = database or database_of()
    with found_backup(path) as backup:
        manifest = backup.manifest
        if sha256:
            check_manifest(backup.path, sha256)
        if manifest.engine != there.engine:
            raise BackupProblem(
                f"The backup is of {manifest.engine}, and DATABASE_URL names {there.engine}: whole sites stay on their "
                "engine; single leagues go from one to the other by export and restore."
            )
        if there.file not in manifest.files:
            raise BackupProblem(f"{backup.path / MANIFEST} says nothing of {there.file}: this backup is not whole.")
        pending = pending_migrations(manifest.facts.migrations)
        if secrets and SECRETS not in manifest.files:
            raise BackupProblem("The backup holds no secrets: it was made without --with-secrets.")
        if database is None:
            connections.close_all()
        if not replace and there.has_data():
            raise BackupProblem(
                f"The database {there.name} holds a site: --replace puts the backup in its place and keeps it under "
                "another name. Nothing was changed."
            )
        stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
        facts, old = there.bring_back(backup.path / there.file, manifest, stamp)
        if found := differences(manifest.facts, facts):
            raise BackupProblem("What was restored is not what the backup says of itself. " + " ".join(found))
        said = bring_secrets(backup.path / SECRETS, Path(settings.VAR), stamp) if secrets else []
        return BroughtBack(backup, old, pending, said)


def pending_migrations(there: list[str]) -> list[str]:
    """Return which migrations a backup lacks; raises BackupProblem where it has some that are not known here."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    known = {f"{app}.{name}" for app, name in loader.disk_migrations}
    if unknown := sorted(set(there) - known):
        raise BackupProblem(
            f"The backup is of a newer Rungs: this one does not know the migration {unknown[-1]}. Take that version."
        )
    return sorted(known - set(there))
