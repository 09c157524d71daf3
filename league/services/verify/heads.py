"""Published heads and anchors under ``verify``: a log that was rehashed as a whole has not the hashes they say."""

import json
from collections.abc import Iterator, Sequence

from league.chain import instant
from league.heads import holds, signed_text
from league.models import Head, League, LogEntry
from league.services.log.site_key import known_keys

#: A position of the log and the SHA-256 that somebody saw there.
Anchor = tuple[int, str]


def anchor_problems(league: League, anchors: Sequence[Anchor]) -> Iterator[str]:
    """Yield the anchors that the log does not have."""
    for position, sha256 in anchors:
        yield from unlike(league, "An anchor says", position, sha256)


def head_problems(league: League) -> Iterator[str]:
    """Yield what is wrong with the heads that were published of a league: other hashes, signatures that do not hold."""
    heads = list(league.heads.order_by("position"))
    keys = known_keys() if heads else ()
    carried = carried_over(league) if heads else None
    for head in heads:
        if carried is None or head.position >= carried[0]:
            yield from unlike(league, f"{name_of(head)} says", head.position, head.sha256)
        text = signed_text(league.slug, head.position, head.sha256, instant(head.at), head.key)
        if head.key not in keys:
            yield (
                f"{name_of(head)} is signed by a key that is not this site's ({head.key}); if it was, name it in "
                "RUNGS_OLD_HEAD_KEYS."
            )
        elif not holds(text, head.signature, head.key):
            yield f"The signature of {name_of(head, first=False)} does not hold."


def unlike(league: League, who: str, position: int, sha256: str) -> Iterator[str]:
    """Yield the sentence that another hash stands at a position than somebody says."""
    there = league.log.filter(position=position).values_list("sha256", flat=True).first()
    if there != sha256 and (carried := carried_over(league)) is not None and position <= carried[0]:
        # It may be one of the log as it was before it was carried over, of which only the last hash is known.
        if (position, sha256) != carried:
            yield (
                f"{who} that entry {position} of the log has the SHA-256 {sha256}; it has {there}. The log was carried "
                f"over to sealed entries after entry {carried[0]}, which had {carried[1]} until then."
            )
    elif there is None:
        yield f"{who} that entry {position} of the log has the SHA-256 {sha256}; the log has no such entry."
    elif there != sha256:
        yield f"{who} that entry {position} of the log has the SHA-256 {sha256}; it has {there}."


def carried_over(league: League) -> Anchor | None:
    """Return the last position and hash of a log as it was before it was carried over; None where it never was."""
    entry = league.log.filter(kind=LogEntry.Kind.LOG_CARRIED).order_by("-position").first()
    if entry is None:
        return None
    said = json.loads(entry.payload)
    return int(said["entries"]), str(said["sha256"])


def name_of(head: Head, *, first: bool = True) -> str:
    """Return how a sentence names a head."""
    return f"{'The' if first else 'the'} head of {head.at:%Y-%m-%d}"
