"""The compiled run: libm's own bits in every function that kernels use, nothing leaked, nothing swallowed."""

import logging
import math
import os
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from ratings.contract.curves import expected_of_two
from ratings.contract.rounding import round_half_away, round_half_away_to_decimals, round_half_up, truncate
from ratings.contract.truncated import quantile_of_middle, truncated_above, truncated_between
from ratings.run import replay as replay_module
from ratings.run.compiled import compile_function
from ratings.run.replay import compile_kernel, replay, run_kernel
from ratings.systems.barbu import Barbu
from tests.helpers.levy import GAMES, Levy, log_of, newcomers
from tests.helpers.tiers import mark_slow

#: Random inputs a function; all of them together are some millions.
INPUTS = 400_000


def power(x: float, y: float) -> float:
    """Return x to the y as kernels take it."""
    return math.pow(x, y)


def exponential(x: float, y: float) -> float:
    """Return e to the x as kernels take it."""
    return math.exp(x)


def error_function(x: float, y: float) -> float:
    """Return erf(x) as kernels take it."""
    return math.erf(x)


def complementary(x: float, y: float) -> float:
    """Return erfc(x) as kernels take it."""
    return math.erfc(x)


def one_side(x: float, y: float) -> float:
    """Return what is left above a bound, both numbers told apart by their weight."""
    v, left = truncated_above(x)
    return v + 3.0 * left


def gap(x: float, y: float) -> float:
    """Return what is left between two bounds."""
    v, left = truncated_between(x, abs(y))
    return v + 3.0 * left + 7.0 * quantile_of_middle(min(abs(y), 0.8))


def rounded(x: float, y: float) -> float:
    """Return the roundings of a number, each of which another one would show."""
    return round_half_away(x) + 3.0 * round_half_up(x) + 7.0 * truncate(x) + round_half_away_to_decimals(x, 9.0)


def whole_billionths(x: float, y: float) -> float:
    """Return what Durak ranks remainders by."""
    billionths = math.floor(x * 10**9 + 0.5)
    floor = billionths // 10**9
    return floor + (billionths - floor * 10**9) / 10**9


def expectation(x: float, y: float) -> float:
    """Return an expectation of two ratings, told apart from the other one by its weight."""
    mine, theirs = expected_of_two(x, y, 400.0)
    return mine + 3.0 * theirs


def over(function: Callable[[float, float], float], x: Any, y: Any, out: Any) -> None:
    """Fill ``out`` with the function's values."""
    for i in range(len(out)):
        out[i] = function(x[i], y[i])


Numbers = NDArray[np.float64]


def normal(deviation: float, mean: float = 0.0) -> Callable[[np.random.Generator], Numbers]:
    """Return a way to draw numbers."""
    return lambda random: random.normal(mean, deviation, INPUTS)


def decays(random: np.random.Generator) -> Numbers:
    """Draw what Barbu takes powers of, from one half-life in the bounds to the other."""
    return np.asarray(0.5 ** (1.0 / random.uniform(1.0, 10_000.0, INPUTS)))


def counts(random: np.random.Generator) -> Numbers:
    """Draw numbers of games."""
    return random.integers(1, 20_000, INPUTS).astype(np.float64)


def halves(random: np.random.Generator) -> Numbers:
    """Draw exact halves and their neighbours."""
    exact = random.integers(-1000, 1000, INPUTS) + 0.5
    return np.asarray(np.nextafter(exact, exact + random.integers(-1, 2, INPUTS)))


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (power, decays, counts),
        (power, lambda random: random.uniform(0.0, 1.0, INPUTS), normal(3.0)),
        (exponential, normal(3.0), normal(1.0)),
        (exponential, normal(300.0), normal(1.0)),
        (error_function, normal(1.0), normal(1.0)),
        (complementary, normal(5.0), normal(1.0)),
        (one_side, normal(9.0), normal(1.0)),
        (gap, normal(9.0), normal(1.0)),
        (rounded, halves, halves),
        (rounded, normal(100.0), normal(1.0)),
        (whole_billionths, normal(100.0), normal(1.0)),
        (expectation, normal(300.0, 1500.0), normal(300.0, 1500.0)),
        (expectation, normal(1e6), normal(1e6)),
    ],
)
@pytest.mark.slow("Compiles each function.")
def test_what_kernels_call_gives_pythons_bits(function: Any, first: Any, second: Any) -> None:
    random = np.random.default_rng(20)
    x, y = first(random), np.clip(second(random), -700.0, None)
    x = np.clip(x, None, 700.0) if function is exponential else x
    out = np.empty(INPUTS)
    compile_function(over)(compile_function(function), x, y, out)
    assert out.tobytes() == np.array([function(*pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]).tobytes()


def test_no_vector_library_stands_in_for_libm() -> None:
    # Intel's library would be found by Numba wherever it happens to be installed.
    assert os.environ["NUMBA_DISABLE_INTEL_SVML"] == "1"
    assert not vars(numba.config)["USING_SVML"]


def test_a_compiled_replay_holds_on_to_nothing() -> None:
    log, pool = log_of(GAMES), newcomers(3)
    replay(Levy(), log, newcomers(3), compiled=True)
    held = [log.players, log.results, pool.values, pool.games]
    counted = [sys.getrefcount(array) for array in held]
    for _ in range(10):
        replay(Levy(), log, pool, compiled=True)
    assert [sys.getrefcount(array) for array in held] == counted


def test_the_loop_has_no_reference_counts() -> None:
    # They would be atomic additions, dozens a game: most of the time of a replay.
    replay(Levy(), log_of(GAMES), newcomers(3), compiled=True)
    loop: Any = compile_kernel(Levy.kernel)[0]
    for signature in loop.signatures:
        text = loop.inspect_llvm(signature)
        assert "NRT_incref(" not in text
        assert "NRT_decref(" not in text


def listed(x: Any, y: Any, out: Any) -> None:
    """Make a list, as a kernel must not."""
    out[0] = sum([x[0], y[0]])


def test_a_kernel_that_makes_a_list_is_not_compiled() -> None:
    one = np.ones(1)
    with pytest.raises(numba.core.errors.NumbaError, match="NRT required"):
        compile_function(listed)(one, one, np.empty(1))


@pytest.mark.parametrize("compiled", mark_slow([False, True], "Compiles a kernel.", but=[False]))
def test_sums_that_leave_float64_are_an_error_in_both_runs(compiled: bool) -> None:
    log = log_of([([0, 1, 2, 3], [1.0, -1.0, 0.0, 0.0])])
    pool = newcomers(4)
    pool.values = np.zeros((4, 1))
    # No door lets such a half-life in: K is 1, and 1 − K^n nothing.
    with pytest.raises(ArithmeticError):
        replay(Barbu(half_life=1e300), log, pool, compiled=compiled)


def test_without_numba_the_plain_run_gives_the_same_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(replay_module, "find_spec", lambda name: None)
    monkeypatch.setattr(replay_module, "compile_kernel", None)
    replay_module.is_numba_available.cache_clear()
    with caplog.at_level(logging.WARNING):
        history = replay(Levy(), log_of(GAMES), newcomers(3), compiled=True)
    replay_module.is_numba_available.cache_clear()
    assert history.after[:, 0].tolist() == [4, -4, 0, -2, 1, -1, 0]
    assert ["Numba is not installed" in record.message for record in caplog.records] == [True]


def test_the_loop_is_compiled_once() -> None:
    assert compile_function(run_kernel) is compile_function(run_kernel)
