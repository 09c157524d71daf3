"""The programs for Node.js that look at the OpenAPI document: installed on first use beside the packages of Python."""

import fcntl
import hashlib
import shutil
import sys
from pathlib import Path

import pytest

from tests.helpers.programs import run

HERE = Path(__file__).parent
MISSING = "The checks of the OpenAPI document need Node.js 20.19 or newer with npm; install both."


@pytest.fixture(scope="session")
def tools() -> Path:
    """Return the folder of the installed programs; where Node.js is missing, say so and fail."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.fail(MISSING)
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    folder = Path(sys.prefix) / f"openapi-tools-{lock[:16]}"
    folder.mkdir(exist_ok=True)
    with (folder / "installing").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # two processes of the tests may want them at once
        if not (folder / "installed").exists():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder)
            done = run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
            assert done.returncode == 0, done.stdout + done.stderr
            (folder / "installed").touch()
    return folder / "node_modules" / ".bin"
