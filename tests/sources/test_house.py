"""The list of import layers is generated from the import contracts; ``HOUSE=write`` writes it anew."""

import ast
import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "contributors"
#: What a page says between these lines is made here.
PART = "<!-- made: {} -->\n\n{}\n<!-- end -->"


def contracts() -> dict[str, list[str]]:
    """Return the layers of each contract of layers by the package that they lie in, the highest first."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    return {one.get("containers", [one["id"]])[0]: one["layers"] for one in told if one["type"] == "layers"}


def picture() -> str:
    """Return the floors of each package as text, the highest first."""
    lines = []
    for package, layers in contracts().items():
        lines += [f"{package}/", *(f"    {layer.replace(' | ', ' · ')}" for layer in layers), ""]
    return "```\n" + "\n".join(lines).rstrip() + "\n```\n"


def test_the_picture_of_the_architecture_is_that_of_the_import_contracts() -> None:
    path, wanted = DOCS / "layers.md", PART.format("floors", picture())
    text = path.read_text(encoding="utf-8")
    part = re.compile("<!-- made: floors -->\n.*?<!-- end -->", re.DOTALL)
    assert part.search(text)
    if os.environ.get("HOUSE") == "write":
        text = part.sub(lambda _: wanted, text)
        path.write_text(text, encoding="utf-8")
    assert wanted in text, "The contracts have changed: HOUSE=write script/test tests/sources/test_house.py"


@cache
def names_of_the_code() -> set[str]:
    """Return every name that the code defines: modules, classes, functions, fields."""
    found: set[str] = set()
    for path in [*(ROOT / "league").rglob("*.py"), *(ROOT / "ratings").rglob("*.py")]:
        found |= {path.stem, path.parent.name}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.FunctionDef() | ast.ClassDef():
                    found.add(node.name)
                case ast.Name() if isinstance(node.ctx, ast.Store):
                    found.add(node.id)
                case ast.arg():
                    found.add(node.arg)
                case _:
                    pass
    return found


WALKS = ("One game", "One correction", "One closing")


@pytest.mark.parametrize("title", WALKS)
def test_the_walks_through_the_house_go_through_names_that_are_there(title: str) -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    (walk,) = re.findall(rf"\n## {title}\n(.*?)(?=\n## |\Z)", text, re.DOTALL)
    steps = re.findall(r"`(\w+(?:\.\w+)*)`", walk)
    assert len(steps) > 8
    known = names_of_the_code()
    assert [step for step in steps if step.split(".")[-1] not in known] == []


def glossary() -> list[tuple[str, list[str], list[str]]]:
    """Return the rows of the glossary: word, names in the code, words that it stands for no more."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| \*\*(.+?)\*\* \| .+? \| (.*?) \|(.*?)\|$", text, re.MULTILINE)
    return [(word, re.findall(r"`(\w+)`", code), re.findall(r"`(\w+)`", gone)) for word, code, gone in found]


def test_every_word_of_the_glossary_is_used_and_has_one_row() -> None:
    rows = glossary()
    assert len(rows) > 30
    assert len({word for word, _, _ in rows}) == len(rows)
    known = names_of_the_code()
    assert [(word, name) for word, code, _ in rows for name in code if name not in known] == []
    assert [word for word, code, _ in rows if not code] == []


def test_no_name_of_the_code_is_a_word_that_was_given_up() -> None:
    known = names_of_the_code()
    gone = {name for _, _, names in glossary() for name in names}
    assert gone
    assert gone & known == set()


def test_every_package_of_the_core_that_reads_or_writes_has_its_layer() -> None:
    """Import-linter asks for every module of a container only; the core's layers are named one by one."""
    packages = {
        f"league.core.{path.parent.name}.{path.name.removesuffix('.py')}"
        for name in ("services", "selectors", "services.py", "selectors.py")
        for path in (ROOT / "league" / "core").glob(f"*/{name}")
    }
    layers = {module for layer in contracts()["core"] for module in layer.split(" | ")}
    assert len(packages) > 15
    assert [one for one in sorted(packages) if not {one, one.rpartition(".")[0]} & layers] == []
