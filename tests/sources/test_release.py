"""script/release: version, changelog, SBOM; and what it builds, in a clone."""

import json
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "script" / "release"))
#: Files of the clients that have a version.
CLIENTS = {
    "clients/python/rungs_client/version.py": '"""The version."""\n\nVERSION = "{}"\n',
    "clients/typescript/package.json": '{{\n  "version": "{}",\n  "versions": "9"\n}}\n',
}
FIRST, SECOND, THIRD = "a" * 64, "b" * 64, "c" * 64
LOCK = f"""amqp==5.4.2 \\
    --hash=sha256:{FIRST} \\
    --hash=sha256:{SECOND}
    # via kombu
async-timeout==5.0.1 ; python_full_version < '3.11.3' \\
    --hash=sha256:{THIRD}
    # via redis
"""


def project_in(folder: Path, changelog: str) -> Path:
    """Write a small project and return its folder."""
    text = '[project]\nname = "rungs"\nversion = "0.1.0"\ndescription = "A league server"\nlicense = "MIT"\n'
    (folder / "pyproject.toml").write_text(text + '\n[tool.x]\nversion = "9"\n', encoding="utf-8")
    (folder / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    for name, line in CLIENTS.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(line.format("0.1.0"), encoding="utf-8")
    (folder / "requirements.lock").write_text(LOCK, encoding="utf-8")
    return folder


def test_a_version_stands_in_project_and_changelog(tmp_path: Path) -> None:
    project_in(tmp_path, "# Changelog\n\n## 0.2.0 (unreleased)\n\n- More.\n\n## 0.1.0 (2026-01-01)\n\n- All.\n")
    SCRIPT["set_version"](tmp_path, "0.2.0", "2026-11-27")
    lines = (tmp_path / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("version")] == ['version = "0.2.0"', 'version = "9"']
    for name, line in CLIENTS.items():
        assert (tmp_path / name).read_text(encoding="utf-8") == line.format("0.2.0")
    changelog = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert changelog == "# Changelog\n\n## 0.2.0 (2026-11-27)\n\n- More.\n\n## 0.1.0 (2026-01-01)\n\n- All.\n"


@pytest.mark.parametrize(
    "changelog", ["# Changelog\n", "# Changelog\n\n## 0.2.0 (unreleased)\n\n## 0.1.0 (2026-01-01)\n"]
)
def test_a_version_without_a_changelog_is_refused(tmp_path: Path, changelog: str) -> None:
    project_in(tmp_path, changelog)
    with pytest.raises(SCRIPT["Refused"], match=r"CHANGELOG\.md"):
        SCRIPT["set_version"](tmp_path, "0.2.0", "2026-11-27")


def hashes_of(component: dict[str, Any]) -> list[str]:
    """Return the SHA-256 of each file of a component."""
    return [one["content"] for file in component["externalReferences"] for one in file["hashes"]]


def test_the_bill_of_materials_has_each_package_with_its_hashes(tmp_path: Path) -> None:
    bill = SCRIPT["bill_of_materials"](project_in(tmp_path, ""), "0.2.0", datetime(2026, 11, 27, 8, tzinfo=UTC))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["timestamp"] == "2026-11-27T08:00:00Z"
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/rungs@0.2.0"
    first, second = bill["components"]
    assert (first["name"], first["version"], first["purl"]) == ("amqp", "5.4.2", "pkg:pypi/amqp@5.4.2")
    assert (hashes_of(first), "properties" in first) == ([FIRST, SECOND], False)
    assert (second["purl"], hashes_of(second)) == ("pkg:pypi/async-timeout@5.0.1", [THIRD])
    assert second["properties"] == [{"name": "rungs:marker", "value": "python_full_version < '3.11.3'"}]


def test_every_package_of_our_lock_is_understood() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = [line.partition("==")[0] for line in lock.splitlines() if "==" in line and not line.startswith(" ")]
    assert len(names) > 50
    assert [one["name"] for one in SCRIPT["locked_packages"](lock)] == names


def test_a_lock_without_hashes_is_refused() -> None:
    with pytest.raises(SCRIPT["Refused"], match="without hashes"):
        list(SCRIPT["locked_packages"](LOCK + "celery==5.7.0\n"))


def clone_in(folder: Path) -> Path:
    """Return a repository with this checkout's files."""
    for name in subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True
    ).splitlines():
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All.")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git with a name of its own and return its output."""
    return subprocess.check_output(["git", *arguments], cwd=folder, env=environment(), text=True)


def environment() -> dict[str, str]:
    """Return an environment in which git has an author."""
    who = {
        f"GIT_{role}_{what}": "tester@club.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return {**os.environ, **who}


def released(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run script/release in a repository."""
    command = [sys.executable, "script/release", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.slow("Builds wheel and sdist twice.")
@pytest.mark.one_database("no database is asked")
def test_a_release_is_built_committed_and_tagged(tmp_path: Path) -> None:
    clone = clone_in(tmp_path)
    changelog = clone / "CHANGELOG.md"
    text = changelog.read_text(encoding="utf-8").partition("\n## ")[0]
    changelog.write_text(text + "\n## 9.8.7 (unreleased)\n\n- All.\n", encoding="utf-8")
    assert released(clone, "9.8.7").returncode == 1  # the changelog is not committed
    tried = released(clone, "--dry-run", "9.8.7")
    assert tried.returncode == 0, tried.stderr
    assert git(clone, "status", "--porcelain").split() == ["M", "CHANGELOG.md"]
    messages = clone / "script" / "messages"
    for told in ("de.po does not translate “A new tie-break”.", ""):
        # Whether this checkout's own texts are translated is not asked here.
        messages.write_text(f"import sys\nsys.exit({told or None!r})\n", encoding="utf-8")
        git(clone, "commit", "--quiet", "--all", "--message", "docs: What is new.")
        if told:
            refused = released(clone, "9.8.7")
            assert (refused.returncode, told in refused.stderr, git(clone, "tag")) == (1, True, "")
    done = released(clone, "9.8.7")
    assert done.returncode == 0, done.stderr
    assert (git(clone, "tag").split(), git(clone, "status", "--porcelain")) == (["v9.8.7"], "")
    with zipfile.ZipFile(clone / "dist" / "rungs-9.8.7-py3-none-any.whl") as wheel:
        assert "rungs-9.8.7.dist-info/METADATA" in wheel.namelist()
    with tarfile.open(clone / "dist" / "rungs-9.8.7.tar.gz") as sdist:
        assert "rungs-9.8.7/pyproject.toml" in sdist.getnames()
        assert not [name for name in sdist.getnames() if "/clients/" in name]
    with zipfile.ZipFile(clone / "dist" / "rungs_client-9.8.7-py3-none-any.whl") as wheel:
        assert 'VERSION = "9.8.7"' in wheel.read("rungs_client/version.py").decode()
    bill = json.loads((clone / "dist" / "rungs-9.8.7.cdx.json").read_text(encoding="utf-8"))
    assert "django" in {one["name"] for one in bill["components"]}
    again = released(clone, "9.8.7")
    assert (again.returncode, "already exists" in again.stderr) == (1, True)
