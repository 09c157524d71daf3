"""Compiles a kernel with Numba, together with the plain functions that it calls.

Strict IEEE arithmetic (no fastmath, no fused multiply-add by LLVM) keeps CPython's bits; the
conformance tests hold every system to that.
"""

import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numba


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
    return numba.njit(twin, fastmath=False, error_model="python")
