"""Stores exports of leagues as files, produced by workers."""

import fcntl
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.utils import timezone

from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.selectors.exports_csv import iter_csv_lines
from league.core.transfer.selectors.stored_exports import (
    GZIP_SUFFIX,
    ExportKey,
    find_stored,
    get_age,
    get_folder,
    make_export_key,
    may_be_sent,
    needs_export,
)
from league.models import League

#: Seconds after which a file, or a temporary file of a dead worker, is removed.
FILE_SECONDS, TEMPORARY_SECONDS = 86_400.0, 3_600.0
GZIP_LEVEL = 5
FORMS = ("ndjson", "csv")


def store_export(league_id: int, form: str, *, aliases: bool) -> bool:
    """Store the export of a league's current state, and remove those of earlier states.

    Returns whether a file was produced: False if it exists, or another worker is producing it.
    """
    if form not in FORMS or not League.objects.filter(pk=league_id).exists():
        return False
    get_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    key = make_export_key(league_id, form, aliases=aliases)
    with try_lock(get_folder() / f"{key.series}lock") as locked:
        if not locked:
            return False
        # Several messages may request the same file; a recent one serves them all.
        new = needs_export(key, find_stored(key, allow_earlier=True))
        if new:
            write_export(key)
        if key.path.exists():
            keep = {key.path.name, key.path.name + GZIP_SUFFIX, f"{key.series}lock"}
            for path in get_folder().glob(f"{key.series}*"):
                if path.name not in keep:
                    path.unlink(missing_ok=True)
    return new


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Lock a file for the block; yield False if another process has locked it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def write_export(key: ExportKey) -> None:
    """Write an export and its gzipped form; both are renamed when complete."""
    now = timezone.now()
    lines = iter_csv_lines(key.league) if key.form == "csv" else export_lines(key.league, now, aliases=key.aliases)
    with temporary_file() as uncompressed, temporary_file() as packed:
        with (
            uncompressed.open("wb") as file,
            packed.open("wb") as raw,
            gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as zipped,
        ):
            for line in lines:
                data = f"{line}\n".encode()
                file.write(data)
                zipped.write(data)
        packed.rename(key.path.with_name(key.path.name + GZIP_SUFFIX))
        uncompressed.rename(key.path)


@contextmanager
def temporary_file() -> Iterator[Path]:
    """Yield the path of a file that is removed unless it is renamed."""
    with NamedTemporaryFile(prefix="tmp-", dir=get_folder(), delete=False) as file:
        path = Path(file.name)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def remove_expired_exports() -> int:
    """Remove old files, temporary files of dead workers, and files that may no longer be sent; return their number.

    Files may not be sent if people in them were erased or renamed, or the league is now private or deleted.
    """
    files = [path for path in get_folder().glob("*") if path.is_file() and not path.name.endswith("lock")]
    expired = list(filter(has_expired, files))
    for path in expired:
        path.unlink(missing_ok=True)
    return len(expired)


def has_expired(path: Path) -> bool:
    """Return whether a file must be removed."""
    if path.name.startswith("tmp-"):
        return get_age(path) > TEMPORARY_SECONDS
    return get_age(path) > FILE_SECONDS or not may_be_sent(path)
