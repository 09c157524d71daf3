"""A competition by pairing numbers, as tournament reports number its entries."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace

from league.apps.competitions.models import Entry
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition


def list_pairing_numbers(loaded: LoadedCompetition) -> dict[int, int]:
    """Return number -> pairing number of each entry."""
    return {number: entry.pairing_number for number, entry in loaded.entries.items()}


def renumber_entries(loaded: LoadedCompetition) -> LoadedCompetition:
    """Return a competition whose entries have their pairing numbers as numbers, itself if none has moved."""
    numbers = list_pairing_numbers(loaded)
    if all(old == new for old, new in numbers.items()):
        return loaded
    return replace(
        loaded,
        entries={numbers[number]: _renumber_entry(entry, numbers) for number, entry in loaded.entries.items()},
        people={player: numbers[entry] for player, entry in loaded.people.items()},
        fixtures=[_renumber_fixture(one, numbers) for one in loaded.fixtures],
    )


def _renumber_entry(entry: Entry, numbers: Mapping[int, int]) -> Entry:
    renumbered = copy(entry)
    renumbered.number, renumbered.moved_number = numbers[entry.number], None
    renumbered.not_against = sorted(numbers[one] for one in entry.not_against if one in numbers)
    renumbered.apart = [{**one, "entry": numbers[one["entry"]]} for one in entry.apart if one["entry"] in numbers]
    return renumbered


def _renumber_fixture(fixture: FixtureState, numbers: Mapping[int, int]) -> FixtureState:
    seats = tuple(seat._replace(entry=numbers[seat.entry]) for seat in fixture.data.seats)
    boards = tuple(_renumber_fixture(board, numbers) for board in fixture.boards)
    return fixture._replace(data=replace(fixture.data, seats=seats), boards=boards)
