"""What all tests share."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from hypothesis import settings as hypothesis_settings

# Databases of examples would make one run depend on another; time limits fail on busy machines.
hypothesis_settings.register_profile("rungs", database=None, deadline=None, print_blob=True)
hypothesis_settings.load_profile("rungs")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Put SQLite's test database into a file, one for each worker: threads cannot share one in memory."""
    default: dict[str, Any] = connections.databases["default"]
    if default["ENGINE"].endswith("sqlite3"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        default["TEST"]["NAME"] = str(Path(settings.VAR) / f"tests-{worker}.sqlite3")
