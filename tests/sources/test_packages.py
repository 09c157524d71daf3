"""The product imports only packages that it declares: what developers have installed besides is on no other machine."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_database("Sources, not books.")
ROOT = Path(__file__).parents[2]
OWN = {"league", "ratings"}
#: Imported only where somebody asked for it, with a package that a declared one brings.
BROUGHT = {
    "asgiref": "django",
    "kombu": "celery",
    "billiard": "celery",
    "redis": "celery",
    "requests": "django-allauth",
}


def list_imports() -> dict[str, str]:
    """Return top-level name -> a module that imports it."""
    found: dict[str, str] = {}
    for path in sorted(path for name in OWN for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            found |= {name.split(".")[0]: str(path.relative_to(ROOT)) for name in names}
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names | OWN}


def test_every_imported_package_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    declared = {re.split(r"[\[<>=!~; ]", line)[0].lower().replace("_", "-") for line in lines}
    owners = packages_distributions()
    imported = list_imports()
    assert len(imported) > 15
    missing = {
        name: path
        for name, path in imported.items()
        if BROUGHT.get(name, "") not in declared
        and not declared & {owner.lower().replace("_", "-") for owner in owners.get(name, ())}
    }
    assert missing == {}
