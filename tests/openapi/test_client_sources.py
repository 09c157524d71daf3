"""What is generated of clients/ is that of today's document, and their versions are that of Rungs.

``CLIENTS=write script/test tests/openapi/test_client_sources.py`` writes it anew.
"""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.helpers.client_sources import CLIENTS, PythonTypes, cut_document, write_sync_client
from tests.helpers.openapi_document import read_document
from tests.helpers.programs import run

PYTHON, TYPESCRIPT = CLIENTS / "python" / "rungs_client", CLIENTS / "typescript"


def compare(path: Path, text: str) -> None:
    """Compare a file with what is generated, or write it."""
    if os.environ.get("CLIENTS") == "write":
        path.write_text(text, encoding="utf-8")
    if path.read_text(encoding="utf-8") != text:
        pytest.fail(f"{path.name} is stale: CLIENTS=write script/test tests/openapi/test_client_sources.py")


def test_the_types_for_python_are_those_of_the_document() -> None:
    compare(PYTHON / "api_types.py", PythonTypes(cut_document(read_document())).text())


def test_the_client_for_threads_is_that_for_asyncio() -> None:
    compare(PYTHON / "client.py", write_sync_client((PYTHON / "async_client.py").read_text(encoding="utf-8")))


def test_the_types_for_typescript_are_those_of_the_document(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.yaml").write_text(yaml.dump(cut_document(read_document()), sort_keys=False), encoding="utf-8")
    done = run([str(tools / "openapi-typescript"), "cut.yaml", "--output", "schema.ts"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    compare(TYPESCRIPT / "src" / "schema.ts", (tmp_path / "schema.ts").read_text(encoding="utf-8"))


def test_the_clients_have_the_version_of_rungs() -> None:
    version = tomllib.loads((CLIENTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    (of_python,) = re.findall('^VERSION = "(.*)"$', (PYTHON / "version.py").read_text(encoding="utf-8"), re.MULTILINE)
    of_typescript = json.loads((TYPESCRIPT / "package.json").read_text(encoding="utf-8"))["version"]
    assert (of_python, of_typescript) == (version, version)
