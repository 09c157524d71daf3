"""Knock-out: the winner of each match goes on, in a bracket seeded 1 to n with byes for the top seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ratings.contract.competition import CompetitionData, FixtureData, RoundData, build_bye, build_fixture
from ratings.contract.declarations import Ruling
from ratings.contract.pairing_format import CannotPair, PairingFormat, PairingProposal, PairingReason, PairingRequest
from ratings.contract.parameters import choice, number
from ratings.contract.result_table import compute_fixture_points
from ratings.texts import N_, say

BYE = N_("The bracket has more places than entries: the first seeds have no opponent in the first round.")
WITHDREW = N_("The opponent withdrew.")
DECIDED_BY_SEED = N_("The match was level: the higher seed goes on.")
LEVEL = Ruling(
    "R155",
    N_("Level matches of a knock-out"),
    N_(
        "A match ends as soon as its games are played. If it is level, the organiser records another game, or, by the "
        "parameter, the higher seed goes on. A match that neither plays has no winner: the opponent in the next round "
        "has a bye."
    ),
    "level",
)


@dataclass(frozen=True)
class Knockout(PairingFormat):
    """Losers leave."""

    key: ClassVar[str] = "knockout"
    title: ClassVar[str] = N_("Knock-out")
    summary: ClassVar[str] = N_("The winner of each match goes on; the first seeds meet last.")
    rulings: ClassVar[tuple[Ruling, ...]] = (LEVEL,)

    games: float = number(
        1, label=N_("Games of a match"), low=1, high=9, unit=N_("games"), whole=True, help=N_("Colours alternate.")
    )
    third_place: str = choice(
        "no",
        {"no": N_("the losers of the semi-finals share the third place"), "yes": N_("they play a match for it")},
        label=N_("Third place"),
    )
    level: str = choice(
        "game",
        {"game": N_("another game decides"), "seed": N_("the higher seed goes on")},
        label=N_("Level matches"),
        source="R155",
    )

    def count_rounds(self, entries: int) -> int:
        """Return the number of rounds."""
        return max(entries - 1, 1).bit_length()

    def pair(self, request: PairingRequest) -> PairingProposal:
        """Return the matches of a round, in the order of the bracket; the match for the third place is last."""
        numbers = [entry.number for entry in request.competition.entries]
        total = self.count_rounds(len(numbers))
        if not 1 <= request.number <= total:
            raise CannotPair(
                say("This knock-out has {total} rounds; there is no round {round}.", total=total, round=request.number)
            )
        reasons: list[PairingReason] = []
        sides = [numbers[seed - 1] if seed <= len(numbers) else None for seed in list_bracket_seeds(2**total)]
        matches = [(sides[place], sides[place + 1]) for place in range(0, len(sides), 2)]
        losers: list[int | None] = []
        for number_before in range(1, request.number):
            played = _find_round(request.competition, number_before)
            ends = [self._end_match(request, played, match, reasons) for match in matches]
            losers = [loser for _, loser in ends]
            matches = [(ends[place][0], ends[place + 1][0]) for place in range(0, len(ends), 2)]
        if request.number == total and self.third_place == "yes" and len(losers) == 2:
            matches.append((losers[0], losers[1]))
        fixtures, byes = [], []
        for match in matches:
            here = [number for number in match if number is not None and number not in request.withdrawn]
            if len(here) == 2:
                fixtures += self._build_match(request.competition, here[0], here[1])
            elif here:
                byes.append(build_bye(here[0], "pairing_bye"))
                reasons.append(PairingReason(tuple(here), BYE if None in match and request.number == 1 else WITHDREW))
        return PairingProposal((*fixtures, *byes), tuple(reasons))

    def _build_match(self, competition: CompetitionData, first: int, second: int) -> list[FixtureData]:
        """Return the games of a match; whoever had White less often begins with it, else the higher seed."""
        whites = dict.fromkeys((first, second), 0)
        for one_round in competition.rounds:
            for fixture in one_round.fixtures:
                if len(fixture.seats) == 2 and fixture.seats[0].entry in whites:
                    whites[fixture.seats[0].entry] += 1
        white, black = sorted((first, second), key=lambda entry: (whites[entry], entry))
        return [
            build_fixture(*((white, black) if game % 2 == 0 else (black, white))) for game in range(int(self.games))
        ]

    def _end_match(
        self,
        request: PairingRequest,
        played: RoundData,
        match: tuple[int | None, int | None],
        reasons: list[PairingReason],
    ) -> tuple[int | None, int | None]:
        """Return winner and loser of a match; raises CannotPair if it has not ended."""
        first, second = match
        if first is None or second is None:
            return (first if second is None else second), None
        games = [fixture for fixture in played.fixtures if {seat.entry for seat in fixture.seats} == {first, second}]
        if not games:  # One had withdrawn before the round, and the other had a bye.
            return (second, None) if first in request.withdrawn else (first, None)
        points = _sum_points(request.competition, games)
        open_games = sum(fixture.kind == "planned" for fixture in games)
        if open_games and not request.withdrawn & {first, second}:
            raise CannotPair(
                say("Entries {first} and {second} have not finished their match.", first=first, second=second)
            )
        for winner, loser in ((first, second), (second, first)):
            if (loser in request.withdrawn and open_games) or points[winner] > points[loser]:
                return winner, loser
        if all(fixture.kind == "forfeit" for fixture in games):
            return None, None
        if self.level == "game":
            raise CannotPair(
                say(
                    "The match of entries {first} and {second} is level: record another game.",
                    first=first,
                    second=second,
                )
            )
        reasons.append(PairingReason((first, second), DECIDED_BY_SEED))
        return min(first, second), max(first, second)


def list_bracket_seeds(size: int) -> list[int]:
    """Return the seeds of a bracket from top to bottom: two neighbours meet first, 1 and 2 can only meet last."""
    seeds = [1]
    while len(seeds) < size:
        total = 2 * len(seeds) + 1
        seeds = [place for seed in seeds for place in ((seed, total - seed) if seed % 2 else (total - seed, seed))]
    return seeds


def _find_round(competition: CompetitionData, number: int) -> RoundData:
    for one_round in competition.rounds:
        if one_round.number == number:
            return one_round
    raise CannotPair(say("Round {round} has not been paired yet.", round=number))


def _sum_points(competition: CompetitionData, games: Sequence[FixtureData]) -> dict[int, Fraction]:
    points: dict[int, Fraction] = {}
    for fixture in games:
        for seat, gained in zip(fixture.seats, compute_fixture_points(competition, fixture), strict=True):
            points[seat.entry] = points.get(seat.entry, Fraction(0)) + gained
    return points
