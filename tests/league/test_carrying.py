"""Carrying a log over that was not sealed: what is chained stays so, and what was broken before stays broken."""

import json

from league.chain import FIRST, canonical, digest, serialize_entry
from league.services.log.carrying import Carrying, Entry

AT = "2024-03-05T19:30:00.000000Z"


def chained(*payloads: dict[str, object]) -> list[tuple[Entry, str]]:
    """Return entries with their hashes as an earlier version wrote them."""
    found: list[tuple[Entry, str]] = []
    for position, payload in enumerate(payloads, start=1):
        entry = position, AT, "olga", "game.voided", canonical(payload)
        found.append((entry, digest(serialize_entry(*entry, found[-1][1] if found else FIRST))))
    return found


def holds(old: list[tuple[Entry, str]], new: list[tuple[str, str]]) -> list[bool]:
    """Tell of each carried entry whether it is chained to the one before."""
    hashes = [FIRST, *(sha256 for _, sha256 in new)]
    return [
        digest(serialize_entry(*entry[:4], payload, before)) == sha256
        for (entry, _), (payload, sha256), before in zip(old, new, hashes, strict=False)
    ]


def test_a_log_is_sealed_and_chained_anew() -> None:
    old = chained({"number": 1, "reason": "anna was ill"}, {"player": "anna"}, {"number": 2, "reason": ""})
    carrying = Carrying({"anna": "~00"})
    new = [carrying.carried_as_it_stood(*one) for one in old]
    assert holds(old, new) == [True, True, True]
    assert "anna" not in "".join(payload for payload, _ in new)
    assert carrying.changed and carrying.anchor() == {"entries": 3, "sha256": old[-1][1]}
    assert [text.text for _, text in carrying.texts] == ["anna was ill"]


def test_an_entry_that_was_changed_behind_the_log_is_not_chained_afterwards() -> None:
    old = chained({"player": "anna"}, {"number": 7, "reason": "a"}, {"player": "ben"}, {"player": "anna"})
    planted = (*old[1][0][:4], canonical({"number": 8, "reason": "a"}))
    old[1] = planted, old[1][1]
    carrying = Carrying({"anna": "~00", "ben": "~11"})
    new = [carrying.carried_as_it_stood(*one) for one in old]
    assert holds(old, new) == [True, False, True, True]
    assert json.loads(new[1][0])["number"] == 8 and new[1][1] == old[1][1]


def test_an_entry_that_is_missing_is_missing_afterwards() -> None:
    old = chained({"player": "anna"}, {"player": "ben"}, {"player": "anna"})
    del old[1]
    carrying = Carrying({"anna": "~00", "ben": "~11"})
    assert holds(old, [carrying.carried_as_it_stood(*one) for one in old]) == [True, False]
