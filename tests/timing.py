"""A plugin for the time of a run: it ends with the ten slowest files, and little garbage is collected."""

import gc
import os
import time
from collections import defaultdict

import pytest


class FileTimes:
    """Adds up what the tests of each file took, their fixtures counted."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test's set-up, call or tear-down to its file."""
        self.seconds[report.location[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the sum and the ten slowest files."""
        if len(self.seconds) > 1:
            terminalreporter.section(f"slowest of {len(self.seconds)} files, {sum(self.seconds.values()):.0f} s in all")
            slowest = sorted(self.seconds.items(), key=lambda item: item[1], reverse=True)
            for path, seconds in slowest[:10]:
                terminalreporter.line(f"{seconds:6.1f} s  {path}")
            if began := os.environ.get("SCRIPT_TEST_BEGAN"):
                for line in list_parts(time.time() - int(began)):
                    terminalreporter.line(line)


def list_parts(passed: float) -> list[str]:
    """Return a line for each part of script/test so far, the tests of this run included, and one for their sum."""
    parts = [line.split(" ", 1) for line in os.environ["SCRIPT_TEST_PARTS"].splitlines()]
    rest = passed - sum(int(seconds) for seconds, _ in parts)
    parts.append([f"{rest:.0f}", f"these tests on {os.environ['RUNGS_TEST_DATABASE']}"])
    parts.append([f"{passed:.0f}", f"since script/test began ({os.environ['RUNGS_TEST_TIER']})"])
    return [f"{seconds:>6} s  {name}" for seconds, name in parts]


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collection: it lives until the end of the run.

    To visit it again and again took 15 % of the processor time.
    """
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Collect garbage seldom, and add the plugin where results are collected: not in the workers of pytest-xdist."""
    gc.set_threshold(100_000, 50, 50)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FileTimes())
