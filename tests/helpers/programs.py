"""How the programs of other people are run."""

import os
import subprocess
import sys
from pathlib import Path

#: They report to their makers, and look for newer versions, unless told not to.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "SCARF_ANALYTICS": "false", "CI": "1"}


def run(command: list[str], folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a program; returns what it said."""
    path = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"  # what is generated is formatted by ruff
    environment = {**os.environ, **QUIET, "NO_COLOR": "1", "PATH": path, **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
