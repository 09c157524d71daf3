"""What pages say while demo leagues are loaded: a file below VAR, locked by the process that loads.

A file and not a row: on SQLite the load is the only writer, and the lock of a killed process is released at once.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings

#: Seconds that a load may take to begin once it is expected.
PATIENCE = 60.0
#: Bytes of the file: it is always written whole.
SIZE = 512


@dataclass(frozen=True)
class DemoLoad:
    """The league that is being loaded, empty if none yet, and how many of how many are complete."""

    title: str
    done: int
    total: int


def _find_file() -> Path:
    return Path(settings.VAR) / "demo-load.json"


def _write(handle: int, load: DemoLoad, *, expected: bool) -> None:
    os.pwrite(handle, json.dumps({**asdict(load), "expected": expected}).encode().ljust(SIZE), 0)


def expect_demo_load(total: int) -> None:
    """Let pages say that demo leagues are about to be loaded."""
    handle = os.open(_find_file(), os.O_WRONLY | os.O_CREAT, 0o644)
    _write(handle, DemoLoad("", 0, total), expected=True)
    os.close(handle)


class DemoLoadSign:
    """Tells pages how far the load is."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def show(self, title: str, done: int, total: int) -> None:
        """Name the league that is being loaded."""
        _write(self._handle, DemoLoad(title, done, total), expected=False)


@contextmanager
def hold_demo_load() -> Iterator[DemoLoadSign]:
    """Wait until no other process loads demo leagues, and keep others waiting."""
    file = _find_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield DemoLoadSign(handle)
    finally:
        os.ftruncate(handle, 0)
        os.close(handle)


def find_demo_load() -> DemoLoad | None:
    """Return how far a load of demo leagues is; None if there is none."""
    try:
        handle = os.open(_find_file(), os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        text = os.pread(handle, SIZE, 0)
        if not text:
            return None
        values = json.loads(text)
        expected = values.pop("expected") and abs(time.time() - os.fstat(handle).st_mtime) < PATIENCE
        return DemoLoad(**values) if expected or _is_locked(handle) else None
    finally:
        os.close(handle)


def _is_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
