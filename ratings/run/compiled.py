"""Compiles a kernel with Numba, together with the plain functions that it calls.

Strict IEEE arithmetic (no fastmath, no fused multiply-add by LLVM) gives the same bits as CPython; the
conformance tests check that for every system.
"""

import os
import types
from collections.abc import Callable
from functools import cache
from typing import Any

# Intel's vector library, if installed, differs from libm in the last bits. Numba reads this on import.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

import numba

#: Settings for speed (measured in bench/NOTES.md).
OPTIONS: dict[str, Any] = {
    "fastmath": False,
    # A division by zero gives an infinity instead of a branch out of the loop; ``replay`` raises if it finds one.
    "error_model": "numpy",
    # A call would pass each array as seven numbers on the stack.
    "forceinline": True,
    # Views such as ``before[i]`` need no reference counts, as the arrays outlive the loop. Kernels cannot allocate.
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
