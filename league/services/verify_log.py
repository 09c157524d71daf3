"""Checks the chain of a league's log; tells the first broken link, for all later ones rest on it."""

from collections.abc import Iterator
from datetime import datetime

from league.chain import FIRST, digest, instant, told
from league.models import League
from league.selectors.log import CHUNK, COLUMNS


def log_problems(league: League) -> Iterator[str]:
    """Yield what is wrong with the log: an entry that is missing or changed, or another end than the league notes."""
    position, previous = 0, FIRST
    for found, at, by, kind, payload, sha256 in rows_of(league):
        position += 1
        if found != position:
            yield f"Entry {position} of the log is missing."
            return
        if digest(told(position, instant(at), by, kind, payload, previous)) != sha256:
            yield f"Entry {position} of the log ({kind}) does not have the SHA-256 that chains it to the one before."
            return
        previous = sha256
    if (position, previous) != (league.log_length, league.log_sha256 or FIRST):
        yield (
            f"The log ends with entry {position} ({previous[:12]}…); the league notes "
            f"{league.log_length} ({(league.log_sha256 or FIRST)[:12]}…)."
        )


def rows_of(league: League) -> Iterator[tuple[int, datetime, str, str, str, str]]:
    """Yield the entries in order, a few at a time."""
    return league.log.order_by("position").values_list(*COLUMNS).iterator(chunk_size=CHUNK)
