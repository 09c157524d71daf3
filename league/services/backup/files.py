"""Files that are whole or not there: written under another name, brought to the disk, renamed."""

import os
import shutil
from pathlib import Path

from league.services.backup.problems import BackupProblem

#: Bytes that must remain free on a disk beside what is written.
SPARE = 16 << 20


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, and bring it to the disk."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def to_disk(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def need_room(folder: Path, wanted: int) -> None:
    """Raise BackupProblem where a disk has not the room for so many bytes."""
    free = shutil.disk_usage(folder).free
    if free < wanted + SPARE:
        raise BackupProblem(
            f"The disk of {folder} has {megabytes(free)} free, and {megabytes(wanted + SPARE)} are wanted. "
            "Nothing was written: make room, or take another folder."
        )


def megabytes(size: int) -> str:
    """Write a number of bytes for people."""
    return f"{size / 1e6:,.1f} MB"
