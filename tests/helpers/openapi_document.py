"""The OpenAPI document, written once in a run as ``manage.py spectacular`` writes it."""

import fcntl
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import drf_spectacular.validation
import jsonschema_rs
import yaml
from django.core.management import call_command

from tests.database import SHARED

#: The rules of OpenAPI 3.1, by which ``manage.py spectacular --validate`` checks, which takes eight seconds.
RULES = Path(drf_spectacular.validation.__file__).parent / "openapi_3_1_schema.json"


@cache
def document_path() -> Path:
    """Return the path of the document, which was validated: the first process that asks writes it for all."""
    folder = Path(os.environ[SHARED])
    path, draft = folder / "openapi.yaml", folder / "openapi-draft.yaml"
    with (folder / "openapi.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            call_command("spectacular", "--fail-on-warn", "--file", str(draft))
            rules = json.loads(RULES.read_text(encoding="utf-8"))
            jsonschema_rs.validator_for(rules).validate(load_yaml(draft))
            draft.rename(path)
    return path


@cache
def read_document() -> dict[str, Any]:
    """Return the document; nobody changes it."""
    return load_yaml(document_path())


def load_yaml(path: Path) -> dict[str, Any]:
    """Return the object in a file."""
    return dict(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))
