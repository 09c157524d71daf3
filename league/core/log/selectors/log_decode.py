"""Opens log entries for readers: handles instead of opaque ones, texts instead of seals."""

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from league.core.log.chain import LEFT_OUT, Payload, find_handles, find_seals, find_withheld_seals, unseal
from league.models import FormerOpaque, League, LogText, Player


class OpenedEntry(NamedTuple):
    """An entry's payload, opened and sealed, with the salts of its texts by seal, and the names of hidden members."""

    payload: Payload
    sealed: Payload
    salts: dict[str, str]
    left_out: Sequence[str] = ()


def open_payloads(league: League, payloads: Sequence[str], *, withheld: bool = False) -> list[OpenedEntry]:
    """Open stored payloads of a league; raises ValueError if one is not JSON.

    ``withheld``: whether the reader may read all values of declared fields; else they look erased.
    """
    sealed: list[Payload] = [json.loads(payload) for payload in payloads]
    left_out = [content.pop(LEFT_OUT, ()) for content in sealed]
    handles = load_handles({name for content in sealed for name in find_handles(content)})
    seals = {seal for content in sealed for seal in find_seals(content)}
    if not withheld:
        seals -= {seal for content in sealed for seal in find_withheld_seals(content)}
    texts, salts = _load_sealed_texts(league, seals)
    return [
        OpenedEntry(
            unseal(content, handles, texts), content,
            {seal: salts[seal] for seal in find_seals(content) if salts.get(seal)}, names
        )
        for content, names in zip(sealed, left_out, strict=True)
    ]  # fmt: skip


def open_payload(league: League, payload: str) -> Payload:
    """Return one opened payload."""
    return open_payloads(league, [payload])[0].payload


def load_handles(names: Collection[str]) -> dict[str, str]:
    """Return opaque handle -> handle of existing players."""
    handles = dict(Player.objects.filter(opaque__in=names).values_list("opaque", "handle"))
    former = FormerOpaque.objects.filter(opaque__in=set(names) - handles.keys())
    return handles | dict(former.values_list("opaque", "player__handle"))


def load_all_handles() -> dict[str, str]:
    """Return opaque handle -> handle of all players."""
    former = dict(FormerOpaque.objects.values_list("opaque", "player__handle"))
    return former | dict(Player.objects.values_list("opaque", "handle"))


def _load_sealed_texts(league: League, seals: Collection[str]) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return seal -> text, and seal -> salt, of a league's log; both are empty for erased texts."""
    texts: dict[str, str | None] = {}
    salts: dict[str, str] = {}
    rows = LogText.objects.filter(league=league, sha256__in=seals)
    for sha256, salt, text in rows.values_list("sha256", "salt", "text"):
        texts[sha256], salts[sha256] = text, salt
    return texts, salts


def build_public_members(entry: OpenedEntry) -> dict[str, Any]:
    """Return the members of a public line with the payload, the sealed one if it differs, and what is left out."""
    hidden = {LEFT_OUT: list(entry.left_out)} if entry.left_out else {}
    if entry.payload == entry.sealed:
        return {"payload": entry.payload, **hidden}
    return {"payload": entry.payload, "sealed": entry.sealed, "salts": entry.salts, **hidden}
