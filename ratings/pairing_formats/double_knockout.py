"""Double elimination: whoever has lost once goes on in a second bracket, and leaves after the second loss."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ratings.contract.bracket_format import BracketFormat, PlannedMatch, SeatSource
from ratings.contract.declarations import Ruling
from ratings.contract.parameters import choice, number
from ratings.pairing_formats.knockout import LEVEL, TO_COME, find_loser, find_winner, number_matches, plan_winners
from ratings.texts import N_, say

MAX_ENTRIES = 256

ROUNDS = Ruling(
    "R163",
    N_("Rounds of a double elimination"),
    N_(
        "A round has what can be played at the same time. The losers of round 1 meet in round 2, next to the second "
        "round of the winners. The losers of the winners' round r come to the losers' bracket in round 2r − 1, and "
        "each winners' round is as late as they need it. A bye in the losers' bracket is no fixture."
    ),
)
CROSSING = Ruling(
    "R164",
    N_("The losers' bracket"),
    N_(
        "The losers of the winners' round 2 change halves in the losers' bracket, those of round 3 quarters, those of "
        "round 4 both, and so on, so that two who have met meet again as late as possible. If neither plays a match "
        "of the winners' bracket, the higher seed goes on as its loser, and the other one is out."
    ),
)
FINAL = Ruling(
    "R165",
    N_("The second final"),
    N_(
        "If whoever comes from the losers' bracket wins the final, both have lost once: by the parameter, a second "
        "final decides, as a round of its own, or the first one has decided. Places are those by the round of the "
        "second loss in the losers' bracket; entries that leave in the same round share one."
    ),
    "second_final",
)


@dataclass(frozen=True)
class DoubleKnockout(BracketFormat):
    """Losers have a second chance."""

    key: ClassVar[str] = "double_knockout"
    title: ClassVar[str] = N_("Double elimination")
    summary: ClassVar[str] = N_("Losers go on in a second bracket; whoever loses twice leaves.")
    rulings: ClassVar[tuple[Ruling, ...]] = (LEVEL, TO_COME, ROUNDS, CROSSING, FINAL)

    games: float = number(
        1, label=N_("Games of a match"), low=1, high=9, unit=N_("games"), whole=True, help=N_("Colours alternate.")
    )
    second_final: str = choice(
        "yes",
        {"yes": N_("decides if the winner has lost before"), "no": N_("there is one final")},
        label=N_("Second final"),
        source="R165",
    )
    level: str = choice(
        "game",
        {"game": N_("another game decides"), "seed": N_("the higher seed goes on")},
        label=N_("Level matches"),
        source="R155",
    )

    def check_size(self, entries: int) -> str | None:
        """Return why a competition of so many entries cannot start, None if it can."""
        if entries > MAX_ENTRIES:
            return say("A double elimination has at most {most} entries.", most=MAX_ENTRIES)
        return super().check_size(entries)

    def count_rounds(self, entries: int) -> int:
        """Return the number of rounds, without the second final."""
        return 2 * max(entries - 1, 1).bit_length()

    def plan(self, entries: int, rounds: int = 0) -> Sequence[PlannedMatch]:
        """Return the matches by round, those of the winners first."""
        total = max(self.count_rounds(entries), rounds - (self.second_final == "yes")) // 2
        plan = [replace(match, round=max(1, 2 * match.round - 2), level=0) for match in plan_winners(entries, total)]
        coming = [find_loser(plan, at) for at in range(2 ** (total - 1))]
        for column in range(1, 2 * total - 1):
            if column % 2:
                seats = [*zip(coming[::2], coming[1::2], strict=True)]
            else:
                seats = [*zip(self._list_crossed_losers(plan, column // 2 + 1), coming, strict=True)]
            first = len(plan)
            plan += [PlannedMatch("losers", column + 1, column, pair, column) for pair in seats]
            coming = [find_winner(plan, at) for at in range(first, len(plan))]
        finalists = SeatSource("winner_of", 2**total - 2), coming[0]
        last = 2 * total - 1
        plan.append(PlannedMatch("final", last + 1, 1, finalists, last))
        if self.second_final == "yes":
            plan.append(PlannedMatch("final", last + 2, 2, finalists, last, if_second_won=len(plan) - 1))
        return number_matches(plan)

    def describe_missing_round(self, number: int, total: int) -> str:
        """Return the sentence for a round that the bracket does not have."""
        if number == total + 1 and self.second_final == "yes":
            return say("The first final has decided: there is no second one.")
        return say("This double elimination has {total} rounds; there is no round {round}.", total=total, round=number)

    @staticmethod
    def _list_crossed_losers(plan: Sequence[PlannedMatch], column: int) -> list[SeatSource | None]:
        """Return the losers of a winners' round in the order in which they come to the losers' bracket."""
        matches = [at for at, match in enumerate(plan) if match.stage == "winners" and match.column == column]
        mask = find_crossing(column, len(matches))
        return [find_loser(plan, matches[place ^ mask]) for place in range(len(matches))]


def find_crossing(column: int, matches: int) -> int:
    """Return how places are exchanged: bits of a place, the first of which says in which half of the bracket it is.

    They are those of 0, 1, 2, … read backwards, so that two of the first columns differ in their first bits.
    """
    bits = matches.bit_length() - 1
    return sum(1 << (bits - 1 - bit) for bit in range(bits) if (column - 1) >> bit & 1)
