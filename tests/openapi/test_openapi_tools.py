"""What other people's tools make of the OpenAPI document: types for TypeScript, Redocly's and Spectral's rules.

They are programs for Node.js (``conftest.tools``).
"""

import json
import shutil
from pathlib import Path
from typing import Any

from tests.helpers.openapi_document import document_path
from tests.helpers.programs import run

HERE = Path(__file__).parent


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
    done = run([str(tools / "redocly"), "lint", str(document_path()), "--format=json", "--max-problems=20"], HERE)
    told: Any = json.loads(done.stdout)
    found = [(one["ruleId"], one["message"], one["location"][0].get("pointer")) for one in told["problems"]]
    assert (found, told["totals"]["errors"], told["totals"]["warnings"]) == ([], 0, 0)


def test_spectral_finds_nothing(tools: Path) -> None:
    done = run([str(tools / "spectral"), "lint", str(document_path()), "--format=json", "--quiet"], HERE)
    assert (json.loads(done.stdout), done.returncode) == ([], 0)
