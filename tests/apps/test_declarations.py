"""What apps declare exists: every dotted path leads to an object."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.utils.module_loading import import_string

from league.core.capabilities import CapabilityConfig, list_capabilities


def list_paths(declared: Any) -> Iterator[str]:
    """Yield the dotted paths in a declaration."""
    if isinstance(declared, str):
        if declared.startswith("league.apps."):
            yield declared
    elif isinstance(declared, Mapping):
        for part in declared.values():
            yield from list_paths(part)
    elif isinstance(declared, tuple):
        for part in declared:
            yield from list_paths(part)


NAMES = [name for name in vars(CapabilityConfig) if not name.startswith("_") and name != "default"]
PATHS = [
    path
    for app in list_capabilities()
    for name in NAMES
    for path in list_paths(getattr(app, name))
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_declared_path_leads_to_an_object(path: str) -> None:
    assert import_string(path) is not None


def test_an_app_declares_in_few_words() -> None:
    assert len(PATHS) > 60
    assert len(NAMES) <= 14
    declared = {name for app in list_capabilities() for name in vars(type(app)) if not name.startswith("_")}
    assert declared - {"name", "default"} <= set(NAMES)
