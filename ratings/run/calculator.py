"""A process that does the sums of long replays for one that must stay small: ``main``.

It imports Numba and compiles what it is asked for; its parent does neither. Requests come on standard
input, answers go to standard output: eight bytes of length (little-endian), then a pickle. Only its own
parent holds the other ends. It ends when the parent is gone, or when nothing came for a while.

Requests: ("warm", system), which compiles and has no answer, and ("replay", system, log, pool).
Answers: ("done", history, pool), or ("failed", the error).
"""

import argparse
import os
import pickle
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, cast

import numpy as np

from ratings.contract.system import RatingSystem
from ratings.run.replay import (
    NAN,
    Log,
    Pool,
    compile_kernel,
    history_columns,
    numba_is_there,
    performance_column,
    replay,
    table_shapes,
)

LENGTH = 8


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message; raises OSError where the other side is gone."""
    data = pickle.dumps(message, protocol=5)
    stream.write(len(data).to_bytes(LENGTH, "little"))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; raises EOFError where the other side is gone."""
    return pickle.loads(exactly(stream, int.from_bytes(exactly(stream, LENGTH), "little")))  # noqa: S301 -- our own


def exactly(stream: BinaryIO, size: int) -> bytes:
    """Read so many bytes; raises EOFError where they end before."""
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("The other side of the calculator is gone.")
    return data


def warm(system: RatingSystem) -> None:
    """Compile loop and kernel of a system by running no game at all."""
    loop, kernel = compile_kernel(type(system).kernel)
    width = len(system.state)
    log = Log(
        offsets=np.zeros(1, dtype=np.int64),
        players=np.empty(0, dtype=np.int64),
        results=np.empty((0, 2)),
        fields=np.empty((0, len(system.game_fields))),
    )
    pool = Pool(np.empty((0, width)), np.empty(0), np.empty(0))
    loop(
        kernel,
        performance_column(system),
        (log.offsets, log.players, log.results, log.fields),
        np.array(system.encoded()),
        (pool.values, pool.games, pool.shift_at),
        np.zeros(2),
        tuple(np.full(shape, NAN) for shape in table_shapes(system, 1)),
        history_columns(0, width),
    )


def answer(system: RatingSystem, log: Log, pool: Pool) -> tuple[Any, ...]:
    """Run games through a system; returns the answer."""
    try:
        history = replay(system, log, pool, compiled=True)
    except ArithmeticError as error:
        return ("failed", error)
    return ("done", history, pool)


def serve(requests: BinaryIO, answers: BinaryIO, wait: Callable[[], bool]) -> None:
    """Answer requests until they end, or until ``wait`` tells that none came."""
    while wait():
        try:
            what, *rest = receive(requests)
        except EOFError:
            return
        if what == "warm":
            warm(*rest)
        else:
            send(answers, answer(*rest))


def main() -> None:
    """Serve on standard input and output."""
    parser = argparse.ArgumentParser(prog="ratings.run.calculator", description=__doc__)
    parser.add_argument("--idle", type=float, default=300.0, help="seconds without a request after which it ends")
    idle = parser.parse_args().idle
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's; when it ends, so do the requests
    if not numba_is_there():
        sys.exit(1)
    # Unbuffered: what ``select`` says about the pipe is all there is. A parent that is gone needs no answer.
    with (
        suppress(BrokenPipeError),
        os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0) as requests,
        os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers,
    ):
        # What is printed by mistake must not go between the answers.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        serve(cast("BinaryIO", Whole(requests)), answers, lambda: bool(select.select([requests], [], [], idle)[0]))


class Whole:
    """Reads whole pieces of an unbuffered pipe."""

    def __init__(self, pipe: Any) -> None:
        self.pipe = pipe

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end only."""
        data = bytearray(size)
        view, at = memoryview(data), 0
        while at < size and (count := self.pipe.readinto(view[at:])):
            at += count
        return bytes(view[:at])
