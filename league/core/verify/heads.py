"""Verification of signed log heads and anchors: they reveal a log that was rewritten and hashed again."""

from collections.abc import Iterator, Sequence

from league.core.log.services.site_key import load_known_keys
from league.core.log.signed_log_heads import build_signed_text, is_valid_signature
from league.core.text.instants import format_instant
from league.core.text.stored_messages import StoredMessage, phrase
from league.models import League

#: A position of the log and the SHA-256 that its entry must have.
Anchor = tuple[int, str]


def find_anchor_problems(league: League, anchors: Sequence[Anchor]) -> Iterator[StoredMessage]:
    """Yield a message for each anchor that differs from the log."""
    for position, sha256 in anchors:
        yield from _find_hash_problems(league, phrase("An anchor"), position, sha256)


def find_head_problems(league: League) -> Iterator[StoredMessage]:
    """Yield a message for each signed head with another hash or an invalid signature."""
    heads = list(league.heads.order_by("position"))
    keys = load_known_keys() if heads else ()
    for head in heads:
        day = f"{head.at:%Y-%m-%d}"
        name = phrase("The signed log head of {day}", day=day)
        yield from _find_hash_problems(league, name, head.position, head.sha256)
        text = build_signed_text(league.slug, head.position, head.sha256, format_instant(head.at), head.key)
        if head.key not in keys:
            yield phrase(
                "{head} was signed with a key that is not this site's ({key}); if it was once, add "
                "it to RUNGS_OLD_HEAD_KEYS.",
                head=name,
                key=head.key,
            )
        elif not is_valid_signature(text, head.signature, head.key):
            yield phrase("The signature of the log head of {day} is not valid.", day=day)


def _find_hash_problems(league: League, source: StoredMessage, position: int, sha256: str) -> Iterator[StoredMessage]:
    stored_sha256 = league.log.filter(position=position).values_list("sha256", flat=True).first()
    if stored_sha256 is None:
        yield phrase(
            "{who} requires the SHA-256 {sha256} for entry {entry} of the log; the log has no such entry.",
            who=source,
            entry=position,
            sha256=sha256,
        )
    elif stored_sha256 != sha256:
        yield phrase(
            "{who} requires the SHA-256 {sha256} for entry {entry} of the log; the entry has {there}.",
            who=source,
            entry=position,
            sha256=sha256,
            there=stored_sha256,
        )
