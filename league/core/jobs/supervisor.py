"""Keeps the processes of ``manage.py serve`` alive and stops them together.

Each child is the head of a session of its own and asks the kernel to be told to stop when the
supervisor dies, so that not even ``kill -9`` of the supervisor leaves anything behind.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[3]
PR_SET_PDEATHSIG = 1
#: Seconds that a child has to stop before it is killed.
GRACE = 10.0
#: A child that lived so long has earned a quick restart.
SETTLED = 60.0
MAX_PAUSE = 30.0


def surroundings() -> dict[str, str]:
    """Return the environment of the processes: they find the project from whichever folder it is started."""
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *([known] if known else [])])}


@dataclass
class Child:
    """One process that is to run for as long as the supervisor does."""

    name: str
    command: Sequence[str]
    #: All that it finds in its environment; None: what the supervisor has, too.
    environment: Mapping[str, str] | None = None
    #: How it is told to stop.
    farewell: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.5
    due: float = 0.0
    relay: threading.Thread | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start the process; what it prints is passed on with its name before each line."""
        self.process = subprocess.Popen(
            list(self.command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=surroundings() if self.environment is None else dict(self.environment),
            start_new_session=True,
            preexec_fn=stop_with_parent,  # noqa: PLW1509 -- no threads hold locks that this needs
        )
        self.started = time.monotonic()
        assert self.process.stdout is not None
        self.relay = threading.Thread(target=relay, args=(self.name, self.process.stdout), daemon=True)
        self.relay.start()

    def tend(self, now: float) -> None:
        """Note a death and start again after a pause that grows with each death."""
        if self.process is not None and (code := self.process.poll()) is not None:
            self.pause = 0.5 if now - self.started > SETTLED else min(self.pause * 2, MAX_PAUSE)
            say(f"{self.name} ended ({code}); it starts again in {self.pause:g} s.")
            self.process, self.due = None, now + self.pause
        if self.process is None and now >= self.due:
            self.start()

    def ask_to_stop(self) -> None:
        """Tell the process alone to stop, as a container's runtime does.

        A worker's own children hear nothing, so that they finish what they are at; their head waits for them.
        """
        assert self.process is not None
        self.process.send_signal(self.farewell)

    def kill(self) -> None:
        """Kill the process and everything that it started and that is in its session's group still."""
        assert self.process is not None
        with suppress(ProcessLookupError):  # no one is left
            os.killpg(self.process.pid, signal.SIGKILL)

    def ended(self) -> bool:
        """Return whether the process is gone."""
        return self.process is None or self.process.poll() is not None


def stop_with_parent() -> None:
    """Ask Linux for a SIGTERM when the parent dies; elsewhere this does nothing."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def relay(name: str, stream: IO[bytes]) -> None:
    """Print every line of a child behind its name."""
    with stream:
        for line in stream:
            say(line.decode(errors="replace").rstrip("\n"), name)


def say(text: str, name: str = "serve") -> None:
    """Print one line at once; where the log is JSON, as an object, and objects as they are."""
    if os.environ.get("RUNGS_LOG") == "json":
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        told = {"time": at, "level": "INFO", "logger": "rungs.serve", "message": text, "process": name}
        sys.stdout.write((text if text.startswith("{") else json.dumps(told, ensure_ascii=False)) + "\n")
    else:
        sys.stdout.write(f"{name:>6} | {text}\n")
    sys.stdout.flush()


class Supervisor:
    """Runs children until it is told to stop."""

    def __init__(self, children: Sequence[Child]) -> None:
        self.children = list(children)
        self.stopping = threading.Event()

    def run(self) -> None:
        """Run until SIGINT or SIGTERM; then stop all children and return."""
        self.listen()
        try:
            self.keep()
        finally:
            self.end()

    def listen(self) -> None:
        """Hear the signals that ask for the end."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: self.stopping.set())

    def keep(self) -> None:
        """Keep every child alive until the end is wanted."""
        while not self.stopping.wait(0.2):
            self.turn()

    def turn(self) -> None:
        """Look after every child once."""
        for child in self.children:
            child.tend(time.monotonic())

    def end(self) -> None:
        """Stop all children."""
        say("Stopping.")
        stop_together(self.children)
        say("Stopped.")


def stop_together(children: Sequence[Child]) -> None:
    """Stop children together: politely, and after the grace time without asking, with what they left behind."""
    # Whoever ended long ago is left alone: his number may be someone else's by now.
    running = [child for child in children if not child.ended()]
    for child in running:
        child.ask_to_stop()
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and not all(child.ended() for child in running):
        time.sleep(0.05)
    for child in running:
        child.kill()
    for child in children:
        if child.process is not None:
            child.process.wait()
        if child.relay is not None:
            child.relay.join(1)


if __name__ == "__main__":
    Supervisor([Child(name, command) for name, command in json.loads(sys.argv[1])]).run()
