"""Finds Chrome or Chromium under its usual names: what the browser tests and the pictures of the README run."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

#: The shell without windows is first: the same engine, at two thirds of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Where macOS has applications, below / and below the user's folder.
APPLICATIONS = (
    "Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "Applications/Chromium.app/Contents/MacOS/Chromium",
)
MISSING = (
    "Chrome or Chromium was not found. Install it (on Debian and Ubuntu: apt-get install chromium-headless-shell), "
    "or name its program in the environment variable CHROME."
)


def find_chrome(environment: Mapping[str, str] = os.environ, folders: tuple[str, ...] = ("/", "~")) -> str | None:
    """Return the program: what CHROME names, else one on PATH, else an application of macOS, else None."""
    path = environment.get("PATH", "")
    if named := environment.get("CHROME"):
        return shutil.which(named, path=path)
    for name in NAMES:
        if found := shutil.which(name, path=path):
            return found
    there = (Path(folder).expanduser() / name for folder in folders for name in APPLICATIONS)
    return next((str(program) for program in there if os.access(program, os.X_OK)), None)


if __name__ == "__main__":
    print(find_chrome() or sys.exit(MISSING))
