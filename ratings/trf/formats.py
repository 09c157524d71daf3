"""The pairing format of a tournament report file."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ratings.pairing_formats.round_robin import list_berger_round
from ratings.trf.document import TrfAccelerations, TrfDocument

#: Parts of the codes of line 192 and of the texts of line 092, with the format that they mean.
SIGNS = (
    ("round_robin", ("ROUNDROBIN", "ROUND ROBIN", "ROUND-ROBIN", "BERGER", "RUNDENTURNIER", "ALL-PLAY-ALL", "КРУГОВ")),
    ("free", ("SCHEVENINGEN", "SCHILLER", "FREE FIXTURES")),
    ("double_knockout", ("DOUBLEKNOCKOUT", "DOUBLE_KNOCKOUT", "DOUBLE KNOCKOUT", "DOUBLE ELIMINATION")),
    ("knockout", ("KNOCKOUT", "KNOCK-OUT", "KNOCK OUT")),
    ("swiss", ("SWISS", "DUTCH", "DUBOV", "BURSTEIN", "FIDE_TEAM_", "SCHWEIZER", "ШВЕЙЦАР")),
)
TEAMS = re.compile("TEAM|SCHEVENINGEN|SCHILLER|MANNSCHAFT|DRUŻYN|КОМАНД")
#: Signs that everyone meets twice.
DOUBLE = ("DOUBLE", "DOPPEL", "BERGER_ROUNDROBIN_G2")
#: Everyone meets three times or more, which no format here has.
MORE_THAN_TWICE = re.compile(r"BERGER_ROUNDROBIN_G([3-9]|\d\d)")
#: Lines that only competitions of teams have.
TEAM_TAGS = frozenset(("300", "310", "320", "330", "352", "362", "801", "802"))


class TrfFormat(NamedTuple):
    """A pairing format: its key in the registry, and whether everyone meets twice.

    ``exchanged``: then the last two rounds of the first half change places. ``acceleration``: of a Swiss system,
    baku or given (points of each player), "" for none.
    """

    key: str
    double: bool = False
    exchanged: bool = False
    acceleration: str = ""

    @property
    def predetermined(self) -> bool:
        """Whether no pairing depends on results."""
        return self.key in ("round_robin", "free")


def is_team_event(lines: Sequence[str]) -> bool:
    """Return whether teams are paired: by line 192, line 092, or because there are lines that only teams have."""
    texts = {line[:3]: line[4:].upper() for line in reversed(lines)}
    for tag in ("192", "092"):
        if TEAMS.search(texts.get(tag, "")):
            return True
        if (tag == "192" and texts.get(tag, "").strip()) or "INDIVIDUAL" in texts.get(tag, ""):
            return False
    return not TEAM_TAGS.isdisjoint(texts)


def names_format(document: TrfDocument) -> bool:
    """Return whether line 192 or 092 names a format that is known."""
    texts = [document.get_text(tag).upper() for tag in ("192", "092")]
    return any(
        MORE_THAN_TWICE.search(text) or any(sign in text for _key, signs in SIGNS for sign in signs) for text in texts
    )


def detect_format(document: TrfDocument) -> TrfFormat:
    """Return the format by line 192, line 092, or who met whom. Games of the players of teams are free fixtures."""
    if document.of_teams:
        return TrfFormat("free")
    return find_stated_format(document) or _detect_from_games(document)


def find_stated_format(document: TrfDocument) -> TrfFormat | None:
    """Return the format of line 192 or 092, None if neither names one."""
    for tag in ("192", "092"):
        text = document.get_text(tag).upper()
        if MORE_THAN_TWICE.search(text):
            return TrfFormat("free")
        if text == "CUSTOM_KNOCKOUT":
            # Line 192 has one code for all knock-outs.
            text += document.get_text("092").upper()
        for key, signs in SIGNS:
            if any(sign in text for sign in signs):
                double = key == "round_robin" and any(sign in text for sign in DOUBLE)
                exchanged = double and "BERGER_" not in text and _has_exchanged(document)
                return TrfFormat(key, double, exchanged, _find_acceleration(document) if key == "swiss" else "")
    return None


def _has_exchanged(document: TrfDocument) -> bool:
    """Return whether a double round robin has exchanged rounds: as line 192 says, or by the last but one of its half.

    By default it has, as FIDE recommends.
    """
    if "FIDE_DOUBLEROUNDROBIN" in document.get_text("192").upper():
        return True
    numbers = sorted(document.players)
    size, last = len(numbers), len(numbers) - 1
    if size % 2 or size < 4 or document.paired_rounds < last:
        return True
    places = {number: place for place, number in enumerate(numbers, start=1)}
    met = {
        frozenset((places[number], places.get(cell.opponent, 0)))
        for number, player in document.players.items()
        if (cell := player.get_cell(last - 1)) and cell.opponent
    }
    return met == {frozenset(pair) for pair in list_berger_round(size, last)}


def _detect_from_games(document: TrfDocument) -> TrfFormat:
    """Return a round robin if every two players meet equally often."""
    meetings = Counter(
        frozenset((player.number, cell.opponent))
        for player in document.players.values()
        for cell in player.rounds
        if cell and cell.opponent
    )
    size = len(document.players)
    often = set(meetings.values())
    # Each game has two lines.
    if size > 2 and len(meetings) == size * (size - 1) // 2 and len(often) == 1:
        return TrfFormat("round_robin", often == {4}, often == {4} and _has_exchanged(document))
    return TrfFormat("swiss", acceleration=_find_acceleration(document))


def _find_acceleration(document: TrfDocument) -> str:
    """Return how a Swiss system is accelerated: lines with points outweigh what line 192 says."""
    if any(run.points for line in document.list_values(TrfAccelerations) for run in line.runs):
        return "given"
    return "baku" if document.get_text("192").upper().endswith("_BAKU") else ""
