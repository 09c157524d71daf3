"""The fast way for lines of JSON: usual games are read and checked a thousand at a time.

Its specification is the strict way (``read_ndjson`` for a line, ``columns.Batch`` for a game), which alone says why
something is refused: games are returned only where the strict way surely reads the same, and refuses none of them.
Nothing outside of this package imports more of it than ``fast_reader`` (a contract), and who leaves that out imports
the same games and refuses the same ones, in more time (ADR 12). Games that are sent together are checked by
``surely_good`` alone, which leaves to the strict way what it does not surely accept.
"""

from collections.abc import Sequence
from datetime import datetime

from league.models import Rule
from league.services.imports.fast.checks import surely_good
from league.services.imports.fast.lines import read_plain
from league.services.imports.files import Block, Fast

__all__ = ["fast_reader", "surely_good"]


def fast_reader(time_zone: str, rules: Sequence[Rule], now: datetime) -> Fast:
    """Return what reads lines of a file for a league with these rules, and checks their games as of now."""

    def read(lines: Sequence[bytes], first: int) -> Block | None:
        block = read_plain(lines, first, time_zone)
        return block if block is not None and surely_good(block, rules, now) else None

    return read
