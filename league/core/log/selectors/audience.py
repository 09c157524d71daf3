"""Who may read the entries of a log.

What the address of a thing hides from everyone who sees the league, its log entries hide too, until the address shows
it. So the rule is that of the thing: core's entries are open, and capabilities judge theirs. A kind that no installed
capability declares is closed.
"""

from collections.abc import Collection
from datetime import datetime
from hashlib import sha256
from typing import Protocol

from django.utils.module_loading import import_string

from league.core.capabilities import list_capabilities
from league.core.log.chain import WHOLE, Payload, find_seals
from league.core.log.selectors.log_decode import OpenedEntry
from league.models import DeclaredField, League, LogEntry

Kind = LogEntry.Kind
#: The core's kinds whose entries everyone who sees the league may read.
OPEN_KINDS: frozenset[str] = frozenset({
    Kind.LEAGUE_CREATED, Kind.LEAGUE_CHANGED, Kind.LEAGUE_RESTORED, Kind.RULE_ADOPTED, Kind.RULE_WITHDRAWN,
    Kind.START_SET, Kind.PLAYER_CREATED, Kind.PLAYER_CHANGED, Kind.PLAYER_MERGED, Kind.PLAYER_UNMERGED,
    Kind.GAME_RECORDED, Kind.GAME_CORRECTED, Kind.GAME_VOIDED, Kind.GAME_RESTORED, Kind.GAMES_MOVED,
    Kind.ADJUSTMENT_MADE, Kind.ADJUSTMENT_VOIDED, Kind.LADDER_CREATED, Kind.LADDER_CHANGED, Kind.LADDER_RANKED,
    Kind.EDITION_PUBLISHED, Kind.PERIOD_REOPENED, Kind.PERIOD_CARRIED, Kind.HEAD_PUBLISHED, Kind.TEXT_ERASED,
    Kind.PLAYER_ERASED, Kind.EDITION_REDACTED, Kind.CLOCK_ACCEPTED, Kind.PLAYER_FIELDS_SET,
    Kind.CONTEXT_CREATED, Kind.CONTEXT_CHANGED, Kind.CONTEXT_REMOVED,
})  # fmt: skip


#: The kinds whose entries are open if they declare a field that everyone may read.
FIELD_KINDS: frozenset[str] = frozenset({Kind.FIELD_DECLARED, Kind.FIELD_CHANGED})


class LogAudience(Protocol):
    """Judges the entries of a capability in a league, as everyone who sees the league may read them."""

    def __init__(self, league: League) -> None: ...

    def hide_members(self, at: datetime, payload: Payload) -> tuple[Payload, Collection[str]] | None:
        """Return the visible payload of an entry and the names of its hidden members; None if all is hidden."""

    def describe_state(self) -> object:
        """Return a value that changes whenever an earlier entry may become visible or hidden."""


class PublicReader:
    """Reads a log for everyone who sees the league."""

    def __init__(self, league: League) -> None:
        self.open_kinds = set(OPEN_KINDS)
        self.audiences: dict[str, LogAudience] = {}
        for app in list_capabilities():
            kinds = import_string(app.log.kinds).values if app.log.kinds else ()
            if app.log.audience:
                self.audiences |= dict.fromkeys(kinds, import_string(app.log.audience)(league))
            else:
                self.open_kinds.update(kinds)

    def hide_content(self, at: datetime, kind: str, entry: OpenedEntry) -> OpenedEntry:
        """Return an entry without what is hidden; ``left_out`` names it."""
        if kind in self.open_kinds:
            return entry
        payload, left_out = self._hide_members(at, kind, entry.payload)
        if not left_out:
            return entry
        sealed, _names = self._hide_members(at, kind, entry.sealed)
        salts = {seal: entry.salts[seal] for seal in find_seals(sealed) if seal in entry.salts}
        return OpenedEntry(payload, sealed, salts, sorted({*entry.left_out, *left_out}))

    def _hide_members(self, at: datetime, kind: str, payload: Payload) -> tuple[Payload, Collection[str]]:
        if kind in FIELD_KINDS and payload.get("visible") == DeclaredField.Visible.ALL:
            return payload, ()
        hidden: tuple[Payload, Collection[str]] = ({}, WHOLE)
        return (self.audiences[kind].hide_members(at, payload) if kind in self.audiences else hidden) or hidden

    def describe_state(self) -> str:
        """Return a short digest that changes whenever an earlier entry may become visible or hidden."""
        states = [audience.describe_state() for audience in dict.fromkeys(self.audiences.values())]
        return sha256(repr(states).encode()).hexdigest()[:16]
