"""Restores the log of an export: checks the hash chain and the sealed texts of each entry."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.core.db.bulk import insert_rows
from league.core.errors import Invalid
from league.core.log.chain import (
    FIRST,
    LEFT_OUT,
    MARK,
    SealedText,
    compute_digest,
    find_handles,
    find_seals,
    is_plain,
    is_sealed,
    seal_of,
    serialize_canonically,
    serialize_entry,
    serialize_text,
    unseal,
)
from league.core.log.selectors.log_decode import load_handles
from league.core.text.instants import format_instant
from league.models import FormerOpaque, League, LogText, Player

#: The forms of an opaque handle, a seal and a salt, which must fit into their columns.
OPAQUE, SEAL, SALT = (re.compile(form) for form in (r"~[!-~]{1,23}", r"[0-9a-f]{64}", r"[!-~]{0,32}"))
TEXT = ("league", "position", "sha256", "salt", "text", "erased_at")


class EntryRestore:
    """Restores the entries of a file; ``players`` are the file's players by handle."""

    def __init__(self, players: Mapping[str, Player]) -> None:
        self.players = players
        self.names: dict[str, str] = {}
        """Opaque handle -> handle in the file."""
        self.texts: list[tuple[int, SealedText, datetime | None]] = []

    def build_row(self, league: League, values: dict[str, Any]) -> tuple[Any, ...]:
        """Return an entry's row, and advance the league's log head; raises Invalid if the chain is broken."""
        position, time, author, kind = league.log_length + 1, format_instant(values["at"]), values["by"], values["kind"]
        content = values["payload"] if values["sealed"] is None else values["sealed"]
        previous_hash, left_out = league.log_sha256 or FIRST, values[LEFT_OUT]
        payload = serialize_canonically({**content, LEFT_OUT: left_out} if left_out else content)
        head = compute_digest(serialize_entry(position, time, author, kind, payload, previous_hash))
        if left_out and SEAL.fullmatch(values["sha256"]):
            head = values["sha256"]
        if (values["position"], values["previous"], values["sha256"]) != (position, previous_hash, head):
            message = _("entry {entry} of the log does not match the hash of the entry before it.").format(
                entry=values["position"]
            )
            raise Invalid(message)
        if values["sealed"] is not None:
            self.collect_sealed(position, values)
        elif is_plain(values["payload"]):
            message = _("entry {entry} of the log contains a name or text that is not sealed.")
            raise Invalid(message.format(entry=position))
        league.log_length, league.log_sha256 = position, head
        return league.pk, position, values["at"], author, kind, payload, head

    def collect_sealed(self, position: int, values: dict[str, Any]) -> None:
        """Collect the people and texts of a sealed entry; raises Invalid if they do not match it."""
        payload, sealed, salts = values["payload"], values["sealed"], values["salts"]
        pairs, handles = pair_values(sealed, payload), set(find_handles(sealed))
        texts = {
            next(find_seals(sealed_value)): serialize_text(shown_value) if shown_value else ""
            for sealed_value, shown_value in pairs
            if is_sealed(sealed_value) and isinstance(shown_value, str | dict)
        }
        people = {
            sealed_value: shown_value
            for sealed_value, shown_value in pairs
            if isinstance(sealed_value, str)
            and sealed_value.startswith(MARK)
            and sealed_value in handles
            and isinstance(shown_value, str)
        }
        if unseal(sealed, people, texts) != payload:
            raise Invalid(_("entry {entry} of the log does not say what was sealed.").format(entry=position))
        for name, handle in people.items():
            if not OPAQUE.fullmatch(name):
                raise Invalid(
                    _("entry {entry} of the log uses the name “{name}”, which is not an opaque handle.").format(
                        entry=position, name=name[:40]
                    )
                )
            if self.names.setdefault(name, handle) != handle:
                template = _("entry {entry} of the log calls {player} {handle}.")
                raise Invalid(template.format(entry=position, player=self.names[name], handle=handle))
        for sha256 in dict.fromkeys(find_seals(sealed)):
            salt, text = salts.get(sha256, ""), texts.get(sha256, "")
            is_erased = not salt and not text
            is_valid = isinstance(salt, str) and SALT.fullmatch(salt) and SEAL.fullmatch(sha256)
            if not is_valid or not (is_erased or seal_of(salt, text) == sha256):
                template = _("a text of entry {entry} of the log is not the one that was sealed.")
                raise Invalid(template.format(entry=position))
            self.texts.append((position, SealedText(sha256, salt, text), values["at"] if is_erased else None))

    def write_texts(self, league: League) -> None:
        """Write the texts of the written entries."""
        rows = [(league.pk, position, *text, erased_at) for position, text, erased_at in self.texts]
        if rows:
            insert_rows(LogText, TEXT, rows)
        self.texts.clear()

    def assign_opaque_handles(self, known_handles: Mapping[str, Any] | set[str]) -> None:
        """Assign the file's opaque handles to its players; a known player gets them as former ones."""
        handles_here = load_handles(self.names)
        own_handles: set[str] = set()
        for name, handle in self.names.items():
            player = self.players.get(handle)
            if player is None or handles_here.get(name) == handle:
                continue
            if name in handles_here:
                raise Invalid(
                    _(
                        "{handle} is {player} here: renamed or erased since this file was exported. Export "
                        "the league again, or restore it on a site where that did not happen."
                    ).format(handle=handle, player=handles_here[name])
                )
            if handle in known_handles and player.erased_at is not None:
                template = _("{handle} was erased here and may be another player in this file.")
                raise Invalid(template.format(handle=handle))
            if handle in known_handles or handle in own_handles:
                FormerOpaque.objects.create(opaque=name, player=player)
            else:
                own_handles.add(handle)
                Player.objects.filter(pk=player.pk).update(opaque=name)
                player.opaque = name


def pair_values(value: Any, other: Any) -> list[tuple[Any, Any]]:
    """Return pairs of values at the same places of two JSON values; a sealed value is paired as a whole."""
    if is_sealed(value) or type(value) is not type(other):
        return [(value, other)]
    if isinstance(value, dict):
        return [pair for key in value if key in other for pair in pair_values(value[key], other[key])]
    if isinstance(value, list):
        return [pair for item, other_item in zip(value, other, strict=False) for pair in pair_values(item, other_item)]
    return [(value, other)]
