"""The OpenAPI document, written once in a process as ``manage.py spectacular`` writes it."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.core.management import call_command


@cache
def document_path() -> Path:
    """Return the path of the document, which was validated."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "openapi.yaml"
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(path))
    return path


@cache
def read_document() -> dict[str, Any]:
    """Return the document; nobody changes it."""
    return dict(yaml.load(document_path().read_text(encoding="utf-8"), yaml.CSafeLoader))
