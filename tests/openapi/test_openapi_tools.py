"""What other people's tools make of the OpenAPI document: types for TypeScript, Redocly's and Spectral's rules.

They are programs for Node.js, installed on first use beside the virtual environment's packages.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.openapi_document import document_path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MISSING = "The checks of the OpenAPI document need Node.js 20.19 or newer with npm; install both."
#: They report to their makers, and look for newer versions, unless told not to.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "SCARF_ANALYTICS": "false", "CI": "1"}


def run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program; returns what it said."""
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **QUIET}, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture(scope="session")
def tools() -> Path:
    """Return the folder of the installed programs; where Node.js is missing, say so and fail."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.fail(MISSING)
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    folder = Path(sys.prefix) / f"openapi-tools-{lock[:16]}"
    folder.mkdir(exist_ok=True)
    with (folder / "installing").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # two processes of the tests may want them at once
        if not (folder / "installed").exists():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder)
            done = run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "installed").touch()
    return folder / "node_modules" / ".bin"


def test_the_smallest_bodies_compile_against_types_generated_by_default(tools: Path, tmp_path: Path) -> None:
    made = run(
        [str(tools / "openapi-typescript"), str(document_path()), "--output", str(tmp_path / "schema.ts")], tmp_path
    )
    assert made.returncode == 0, made.stdout + made.stderr
    shutil.copy(HERE / "smallest.ts", tmp_path)
    # skipLibCheck spares TypeScript's own libraries, which are somebody else's; schema.ts is checked.
    compiled = run([str(tools / "tsc"), "--strict", "--noEmit", "--skipLibCheck", "smallest.ts"], tmp_path)
    assert (compiled.stdout, compiled.returncode) == ("", 0)


def test_redocly_finds_nothing(tools: Path) -> None:
    done = run([str(tools / "redocly"), "lint", str(document_path()), "--format=json", "--max-problems=20"], ROOT)
    told: Any = json.loads(done.stdout)
    found = [(one["ruleId"], one["message"], one["location"][0].get("pointer")) for one in told["problems"]]
    assert (found, told["totals"]["errors"], told["totals"]["warnings"]) == ([], 0, 0)


def test_spectral_finds_nothing(tools: Path) -> None:
    done = run([str(tools / "spectral"), "lint", str(document_path()), "--format=json", "--quiet"], ROOT)
    assert (json.loads(done.stdout), done.returncode) == ([], 0)
