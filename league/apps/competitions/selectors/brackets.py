"""The bracket of a competition with the fixtures of its matches."""

from collections import defaultdict
from dataclasses import dataclass

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import build_format
from ratings.contract.bracket_format import BracketFormat, BracketMatch, SeatSource
from ratings.standings.knockout_bracket import Bracket, build_bracket


@dataclass(frozen=True)
class AwaitedSeat:
    """Whose winner or loser takes a seat: of a match by its number, and of its last fixture once it is paired."""

    match: int
    fixture: int | None
    loses: bool


@dataclass(frozen=True)
class ListedMatch:
    """A match of a bracket. ``number``: 0 if nobody can meet in it; ``awaited``: for each seat without an entry.

    ``sources``: the same for every seat that is not a seed's, also when its entry is known.
    """

    number: int
    stage: str
    round: int
    match: BracketMatch
    fixtures: tuple[int, ...]
    awaited: tuple[AwaitedSeat | None, ...]
    sources: tuple[AwaitedSeat | None, ...]


def list_bracket_matches(loaded: LoadedCompetition) -> list[ListedMatch]:
    """Return the matches of a bracket in the order of play, as far as it is published; [] without a bracket."""
    bracket_format = build_format(loaded.competition)
    if not isinstance(bracket_format, BracketFormat):
        return []
    bracket = build_bracket(loaded.data, bracket_format)
    numbers: defaultdict[tuple[int | None, frozenset[int]], list[int]] = defaultdict(list)
    for fixture in loaded.fixtures:
        if fixture.status != "cancelled" and loaded.is_published(fixture):
            numbers[fixture.round, frozenset(fixture.entries)].append(fixture.number)
    fixtures = [
        tuple(numbers[planned.round, frozenset(seat.entry for one in match.fixtures for seat in one.seats)])
        for planned, match in zip(bracket.plan, bracket.matches, strict=True)
    ]
    return [
        ListedMatch(
            planned.number,
            planned.stage,
            planned.round,
            match,
            fixtures[at],
            tuple(_find_awaited(bracket, fixtures, source) for source in bracket.list_awaited(at)),
            tuple(_find_awaited(bracket, fixtures, bracket.find_source(seat)) for seat in planned.seats),
        )
        for at, (planned, match) in enumerate(zip(bracket.plan, bracket.matches, strict=True))
        if match.fixtures or (planned.number and match.needed)
    ]


def list_matches_to_come(loaded: LoadedCompetition) -> list[ListedMatch]:
    """Return the matches whose round is not paired yet, as far as they are sure to be needed (``R171``)."""
    if loaded.competition.status != Competition.Status.RUNNING:
        return []
    return [
        listed
        for listed in list_bracket_matches(loaded)
        if listed.number and listed.round not in loaded.rounds and not listed.match.ended
    ]


def _find_awaited(bracket: Bracket, fixtures: list[tuple[int, ...]], source: SeatSource | None) -> AwaitedSeat | None:
    if source is None or source.kind == "seed":
        return None
    number = bracket.plan[source.of].number
    return AwaitedSeat(number, max(fixtures[source.of], default=None), source.kind == "loser_of")
