"""Static files collected once: what stands as it should is neither copied, hashed nor compressed again.

Beside the collected files lies a stamp: what they were made of and what came of it. It is written when all is done, so
a killed collect has none, and every file comes to its name whole or not at all.
"""

import fcntl
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import brotli
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files.base import File
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

STAMP = ".collected.json"
#: What a file is called until all of it is written.
DRAFT = ".being-written"
UNPACK: dict[str, Callable[[bytes], bytes]] = {".br": brotli.decompress, ".gz": gzip.decompress}


class KeepingCompressor(Compressor):  # type: ignore[misc]  # whitenoise has no types
    """Compresses a file unless what lies beside it unpacks to exactly that file."""

    def compress(self, path: str) -> list[str]:
        """Return the compressed files beside this one, made now or before."""
        data = Path(path).read_bytes()
        there = [path + suffix for suffix, unpack in UNPACK.items() if unpacks_to(path + suffix, unpack, data)]
        if len(there) == len(UNPACK):
            return there
        for suffix in UNPACK:
            Path(path + suffix).unlink(missing_ok=True)
        made: list[str] = super().compress(path)
        return made

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        """Write a compressed file, whole or not at all."""
        draft: str = super().write_data(path, data, suffix + DRAFT, stat_result)
        os.replace(draft, path + suffix)
        return path + suffix


def unpacks_to(path: str, unpack: Callable[[bytes], bytes], data: bytes) -> bool:
    """Tell whether a compressed file is there and holds these bytes."""
    try:
        return unpack(Path(path).read_bytes()) == data
    except (OSError, EOFError, zlib.error, brotli.error):
        return False


class KeepingStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    """Hashed and compressed static files; those that stand are kept, all others are written whole or not at all."""

    def create_compressor(self, **kwargs: Any) -> Compressor:
        """Return what compresses."""
        return KeepingCompressor(**kwargs)

    def _save(self, name: str, content: "File[Any]") -> str:
        draft = super()._save(name + DRAFT, content)
        os.replace(self.path(draft), self.path(name))
        return name


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process of this machine is inside for this folder; a killed one is not."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def stamp_of(ignored: Iterable[str], root: Path) -> dict[str, str]:
    """Return what the files at hand and the way they are collected say, and which files were made of them."""
    return {"from": sources(list(ignored)), "to": collected(root)}


def sources(ignored: list[str]) -> str:
    """Return a digest of all that is to be collected, byte for byte, and of what collects it."""
    digest = hashlib.blake2b(digest_size=32)
    made = [version(name) for name in ("django", "whitenoise", "brotli")]
    kept = {name: repr(getattr(settings, name)) for name in sorted(dir(settings)) if name.startswith("WHITENOISE_")}
    code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    digest.update(json.dumps([made, settings.STORAGES["staticfiles"], settings.STATIC_URL, kept, code]).encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list(ignored), key=lambda found: found[0]):
            data = Path(storage.path(path)).read_bytes()
            told = [getattr(storage, "prefix", None) or "", path, len(data)]
            digest.update(json.dumps(told).encode())
            digest.update(data)
    return digest.hexdigest()


def collected(root: Path) -> str:
    """Return a digest of the names and sizes of the files that were collected."""
    found = []
    for folder, _, names in os.walk(root):
        place = Path(folder).relative_to(root)
        found += [(str(place / name), Path(folder, name).stat().st_size) for name in names if name != STAMP]
    return hashlib.blake2b(json.dumps(sorted(found)).encode(), digest_size=32).hexdigest()


def stands(ignored: Iterable[str], root: Path) -> bool:
    """Tell whether all was collected already, to the end, and nothing has changed since."""
    try:
        told = json.loads((root / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(told == stamp_of(ignored, root))


def begin(root: Path) -> None:
    """Take away the stamp, and what a killed collect left unfinished."""
    (root / STAMP).unlink(missing_ok=True)
    for left in root.rglob(f"*{DRAFT}"):
        left.unlink()


def finish(ignored: Iterable[str], root: Path) -> None:
    """Note that all was collected."""
    draft = root / (STAMP + DRAFT)
    told = stamp_of(ignored, root)
    draft.write_text(json.dumps(told), encoding="utf-8")
    os.replace(draft, root / STAMP)
