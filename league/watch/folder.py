"""Reads what the processes of this machine counted; what the dead among them did is kept, in one file for each kind."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Stands in place of a process's number in the names of files of those that ended.
ENDED = "ended"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Be the only one who reads and folds a folder; those who count wait for nobody."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def clean(folder: Path) -> None:
    """Begin anew where a part of the site begins: what an earlier run counted goes, unless some of it lives."""
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder):
        files = list(folder.glob("*.db"))
        if not any(alive(number_of(file)) for file in files):
            for file in files:
                file.unlink()


def number_of(file: Path) -> str:
    """Return the number of the process whose file this is."""
    return file.stem.rpartition("_")[2]


def alive(number: str) -> bool:
    """Tell whether a process lives."""
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        pass
    return True


def fold(folder: Path) -> None:
    """Add what dead processes counted to the files of those that ended; the folder must be held."""
    from prometheus_client.mmap_dict import MmapedDict

    for file in sorted(folder.glob("*.db")):
        number = number_of(file)
        if number == ENDED or alive(number):
            continue
        kind = file.stem.removesuffix(f"_{number}")
        sums = MmapedDict(str(folder / f"{kind}_{ENDED}.db"))  # type: ignore[no-untyped-call]  # the library's
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]  # no types there
            sums.write_value(key, sums.read_value(key)[0] + value, 0.0)  # type: ignore[no-untyped-call]  # no types there
        sums.close()  # type: ignore[no-untyped-call]  # no types there
        file.unlink()


def counted(base: Path) -> Iterator[Any]:
    """Yield what was counted as the library's metrics; each sample says which part of the site counted it."""
    from prometheus_client import Metric
    from prometheus_client.multiprocess import MultiProcessCollector

    families: dict[str, Metric] = {}
    for folder in sorted(one for one in base.glob("*") if one.is_dir()):
        with held(folder):
            fold(folder)
            found = list(MultiProcessCollector(None, str(folder)).collect())  # type: ignore[no-untyped-call]  # no types there
        for metric in found:
            family = families.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
            for sample in metric.samples:
                family.samples.append(sample._replace(labels={**sample.labels, "part": folder.name}))
    yield from families.values()


class Counted:
    """What was counted below a folder, as the library asks for it."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def collect(self) -> Iterator[Any]:
        """Yield it."""
        return counted(self.base)


def text_of(*collectors: Any) -> bytes:
    """Return what collectors tell as Prometheus reads it."""
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry()
    for one in collectors:
        registry.register(one)
    return generate_latest(registry)
