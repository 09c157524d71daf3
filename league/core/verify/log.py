"""Verification of the log: reads it once, checks its hash chain, and compares the facts with it.

Reading stops at the first broken link, as later entries cannot be trusted.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from league.core.log.chain import FIRST, LEFT_OUT, WHOLE, compute_digest, serialize_canonically, serialize_entry, unseal
from league.core.log.selectors.log import iter_raw_entries
from league.core.log.selectors.log_decode import load_all_handles
from league.core.text.stored_messages import StoredMessage, phrase
from league.core.verify.facts import compare_facts, load_fact_tables
from league.core.verify.findings import PAYLOAD_ERRORS, Finding, VerifyFindings, describe_unreadable_entry
from league.core.verify.games import GameComparison, MergeChanges
from league.core.verify.log_replay import RECORDED, LoggedGame, LogReplay
from league.core.verify.texts import TextComparison
from league.models import League, LogEntry, Player

#: Part of the payload of every entry with sealed texts.
SEALED_MEMBER = '{"sealed":'
#: Part of the payload of an entry with hidden members, from a public export: its hash is as stated there.
GAP_MEMBER = f'"{LEFT_OUT}":'


class LogComparison:
    """Compares the facts of a league with its log.

    ``restored``: during a restore, the handles of the players who were here before.
    """

    def __init__(self, league: League, restored: Collection[str] | None = None) -> None:
        opaque = dict(Player.objects.values_list("pk", "opaque"))
        self.league = league
        self.findings = VerifyFindings()
        self.log = LogReplay(load_fact_tables(), restored)
        self.names = load_all_handles()
        self.games = GameComparison(league, opaque, self.names, read_merge_changes(league, self.names), self.findings)
        self.texts = TextComparison(league, self.findings)
        self.broken: StoredMessage | None = None
        """The problem of the hash chain."""

    def run(self) -> None:
        """Read the log and compare."""
        self.broken = self.read()
        if self.broken:
            return
        self.games.finish(self.log.order_keys)
        self.texts.finish(self.log.erased, self.log.gaps_until)
        compare_facts(self.league, self.log, self.findings)

    def read(self) -> StoredMessage | None:
        """Apply every entry up to the first broken link; return the problem of the hash chain, if any."""
        position, previous, gap = 0, FIRST, (0, "")
        for stored_position, time, author, kind, payload, sha256 in iter_raw_entries(self.league):
            position += 1
            if stored_position != position:
                return phrase("Entry {entry} of the log is missing.", entry=position)
            if compute_digest(serialize_entry(position, time, author, kind, payload, previous)) != sha256:
                if GAP_MEMBER not in payload:
                    return _describe_broken_link(position, kind)
                gap = position, kind
            previous = sha256
            self.apply(kind, position, time, author, payload)
        if gap[0] > self.log.gaps_until:
            return _describe_broken_link(*gap)
        head = self.league.log_sha256 or FIRST
        if (position, previous) == (self.league.log_length, head):
            return None
        return phrase(
            "The log ends with entry {entry} ({sha256}…); the league has {other} ({head}…).",
            entry=position,
            sha256=previous[:12],
            other=self.league.log_length,
            head=head[:12],
        )

    def apply(self, kind: str, position: int, at: str, by: str, payload: str) -> None:
        """Apply an entry; the payload of a recorded game without texts is compared unparsed."""
        try:
            if kind == RECORDED and SEALED_MEMBER not in payload:
                game: LoggedGame | None = LoggedGame(position, at, by, payload)
            else:
                contents = json.loads(payload)
                if contents.get(LEFT_OUT) == WHOLE:
                    return
                texts = self.texts.match(position, contents) if SEALED_MEMBER in payload else {}
                if kind == RECORDED:
                    game = LoggedGame(position, at, by, serialize_canonically(unseal(contents, {}, texts)))
                else:
                    game = self.log.apply(kind, position, at, by, unseal(contents, self.names, texts))
        except PAYLOAD_ERRORS:
            self.findings.add("entries", position, position, describe_unreadable_entry(position))
            return
        if game is not None:
            self.games.add(game)

    def messages(self) -> Iterator[StoredMessage]:
        """Yield the messages of all findings."""
        if self.broken:
            yield self.broken
        else:
            yield from self.findings.messages()

    def first_findings(self) -> list[Finding]:
        """Return the first findings of each kind."""
        return [Finding("entries", None, 0, self.broken)] if self.broken else list(self.findings)


def _describe_broken_link(position: int, kind: str) -> StoredMessage:
    """Return the message for an entry whose hash does not follow from it and the entry before."""
    return phrase(
        "Entry {entry} of the log ({kind}) does not match the hash of the entry before it.", entry=position, kind=kind
    )


def read_merge_changes(league: League, names: Mapping[str, str]) -> MergeChanges:
    """Return the log positions at which players were merged, and at which merges were undone."""
    merged, turns = LogEntry.Kind.PLAYER_MERGED, dict[str, list[tuple[int, str | None]]]()
    rows = league.log.filter(kind__in=(merged, LogEntry.Kind.PLAYER_UNMERGED)).order_by("position")
    for position, kind, payload in rows.values_list("position", "kind", "payload"):
        with suppress(*PAYLOAD_ERRORS):  # It is reported when the log is read.
            contents = unseal(json.loads(payload), names, {})
            turns.setdefault(contents["player"], []).append((position, contents["into"] if kind == merged else None))
    return turns
