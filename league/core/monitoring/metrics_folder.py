"""Reads the metrics of all processes of this machine, including ended ones, from prometheus_client's files."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def clean(folder: Path) -> None:
    """Delete the metrics of earlier runs when a part of the site starts, unless one of its processes is alive."""
    folder.mkdir(parents=True, exist_ok=True)
    files = list(folder.glob("*.db"))
    if not any(_is_process_alive(file.stem.rpartition("_")[2]) for file in files):
        for file in files:
            file.unlink(missing_ok=True)


def _is_process_alive(number: str) -> bool:
    """Return whether a process is alive."""
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        pass
    return True


class FolderCollector:
    """Collects the metrics below a folder, each sample labelled with its part of the site."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def collect(self) -> Iterator[Any]:
        """Yield the library's metrics."""
        from prometheus_client import Metric
        from prometheus_client.multiprocess import MultiProcessCollector

        families: dict[str, Metric] = {}
        for folder in sorted(path for path in self.base.glob("*") if path.is_dir()):
            collector = MultiProcessCollector(None, str(folder))  # type: ignore[no-untyped-call]  # no types there
            for metric in collector.collect():  # type: ignore[no-untyped-call]  # no types there
                family = families.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
                for sample in metric.samples:
                    family.samples.append(sample._replace(labels={**sample.labels, "part": folder.name}))
        yield from families.values()


def build_registry(*collectors: Any) -> Any:
    """Return the library's registry of collectors."""
    from prometheus_client import CollectorRegistry

    registry = CollectorRegistry()
    for collector in collectors:
        registry.register(collector)
    return registry
