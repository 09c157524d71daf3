"""The commands of script/ on other systems than ours: without sha256sum, with another Chrome."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from script.chrome import APPLICATIONS, find_chrome

ROOT = Path(__file__).parents[2]
#: What script/lib.sh may use beside Python and the shell itself; macOS has all of them, and no sha256sum.
EVERYWHERE = ("bash", "dirname", "rm", "touch")


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def copy_of_scripts(folder: Path) -> dict[str, str]:
    """Make a project of the commands' library alone, and a PATH that has only what is everywhere; returns it."""
    (folder / "script").mkdir()
    shutil.copy(ROOT / "script" / "lib.sh", folder / "script")
    program(folder / ".venv" / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "tools").mkdir()
    for name in EVERYWHERE:
        (folder / "tools" / name).symlink_to(shutil.which(name) or name)
    return {"PATH": str(folder / "tools")}


def test_a_lock_that_is_installed_is_known_without_sha256sum(tmp_path: Path) -> None:
    environment = copy_of_scripts(tmp_path)
    lock = tmp_path / "a.lock"
    lock.write_text("there-is-no-such-package==1\n")
    (tmp_path / ".venv" / f"installed-{hashlib.sha256(lock.read_bytes()).hexdigest()}").touch()
    command = [shutil.which("bash") or "bash", "-c", ". script/lib.sh && install_lock a.lock && echo known"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("known\n", "", 0)


def test_a_uv_that_fails_midway_leaves_nothing_of_its_environment(tmp_path: Path) -> None:
    environment = copy_of_scripts(tmp_path)
    shutil.rmtree(tmp_path / ".venv")
    for name in ("mkdir", "ln"):
        (tmp_path / "tools" / name).symlink_to(shutil.which(name) or name)
    program(tmp_path / "tools" / "uv", "#!/bin/sh\nmkdir -p .venv/bin\nln -s /nonexistent .venv/bin/python\nexit 2\n")
    program(tmp_path / "tools" / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    command = [shutil.which("bash") or "bash", "-c", '. script/lib.sh && make_venv && "$VENV/bin/python" -c "print(1)"']
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr


@pytest.mark.parametrize(("argument", "code", "text"), [("--help", 0, "Usage: script/serve"), ("x", 2, "no arguments")])
def test_serve_explains_itself_without_starting(argument: str, code: int, text: str, tmp_path: Path) -> None:
    environment = copy_of_scripts(tmp_path)
    (tmp_path / "tools" / "cat").symlink_to(shutil.which("cat") or "cat")
    shutil.copy(ROOT / "script" / "serve", tmp_path / "script")
    (tmp_path / "script" / "lib.sh").write_text("echo started\n")
    command = [shutil.which("bash") or "bash", "script/serve", argument]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert text in (done.stderr if code else done.stdout)
    assert "started" not in done.stdout


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"])
def test_chrome_is_found_under_its_usual_names(name: str, tmp_path: Path) -> None:
    there = program(tmp_path / name)
    assert find_chrome({"PATH": str(tmp_path)}, ()) == str(there)


def test_chrome_is_found_among_the_applications_of_macos(tmp_path: Path) -> None:
    assert find_chrome({"PATH": str(tmp_path)}, (str(tmp_path),)) is None
    there = program(tmp_path / APPLICATIONS[0])
    assert find_chrome({"PATH": str(tmp_path)}, (str(tmp_path),)) == str(there)


def test_the_program_that_chrome_names_goes_before_all_others(tmp_path: Path) -> None:
    program(tmp_path / "chromium")
    own = program(tmp_path / "own" / "browser")
    assert find_chrome({"PATH": str(tmp_path), "CHROME": str(own)}) == str(own)
    # A name that leads nowhere is a mistake of whoever set it, and no reason to run something else.
    assert find_chrome({"PATH": str(tmp_path), "CHROME": str(tmp_path / "none")}) is None


def test_the_command_says_what_to_do_where_there_is_no_chrome(tmp_path: Path) -> None:
    environment = {**os.environ, "CHROME": str(tmp_path / "none")}
    done = subprocess.run(
        [sys.executable, "script/chrome.py"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "environment variable CHROME" in done.stderr
