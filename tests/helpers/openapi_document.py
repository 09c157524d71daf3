"""The OpenAPI document, written once in a process as ``manage.py spectacular`` writes it."""

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import drf_spectacular.validation
import jsonschema_rs
import yaml
from django.core.management import call_command

#: The rules of OpenAPI 3.1, by which ``manage.py spectacular --validate`` checks, which takes eight seconds.
RULES = Path(drf_spectacular.validation.__file__).parent / "openapi_3_1_schema.json"


@cache
def document_path() -> Path:
    """Return the path of the document, which was validated."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "openapi.yaml"
    call_command("spectacular", "--fail-on-warn", "--file", str(path))
    rules = json.loads(RULES.read_text(encoding="utf-8"))
    jsonschema_rs.validator_for(rules).validate(load_yaml(path))
    return path


@cache
def read_document() -> dict[str, Any]:
    """Return the document; nobody changes it."""
    return load_yaml(document_path())


def load_yaml(path: Path) -> dict[str, Any]:
    """Return the object in a file."""
    return dict(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))
