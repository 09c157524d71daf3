"""Compares a file with the competition that it continues: what is new, and what contradicts it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from django.utils.translation import gettext as _

from league.apps.competitions.models import MAX_NUMBER, EntryPlayer
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.services.imported_competition import (
    ImportedCompetition,
    ImportedEntry,
    ImportedFixture,
    ImportedRound,
)
from league.core.errors import Conflict, Problem, Problems, Refused
from league.models import Player
from ratings.contract.competition import FixtureData, Seat
from ratings.contract.result_table import compute_fixture_points


@dataclass(frozen=True)
class Continuation:
    """What a file adds to a competition, by the competition's numbers of entries.

    ``entries``: new ones. ``rounds``: with new fixtures alone. ``results``: number of a fixture that was planned -> it
    with its result. ``byes``: new ones of entries, for rounds to come. ``differences``: what contradicts.
    """

    entries: Sequence[ImportedEntry]
    rounds: Sequence[ImportedRound]
    results: Mapping[int, ImportedFixture]
    byes: Mapping[int, Sequence[tuple[int, str]]]
    differences: Sequence[Problem]

    def refuse_differences(self) -> None:
        """Raise Conflict if the file contradicts the competition."""
        if self.differences:
            raise Conflict.of(self.differences)


def renumber(
    read: ImportedCompetition, loaded: LoadedCompetition, players: Mapping[int, Sequence[Player]]
) -> tuple[ImportedCompetition, dict[int, list[Player]]]:
    """Return a file with the numbers that its entries have in a competition, and their players by these numbers.

    Raises Conflict if a side has players of other entries, or of one that does not play.
    """
    taken = set(loaded.competition.entries.values_list("number", flat=True))
    lines = EntryPlayer.objects.filter(league=loaded.competition.league_id, competition=loaded.competition)
    entered = {line.survivor.pk: line.entry.number for line in lines.select_related("player__merged_into", "entry")}
    numbers: dict[int, int] = {}
    for entry in read.entries:
        known = {entered.get(player.pk) for player in players[entry.number]}
        number = known.pop()
        if known or not (number is None or number in loaded.entries):
            template = _("{name} is in another entry here, or in one that does not play.")
            why = template.format(name=entry.people[0].spellings[0])
            raise Conflict.of([Problem("", "differs", why, entry.people[0].line or None)])
        if number is None:
            free = (one for one in (entry.number, max(taken) + 1, *range(1, MAX_NUMBER)) if one not in taken)
            number = next(one for one in free if one <= MAX_NUMBER)
            taken.add(number)
        numbers[entry.number] = number
    entries = [
        replace(
            one,
            number=numbers[one.number],
            not_against=tuple(numbers.get(n, 0) for n in one.not_against),
            kept_apart=tuple((numbers.get(n, 0), first, last) for n, first, last in one.kept_apart),
        )
        for one in read.entries
    ]
    rounds = _renumber_rounds(read.rounds, numbers)
    by_number = {numbers[number]: list(side) for number, side in players.items()}
    return replace(read, entries=entries, rounds=rounds), by_number


def unite_entries(
    read: ImportedCompetition, players: Mapping[int, list[Player]]
) -> tuple[ImportedCompetition, dict[int, list[Player]]]:
    """Return a file with one entry of one player for all spellings of their name, and the players by entry.

    Raises BadFile with the line of each fixture in which somebody plays twice in a round.
    """
    first = {side[0].pk: entry for entry in reversed(read.entries) for side in [players[entry.number]]}
    kept = [entry for entry in read.entries if first[players[entry.number][0].pk] is entry]
    united = {players[entry.number][0].pk: number for number, entry in enumerate(kept, start=1)}
    numbers = {number: united[side[0].pk] for number, side in players.items()}
    by_number = {numbers[entry.number]: players[entry.number] for entry in kept}
    rounds = _renumber_rounds(read.rounds, numbers)
    problems = Problems()
    for one in rounds:
        seen: set[int] = set()
        for fixture in one.fixtures:
            entries = [seat.entry for seat in fixture.seats]
            twice = [entry for entry in entries if entry in seen or entries.count(entry) > 1]
            if twice:
                why = _("{name} occurs twice.").format(name=by_number[twice[0]][0].name)
                problems.add(fixture.line, "twice_in_round", why, kind=Refused)
            seen |= {*entries} if one.number else set()
    problems.raise_any()
    return replace(read, entries=[replace(one, number=numbers[one.number]) for one in kept], rounds=rounds), by_number


def _renumber_rounds(rounds: Sequence[ImportedRound], numbers: Mapping[int, int]) -> list[ImportedRound]:
    """Return rounds with other numbers of entries."""

    def renumber_fixture(fixture: ImportedFixture) -> ImportedFixture:
        return replace(
            fixture,
            seats=tuple(seat._replace(entry=numbers[seat.entry]) for seat in fixture.seats),
            boards=None if fixture.boards is None else tuple(map(renumber_fixture, fixture.boards)),
        )

    return [replace(one, fixtures=tuple(map(renumber_fixture, one.fixtures))) for one in rounds]


def compare_competition(read: ImportedCompetition, loaded: LoadedCompetition) -> Continuation:
    """Return what a renumbered file adds to a competition, and what contradicts it."""
    comparison = _Comparison(loaded)
    rounds = [new for one in read.rounds if (new := comparison.compare_round(one)) is not None]
    last = max(loaded.rounds, default=0)
    byes: dict[int, list[tuple[int, str]]] = {}
    for entry in read.entries:
        if entry.number in loaded.entries:
            known = {bye["round"] for bye in loaded.entries[entry.number].byes}
            asked = [(number, kind) for number, kind in entry.byes if number > last and number not in known]
            byes |= {entry.number: asked} if asked else {}
    entries = [entry for entry in read.entries if entry.number not in loaded.entries]
    return Continuation(entries, rounds, comparison.results, byes, comparison.differences)


class _Comparison:
    """Compares round by round."""

    def __init__(self, loaded: LoadedCompetition) -> None:
        self.loaded = loaded
        self.results: dict[int, ImportedFixture] = {}
        self.differences: list[Problem] = []

    def compare_round(self, one: ImportedRound) -> ImportedRound | None:
        """Return a round with the fixtures that are new in it, None without any."""
        if one.number and one.number not in self.loaded.rounds:
            return one
        is_free = self.loaded.competition.format == "free"
        if one.number and self.loaded.rounds[one.number].published_at is None:
            self._differ(_("Round {round} is not published here.").format(round=one.number))
            return None
        here: defaultdict[frozenset[int], list[FixtureState]] = defaultdict(list)
        for state in self.loaded.fixtures:
            if state.round == (one.number or None) and state.status != "cancelled":
                here[frozenset(state.entries)].append(state)
        new = []
        for fixture in one.fixtures:
            same = here[frozenset(seat.entry for seat in fixture.seats)]
            if same:
                self._compare_fixture(one.number, same.pop(0), fixture)
            elif is_free:
                new.append(fixture)
            elif fixture.kind != "zero_bye":
                self._differ(self._say(one.number, [seat.entry for seat in fixture.seats], _("is not here")), fixture)
        for state in (state for states in here.values() for state in states):
            if not is_free and state.kind != "zero_bye":
                self._differ(self._say(one.number, state.entries, _("is not in the file")))
        return replace(one, fixtures=tuple(new)) if new else None

    def _compare_fixture(self, number: int, state: FixtureState, fixture: ImportedFixture) -> None:
        """Note the result of a fixture, or that it contradicts."""
        entries = [seat.entry for seat in fixture.seats]
        if len(entries) == 2 and list(state.entries) != entries:
            self._differ(self._say(number, entries, _("has other colours here")), fixture)
        elif state.status == "planned" and fixture.kind in ("played", "forfeit"):
            self.results[state.number] = fixture
        elif fixture.kind != "planned" and self._list_points(state.data) != self._list_points(
            FixtureData(self._rank_seats(fixture.seats), fixture.kind)
        ):
            self._differ(self._say(number, entries, _("has another result here")), fixture)

    def _list_points(self, data: FixtureData) -> tuple[bool, list[tuple[int, Fraction]]]:
        """Return whether a fixture was played, and the points of each entry in it."""
        points = compute_fixture_points(self.loaded.build_data(0), data)
        return data.kind == "played", sorted(zip((seat.entry for seat in data.seats), points, strict=True))

    def _rank_seats(self, seats: Sequence[Seat]) -> tuple[Seat, ...]:
        """Return seats with the places that their scores give."""
        scores = [seat.score for seat in seats if seat.score is not None]
        if len(scores) < len(seats):
            return tuple(seats)
        values = [score if self.loaded.lowest_wins else -score for score in scores]
        return tuple(
            seat._replace(place=1 + sum(other < value for other in values))
            for seat, value in zip(seats, values, strict=True)
        )

    def _say(self, number: int, entries: Sequence[int], what: str) -> str:
        names = " – ".join(self._name(entry) for entry in entries)
        if not number:
            return _("{entries} {what}.").format(entries=names, what=what)
        return _("Round {round}: {entries} {what}.").format(round=number, entries=names, what=what)

    def _name(self, entry: int) -> str:
        return self.loaded.name(entry) if entry in self.loaded.entries else str(entry)

    def _differ(self, sentence: str, fixture: ImportedFixture | None = None) -> None:
        self.differences.append(Problem("", "differs", sentence, (fixture and fixture.line) or None))
