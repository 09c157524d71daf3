"""Seats people at tables by their ratings: the pairing format ``tables`` for an evening without a competition.

It writes and locks nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from django.utils.translation import gettext as _

from league.core.errors import Problem, Refused
from league.core.games.services.balance import BalancedPerson, find_people, load_current_rules, load_people
from league.core.permissions import Viewer
from league.models import League
from ratings.contract.competition import CompetitionData, EntryData
from ratings.contract.pairing_format import CannotPair, PairingRequest
from ratings.contract.system import RatingSystem
from ratings.pairing_formats.tables import Tables

#: Most people to seat: the search for so many takes less than a second.
MAX_SEATED = 60


@dataclass(frozen=True)
class SeatingRequest:
    """People by any names, and what is wanted of their tables.

    ``size``: people at a table. ``strength``: as the format's. ``seed``: decides what is drawn by lot.
    """

    players: Sequence[str]
    size: int = 4
    strength: str = "mixed"
    apart: Sequence[Sequence[str]] = ()
    seed: int = 0
    viewer: Viewer | None = None


@dataclass(frozen=True)
class Seating:
    """The people from the highest rating on, and the tables with their people in seat order, strongest table first."""

    system: RatingSystem
    people: list[BalancedPerson]
    tables: list[list[BalancedPerson]]


def seat_people(league: League, asked: SeatingRequest) -> Seating:
    """Return who sits with whom, by the ratings now.

    Raises Refused if they cannot be seated as asked, Busy while ratings are recalculated.
    """
    current = load_current_rules(league)
    players, groups = find_people(league, asked.players, {"apart": asked.apart}, asked.viewer)
    people = load_people(league, players, current)
    number_of = {person.handle: number for number, person in enumerate(people, start=1)}
    pairs = {
        frozenset(number_of[players[index].handle] for index in pair)
        for group in groups["apart"]
        for pair in combinations(group, 2)
    }
    tables = Tables(size=asked.size, strength=asked.strength)
    if (misfit := tables.check_size(len(people))) is not None:
        raise Refused.of([Problem("/size", "sizes", misfit)])
    entries = tuple(map(EntryData, number_of.values()))
    request = PairingRequest(CompetitionData(entries, ()), 1, not_against=frozenset(pairs), seed=asked.seed)
    try:
        proposal = tables.pair(request)
    except CannotPair:
        message = _("No tables were found at which nobody sits who should be apart: leave out a wish.")
        raise Refused.of([Problem("/apart", "apart", message)]) from None
    seatings = [[people[seat.entry - 1] for seat in fixture.seats] for fixture in proposal.fixtures]
    return Seating(current.system, people, seatings)
