"""Free fixtures: the organiser decides who meets whom, and when."""

from dataclasses import dataclass
from typing import ClassVar

from ratings.contract.pairing_format import CannotPair, PairingFormat, PairingProposal, PairingRequest
from ratings.texts import N_, say


@dataclass(frozen=True)
class FreeFixtures(PairingFormat):
    """Fixtures without a rule."""

    key: ClassVar[str] = "free"
    title: ClassVar[str] = N_("Free fixtures")
    summary: ClassVar[str] = N_("You enter who meets whom, round by round or without rounds.")
    predetermined: ClassVar[bool] = True

    def count_rounds(self, entries: int) -> None:
        """Return None: the organiser decides."""

    def list_sizes(self, entries: int) -> tuple[int, ...]:
        """Return nothing: the organiser decides."""
        return ()

    def pair(self, request: PairingRequest) -> PairingProposal:
        """Raise CannotPair."""
        raise CannotPair(say("This competition has free fixtures: enter who meets whom."))
