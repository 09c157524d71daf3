"""No two parts of the core import each other: what one part means can be read without the other."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_database("Sources, not books.")
CORE = Path(__file__).parents[2] / "league" / "core"


def list_imported_parts(source: str) -> set[str]:
    """Return the packages and modules directly in ``league.core`` from which a source imports."""
    names = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[2] for name in names if name.startswith("league.core.")}


def test_no_two_parts_of_the_core_import_each_other() -> None:
    imported = defaultdict[str, set[str]](set)
    for path in CORE.rglob("*.py"):
        part = path.relative_to(CORE).with_suffix("").parts[0]
        imported[part] |= list_imported_parts(path.read_text(encoding="utf-8")) - {part}
    assert {"rules", "text"} <= imported["games"]
    assert [(part, other) for part in imported for other in imported[part] if part in imported.get(other, ())] == []


def test_imports_of_every_form_are_found() -> None:
    source = (
        "import league.core.log.chain\nfrom league.core import calendar\nfrom league.core.db.bulk import insert_few"
    )
    assert list_imported_parts(source) == {"log", "calendar", "db"}
