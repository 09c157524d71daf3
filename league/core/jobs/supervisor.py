"""Runs the processes of ``manage.py serve``, restarts them, and stops them together.

Each child leads its own session and asks the kernel for a signal when the
supervisor dies, so that even ``kill -9`` of the supervisor leaves no processes behind.
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
#: Seconds of uptime after which the restart pause is reset.
SETTLED = 60.0
MAX_PAUSE = 30.0


#: How a module is run: without the current folder, which may be a clone of another version.
RUN_MODULE = (sys.executable, "-P", "-m")


def build_environment() -> dict[str, str]:
    """Return the environment of the processes, with the project in PYTHONPATH where it is not installed."""
    if not (ROOT / "manage.py").is_file():
        return dict(os.environ)
    python_path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *([python_path] if python_path else [])])}


@dataclass
class Child:
    """A process to run as long as the supervisor."""

    name: str
    command: Sequence[str]
    #: Whether it has a task to do once: it does not start again after it ended with 0.
    once: bool = False
    #: Its complete environment; None: the supervisor's.
    environment: Mapping[str, str] | None = None
    #: The signal to stop it.
    farewell: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    finished: bool = False
    pause: float = 0.5
    due: float = 0.0
    relay: threading.Thread | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start the process; its output is printed with its name before each line."""
        self.process = subprocess.Popen(
            list(self.command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=build_environment() if self.environment is None else dict(self.environment),
            start_new_session=True,
            preexec_fn=stop_with_parent,  # noqa: PLW1509 -- no threads hold locks that this needs
        )
        self.started = time.monotonic()
        assert self.process.stdout is not None
        self.relay = threading.Thread(target=relay_output, args=(self.name, self.process.stdout), daemon=True)
        self.relay.start()

    def tend(self, now: float) -> None:
        """Restart the process if it has ended, after a pause that grows with each restart."""
        if self.process is not None and (code := self.process.poll()) is not None:
            self.finished = self.once and code == 0
            self.process = None
            if self.finished:
                return
            self.pause = 0.5 if now - self.started > SETTLED else min(self.pause * 2, MAX_PAUSE)
            print_line(f"{self.name} ended ({code}); it starts again in {self.pause:g} s.")
            self.due = now + self.pause
        if self.process is None and now >= self.due and not self.finished:
            self.start()

    def ask_to_stop(self) -> None:
        """Signal only the process itself to stop, like a container runtime.

        A worker's children get no signal, so that they finish their tasks; the worker waits for them.
        """
        assert self.process is not None
        self.process.send_signal(self.farewell)

    def kill(self) -> None:
        """Kill the process and its process group."""
        assert self.process is not None
        with suppress(ProcessLookupError):  # already gone
            os.killpg(self.process.pid, signal.SIGKILL)

    def ended(self) -> bool:
        """Return whether the process has ended."""
        return self.process is None or self.process.poll() is not None


def stop_with_parent() -> None:
    """Request a SIGTERM when the parent dies, on Linux only."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def relay_output(name: str, stream: IO[bytes]) -> None:
    """Print every line of a child after its name."""
    with stream:
        for line in stream:
            print_line(line.decode(errors="replace").rstrip("\n"), name)


def print_line(text: str, name: str = "serve") -> None:
    """Print one line; in JSON mode as an object, with existing objects unchanged."""
    if os.environ.get("RUNGS_LOG") == "json":
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = {"time": time, "level": "INFO", "logger": "rungs.serve", "message": text, "process": name}
        sys.stdout.write((text if text.startswith("{") else json.dumps(record, ensure_ascii=False)) + "\n")
    else:
        sys.stdout.write(f"{name:>6} | {text}\n")
    sys.stdout.flush()


class Supervisor:
    """Runs children until it receives a signal."""

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
        """Install the signal handlers."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: self.stopping.set())

    def keep(self) -> None:
        """Keep every child running until a signal arrives."""
        while not self.stopping.wait(0.2):
            self.turn()

    def turn(self) -> None:
        """Check every child once."""
        for child in self.children:
            child.tend(time.monotonic())

    def end(self) -> None:
        """Stop all children."""
        print_line("Stopping.")
        stop_together(self.children)
        print_line("Stopped.")


def stop_together(children: Sequence[Child]) -> None:
    """Stop children together: by signal, and after the grace period by killing their process groups."""
    # Ended children are skipped, as their process ids may have been reused.
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
    Supervisor([Child(*child) for child in json.loads(sys.argv[1])]).run()
