"""A class name means one class in the whole tree."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Django finds these classes by their names.
DJANGO = {"Command", "Migration"}


def files_by_class_name() -> dict[str, list[str]]:
    """Return the files that define each top-level class, by its name."""
    files = defaultdict(list)
    for package in ("league", "ratings"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.name not in DJANGO:
                    files[node.name].append(str(path.relative_to(ROOT)))
    return files


def test_no_class_name_occurs_twice() -> None:
    files = files_by_class_name()
    assert len(files) > 500
    assert {name: places for name, places in files.items() if len(places) > 1} == {}
