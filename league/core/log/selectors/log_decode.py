"""Entries of a log as people and programs read them: handles in place of opaque ones, texts in place of seals."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from league.core.log.sealing import Payload, opened, people_in, seals_in
from league.models import FormerOpaque, League, LogText, Player

#: Maximum number looked up at once.
LOOKUP_BATCH = 500


class OpenedEntry(NamedTuple):
    """What an entry says: opened, and as it is hashed, with the salts of its texts by their seals."""

    payload: Payload
    sealed: Payload
    salts: dict[str, str]


def open_payloads(league: League, payloads: Sequence[str]) -> list[OpenedEntry]:
    """Return what entries of a league say, given their payloads as they stand; raises ValueError for no JSON."""
    sealed = [json.loads(payload) for payload in payloads]
    handles = handles_of({name for one in sealed for name in people_in(one)})
    texts, salts = texts_of(league, {seal for one in sealed for seal in seals_in(one)})
    return [
        OpenedEntry(
            opened(one, handles, texts), one, {seal: salts[seal] for seal in seals_in(one) if salts.get(seal)}
        )
        for one in sealed
    ]  # fmt: skip


def open_payload(league: League, payload: str) -> Payload:
    """Return what one entry says, opened."""
    return open_payloads(league, [payload])[0].payload


def handles_of(names: Collection[str]) -> dict[str, str]:
    """Return opaque handle -> handle of those who are there."""
    found: dict[str, str] = {}
    for part in parts(names):
        found.update(Player.objects.filter(opaque__in=part).values_list("opaque", "handle"))
    missing = set(names) - found.keys()
    for part in parts(missing):
        former = FormerOpaque.objects.filter(opaque__in=part)
        found.update(former.values_list("opaque", "player__handle"))
    return found


def all_handles() -> dict[str, str]:
    """Return opaque handle -> handle of everyone."""
    former = dict(FormerOpaque.objects.values_list("opaque", "player__handle"))
    return former | dict(Player.objects.values_list("opaque", "handle"))


def texts_of(league: League, seals: Collection[str]) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return seal -> text, and seal -> salt, of texts of a league's log; both are empty of one that was erased."""
    texts: dict[str, str | None] = {}
    salts: dict[str, str] = {}
    for part in parts(seals):
        rows = LogText.objects.filter(league=league, sha256__in=part).values_list("sha256", "salt", "text")
        for sha256, salt, text in rows:
            texts[sha256], salts[sha256] = text, salt
    return texts, salts


def parts(values: Collection[str]) -> Iterable[list[str]]:
    """Yield some of the values at a time."""
    found = sorted(values)
    return (found[start : start + LOOKUP_BATCH] for start in range(0, len(found), LOOKUP_BATCH))


def public_members(said: OpenedEntry) -> dict[str, Any]:
    """Return what a public line has of an entry beside what is hashed: opened where that is not the sealed payload."""
    if said.payload == said.sealed:
        return {"payload": said.payload}
    return {"payload": said.payload, "sealed": said.sealed, "salts": said.salts}
