"""Finds Chrome or Chromium for the browser tests and the README's screenshot."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

#: The headless shell is first: the same engine, with two thirds of the CPU time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Paths of applications on macOS, below / and below the user's home.
APPLICATIONS = (
    "Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "Applications/Chromium.app/Contents/MacOS/Chromium",
)
MISSING = (
    "Chrome or Chromium was not found. Install it (on Debian and Ubuntu: apt-get install chromium-headless-shell), "
    "or set the environment variable CHROME to its path."
)


def find_chrome(environment: Mapping[str, str] = os.environ, folders: tuple[str, ...] = ("/", "~")) -> str | None:
    """Return the path of the program: from CHROME, PATH or macOS's applications; None if there is none."""
    path = environment.get("PATH", "")
    if named := environment.get("CHROME"):
        return shutil.which(named, path=path)
    for name in NAMES:
        if found := shutil.which(name, path=path):
            return found
    applications = (Path(folder).expanduser() / name for folder in folders for name in APPLICATIONS)
    return next((str(program) for program in applications if os.access(program, os.X_OK)), None)


if __name__ == "__main__":
    print(find_chrome() or sys.exit(MISSING))
