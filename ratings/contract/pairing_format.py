"""The contract of a pairing format, which says who meets whom in the next round of a competition.

A format is one file in ``ratings/pairing_formats/`` with one frozen dataclass, whose fields are its parameters. It is a
pure function of the entries, the rounds before and a seed: the same request gives the same pairing on every machine.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, TypeAlias

from ratings.contract.competition import ByeKind, CompetitionData, FixtureData, build_bye
from ratings.contract.declarations import Ruling
from ratings.contract.parameters import ParameterSet
from ratings.texts import N_, say

#: Byes that an entry asked for, with the reason of the fixture.
REQUESTED = N_("The entry asked for this bye.")
ODD = N_("The number of entries is odd: the bye goes to the lowest-ranked entry that may have one.")


#: Why a pairing is not the best one; without entries, as it is said of the round.
ENDED_EARLY = N_(
    "The search for the best pairing took too long and ended early. No rule that must hold is broken, but a better "
    "pairing may exist."
)
#: Called during a long pairing with the number of steps done, such as entries paired, and of how many.
Report: TypeAlias = Callable[[int, int], None]


def ignore_report(done: int, total: int) -> None:
    """Ignore how far a pairing is."""


def never_late() -> bool:
    """Return False: a pairing may take as long as it takes."""
    return False


class CannotPair(ValueError):
    """The rules allow no pairing of the round; the message says why, for the arbiter.

    ``entries``: those who are left over when as many as possible are paired.
    """

    def __init__(self, message: str, entries: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.entries = tuple(entries)


@dataclass(frozen=True)
class PairingRequest:
    """The round to pair, ``number`` from 1.

    ``competition`` has all entries in the order of their numbers, the seeds, and the rounds before with their results.
    ``withdrawn``: entries that do not play any more. ``byes``: entry -> the bye that it asked for in this round.
    ``not_against``: pairs that must not meet. ``seed``: decides what is drawn by lot. ``report``: see ``Report``.
    ``is_late``: asked during the search; once it is True, the best allowed pairing so far is the answer.
    """

    competition: CompetitionData
    number: int
    withdrawn: frozenset[int] = frozenset()
    byes: Mapping[int, ByeKind] = field(default_factory=dict)
    not_against: frozenset[frozenset[int]] = frozenset()
    seed: int = 0
    report: Report = field(default=ignore_report, compare=False)
    is_late: Callable[[], bool] = field(default=never_late, compare=False)

    def list_present(self) -> list[int]:
        """Return the entries that play in this round, in the order of their numbers."""
        return [
            entry.number
            for entry in self.competition.entries
            if entry.number not in self.withdrawn and entry.number not in self.byes
        ]

    def random(self, *purpose: object) -> Random:
        """Return a random generator for a purpose, alike on every machine."""
        digest = hashlib.sha256(repr((self.seed, *purpose)).encode()).digest()
        return Random(int.from_bytes(digest[:8]))  # noqa: S311 -- a lot that everyone can check, no secret


@dataclass(frozen=True)
class PairingReason:
    """Why a rule forced something on entries: a text with named fields."""

    entries: tuple[int, ...]
    text: str
    values: Mapping[str, object] = field(default_factory=dict)

    def explain(self) -> str:
        """Return the sentence in the reader's language."""
        return say(self.text, **self.values)


@dataclass(frozen=True)
class PairingProposal:
    """The fixtures of a round in the order of the tables, byes last, and the reasons for what a rule forced."""

    fixtures: tuple[FixtureData, ...]
    reasons: tuple[PairingReason, ...] = ()


@dataclass(frozen=True)
class PairingFormat(ParameterSet, ABC):
    """Base of pairing formats. ``summary``: at most 20 words for organisers.

    ``predetermined``: the pairings do not depend on results (``CompetitionData.predetermined``).
    """

    key: ClassVar[str]
    summary: ClassVar[str]
    predetermined: ClassVar[bool] = False
    rulings: ClassVar[tuple[Ruling, ...]] = ()

    def list_rulings(self) -> tuple[Ruling, ...]:
        """Return the rulings that its parameters leave something to say about."""
        return self.rulings

    def list_idle_parameters(self) -> tuple[str, ...]:
        """Return the names of parameters that change nothing, as others are."""
        return ()

    @abstractmethod
    def count_rounds(self, entries: int) -> int | None:
        """Return the number of rounds for so many entries; None if the organiser chooses it."""

    @abstractmethod
    def pair(self, request: PairingRequest) -> PairingProposal:
        """Return the fixtures of a round; raises CannotPair."""

    def check_size(self, entries: int) -> str | None:
        """Return why a competition of so many entries cannot start, None if it can."""
        return say("A competition needs at least two entries.") if entries < 2 else None

    def list_sizes(self, entries: int) -> Sequence[int]:
        """Return the sizes of the fixtures of so many entries; empty if the organiser enters the fixtures."""
        return (2,)


def list_requested_byes(request: PairingRequest) -> tuple[list[FixtureData], list[PairingReason]]:
    """Return the fixtures of requested byes with their reasons."""
    asked = [(number, kind) for number, kind in sorted(request.byes.items()) if number not in request.withdrawn]
    return [build_bye(number, kind) for number, kind in asked], [
        PairingReason((number,), REQUESTED) for number, _ in asked
    ]


def complete_proposal(
    request: PairingRequest, fixtures: Sequence[FixtureData], reasons: Sequence[PairingReason] = ()
) -> PairingProposal:
    """Return the proposal of some fixtures and the requested byes."""
    byes, why = list_requested_byes(request)
    return PairingProposal((*fixtures, *byes), (*reasons, *why))


def list_meetings(competition: CompetitionData) -> dict[frozenset[int], int]:
    """Return how often each two entries have met at a table; forfeits do not count as meetings."""
    meetings: dict[frozenset[int], int] = {}
    for one_round in competition.rounds:
        for fixture in one_round.fixtures:
            if fixture.kind in ("planned", "played"):
                numbers: list[Any] = [seat.entry for seat in fixture.seats]
                for position, first in enumerate(numbers):
                    for other in numbers[position + 1 :]:
                        pair = frozenset((first, other))
                        meetings[pair] = meetings.get(pair, 0) + 1
    return meetings
