"""A file that is wrong is refused with its line, and nothing is written."""

import gzip
import hashlib
import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
import rfc8785

from league.core.errors import Invalid
from league.core.transfer.services.restore import restore_league
from league.models import League
from tests.helpers.ladder_builders import tables
from tests.helpers.restore_builders import build_everything, edited, export_of, lines_file, sealed_file
from tests.helpers.shared import built_once
from tests.helpers.tiers import mark_slow

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(build_everything)


def without(kind: str) -> Callable[[list[str]], list[str]]:
    """Return what leaves out the first line of a kind."""

    def change(lines: list[str]) -> list[str]:
        place = next(place for place, line in enumerate(lines) if json.loads(line)["type"] == kind)
        return lines[:place] + lines[place + 1 :]

    return change


def seat(number: int, **values: Any) -> dict[str, Any]:
    """Return a result."""
    return {"seat": number, "player": "anna", "recorded_as": None, "score": 1, "place": None, **values}


def plain(lines: list[str]) -> list[str]:
    """Return a file whose log is chained rightly and names people, with their words, in what is hashed."""
    found, previous = [], "0" * 64
    for line in map(json.loads, lines):
        if line["type"] == "entry":
            entry = {name: line["entry"][name] for name in ("at", "by", "kind", "payload", "position")}
            entry["previous"] = previous
            previous = hashlib.sha256(rfc8785.dumps(entry)).hexdigest()
            line["entry"] = {**entry, "sha256": previous}
        found.append(json.dumps(line, separators=(",", ":")))
    return found


def without_last_game(lines: list[str]) -> list[str]:
    """Leave the last game out, and let the league's line say so."""
    place = max(place for place, line in enumerate(lines) if json.loads(line)["type"] == "game")
    return edited("league", last_number=6)(lines[:place] + lines[place + 1 :])


