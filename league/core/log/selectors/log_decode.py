"""Opens log entries for readers: handles instead of opaque ones, texts instead of seals."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from league.core.log.chain import Payload, people_in, seals_in, unseal
from league.models import FormerOpaque, League, LogText, Player

#: Maximum number looked up at once.
LOOKUP_BATCH = 500


class OpenedEntry(NamedTuple):
    """An entry's payload, opened and sealed, with the salts of its texts by seal."""

    payload: Payload
    sealed: Payload
    salts: dict[str, str]


def open_payloads(league: League, payloads: Sequence[str]) -> list[OpenedEntry]:
    """Open stored payloads of a league; raises ValueError if one is not JSON."""
    sealed = [json.loads(payload) for payload in payloads]
    handles = handles_of({name for one in sealed for name in people_in(one)})
    texts, salts = texts_of(league, {seal for one in sealed for seal in seals_in(one)})
    return [
        OpenedEntry(
            unseal(one, handles, texts), one, {seal: salts[seal] for seal in seals_in(one) if salts.get(seal)}
        )
        for one in sealed
    ]  # fmt: skip


def open_payload(league: League, payload: str) -> Payload:
    """Return one opened payload."""
    return open_payloads(league, [payload])[0].payload


def handles_of(names: Collection[str]) -> dict[str, str]:
    """Return opaque handle -> handle of existing players."""
    found: dict[str, str] = {}
    for part in parts(names):
        found.update(Player.objects.filter(opaque__in=part).values_list("opaque", "handle"))
    missing = set(names) - found.keys()
    for part in parts(missing):
        former = FormerOpaque.objects.filter(opaque__in=part)
        found.update(former.values_list("opaque", "player__handle"))
    return found


def all_handles() -> dict[str, str]:
    """Return opaque handle -> handle of all players."""
    former = dict(FormerOpaque.objects.values_list("opaque", "player__handle"))
    return former | dict(Player.objects.values_list("opaque", "handle"))


def texts_of(league: League, seals: Collection[str]) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return seal -> text, and seal -> salt, of a league's log; both are empty for erased texts."""
    texts: dict[str, str | None] = {}
    salts: dict[str, str] = {}
    for part in parts(seals):
        rows = LogText.objects.filter(league=league, sha256__in=part).values_list("sha256", "salt", "text")
        for sha256, salt, text in rows:
            texts[sha256], salts[sha256] = text, salt
    return texts, salts


def parts(values: Collection[str]) -> Iterable[list[str]]:
    """Yield the values in batches."""
    found = sorted(values)
    return (found[start : start + LOOKUP_BATCH] for start in range(0, len(found), LOOKUP_BATCH))


def public_members(said: OpenedEntry) -> dict[str, Any]:
    """Return the members of a public line with the payload, and the sealed one if it differs."""
    if said.payload == said.sealed:
        return {"payload": said.payload}
    return {"payload": said.payload, "sealed": said.sealed, "salts": said.salts}
