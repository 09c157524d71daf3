"""The log under ``verify``: its chain, and the facts of the books held to what it says; it is read once.

The first broken link is told, for all later ones rest on it, and so does what they say of facts.
"""

import json
from collections.abc import Collection, Iterator

from league.chain import FIRST, digest, serialize_entry
from league.models import League, Player
from league.said import Said, phrase
from league.sealing import opened
from league.selectors.log import raw_entries
from league.selectors.opened import all_handles
from league.services.verify.facts import HeldFacts
from league.services.verify.findings import Finding, Findings
from league.services.verify.games import UNREADABLE, HeldGames, unreadable
from league.services.verify.log_replay import RECORDED, Logged, LoggedFacts, LoggedGame
from league.services.verify.reports import report_findings
from league.services.verify.seats import seat_findings
from league.services.verify.texts import SEALED_MEMBER, HeldTexts


class Holding:
    """The books of a league held to its log.

    ``restored``: given while they are made again of an export, the handles of players who were here before.
    """

    def __init__(self, league: League, restored: Collection[str] | None = None) -> None:
        opaque = dict(Player.objects.values_list("pk", "opaque"))
        self.league, self.restored = league, restored
        self.findings = Findings()
        self.facts = LoggedFacts()
        self.names = all_handles()
        self.games = HeldGames(league, opaque, self.names, self.findings)
        self.texts = HeldTexts(league, self.findings)
        self.broken: Said | None = None
        """What is wrong with the chain."""

    def run(self) -> None:
        """Read the log and compare."""
        self.broken = self.read()
        if self.broken:
            return
        numbers, positions = self.games.finish()
        self.texts.finish(self.facts.erased)
        HeldFacts(self.league, self.facts, self.findings, self.restored).compare()
        report_findings(self.league, self.facts, self.findings)
        seat_findings(self.league, self.facts, self.games.spelled, (numbers, positions), self.findings)

    def read(self) -> Said | None:
        """Take every entry that is chained to the one before; returns what is wrong with the chain."""
        position, previous = 0, FIRST
        for found, at, by, kind, payload, sha256 in raw_entries(self.league):
            position += 1
            if found != position:
                return phrase("Entry {entry} of the log is missing.", entry=position)
            if digest(serialize_entry(position, at, by, kind, payload, previous)) != sha256:
                return phrase(
                    "Entry {entry} of the log ({kind}) does not have the SHA-256 that chains it to the one before.",
                    entry=position,
                    kind=kind,
                )
            previous = sha256
            plain = self.plain(position, payload) if kind == RECORDED else None
            if plain is not None:
                self.games.take(LoggedGame(position, at, by, plain))
            else:
                self.take(kind, position, at, by, payload)
        head = self.league.log_sha256 or FIRST
        if (position, previous) == (self.league.log_length, head):
            return None
        return phrase(
            "The log ends with entry {entry} ({sha256}…); the league notes {other} ({head}…).",
            entry=position,
            sha256=previous[:12],
            other=self.league.log_length,
            head=head[:12],
        )

    def plain(self, position: int, payload: str) -> str | None:
        """Return what an entry says of a new game, as text; None where it must be read for that."""
        return self.texts.in_place(position, payload) if SEALED_MEMBER in payload else payload

    def take(self, kind: str, position: int, at: str, by: str, payload: str) -> None:
        """Take an entry that is none of a new game, or one with other texts than a note."""
        try:
            sealed = json.loads(payload)
            said = opened(sealed, self.names, self.texts.of(position, sealed))
            game = self.facts.take(kind, Logged(position, at, by, said))
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
