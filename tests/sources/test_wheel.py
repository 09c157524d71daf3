"""A source distribution and a wheel are built from the checkout, and the wheel runs without it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Files and folders that the distributions are built from.
SOURCES = ("CHANGELOG.md", "LICENSE", "README.md", "league", "manage.py", "pyproject.toml", "ratings", "templates")
#: What is loaded from the wheel: a template, one of Django's that ours replaces, a static file, a translation.
LOADED = """
import django
django.setup()
from django.contrib.staticfiles.finders import find
from django.template.loader import get_template
from django.utils.translation import gettext, override
for name in ("web/public/home.html", "admin/base_site.html"):
    print(get_template(name).origin.name)
print(find("rungs/look.css"))
with override("de"):
    print(gettext("Leagues"))
"""


def run(arguments: list[str], folder: Path, python: str = sys.executable, **environment: str) -> str:
    """Run Python in a folder and return its output."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment
    done = subprocess.run([python, *arguments], cwd=folder, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Return a wheel that is built from the source distribution of a copy of the checkout."""
    source, builder, ignored = folder / "source", folder / "builder", shutil.ignore_patterns("__pycache__")
    source.mkdir()
    for name in SOURCES:
        of = ROOT / name
        shutil.copytree(of, source / name, ignore=ignored) if of.is_dir() else shutil.copy(of, source / name)
    # The environment of the checkout may have no pip.
    run(["-m", "venv", str(folder / "env")], folder)
    python = str(folder / "env" / "bin" / "python")
    run(["-m", "pip", "install", "--quiet", "--target", str(builder), "hatchling"], folder, python)
    build = f"from hatchling.build import build_sdist; build_sdist({str(folder)!r})"
    run(["-c", build], source, PYTHONPATH=str(builder))
    (archive,) = folder.glob("rungs-*.tar.gz")
    run(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(archive)], folder, python)
    (wheel,) = folder.glob("rungs-*.whl")
    return wheel


@pytest.mark.slow("Builds in an environment of its own, for which pip fetches the builder.")
@pytest.mark.one_database("no database is asked")
def test_a_wheel_of_a_source_distribution_holds_all_that_the_site_needs(tmp_path: Path) -> None:
    source, installed = tmp_path / "source", tmp_path / "installed"
    with zipfile.ZipFile(build_wheel(tmp_path)) as archive:
        names = set(archive.namelist())
        archive.extractall(installed)
    at_the_top = {name.partition("/")[0] for name in names}
    assert {name for name in at_the_top if not name.endswith(".dist-info")} == {"league", "ratings"}
    for folder, kind in (
        ("templates", "*"),
        ("league/static", "*"),
        ("league/locale", "*.mo"),
        ("league/demo/data", "*"),
        ("league", "*.py"),
        ("league", "*.json"),
        ("ratings", "*.py"),
    ):
        wanted = {path.relative_to(source) for path in (source / folder).rglob(kind) if path.is_file()}
        assert wanted
        prefix = "league/" if folder == "templates" else ""
        assert {f"{prefix}{path}" for path in wanted} <= names
    (scripts,) = installed.glob("rungs-*.dist-info/entry_points.txt")
    assert scripts.read_text().splitlines() == ["[console_scripts]", "rungs = league.cli.main:main"]
    loaded = run(
        ["-c", LOADED], tmp_path, PYTHONPATH=str(installed), RUNGS_VAR=str(tmp_path / "var"), DATABASE_URL=""
    ).splitlines()
    paths = ["templates/web/public/home.html", "templates/admin/base_site.html", "static/rungs/look.css"]
    assert loaded == [*(str(installed / "league" / path) for path in paths), "Ligen"]
