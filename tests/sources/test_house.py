"""The map of the house is true: its picture is made from the import contracts, its tables from the modules themselves.

``HOUSE=write`` writes picture and tables anew.
"""

import ast
import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Packages that get a table of their modules, in the order of the page.
PACKAGES = (
    "ratings", "ratings/contract", "ratings/columns", "ratings/systems", "ratings/ladder_methods", "ratings/run",
    "ratings/describe", "ratings/laboratory", "league", "league/models", "league/db", "league/selectors",
    "league/services", "league/web", "league/desk", "league/api", "league/admin", "league/pages",
    "league/demo", "league/management",
)  # fmt: skip
#: What a page says between these lines is made here.
PART = "<!-- made: {} -->\n{}<!-- end -->"


def contracts() -> dict[str, list[str]]:
    """Return the layers of each contract of layers by the package that they lie in, the highest first."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    return {one["containers"][0]: one["layers"] for one in told if one["type"] == "layers"}


def picture() -> str:
    """Return the floors of each package as text, the highest first."""
    lines = []
    for package, layers in contracts().items():
        lines += [f"{package}/", *(f"    {layer.replace(' | ', ' · ')}" for layer in layers), ""]
    return "```\n" + "\n".join(lines).rstrip() + "\n```\n"


def first_line(path: Path) -> str:
    """Return what a module says that it is."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(told.split("\n\n")[0].split()).replace("|", "\\|")


def tables() -> str:
    """Return a table of every package: its modules, and what each is."""
    lines = []
    for package in PACKAGES:
        folder = ROOT / package
        lines += [f"## {package}/", "", first_line(folder / "__init__.py"), "", "| module | what it is |", "|---|---|"]
        lines += [f"| `{name}` | {said} |" for name, said in rows(folder)]
        lines.append("")
    return "\n".join(lines)


def rows(folder: Path) -> list[tuple[str, str]]:
    """Return the modules of a package and of the packages in it that have no table of their own."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(ROOT).parent.as_posix()
        own = max((one for one in PACKAGES if f"{inside}/".startswith(f"{one}/")), key=len, default="")
        if own == folder.relative_to(ROOT).as_posix() and path.name != "__init__.py" and "migrations" not in inside:
            found.append((path.relative_to(folder).as_posix(), first_line(path)))
    return found


@pytest.mark.parametrize(
    ("page", "name", "made"), [("architecture.md", "floors", picture), ("rooms.md", "rooms", tables)]
)
def test_what_the_map_shows_is_what_stands(page: str, name: str, made: object) -> None:
    path, wanted = DOCS / page, PART.format(name, made())  # type: ignore[operator]  # a function
    text = path.read_text(encoding="utf-8")
    part = re.compile(f"<!-- made: {name} -->\n.*?<!-- end -->", re.DOTALL)
    assert part.search(text), f"{page} has no part {name}"
    if os.environ.get("HOUSE") == "write":
        text = part.sub(lambda _: wanted, text)
        path.write_text(text, encoding="utf-8")
    assert wanted in text, f"docs/{page} is of other files: HOUSE=write script/test tests/sources/test_house.py"


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
