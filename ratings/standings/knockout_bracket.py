"""The bracket of a knock-out: its matches by round, and the ranks by how far each entry came."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ratings.contract.bracket_format import BracketFormat, BracketMatch, BracketTrace, PlannedMatch, SeatSource
from ratings.contract.competition import CompetitionData
from ratings.contract.tie_break import TieBreakRules
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import Standings, StandingsRow, rank_standings


@dataclass(frozen=True)
class Bracket:
    """The matches of a bracket: ``plan`` and ``matches`` by position, ``extra`` those that are not in the plan."""

    plan: tuple[PlannedMatch, ...]
    matches: tuple[BracketMatch, ...]
    extra: tuple[BracketMatch, ...] = ()

    @property
    def rounds(self) -> tuple[tuple[BracketMatch, ...], ...]:
        """The matches of each round of those who have not lost, from top to bottom; the last round has one."""
        rounds = self.list_columns("winners")
        return (*rounds[:-1], (*rounds[-1], *self.extra))

    @property
    def third_place(self) -> BracketMatch | None:
        """The match for the third place once it is paired."""
        return next((match for match in self._list("third") if match.fixtures), None)

    @property
    def for_third_place(self) -> bool:
        """Whether there is to be a match for the third place."""
        return any(planned.stage == "third" and planned.planned for planned in self.plan)

    @property
    def paired_rounds(self) -> int:
        """The number of the last round that is paired."""
        paired = [planned.round for planned, match in zip(self.plan, self.matches, strict=True) if match.fixtures]
        return max(paired, default=0)

    def list_columns(self, stage: str) -> tuple[tuple[BracketMatch, ...], ...]:
        """Return the matches of a stage by its rounds, from top to bottom."""
        columns: dict[int, list[BracketMatch]] = {}
        for planned, match in zip(self.plan, self.matches, strict=True):
            if planned.stage == stage:
                columns.setdefault(planned.column, []).append(match)
        return tuple(tuple(columns[column]) for column in sorted(columns))

    def find_source(self, source: SeatSource | None) -> SeatSource | None:
        """Return who takes a seat, past matches in which nobody plays; None if nobody is to come."""
        while source is not None and source.kind != "seed" and self.plan[source.of].is_bye:
            source = next(seat for seat in self.plan[source.of].seats if seat is not None)
        return source

    def list_awaited(self, at: int) -> tuple[SeatSource | None, SeatSource | None]:
        """Return for each seat of a match without an entry whose winner or loser it will be, None for others."""
        match = self.matches[at]
        if match.fixtures or match.ended:
            return None, None
        first, second = (
            self._find_open_source(seat) if entry is None else None
            for entry, seat in zip(match.entries, self.plan[at].seats, strict=True)
        )
        return first, second

    def _find_open_source(self, seat: SeatSource | None) -> SeatSource | None:
        source = self.find_source(seat)
        is_open = source is not None and source.kind != "seed" and not self.matches[source.of].ended
        return source if is_open else None

    def _list(self, stage: str) -> list[BracketMatch]:
        return [match for planned, match in zip(self.plan, self.matches, strict=True) if planned.stage == stage]


class Level(NamedTuple):
    """How far an entry came: the level it has at least, whether it is still in, and whether it won the third place."""

    reached: int
    still_in: bool = False
    third: bool = False


def build_bracket(competition: CompetitionData, bracket_format: BracketFormat) -> Bracket:
    """Return the bracket of the rounds that are paired, with the entries that are known of the next one."""
    rounds = max((one_round.number for one_round in competition.rounds), default=0)
    plan = bracket_format.plan(len(competition.entries), rounds)
    traced = BracketTrace(bracket_format, plan, competition).trace()
    return Bracket(tuple(plan), tuple(traced[: len(plan)]), tuple(traced[len(plan) :]))


def rank_knockout(
    competition: CompetitionData,
    bracket_format: BracketFormat,
    tie_breaks: Sequence[str],
    rules: TieBreakRules | None = None,
) -> Standings:
    """Return the standings by how far each entry came; entries that left in the same round share a rank.

    The values of the tie-breaks are shown and decide nothing. Raises UnknownTieBreak.
    """
    standings = rank_standings(competition, tie_breaks, rules)
    levels = find_levels(build_bracket(competition, bracket_format), [row.entry for row in standings.rows])
    in_order = sorted(standings.rows, key=lambda row: (*(-int(part) for part in levels[row.entry]), row.entry))
    rows: list[StandingsRow] = []
    for position, row in enumerate(in_order, 1):
        shares = bool(rows) and levels[rows[-1].entry] == levels[row.entry]
        rows.append(replace(row, rank=rows[-1].rank if shares else position, decided_by=""))
    return replace(standings, rows=tuple(rows))


def find_levels(bracket: Bracket, entries: Iterable[int]) -> dict[int, Level]:
    """Return how far each entry came. One that withdrew after a win counts as beaten in the next match."""
    return _LevelFinder(bracket).find(entries)


def find_possible_ranks(bracket: Bracket, standings: Standings) -> dict[int, PossibleRanks]:
    """Return the ranks that each entry can still reach, exactly."""
    levels = find_levels(bracket, [row.entry for row in standings.rows])
    leaving = _LeavingCounter(bracket, levels)
    highest = max(planned.level for planned in bracket.plan)
    third = next((planned.level for planned in bracket.plan if planned.stage == "third" and planned.planned), None)
    possible = {}
    for row in standings.rows:
        reached, still_in, _ = levels[row.entry]
        if reached == 0 or reached > highest:
            possible[row.entry] = PossibleRanks(row.rank, row.rank, True)
            continue
        best = worst = 1 + len(standings.rows) - leaving.count_up_to(reached)
        if reached == third:
            ended = bracket.third_place is not None and bracket.third_place.ended
            best, worst = (row.rank, row.rank) if ended else (best, best + 1)
        possible[row.entry] = PossibleRanks(1 if still_in else best, worst, True)
    return possible


class _LevelFinder:
    """Follows each entry: whoever is still in has the level of losing every match to come."""

    def __init__(self, bracket: Bracket) -> None:
        self.bracket, self.plan = bracket, bracket.plan
        self.following: dict[SeatSource, int] = {}
        for at, planned in enumerate(self.plan):
            if planned.stage != "third" and planned.if_second_won is None:
                self.following |= {source: at for source in planned.seats if source is not None}

    def find(self, entries: Iterable[int]) -> dict[int, Level]:
        """Return the level of each entry."""
        paired = self.bracket.paired_rounds
        first = [at for at, planned in enumerate(self.plan) if planned.round == 1 and planned.number]
        lowest = min((self.fall(at) for at in first), default=1)
        levels = {entry: Level(0 if paired else lowest, not paired) for entry in entries}
        playing: dict[int, set[int | None]] = {}
        for planned, match in zip(self.plan, self.bracket.matches, strict=True):
            playing.setdefault(planned.round, set()).update(match.entries if match.fixtures else ())
        for at, (planned, match) in enumerate(zip(self.plan, self.bracket.matches, strict=True)):
            if planned.stage == "third" or planned.round > paired:
                continue
            if planned.stage != "losers" or not planned.is_bye:
                missing = {*match.expected} - playing[planned.round] - {None}
                levels |= {entry: Level(self.fall(at)) for entry in missing if entry is not None and planned.round > 1}
            for entry in match.entries if match.fixtures or match.ended else ():
                if entry is not None:
                    levels[entry] = self.judge(at, entry)
        third = self.bracket.third_place
        if third is not None and third.winner is not None:
            levels[third.winner] = levels[third.winner]._replace(third=True)
        return levels

    def fall(self, at: int) -> int:
        """Return the level of an entry that loses a match and all that follow."""
        kind: Literal["winner_of", "loser_of"] = "winner_of" if self.plan[at].is_bye else "loser_of"
        following = self.following.get(SeatSource(kind, at))
        return self.plan[at].level if following is None else self.fall(following)

    def judge(self, at: int, entry: int) -> Level:
        """Return the level of an entry after a match in which it is."""
        match = self.bracket.matches[at]
        if not match.ended or is_decider_open(self.bracket, at):
            return Level(self.fall(at), True)
        if entry != match.winner:
            goes_on = SeatSource("loser_of", at) in self.following and entry == min(match.losers)
            return Level(self.fall(at), goes_on)
        following = self.following.get(SeatSource("winner_of", at))
        return Level(self.plan[at].level + 1) if following is None else Level(self.fall(following), True)


class _LeavingCounter:
    """Counts how many entries have left with a level, or are going to."""

    def __init__(self, bracket: Bracket, levels: Mapping[int, Level]) -> None:
        self.bracket, self.paired = bracket, bracket.paired_rounds
        self.left = Counter(level.reached for level in levels.values() if not level.still_in)
        for at, planned in enumerate(bracket.plan):
            goes_on = planned.stage == "winners" and planned.level == 0
            if not goes_on and planned.stage != "third" and planned.if_second_won is None and self.will_be_played(at):
                self.left[planned.level] += 1

    def count_up_to(self, level: int) -> int:
        """Return how many leave with this level or a lower one."""
        return sum(count for reached, count in self.left.items() if reached <= level)

    def will_be_played(self, at: int) -> bool:
        """Return whether two entries still play a match to its end."""
        match, planned = self.bracket.matches[at], self.bracket.plan[at]
        if match.ended or match.fixtures:
            return not match.ended or is_decider_open(self.bracket, at)
        return planned.round > self.paired and all(self.can_come(source) for source in planned.seats)

    def can_come(self, source: SeatSource | None) -> bool:
        """Return whether anybody has taken a seat or still can."""
        if source is None or source.kind == "seed":
            return source is not None
        match, planned = self.bracket.matches[source.of], self.bracket.plan[source.of]
        if match.ended:
            return match.winner is not None if source.kind == "winner_of" else bool(match.losers)
        if match.fixtures:
            return True
        coming = [self.can_come(seat) for seat in planned.seats]
        return (planned.round > self.paired or planned.is_bye) and (
            any(coming) if source.kind == "winner_of" else all(coming)
        )


def is_decider_open(bracket: Bracket, at: int) -> bool:
    """Return whether a second final follows a match and has not ended."""
    if bracket.plan[at].stage != "final" or bracket.plan[-1].if_second_won != at:
        return False
    return bracket.matches[-1].needed and not bracket.matches[-1].ended
