"""Verifying a league of a restored copy: in a process of its own, for which the copy is the site's database."""

import os
import subprocess
import sys

from league.supervisor import surroundings

#: What of the site's own environment leads to its database, or makes a process one that serves.
NOT_OF_THE_COPY = ("DATABASE_", "RUNGS_SERVING", "RUNGS_METRICS_PORT", "RUNGS_WORKER_METRICS_PORT")
#: Seconds that one league's verification may take.
PATIENCE = 4 * 3600
#: What ``verify`` ends with, and what that says.
STATES = {0: "right", 3: "waits"}
#: Most lines that are kept of what it said.
SAID = 20


def verify_copy(address: str, slug: str) -> tuple[str, list[str]]:
    """Verify a league in another database; returns “right”, “waits” (a replay is due) or “differs”, and why."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OF_THE_COPY)}
    environment["DATABASE_URL"] = address
    environment["PYTHONPATH"] = surroundings()["PYTHONPATH"]  # an installed package has no manage.py
    command = [sys.executable, "-m", "django", "verify", slug]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return "differs", [f"The verification of {slug} did not end within {PATIENCE} seconds."]
    state = STATES.get(done.returncode, "differs")
    if state != "differs":
        return state, []
    lines = [line.strip() for line in [*done.stdout.splitlines(), *done.stderr.splitlines()] if line.strip()]
    return state, lines[-SAID:] or [f"The verification of {slug} ended with {done.returncode}."]
