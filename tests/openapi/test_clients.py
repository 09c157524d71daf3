"""docs/clients/generated-clients.md: both clients are generated, compile, and run against a live site."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from league.core.accounts.services.tokens import make_token
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.openapi_document import document_path
from tests.helpers.programs import run

PAGE = Path(__file__).parents[2] / "docs" / "clients" / "generated-clients.md"
#: What both examples print: a new ladder, the games from the newest on, and the games of the export with their seats.
SAID = ["month month", "2 rated", "1 rated", "1 2", "2 2"]
#: How the generated package is called, as the page has it; it is not the one that is built from clients/python.
NAMES = "project_name_override: rungs-api\npackage_name_override: rungs_api\n"


def example(language: str) -> str:
    """Return the example of a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


def done(command: list[str], folder: Path, **variables: str) -> list[str]:
    """Run a program, which must end well; returns the lines that it prints, words and whole numbers only."""
    answer = run(command, folder, **variables)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return [" ".join(re.findall(r"-?\w+", line.replace(".0", ""))) for line in answer.stdout.splitlines()]


@pytest.fixture
def site(live_server: Any) -> dict[str, str]:
    """Return where a site with a league is, and a token, as the examples read them."""
    league = make_league("elo", ("anna", "ben"), slug="club")
    for minutes in (0, 30):
        record(league, sheet(["anna", "ben"], [1, 0], minutes=minutes))
    return {"URL": live_server.url, "TOKEN": make_token("client", "organise")[1]}


@pytest.mark.django_db(transaction=True)
def test_the_client_for_typescript(tools: Path, tmp_path: Path, site: dict[str, str]) -> None:
    (tmp_path / "client.mts").write_text(example("ts"), encoding="utf-8")
    (tmp_path / "node_modules").symlink_to(tools.parent)
    done([str(tools / "openapi-typescript"), str(document_path()), "--output", "schema.ts"], tmp_path)
    # skipLibCheck spares TypeScript's own libraries, which are somebody else's; schema.ts is checked.
    options = ["--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
    done([str(tools / "tsc"), *options, "client.mts"], tmp_path)
    assert done([str(shutil.which("node")), "client.mjs"], tmp_path, **site) == SAID


@pytest.mark.django_db(transaction=True)
def test_the_client_for_python(tmp_path: Path, site: dict[str, str]) -> None:
    assert f"printf '{NAMES.encode('unicode-escape').decode()}' > names.yaml" in PAGE.read_text(encoding="utf-8")
    (tmp_path / "names.yaml").write_text(NAMES, encoding="utf-8")
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"]
    done([*generator, "--path", str(document_path()), "--config", "names.yaml", "--output-path", "client"], tmp_path)
    (tmp_path / "evening.py").write_text(example("python"), encoding="utf-8")
    path = {"PYTHONPATH": str(tmp_path / "client"), "MYPYPATH": str(tmp_path / "client")}
    done([sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "evening.py"], tmp_path, **path)
    assert done([sys.executable, "evening.py"], tmp_path, **path, **site) == SAID
