"""The contract of formats with a bracket: matches whose seats go to seeds, and to winners or losers of other matches.

A format lists its matches once (``BracketFormat.plan``). Rounds are paired from them, brackets are drawn from them and
ranks counted by them, always along the fixtures that were really played.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from ratings.contract.competition import CompetitionData, FixtureData, RoundData, build_bye, build_fixture
from ratings.contract.pairing_format import CannotPair, PairingFormat, PairingProposal, PairingReason, PairingRequest
from ratings.contract.result_table import compute_fixture_points
from ratings.texts import N_, say

BYE = N_("The bracket has more places than entries: the first seeds have no opponent in the first round.")
WITHDREW = N_("The opponent withdrew.")
DECIDED_BY_SEED = N_("The match was level: the higher seed goes on.")

Stage: TypeAlias = Literal["winners", "losers", "final", "third"]


class SeatSource(NamedTuple):
    """Who takes a seat: a seed, or the winner or the loser of a match, by its position in the plan."""

    kind: Literal["seed", "winner_of", "loser_of"]
    of: int


@dataclass(frozen=True)
class PlannedMatch:
    """A match of a plan. ``round``: in which it is paired; ``column``: its round within the stage.

    ``seats``: from top to bottom, None if nobody can come. ``number``: in the order of play, 0 if it is no match as at
    most one entry can come. ``level``: how far its loser came if that is its last match, higher is further.
    ``if_second_won``: it is only played if the second seat has won this match. ``planned``: False if only an arbiter
    makes it.
    """

    stage: Stage
    round: int
    column: int
    seats: tuple[SeatSource | None, SeatSource | None]
    level: int
    number: int = 0
    if_second_won: int | None = None
    planned: bool = True

    @property
    def is_bye(self) -> bool:
        """Whether one entry goes on without an opponent."""
        return (self.seats[0] is None) != (self.seats[1] is None)


@dataclass(frozen=True)
class BracketMatch:
    """A match of a bracket. ``entries`` from top to bottom, None if nobody is known or nobody comes.

    ``fixtures``: its games, or the bye of the one entry; none before it is paired. ``points``: of each entry.
    ``ended``: without a winner if both lost by forfeit. ``by_seed``: it was level, and the higher seed goes on.
    ``expected``: the entries that the plan has here. ``needed``: False for a second final that nobody needs.
    """

    entries: tuple[int | None, int | None] = (None, None)
    fixtures: tuple[FixtureData, ...] = ()
    points: tuple[Fraction, ...] = ()
    winner: int | None = None
    ended: bool = False
    by_seed: bool = False
    expected: tuple[int | None, int | None] = (None, None)
    needed: bool = True

    @property
    def losers(self) -> list[int]:
        """The entries that lost the match, none before it has ended."""
        return [entry for entry in self.entries if entry is not None and self.ended and entry != self.winner]


class BracketFormat(PairingFormat):
    """Base of formats with a bracket; ``games``: of a match, ``level``: who goes on after a level match."""

    games: float
    level: str

    @abstractmethod
    def plan(self, entries: int, rounds: int = 0) -> Sequence[PlannedMatch]:
        """Return the matches for so many entries, with at least so many rounds, each after those it depends on."""

    @abstractmethod
    def count_rounds(self, entries: int) -> int:
        """Return the number of rounds, without one that is only played if it is needed."""

    @abstractmethod
    def describe_missing_round(self, number: int, total: int) -> str:
        """Return the sentence for a round that the bracket does not have."""

    def needs_another_round(self, competition: CompetitionData) -> bool:
        """Return whether a second final follows the planned rounds, as far as they are played."""
        plan = self.plan(len(competition.entries))
        if plan[-1].if_second_won is None:
            return False
        return BracketTrace(self, plan, competition).trace()[len(plan) - 1].needed

    def pair(self, request: PairingRequest) -> PairingProposal:
        """Return the matches of a round, in the order of the plan."""
        size = len(request.competition.entries)
        plan = self.plan(size)
        here = [at for at, planned in enumerate(plan) if planned.round == request.number and planned.planned]
        if not here:
            raise CannotPair(self.describe_missing_round(request.number, self.count_rounds(size)))
        traced = BracketTrace(self, plan, request.competition, request.withdrawn, request.number).trace()
        reasons = [PairingReason(_list_known(match), DECIDED_BY_SEED) for match in traced if match.by_seed]
        fixtures, byes = [], []
        for at in here:
            present = [entry for entry in _list_known(traced[at]) if entry not in request.withdrawn]
            if len(present) == 2:
                fixtures += self._build_match(request.competition, present[0], present[1])
            elif present and not (plan[at].is_bye and plan[at].stage == "losers"):
                byes.append(build_bye(present[0], "pairing_bye"))
                reasons.append(PairingReason(tuple(present), BYE if plan[at].is_bye else WITHDREW))
        if not (fixtures or byes) and not any(traced[at].needed for at in here):
            raise CannotPair(self.describe_missing_round(request.number, self.count_rounds(size)))
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


@dataclass
class BracketTrace:
    """Follows a plan along the fixtures of a competition.

    ``before``: every match of an earlier round must have ended, as the next one is paired; 0 only looks.
    """

    bracket_format: BracketFormat
    plan: Sequence[PlannedMatch]
    competition: CompetitionData
    withdrawn: frozenset[int] = frozenset()
    before: int = 0
    traced: dict[int, BracketMatch] = field(default_factory=dict)

    def trace(self) -> list[BracketMatch]:
        """Return the match of each planned one, then those that were played and are not in the plan.

        Raises CannotPair if an earlier match has not ended.
        """
        rounds = {one_round.number: one_round for one_round in self.competition.rounds}
        extra: list[BracketMatch] = []
        for number in range(1, max([one.round for one in self.plan]) + 1):
            if number < self.before and number not in rounds:
                raise CannotPair(say("Round {round} has not been paired yet.", round=number))
            here = {at: self._find_expected(planned) for at, planned in enumerate(self.plan) if planned.round == number}
            groups = group_matches(rounds.get(number))
            given = self._assign(groups, here)
            for at, expected in here.items():
                self.traced[at] = self._judge(self.plan[at], expected, groups.pop(given[at]) if at in given else [])
            extra += [self._judge(None, (None, None), fixtures) for fixtures in groups.values()]
        return [*(self.traced[at] for at in range(len(self.plan))), *extra]

    def _find_expected(self, planned: PlannedMatch) -> tuple[int | None, int | None]:
        if planned.if_second_won is not None and not self._has_second_won(planned.if_second_won):
            return None, None
        first, second = (self._find_entry(source) for source in planned.seats)
        if planned.stage == "third" and first is not None and second is not None:
            return min(first, second), max(first, second)
        return first, second

    def _has_second_won(self, at: int) -> bool:
        match = self.traced[at]
        return None not in match.entries and match.ended and match.winner == match.entries[1]

    def _find_entry(self, source: SeatSource | None) -> int | None:
        """Return who takes a seat, None if nobody is known or comes."""
        if source is None:
            return None
        if source.kind == "seed":
            return self.competition.entries[source.of - 1].number
        match = self.traced[source.of]
        if source.kind == "winner_of":
            return match.winner
        # Of two who did not come, the higher seed counts as the loser that goes on (R164).
        is_last = self.plan[source.of].level > 0
        return None if is_last and match.winner is None else min(match.losers, default=None)

    def _assign(
        self, groups: Iterable[frozenset[int]], here: Mapping[int, tuple[int | None, int | None]]
    ) -> dict[int, frozenset[int]]:
        """Return which entries play which match of a round: as planned, or the nearest if an arbiter exchanged some."""
        given: dict[int, frozenset[int]] = {}
        left = []
        for entries in groups:
            exact = [at for at, expected in here.items() if entries == {*expected} - {None}]
            if exact and exact[0] not in given:
                given[exact[0]] = entries
            else:
                left.append(entries)
        for entries in left:
            free = [at for at, planned in here.items() if at not in given and self._may_be(at, entries)]
            near = [at for at in free if not entries.isdisjoint(here[at])]
            if free:
                given[(near or free)[0]] = entries
        return given

    def _may_be(self, at: int, entries: frozenset[int]) -> bool:
        """Return whether entries may play a match: for the third place, both have lost before; and no bye is paired."""
        planned = self.plan[at]
        if planned.seats == (None, None) or (
            planned.if_second_won is not None and not self._has_second_won(planned.if_second_won)
        ):
            return False
        lost = {entry for match in self.traced.values() for entry in match.losers}
        return planned.stage != "third" or entries <= lost

    def _judge(
        self,
        planned: PlannedMatch | None,
        expected: tuple[int | None, int | None],
        fixtures: Sequence[FixtureData],
    ) -> BracketMatch:
        known = [entry for entry in expected if entry is not None]
        needed = planned is None or planned.if_second_won is None or bool(known)
        if not fixtures:
            passes = planned is not None and len(known) == 1 and planned.is_bye and planned.stage == "losers"
            if known and planned and (passes or planned.round < self.before):
                # Without fixtures, one has withdrawn and the other goes on.
                winner = known[-1] if known[0] in self.withdrawn else known[0]
                return BracketMatch(expected if passes else _pad([winner]), (), (), winner, True, expected=expected)
            return BracketMatch(expected, expected=expected, needed=needed)
        entries = order_entries(fixtures, expected)
        if len(entries) == 1:
            return BracketMatch(_pad(entries), tuple(fixtures), (), entries[0], True, expected=expected)
        match = judge_match(
            self.competition, fixtures, (entries[0], entries[1]), by_seed=self.bracket_format.level == "seed"
        )
        if planned is not None and planned.round < self.before and not match.ended:
            match = self._end(match, entries)
        return replace(match, expected=expected)

    def _end(self, match: BracketMatch, entries: Sequence[int]) -> BracketMatch:
        """Return the match as won by whoever has not withdrawn; raises CannotPair if both are there."""
        first, second = entries
        is_open = any(fixture.kind == "planned" for fixture in match.fixtures)
        if is_open and self.withdrawn & {first, second}:
            winner = first if second in self.withdrawn else second
            return BracketMatch(match.entries, match.fixtures, match.points, winner, True)
        if is_open:
            raise CannotPair(
                say("Entries {first} and {second} have not finished their match.", first=first, second=second)
            )
        text = "The match of entries {first} and {second} is level: record another game."
        raise CannotPair(say(text, first=first, second=second))


def group_matches(one_round: RoundData | None) -> dict[frozenset[int], list[FixtureData]]:
    """Return the fixtures of a round by who meets whom."""
    matches: dict[frozenset[int], list[FixtureData]] = {}
    for fixture in one_round.fixtures if one_round else ():
        matches.setdefault(frozenset(seat.entry for seat in fixture.seats), []).append(fixture)
    return matches


def judge_match(
    competition: CompetitionData, fixtures: Sequence[FixtureData], entries: tuple[int, int], *, by_seed: bool
) -> BracketMatch:
    """Return a match of two with its points, and its winner if all its games have ended and there is one."""
    first, second = entries
    points = dict.fromkeys(entries, Fraction(0))
    for fixture in fixtures:
        for seat, gained in zip(fixture.seats, compute_fixture_points(competition, fixture), strict=True):
            points[seat.entry] += gained
    ended = all(fixture.kind != "planned" for fixture in fixtures)
    is_level = ended and points[first] == points[second] and any(fixture.kind == "played" for fixture in fixtures)
    winner = None
    if ended and points[first] != points[second]:
        winner = max(entries, key=lambda entry: points[entry])
    elif is_level and by_seed:
        winner = min(entries)
    both = (points[first], points[second])
    has_ended = ended and (winner is not None or not is_level)
    return BracketMatch(entries, tuple(fixtures), both, winner, has_ended, by_seed=is_level and by_seed)


def order_entries(fixtures: Sequence[FixtureData], expected: tuple[int | None, int | None]) -> list[int]:
    """Return who plays a match, from top to bottom."""
    entries = sorted({seat.entry for fixture in fixtures for seat in fixture.seats})
    return sorted(entries, key=lambda entry: expected.index(entry) if entry in expected else 2 * (None in expected[:1]))


def _list_known(match: BracketMatch) -> tuple[int, ...]:
    return tuple(entry for entry in match.entries if entry is not None)


def _pad(entries: Sequence[int]) -> tuple[int | None, int | None]:
    first, second = (*entries, None)[:2]
    return first, second