#: How it is said that the log of a file says otherwise: what is compared is what ``verify`` compares, which
#: ``test_verify_every_field.py`` holds; here is a line of each kind.
OTHERWISE = "the log of this file disagrees."
#: What is wrong with a file, and the sentence that says so. Its lines are header, league, 2 rules, 4 players, a start,
#: 2 ladders, 7 games; further below no line is counted.
WRONG: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "header": (without("header"), "Line 1: a line of the type “league” is not allowed here."),
    "version": (edited("header", version=2), "Line 1: this is not a file of the format rungs-export, version 1."),
    "no league": (without("league"), "Line 2: a line of the type “rule” is not allowed here."),
    "order": (lambda lines: [*lines[:2], lines[-2], *lines[2:]], "Line 4: a line of the type “rule” is not allowed"),
    "slug": (edited("league", slug="Not a slug"), "Line 2: Enter a valid"),
    "setting": (edited("league", closing=None), "Line 2: the league must be an object whose closing is a string"),
    "zone": (edited("league", time_zone="Mars/Phobos"), "Line 2: There is no time zone “Mars/Phobos”"),
    "system": (edited("rule", system="chess"), "Line 3: "),
    "day": (edited("rule", from_date="soon"), "Line 3: the rule must be an object whose from_date is a date such as"),
    "half a letter": (edited("rule", created_by="\ud800"), "Line 3: the rule must be an object whose created_by is"),
    "no time": (edited("rule", starts_at="soon"), "Line 3: the rule must be an object whose starts_at is a time"),
    "time": (edited("rule", starts_at="2024-01-01"), "Line 3: the rule must be an object whose starts_at is a time"),
    "missing": (edited("rule", more=1), "Line 3: the rule must be an object of from_date, starts_at, system, para"),
    "name": (edited("player", name="Anne"), "Line 5: the handle anna is Anna Å here and Anne in the file."),
    "flag": (edited("player", active=1), "Line 5: the player must be an object whose active is true or false."),
    "aliases": (edited("player", aliases="x"), "Line 5: the player must be an object whose aliases is a list."),
    "start": (edited("initial_rating", rating=1e200), "Line 9: Elo allows ratings from"),
    "start of": (edited("initial_rating", player="zoe"), "Line 9: the player “zoe” is not defined above."),
    "no number": (edited("initial_rating", rating="1"), "Line 9: the initial_rating must be an object whose rating"),
    "ladder": (edited("ladder", rules=[{}]), "Line 10: the ladder must be an object whose rules is an object of"),
    "title": (edited("ladder", title=""), "Line 10: This field cannot be blank."),
    "gap": (without("game"), "Line 12: numbers must have no gaps: this must be game 1."),
    "seats": (edited("game", results=[seat(2)]), "Line 12: seats must be numbered from 1 without gaps."),
    "who": (edited("game", results=[seat(1, player="zoe")]), "Line 12: the player “zoe” is not defined above."),
    "alone": (edited("game", voided_at=None, void_reason="", results=[seat(1)]), "Line 12: "),
    "early": (edited("game", 2, played_at="1700-01-01T00:00:00Z"), "Line 14: no rule was in force when the game"),
    "later": (edited("game", 1, replaces=2), "Line 13: a game can only replace an earlier one."),
    "negative": (edited("game", number=-1), "Line 12: the game must be an object whose number is a whole number"),
    "details": (edited("game", details=[]), "Line 12: the game must be an object whose details is an object."),
    "key": (edited("game", 5, order_key=6), "Line 17: a game that replaces another one must have the same order_key."),
    "twice": (edited("game", 3, order_key=3), "Lines 12 to 18: the database rejects their contents"),
    "rule of": (edited("period", rule="2024-02-02"), "Line 19: the ladder month has no rule from 2024-02-02."),
    "period of": (edited("period", ladder="x"), "Line 19: the ladder “x” is not defined above."),
    "period": (edited("period", 1, key="2024-03"), "Line 20: the database rejects its contents"),
    "forged": (edited("edition", document="{}"), "does not match the SHA-256 that it was published with."),
    "broken": (edited("entry", entry=json.loads("{}")), "the entry must be an object whose entry is an object of at"),
    "plain": (plain, "entry 1 of the log contains a name or text that is not sealed."),
    "unchained": (without("entry"), "entry 2 of the log does not match the hash of the entry before it."),
    "fewer": (edited("league", last_number=8), "last_number is 7; the league's line declares 8."),
    "type": (edited("rule", type="law"), "Line 3: it has no valid “type”; the types are: header, league, rule"),
    "no object": (lambda lines: [lines[0], "[1]", *lines[1:]], "Line 2: it has no valid “type”; the types are"),
    "no JSON": (lambda lines: [lines[0], '{"type":NaN}', *lines[1:]], "Line 2: this is not JSON in UTF-8."),
    "NUL": (edited("rule", created_by="\0"), "Line 3: the rule must be an object whose created_by is a string without"),
    "another title": (edited("league", title="Moon"), f"Line 2: {OTHERWISE} The league has title “Moon”"),
    "another K": (edited("rule", parameters={"k": 24}), f"Line 3: {OTHERWISE} The rule from 1800-01-01"),
    "another start": (edited("initial_rating", rating=1800.0), f"Line 9: {OTHERWISE} The initial rating"),
    "another ladder": (edited("ladder", title="Moon"), f"Line 10: {OTHERWISE} The ladder month"),
    "no void mark": (edited("game", 1, voided_at=None, voided_by="", void_reason=""),
                     f"Line 13: {OTHERWISE} The void mark of game 2 is missing"),
    "another order": (edited("game", 2, order_key=90), f"Line 14: {OTHERWISE} Game 3 has order_key"),
    "another decision": (edited("decision", reason="Why not."), f"{OTHERWISE} The decision (carry) of"),
    "another author": (edited("edition", published_by="x"), f"{OTHERWISE} Edition 1 of month"),
    "no last game": (without_last_game, f"{OTHERWISE} Game 7 is missing, but was recorded in entry"),
}  # fmt: skip


@pytest.mark.parametrize("name", mark_slow(WRONG, "Another wrong line.", but=[*WRONG][::4]))
def test_a_wrong_line_is_named_and_nothing_is_written(name: str) -> None:
    lines = export_of(League.objects.get())
    before = tables()
    change, sentence = WRONG[name]
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(change(lines)), slug=None if name == "slug" else "copy", by="operator")
    assert refused.value.detail.startswith("Nothing was restored. Line")
    assert sentence in refused.value.detail
    assert tables() == before


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:-200], "this is not JSON in UTF-8."),
        (lambda data: b"\n".join(data.split(b"\n")[:-2]) + b"\n", "the end is missing: the file was cut off"),
        (lambda data: data.replace(b"Swapped.", b"Swopped.", 1), "do not match their SHA-256"),
        (lambda data: data + data.split(b"\n")[-2] + b"\n", "a line of the type “end” is not allowed here."),
        (lambda data: gzip.compress(data)[:-100], "The file cannot be unpacked"),
        (lambda data: data.replace("Å".encode(), b"\xc5", 1), "this is not JSON in UTF-8."),
        (lambda data: b"", "Line 1: the end is missing"),
    ],
)
def test_a_damaged_file_is_refused(damage: Callable[[bytes], bytes], sentence: str) -> None:
    data = lines_file(export_of(League.objects.get())).getvalue()
    before = tables()
    with pytest.raises(Invalid, match="Nothing was restored") as refused:
        restore_league(BytesIO(damage(data)), slug="copy", by="operator")
    assert sentence in refused.value.detail
    assert tables() == before
