"""The programs of PostgreSQL that make and bring back a dump: which ones there are, and whether they are new enough."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from league.services.backup.problems import BackupProblem

#: Where Debian and Ubuntu keep the programs of each version.
DEBIAN = Path("/usr/lib/postgresql")


def candidates(name: str) -> Iterator[str]:
    """Return where a program may be: on PATH, then what Debian has, the newest first."""
    if found := shutil.which(name):
        yield found
    versions = [path for path in DEBIAN.glob("*/bin") if path.parent.name.isdigit()]
    for folder in sorted(versions, key=lambda path: int(path.parent.name), reverse=True):
        if found := shutil.which(name, path=str(folder)):
            yield found


def version_of(program: str) -> tuple[int, str]:
    """Return a program's version: its first number, and all of it; (0, "") where it does not say."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0, ""
    found = re.search(r"\) (([0-9]+)[0-9a-z.]*)", said)
    return (int(found[2]), found[1]) if found else (0, "")


def find_program(name: str, at_least: int) -> tuple[str, str]:
    """Return a program that is not older than a version of PostgreSQL, and its own version; raises BackupProblem."""
    seen = []
    for program in candidates(name):
        number, text = version_of(program)
        if number >= at_least:
            return program, text
        seen.append(f"{program} is {text or 'no program that says its version'}")
    install = f"Install the client programs of PostgreSQL {at_least} (Debian: postgresql-client-{at_least})."
    if not seen:
        raise BackupProblem(f"There is no {name} on PATH. {install}")
    raise BackupProblem(f"PostgreSQL {at_least} needs a {name} of at least that version; {', '.join(seen)}. {install}")


def run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a program; raises BackupProblem with what it said where it fails."""
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-1000:]
        raise BackupProblem(f"{Path(command[0]).name} failed: {said or f'it ended with {done.returncode}'}")
