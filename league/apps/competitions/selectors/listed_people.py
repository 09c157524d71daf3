"""The people of rating lists who are in a competition, and the day of the lists that count for it."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import get_zone
from league.core.players.listed_people import (
    LONGEST_WITH_FIRST_DAY,
    ListedPerson,
    RatingListState,
    find_people_named,
    list_rating_lists,
    look_up_people,
)
from league.core.players.selectors.external_ids import load_external_ids, load_players_by_external_id

#: How old a list in use is at most while a competition runs.
MAX_AGE = timedelta(days=1)


def find_list_day(competition: Competition, now: datetime) -> date | None:
    """Return the first day of a competition that has begun, whose lists count; None: those in use do."""
    starts, ends = competition.starts_at, competition.ends_at or now
    if competition.long or starts is None or starts > now or ends - starts > LONGEST_WITH_FIRST_DAY:
        return None
    return starts.astimezone(get_zone(competition)).date()


def is_outdated(competition: Competition, state: RatingListState) -> bool:
    """Return whether a list was loaded too long ago for a competition that is running."""
    return competition.status == Competition.Status.RUNNING and timezone.now() - state.loaded_at > MAX_AGE


def list_entered(loaded: LoadedCompetition) -> dict[tuple[str, str], int]:
    """Return provider and id of the players of single entries -> number of the entry."""
    of_player = {entry.survivors[0].pk: number for number, entry in loaded.entries.items() if len(entry.survivors) == 1}
    ids = load_external_ids(of_player) if of_player else {}
    return {(provider, number): of_player[player] for player, own in ids.items() for provider, number in own.items()}


class PersonProposal(NamedTuple):
    """A person of a list with the name of an entry that has no id of this list, and is perhaps the same person."""

    entry: int
    name: str
    person: ListedPerson


def propose_people(loaded: LoadedCompetition) -> list[PersonProposal]:
    """Return who in the lists may be an entry without an id: those of the same name whose id no player has."""
    single = {number: entry.survivors[0] for number, entry in loaded.entries.items() if len(entry.survivors) == 1}
    players = {number: one for number, one in single.items() if loaded.entries[number].status == Entry.Status.ENTERED}
    ids = load_external_ids([one.pk for one in players.values()]) if players else {}
    providers = {state.provider for state in list_rating_lists()}
    unknown = {number: one for number, one in players.items() if providers - ids.get(one.pk, {}).keys()}
    found = find_people_named({one.name for one in unknown.values()})
    people = [(number, one, person) for number, one in unknown.items() for person in found.get(one.name, ())]
    taken = load_players_by_external_id([(person.provider, person.number) for _number, _player, person in people])
    return [
        PersonProposal(number, player.name, person)
        for number, player, person in people
        if person.provider not in ids.get(player.pk, {}) and (person.provider, person.number) not in taken
    ]


def count_listed(loaded: LoadedCompetition) -> tuple[int, int]:
    """Return how many of those who are entered are in a list that counts, and how many are entered."""
    people = look_up_entered(list_entered(loaded), find_list_day(loaded.competition, loaded.now))
    entered = [number for number, entry in loaded.entries.items() if entry.status == Entry.Status.ENTERED]
    return sum(number in people for number in entered), len(entered)


def look_up_entered(entered: Mapping[tuple[str, str], int], day: date | None) -> dict[int, list[ListedPerson]]:
    """Return entry -> its person in each list of a day (None: in use) that has it."""
    people: dict[int, list[ListedPerson]] = {}
    for provider in sorted({provider for provider, _number in entered}):
        numbers = {number: entry for (one, number), entry in entered.items() if one == provider}
        for number, person in look_up_people(provider, numbers, day).items():
            people.setdefault(numbers[number], []).append(person)
    return people
