"""The log under ``verify``: its chain, and the facts compared with what it says; it is read once.

The first broken link is reported, for all later ones rest on it, and so does what they say of facts.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from league.core.log.chain import FIRST, canonical, digest, serialize_entry, unseal
from league.core.log.selectors.log import raw_entries
from league.core.log.selectors.log_decode import all_handles
from league.core.text.stored_messages import Said, phrase
from league.core.verify.facts import compare_facts
from league.core.verify.findings import UNREADABLE, Finding, VerifyFindings, unreadable
from league.core.verify.games import GameComparison, Turns
from league.core.verify.log_replay import RECORDED, LoggedGame, LogReplay
from league.core.verify.texts import TextComparison
from league.models import League, LogEntry, Player

#: What the payload of an entry with texts holds.
SEALED_MEMBER = '{"sealed":'


class LogComparison:
    """The facts of a league, compared with its log.

    ``restored``: while the league is restored from an export, the handles of the players who were here before.
    """

    def __init__(self, league: League, restored: Collection[str] | None = None) -> None:
        opaque = dict(Player.objects.values_list("pk", "opaque"))
        self.league = league
        self.findings = VerifyFindings()
        self.log = LogReplay(restored)
        self.names = all_handles()
        self.games = GameComparison(league, opaque, self.names, merge_turns(league, self.names), self.findings)
        self.texts = TextComparison(league, self.findings)
        self.broken: Said | None = None
        """What is wrong with the chain."""

    def run(self) -> None:
        """Read the log and compare."""
        self.broken = self.read()
        if self.broken:
            return
        self.games.finish(self.log.order_keys)
        self.texts.finish(self.log.erased)
        compare_facts(self.league, self.log, self.findings)

    def read(self) -> Said | None:
        """Take every entry that is chained to the one before; returns what is wrong with the chain."""
        position, previous = 0, FIRST
        for found, at, by, kind, payload, sha256 in raw_entries(self.league):
            position += 1
            if found != position:
                return phrase("Entry {entry} of the log is missing.", entry=position)
            if digest(serialize_entry(position, at, by, kind, payload, previous)) != sha256:
                return phrase(
                    "Entry {entry} of the log ({kind}) does not match the hash of the entry before it.",
                    entry=position,
                    kind=kind,
                )
            previous = sha256
            self.take(kind, position, at, by, payload)
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

    def take(self, kind: str, position: int, at: str, by: str, payload: str) -> None:
        """Take an entry; the payload of a new game is compared as it stands, but for its texts."""
        try:
            if kind == RECORDED and SEALED_MEMBER not in payload:
                game: LoggedGame | None = LoggedGame(position, at, by, payload)
            else:
                said = json.loads(payload)
                texts = self.texts.of(position, said) if SEALED_MEMBER in payload else {}
                if kind == RECORDED:
                    game = LoggedGame(position, at, by, canonical(unseal(said, {}, texts)))
                else:
                    game = self.log.take(kind, position, at, by, unseal(said, self.names, texts))
        except UNREADABLE:
            self.findings.add("entries", position, position, unreadable(position))
            return
        if game is not None:
            self.games.take(game)

    def sentences(self) -> Iterator[Said]:
        """Yield everything that was found."""
        if self.broken:
            yield self.broken
        else:
            yield from self.findings.sentences()

    def found(self) -> list[Finding]:
        """Return what was found, the first ones of each kind."""
        return [Finding("entries", None, 0, self.broken)] if self.broken else list(self.findings)


def merge_turns(league: League, names: Mapping[str, str]) -> Turns:
    """Return when the log says that players were merged, and split off again: that decides for whom lines count."""
    merged, turns = LogEntry.Kind.PLAYER_MERGED, dict[str, list[tuple[int, str | None]]]()
    rows = league.log.filter(kind__in=(merged, LogEntry.Kind.PLAYER_UNMERGED)).order_by("position")
    for position, kind, payload in rows.values_list("position", "kind", "payload"):
        with suppress(*UNREADABLE):  # It is reported when the log is read.
            said = unseal(json.loads(payload), names, {})
            turns.setdefault(said["player"], []).append((position, said["into"] if kind == merged else None))
    return turns
