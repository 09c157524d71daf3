"""Which platforms have a wheel of every package that a site needs: those that the docs promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: How the docs name a platform, and how uv does.
PLATFORMS = {
    "Linux x86_64": "x86_64-unknown-linux-gnu",
    "Linux aarch64": "aarch64-unknown-linux-gnu",
    "macOS arm64": "aarch64-apple-darwin",
    "macOS x86_64": "x86_64-apple-darwin",
    "Windows x86_64": "x86_64-pc-windows-msvc",
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def read_promise() -> dict[str, bool]:
    """Return each platform of the docs' table, and whether Rungs runs there."""
    page = (ROOT / "docs" / "operators" / "installing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:Linux|macOS|Windows) \w+) +\| (yes|no)\b", page, re.MULTILINE)
    return {name: word == "yes" for name, word in rows}


def test_the_docs_name_each_platform() -> None:
    promise = read_promise()
    assert promise.keys() == PLATFORMS.keys()
    assert [name for name, runs in promise.items() if runs] == ["Linux x86_64", "Linux aarch64", "macOS arm64"]


@pytest.mark.slow("Asks a package index.")
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", [name for name, runs in read_promise().items() if runs])
@pytest.mark.parametrize("lock", ["requirements.lock", "deploy/requirements.lock"])
def test_each_package_has_a_wheel_where_the_docs_promise_it(name: str, python: str, lock: str, tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    where = ["--python-platform", PLATFORMS[name], "--python-version", python, "--target", str(tmp_path)]
    done = subprocess.run(
        [uv, "pip", "install", "--dry-run", "--no-deps", "--only-binary", ":all:", *where, "-r", str(ROOT / lock)],
        env={**os.environ, "UV_SYSTEM_CERTS": "1", "UV_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
