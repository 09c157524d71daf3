"""The bracket of a knock-out: its matches by round, and the ranks by the round that each entry reached."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from ratings.contract.competition import CompetitionData, FixtureData, RoundData
from ratings.contract.result_table import compute_fixture_points
from ratings.contract.tie_break import TieBreakRules
from ratings.pairing_formats.knockout import Knockout, list_bracket_seeds
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import Standings, StandingsRow, rank_standings


@dataclass(frozen=True)
class BracketMatch:
    """A match of a bracket. ``entries`` from top to bottom, None if nobody is known or nobody comes.

    ``fixtures``: its games, or the bye of the one entry; none before it is paired. ``points``: of each entry.
    ``ended``: without a winner if both lost by forfeit.
    """

    entries: tuple[int | None, int | None] = (None, None)
    fixtures: tuple[FixtureData, ...] = ()
    points: tuple[Fraction, ...] = ()
    winner: int | None = None
    ended: bool = False

    @property
    def losers(self) -> list[int]:
        """The entries that leave after the match, none before it has ended."""
        return [entry for entry in self.entries if entry is not None and self.ended and entry != self.winner]


@dataclass(frozen=True)
class Bracket:
    """The matches of each round, from top to bottom; the last round has one.

    ``third_place``: its match once it is paired; ``for_third_place``: whether there is to be one.
    """

    rounds: tuple[tuple[BracketMatch, ...], ...]
    third_place: BracketMatch | None = None
    for_third_place: bool = False

    @property
    def paired_rounds(self) -> int:
        """The number of rounds that are paired."""
        return sum(any(match.fixtures for match in matches) for matches in self.rounds)


class Level(NamedTuple):
    """How far an entry came: the round that it reached, whether it is still in, and whether it won the third place."""

    reached: int
    still_in: bool = False
    third: bool = False


@dataclass
class _Slots:
    """The match in which each entry plays in a round, counted from 0 at the top of the bracket."""

    matches: list[BracketMatch]
    of_entry: dict[int, int] = field(default_factory=dict)


def build_bracket(competition: CompetitionData, knockout: Knockout) -> Bracket:
    """Return the bracket of the rounds that are paired, with the entries that are known of the next one."""
    numbers = [entry.number for entry in competition.entries]
    total = max([knockout.count_rounds(len(numbers)), *(one_round.number for one_round in competition.rounds)])
    rounds = {one_round.number: one_round for one_round in competition.rounds}
    seeds = list_bracket_seeds(2**total)
    before = {numbers[seed - 1]: place for place, seed in enumerate(seeds) if seed <= len(numbers)}
    built: list[tuple[BracketMatch, ...]] = []
    third_place = None
    for number in range(1, total + 1):
        slots = _Slots([BracketMatch()] * 2 ** (total - number))
        for fixtures in _group_matches(rounds.get(number)):
            entries = [seat.entry for seat in fixtures[0].seats]
            if number == total > 1 and {*entries} <= _list_losers(built[-1]):
                third_place = _build_match(competition, knockout, fixtures, sorted(entries))
                continue
            places = {entry: before.get(entry, 0) for entry in entries}
            match = _build_match(competition, knockout, fixtures, sorted(entries, key=lambda entry: places[entry]))
            _place_match(slots, match, min(places.values()) // 2)
        if built:
            _add_known_winners(slots, built[-1])
        built.append(tuple(slots.matches))
        before = slots.of_entry
    return Bracket(tuple(built), third_place, knockout.third_place == "yes" and total > 1)


def rank_knockout(
    competition: CompetitionData, knockout: Knockout, tie_breaks: Sequence[str], rules: TieBreakRules | None = None
) -> Standings:
    """Return the standings by the round reached; entries that left in the same round share a rank.

    The values of the tie-breaks are shown and decide nothing. Raises UnknownTieBreak.
    """
    standings = rank_standings(competition, tie_breaks, rules)
    levels = find_levels(build_bracket(competition, knockout), [row.entry for row in standings.rows])
    in_order = sorted(standings.rows, key=lambda row: (*(-int(part) for part in levels[row.entry]), row.entry))
    rows: list[StandingsRow] = []
    for position, row in enumerate(in_order, 1):
        shares = bool(rows) and levels[rows[-1].entry] == levels[row.entry]
        rows.append(replace(row, rank=rows[-1].rank if shares else position, decided_by=""))
    return replace(standings, rows=tuple(rows))


def find_levels(bracket: Bracket, entries: Iterable[int]) -> dict[int, Level]:
    """Return how far each entry came. An entry that withdrew after a win counts as beaten in the next round."""
    paired = bracket.paired_rounds
    levels = {entry: Level(0 if paired else 1, not paired) for entry in entries}
    for number, matches in enumerate(bracket.rounds[:paired], 1):
        for match in matches:
            for entry in match.entries if match.fixtures else ():
                if entry is not None:
                    won = match.winner == entry
                    levels[entry] = Level(number + won, not match.ended or (won and number == paired))
    if bracket.third_place and bracket.third_place.winner is not None:
        winner = bracket.third_place.winner
        levels[winner] = levels[winner]._replace(third=True)
    return levels


def find_possible_ranks(bracket: Bracket, standings: Standings) -> dict[int, PossibleRanks]:
    """Return the ranks that each entry can still reach, exactly."""
    total = len(bracket.rounds)
    levels = find_levels(bracket, [row.entry for row in standings.rows])
    winners = _count_possible_winners(bracket)
    possible = {}
    for row in standings.rows:
        reached, still_in, _ = levels[row.entry]
        if reached == 0 or reached > total:
            possible[row.entry] = PossibleRanks(row.rank, row.rank, True)
            continue
        best = worst = winners[reached - 1] + 1
        if reached == total - 1 and bracket.for_third_place:
            ended = bracket.third_place is not None and bracket.third_place.ended
            best, worst = (row.rank, row.rank) if ended else (best, best + 1)
        possible[row.entry] = PossibleRanks(1 if still_in else best, worst, True)
    return possible


def _count_possible_winners(bracket: Bracket) -> list[int]:
    """Return for each round how many matches have a winner or can still have one."""
    counts, alive = [], [True] * 2 * len(bracket.rounds[0])
    for number, matches in enumerate(bracket.rounds, 1):
        paired = number <= bracket.paired_rounds
        alive = [
            match.winner is not None
            or (not match.ended and (bool(match.fixtures) or (not paired and any(alive[2 * place : 2 * place + 2]))))
            for place, match in enumerate(matches)
        ]
        counts.append(sum(alive))
    return counts


def _group_matches(one_round: RoundData | None) -> list[list[FixtureData]]:
    """Return the fixtures of a round by who meets whom."""
    matches: dict[frozenset[int], list[FixtureData]] = {}
    for fixture in one_round.fixtures if one_round else ():
        matches.setdefault(frozenset(seat.entry for seat in fixture.seats), []).append(fixture)
    return list(matches.values())


def _list_losers(matches: Iterable[BracketMatch]) -> set[int]:
    return {entry for match in matches for entry in match.losers}


def _build_match(
    competition: CompetitionData, knockout: Knockout, fixtures: Sequence[FixtureData], entries: Sequence[int]
) -> BracketMatch:
    if len(entries) == 1:
        return BracketMatch((entries[0], None), tuple(fixtures), winner=entries[0], ended=True)
    points = dict.fromkeys(entries, Fraction(0))
    for fixture in fixtures:
        for seat, gained in zip(fixture.seats, compute_fixture_points(competition, fixture), strict=True):
            points[seat.entry] += gained
    first, second = entries[:2]
    ended = all(fixture.kind != "planned" for fixture in fixtures)
    winner = None
    if ended and points[first] != points[second]:
        winner = max((first, second), key=lambda entry: points[entry])
    elif ended and any(fixture.kind == "played" for fixture in fixtures):
        winner, ended = (min(first, second), True) if knockout.level == "seed" else (None, False)
    return BracketMatch((first, second), tuple(fixtures), (points[first], points[second]), winner, ended)


def _place_match(slots: _Slots, match: BracketMatch, slot: int) -> None:
    """Put a match into its slot, or the next free one if its entries were exchanged by hand."""
    free = [place for place, other in enumerate(slots.matches) if not other.fixtures]
    slot = next((place for place in free if place >= slot), free[0] if free else len(slots.matches))
    slots.matches[slot : slot + 1] = [match]
    slots.of_entry |= {entry: slot for entry in match.entries if entry is not None}


def _add_known_winners(slots: _Slots, before: Sequence[BracketMatch]) -> None:
    """Add the winners of a round to the matches of the next one that are not paired yet."""
    for place, match in enumerate(slots.matches):
        winners = [match_before.winner for match_before in before[2 * place : 2 * place + 2]]
        if not match.fixtures and any(winner not in slots.of_entry for winner in winners if winner is not None):
            first, second = (None if winner in slots.of_entry else winner for winner in winners)
            slots.matches[place] = BracketMatch((first, second))
