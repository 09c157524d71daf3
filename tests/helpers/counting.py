"""Which tests count for coverage: counting makes Python half as slow again."""

from pathlib import Path

import pytest
from coverage import Coverage

TESTS = Path(__file__).resolve().parent.parent


def counts(item: pytest.Item) -> bool:
    """Tell whether the lines that a test runs count.

    All of ``tests/ratings`` and ``tests/league`` do, but for what runs at length lines that other tests run
    (``repeats``), in a matrix (``one_database``) or with drawn examples: a line that only such a test runs is a line
    that no test says anything of, and whether it is run must not hang on the draw. A browser's, a client's or a real
    process's tests hold other things than lines.
    """
    folder = item.path.relative_to(TESTS).parts[0]
    if folder == "ratings":
        return True
    drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    left = drawn or any(item.get_closest_marker(name) for name in ("one_database", "repeats"))
    return folder == "league" and not left


class Counting:
    """Stops counting for as long as tests follow one another that do not count."""

    def __init__(self) -> None:
        self.stopped: Coverage | None = None

    def switch(self, wanted: bool) -> None:
        """Count, or do not; nothing where nothing is counted at all."""
        if wanted and self.stopped:
            self.stopped.start()
            self.stopped = None
        elif not wanted and (running := Coverage.current()):
            running.stop()
            self.stopped = running

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Decide before a test's fixtures are made; those of a module belong to its first test."""
        self.switch(counts(item))
