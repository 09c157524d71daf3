"""A process that counts for Prometheus, for tests: what it is told, by names and labels."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.test import Client, override_settings

from league.apps.operations import metrics_endpoint as metrics
from league.core.monitoring.metrics_folder import build_registry
from league.core.monitoring.telemetry import METERS, WEB

TOKEN = "a-token-of-sixteen"
Told = dict[tuple[str, frozenset[tuple[str, str]]], float]


@contextmanager
def counting(folder: Path) -> Iterator[Path]:
    """Count into a folder, as a web process, for as long as a test takes."""
    with override_settings(RUNGS_METRICS=True, RUNGS_METRICS_DIR=folder, RUNGS_METRICS_TOKEN=TOKEN):
        METERS.begin(WEB)
        from prometheus_client.values import ValueClass

        library: Any = ValueClass
        assert library._multiprocess, "the library was imported before anything was counted"
        try:
            with patch.object(metrics, "GAUGES", metrics.GaugeCache()):
                yield folder
        finally:
            METERS.made = None
            library.close_all_files()


def asked() -> Told:
    """Return what who has the token is told."""
    answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer["Cache-Control"] == "no-store"
    return read(answer.content.decode())


def read(text: str) -> Told:
    """Return what is told, as Prometheus reads it: each sample once."""
    from prometheus_client.parser import text_string_to_metric_families

    families: Any = text_string_to_metric_families(text)
    samples = [sample for family in families for sample in family.samples]
    told = {(one.name, frozenset(one.labels.items())): one.value for one in samples}
    assert len(told) == len(samples), "a sample is told twice"
    return told


def counted_in(*collectors: Any) -> Told:
    """Return what collectors tell."""
    from prometheus_client import generate_latest

    return read(generate_latest(build_registry(*collectors)).decode())


def value(told: Told, name: str, **labels: str) -> float:
    """Return the sum of the samples of a name that have these labels; 0 where there is none."""
    wanted = set(labels.items())
    return sum(value for (found, has), value in told.items() if found == name and wanted <= has)
