"""Published heads and anchors under ``verify``: a log that was rehashed as a whole has not the hashes they say."""

from collections.abc import Iterator, Sequence

from league.chain import instant
from league.heads import holds, signed_text
from league.models import Head, League
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
    for head in heads:
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
    if there is None:
        yield f"{who} that entry {position} of the log has the SHA-256 {sha256}; the log has no such entry."
    elif there != sha256:
        yield f"{who} that entry {position} of the log has the SHA-256 {sha256}; it has {there}."


def name_of(head: Head, *, first: bool = True) -> str:
    """Return how a sentence names a head."""
    return f"{'The' if first else 'the'} head of {head.at:%Y-%m-%d}"
