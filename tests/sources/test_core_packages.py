"""No parts of the core import each other in a circle: what one part means can be read without those above it."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
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


def find_circle(imported: dict[str, set[str]]) -> list[str]:
    """Return parts each of which is imported by the next, from one of them round to itself; [] if there are none."""
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_parts_of_the_core_import_each_other_in_a_circle() -> None:
    imported = defaultdict[str, set[str]](set)
    for path in CORE.rglob("*.py"):
        part = path.relative_to(CORE).with_suffix("").parts[0]
        imported[part] |= list_imported_parts(path.read_text(encoding="utf-8")) - {part}
    assert {"rules", "text"} <= imported["games"]
    assert find_circle(imported) == []


def test_circles_of_two_and_of_three_are_found() -> None:
    assert find_circle({"log": {"games"}, "games": {"text"}}) == []
    assert set(find_circle({"log": {"games"}, "games": {"log"}})) == {"log", "games"}
    three = {"jobs": {"permissions"}, "permissions": {"ladders"}, "ladders": {"jobs"}}
    assert set(find_circle(three)) == set(three)


def test_imports_of_every_form_are_found() -> None:
    source = (
        "import league.core.log.chain\nfrom league.core import calendar\nfrom league.core.db.bulk import insert_few"
    )
    assert list_imported_parts(source) == {"log", "calendar", "db"}
