"""Published heads and anchors under ``verify``: a log that was rehashed as a whole has not the hashes they say."""

from collections.abc import Iterator, Sequence

from league.core.log.chain import instant
from league.core.log.services.site_key import known_keys
from league.core.log.signed_log_heads import holds, signed_text
from league.core.text.stored_messages import Said, phrase
from league.models import League

#: A position of the log and the SHA-256 that someone saw there.
Anchor = tuple[int, str]


def anchor_problems(league: League, anchors: Sequence[Anchor]) -> Iterator[Said]:
    """Yield the anchors that the log does not have."""
    for position, sha256 in anchors:
        yield from unlike(league, phrase("An anchor"), position, sha256)


def head_problems(league: League) -> Iterator[Said]:
    """Yield what is wrong with the heads that were published of a league: other hashes, signatures that do not hold."""
    heads = list(league.heads.order_by("position"))
    keys = known_keys() if heads else ()
    for head in heads:
        day = f"{head.at:%Y-%m-%d}"
        name = phrase("The signed log head of {day}", day=day)
        yield from unlike(league, name, head.position, head.sha256)
        text = signed_text(league.slug, head.position, head.sha256, instant(head.at), head.key)
        if head.key not in keys:
            yield phrase(
                "{head} was signed with a key that is not this site's ({key}); if it was once, add "
                "it to RUNGS_OLD_HEAD_KEYS.",
                head=name,
                key=head.key,
            )
        elif not holds(text, head.signature, head.key):
            yield phrase("The signature of the log head of {day} is not valid.", day=day)


def unlike(league: League, who: Said, position: int, sha256: str) -> Iterator[Said]:
    """Yield the sentence that another hash is at a position than someone says."""
    there = league.log.filter(position=position).values_list("sha256", flat=True).first()
    if there is None:
        yield phrase(
            "According to {who}, entry {entry} of the log has the SHA-256 {sha256}; the log has no such entry.",
            who=who,
            entry=position,
            sha256=sha256,
        )
    elif there != sha256:
        yield phrase(
            "According to {who}, entry {entry} of the log has the SHA-256 {sha256}; it has {there}.",
            who=who,
            entry=position,
            sha256=sha256,
            there=there,
        )
