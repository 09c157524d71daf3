"""Test files stand apart: what several of them want is in tests/helpers or, as a fixture, in a conftest."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported_by(path: Path) -> set[str]:
    """Return the modules that a file imports, and what it imports from them."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module or ''}.{alias.name}" for alias in node.names}
    return names


def test_no_file_imports_from_a_test_file() -> None:
    tests = {path.stem for path in TESTS.rglob("test_*.py")}
    for path in TESTS.rglob("*.py"):
        if not tests & set(re.findall(r"test_\w+", path.read_text(encoding="utf-8"))):
            continue  # No file is parsed that names none.
        found = {one for one in imported_by(path) if tests & set(one.split("."))}
        name = path.relative_to(TESTS)
        assert not found, f"tests/{name} imports {found}: move what it wants into tests/helpers or a conftest"
