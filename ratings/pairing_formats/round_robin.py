"""Round robin: everyone meets everyone once or twice, by the Berger tables (FIDE Handbook C.05, annex 1)."""

from dataclasses import dataclass
from typing import ClassVar

from ratings.contract.competition import build_bye, build_fixture
from ratings.contract.declarations import Ruling
from ratings.contract.pairing_format import (
    CannotPair,
    PairingFormat,
    PairingProposal,
    PairingReason,
    PairingRequest,
)
from ratings.contract.parameters import choice
from ratings.texts import N_, say

FREE = N_("The number of entries is odd: each has one round without a game.")
BOTH_WAYS = Ruling(
    "R154",
    N_("The second half of a double round robin"),
    N_(
        "Each two entries meet again with reversed colours in the same order of rounds. FIDE's recommendation to "
        "exchange the last two rounds of the first half, so that nobody has the same colour three times in a row, is a "
        "parameter and on by default for even numbers."
    ),
    "exchange",
)


@dataclass(frozen=True)
class RoundRobin(PairingFormat):
    """A round robin, single or double."""

    key: ClassVar[str] = "round_robin"
    title: ClassVar[str] = N_("Round robin")
    summary: ClassVar[str] = N_("Everyone meets everyone.")
    predetermined: ClassVar[bool] = True
    rulings: ClassVar[tuple[Ruling, ...]] = (BOTH_WAYS,)

    turns: str = choice(
        "single",
        {"single": N_("each opponent once"), "double": N_("each opponent twice, with both colours")},
        label=N_("Meetings"),
    )
    exchange: str = choice(
        "yes",
        {"yes": N_("the last two rounds of the first half change places"), "no": N_("in the order of the tables")},
        label=N_("Last rounds of the first half"),
        help=N_("Only in a double round robin of an even number."),
        source="R154",
    )

    def list_rulings(self) -> tuple[Ruling, ...]:
        """Return its ruling if there is a second half."""
        return self.rulings if self.turns == "double" else ()

    def list_idle_parameters(self) -> tuple[str, ...]:
        """Return the exchange of rounds if there is no second half."""
        return () if self.turns == "double" else ("exchange",)

    def count_rounds(self, entries: int) -> int:
        """Return the number of rounds."""
        return (entries + entries % 2 - 1) * (2 if self.turns == "double" else 1)

    def pair(self, request: PairingRequest) -> PairingProposal:
        """Return the fixtures of a round by the Berger table; entries that withdrew stay in the table."""
        numbers = [entry.number for entry in request.competition.entries]
        total = self.count_rounds(len(numbers))
        if not 1 <= request.number <= total:
            raise CannotPair(
                say(
                    "This round robin has {total} rounds; there is no round {round}.", total=total, round=request.number
                )
            )
        fixtures, byes, reasons = [], [], []
        for white, black in self._list_pairs(len(numbers), request.number):
            seated = [numbers[position - 1] for position in (white, black) if position <= len(numbers)]
            if len(seated) == 2:
                fixtures.append(build_fixture(*seated))
            else:
                byes.append(build_bye(seated[0], "zero_bye"))
                reasons.append(PairingReason(tuple(seated), FREE))
        return PairingProposal((*fixtures, *byes), tuple(reasons))

    def _list_pairs(self, entries: int, number: int) -> list[tuple[int, int]]:
        size = entries + entries % 2
        half = size - 1
        turn, index = divmod(number - 1, half)
        if turn == 0 and self.turns == "double" and self.exchange == "yes" and entries % 2 == 0 and half >= 3:
            index = {half - 2: half - 1, half - 1: half - 2}.get(index, index)
        pairs = list_berger_round(size, index + 1)
        return [(black, white) for white, black in pairs] if turn else pairs


def list_berger_round(size: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs (white, black) of a round of the Berger table of an even size, in the order of the boards.

    The last number stays at the first board and has White in even rounds; the others move on by half the size.
    """
    half = size // 2
    movers = size - 1
    # The opponent of the last number moves by half the size each round.
    first = (number - 1) * half % movers + 1
    pairs = [(first, size) if number % 2 else (size, first)]
    for step in range(1, half):
        white, black = (first - 1 + step) % movers + 1, (first - 1 - step) % movers + 1
        pairs.append((white, black))
    return pairs
