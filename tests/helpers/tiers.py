"""How much runs: RUNGS_TEST_TIER is quick (script/test) or all (the default); see docs/contributors/write-a-test.md."""

import os
from collections.abc import Container, Iterable
from typing import Any

import pytest

#: Tier -> factor of the number of examples of every property.
FACTORS = {"quick": 0.12, "all": 1.0}
TIER = os.environ.get("RUNGS_TEST_TIER", "all")
if TIER not in FACTORS:
    raise SystemExit(f"RUNGS_TEST_TIER must be one of {', '.join(FACTORS)}; it is “{TIER}”.")
#: Multiplies the number of examples once more: RUNGS_TEST_EXAMPLES=10 before a release.
EXTRA = float(os.environ.get("RUNGS_TEST_EXAMPLES", "1"))

#: For tests of half a second or more of processor time that ``script/test`` can do without.
long_way = pytest.mark.slow("It goes a long way, whose steps are tested one by one.")


def mark_slow(values: Iterable[Any], reason: str, *, but: Container[Any] = ()) -> list[Any]:
    """Return values as parameters of a test: script/test runs those in ``but``, ``--all`` every one."""
    return [one if one in but else pytest.param(one, marks=pytest.mark.slow(reason)) for one in values]


def mark_rows_slow(rows: Iterable[tuple[Any, ...]], reason: str, *, every: int) -> list[Any]:
    """Return rows of parameters of a test: script/test runs the first of every so many, ``--all`` every one."""
    slow = pytest.mark.slow(reason)
    return [pytest.param(*row, marks=() if number % every == 0 else slow) for number, row in enumerate(rows)]


def examples(number: int, tier: str = TIER) -> int:
    """Return the number of examples in this tier of a property that has this number in tier ``all``."""
    return max(2, round(number * FACTORS[tier] * EXTRA))
