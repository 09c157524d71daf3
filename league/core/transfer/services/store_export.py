"""A worker stores the export of a league as a file, once for each state that is asked for."""

import fcntl
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.utils import timezone

from league.core.transfer.selectors.exports import export_lines
from league.core.transfer.selectors.exports_csv import csv_lines
from league.core.transfer.selectors.stored_exports import (
    PACKED,
    ExportKey,
    age_of,
    export_key,
    find_stored,
    folder,
    may_be_sent,
    needs_export,
)
from league.models import League

#: Seconds after which a file is removed, whatever it is of, and after which what a dead worker left is.
FILE_SECONDS, LEFT = 86_400.0, 3_600.0
LEVEL = 5
FORMS = ("ndjson", "csv")


def store_export(league_id: int, form: str, *, aliases: bool) -> bool:
    """Store the export of a league as it is now, and remove those of earlier states.

    Returns whether one was produced: not when it is there already, or another worker is producing it.
    """
    if form not in FORMS or not League.objects.filter(pk=league_id).exists():
        return False
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    key = export_key(league_id, form, aliases=aliases)
    with claimed(folder() / f"{key.series}lock") as free:
        if not free:
            return False
        # Messages of the last minutes ask for the same file: one that is young enough answers them all.
        new = needs_export(key, find_stored(key, earlier=True))
        if new:
            write_export(key)
        if key.path.exists():
            keep = {key.path.name, key.path.name + PACKED, f"{key.series}lock"}
            for path in folder().glob(f"{key.series}*"):
                if path.name not in keep:
                    path.unlink(missing_ok=True)
    return new


@contextmanager
def claimed(path: Path) -> Iterator[bool]:
    """Hold the lock of a file, which ends with its process; False when another one holds it."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def write_export(key: ExportKey) -> None:
    """Write the file of an export and the packed one; both are complete before they have their names."""
    now = timezone.now()
    lines = csv_lines(key.league) if key.form == "csv" else export_lines(key.league, now, aliases=key.aliases)
    with temporary() as plain, temporary() as packed:
        with (
            plain.open("wb") as file,
            packed.open("wb") as raw,
            gzip.GzipFile("", "wb", LEVEL, raw, mtime=0) as zipped,
        ):
            for line in lines:
                data = f"{line}\n".encode()
                file.write(data)
                zipped.write(data)
        packed.rename(key.path.with_name(key.path.name + PACKED))
        plain.rename(key.path)


@contextmanager
def temporary() -> Iterator[Path]:
    """Yield the path of a file that goes again unless it was renamed."""
    with NamedTemporaryFile(prefix="tmp-", dir=folder(), delete=False) as file:
        path = Path(file.name)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def forget_exports() -> int:
    """Remove files that may not be sent any more, those stored long ago, and what workers left that died.

    Returns how many. What may not be sent has names of people who were erased or renamed, or is of a league that turned
    private or is gone.
    """
    files = [path for path in folder().glob("*") if path.is_file() and not path.name.endswith("lock")]
    expired = list(filter(has_expired, files))
    for path in expired:
        path.unlink(missing_ok=True)
    return len(expired)


def has_expired(path: Path) -> bool:
    """Return whether a file is to be removed."""
    if path.name.startswith("tmp-"):
        return age_of(path) > LEFT
    return age_of(path) > FILE_SECONDS or not may_be_sent(path)
