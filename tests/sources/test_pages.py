"""Pages of docs/: short, on the site, and true of the code that they name."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.pages import blocks_in

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
MAX_LINES, MAX_README_LINES = 200, 60
#: The questions of newcomers that the table answers, by a word of each.
ASKED = (
    "late game", "evidence penalty", "Idempotency-Key", "Games per page", "by Celery", "Permissions", "current rating",
    "cached board", "1-2-2-4", "without midnight", "private link", "side's rating", "link picture", "Languages",
    "sign-ins",
)  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short(page: str) -> None:
    assert len((DOCS / page).read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MAX_README_LINES


def pages_in(part: object) -> list[str]:
    """Return the pages of a part of mkdocs.yml's navigation."""
    if isinstance(part, dict):
        return [page for one in part.values() for page in pages_in(one)]
    return [page for one in part for page in pages_in(one)] if isinstance(part, list) else [str(part)]


def test_the_navigation_has_every_page_once() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    excluded = site.get("exclude_docs", "").split()
    assert sorted(pages_in(site["nav"])) == [page for page in PAGES if page not in excluded]


def table() -> list[tuple[str, list[str], list[str]]]:
    """Return the rows of "Where to look first": question, files, names."""
    text = (
        (DOCS / "contributors" / "where-is-what.md").read_text(encoding="utf-8").partition("## Where to look first")[2]
    )
    rows = re.findall(r"^\| (.+?) \| (.*?`.+?) \| (.*?`.+?) \|$", text, re.MULTILINE)
    return [(asked, re.findall(r"`([\w/.-]+)`", files), re.findall(r"`(\w+)`", names)) for asked, files, names in rows]


@cache
def names_in(path: Path) -> set[str]:
    """Return the functions, classes and variables that a file defines."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def test_the_table_answers_what_newcomers_ask() -> None:
    asked = [question for question, _, _ in table()]
    assert [word for word in ASKED if not any(word in question for question in asked)] == []


@pytest.mark.parametrize(
    ("question", "files", "names"), table(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_table_names_what_is_there(question: str, files: list[str], names: list[str]) -> None:
    assert files and names, question
    defined = [names_in(ROOT / file) for file in files]
    assert [name for name in names if not any(name in found for found in defined)] == []
    # A file without a name of its own would answer nothing.
    assert [file for file, found in zip(files, defined, strict=True) if not found & set(names)] == []


def test_the_table_of_folders_names_folders_that_are_there() -> None:
    text = (
        (DOCS / "contributors" / "where-is-what.md").read_text(encoding="utf-8").partition("## Where to look first")[0]
    )
    folders = [
        folder for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for folder in re.findall(r"`(.+?)`", row)
    ]
    assert len(folders) > 10
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


@pytest.mark.django_db
def test_the_example_of_a_test_passes() -> None:
    page = (DOCS / "contributors" / "write-a-test.md").read_text(encoding="utf-8")
    (example,) = blocks_in(page, "python")
    names: dict[str, Any] = {}
    exec(example, names)  # our own page
    (test,) = [value for name, value in names.items() if name.startswith("test_")]
    test()
