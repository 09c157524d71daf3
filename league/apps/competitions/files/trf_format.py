"""The pairing format of a tournament report file."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from league.apps.competitions.files.trf_document import TrfDocument

#: Parts of the codes of line 192 and of the texts of line 092, with the format that they mean.
SIGNS = (
    ("round_robin", ("ROUNDROBIN", "ROUND ROBIN", "ROUND-ROBIN", "BERGER", "RUNDENTURNIER", "ALL-PLAY-ALL", "КРУГОВ")),
    ("free", ("SCHEVENINGEN", "SCHILLER", "FREE FIXTURES")),
    ("double_knockout", ("DOUBLEKNOCKOUT", "DOUBLE_KNOCKOUT", "DOUBLE KNOCKOUT", "DOUBLE ELIMINATION")),
    ("knockout", ("KNOCKOUT", "KNOCK-OUT", "KNOCK OUT")),
    ("swiss", ("SWISS", "DUTCH", "DUBOV", "BURSTEIN", "SCHWEIZER", "ШВЕЙЦАР")),
)
TEAMS = re.compile("TEAM|SCHEVENINGEN|SCHILLER|MANNSCHAFT|DRUŻYN|КОМАНД")
#: Lines that only competitions of teams have.
TEAM_TAGS = frozenset(("300", "310", "320", "330", "352", "362", "801", "802"))


class TrfFormat(NamedTuple):
    """A pairing format: its key in the registry, and whether everyone meets twice."""

    key: str
    double: bool = False

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


def detect_format(document: TrfDocument) -> TrfFormat:
    """Return the format by line 192, line 092, or who met whom. Games of the players of teams are free fixtures."""
    if document.of_teams:
        return TrfFormat("free")
    for tag in ("192", "092"):
        text = document.get_text(tag).upper()
        for key, signs in SIGNS:
            if any(sign in text for sign in signs):
                double = key == "round_robin" and ("DOUBLE" in text or "DOPPEL" in text)
                return TrfFormat(key, double)
    return _detect_from_games(document)


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
        return TrfFormat("round_robin", often == {4})
    return TrfFormat("swiss")
