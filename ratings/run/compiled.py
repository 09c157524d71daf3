"""Compiles a kernel with Numba, together with the plain functions that it calls.

Strict IEEE arithmetic (no fastmath, no fused multiply-add by LLVM) keeps CPython's bits; the
conformance tests hold every system to that.
"""

import os
import types
from collections.abc import Callable
from functools import cache
from typing import Any

# Intel's vector library, where it happens to be installed, has other last bits than libm. Read at import.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

import numba

#: What makes a game cheap (bench/NOTES.md has the figures of each).
OPTIONS: dict[str, Any] = {
    "fastmath": False,
    # A division by zero gives an infinity instead of a jump out of the loop; ``replay`` refuses to return one.
    "error_model": "numpy",
    # A call hands over each array as seven numbers, by way of the stack.
    "forceinline": True,
    # ``before[i]`` is a view: it need not be counted, the arrays outlive the loop. Nothing may be allocated then.
    "_nrt": False,
    "nogil": True,
}


@cache
def compile_function(function: Callable[..., Any]) -> Any:
    """Return ``function`` compiled; its global functions from ``ratings`` are compiled too."""
    names = function.__code__.co_names
    scope = dict(function.__globals__)
    for name in names:
        thing = scope.get(name)
        if isinstance(thing, types.FunctionType) and thing.__module__.startswith("ratings."):
            scope[name] = compile_function(thing)
    twin = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    return numba.njit(twin, **OPTIONS)
