"""Halls of a league, and the evening in one: which match is played where and when, and what comes next."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from league.apps.competitions.models import MEETINGS, Competition, Fixture, Hall
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competitions
from league.core.errors import NotFound
from league.core.text.names import build_surname_key, fold_accents, is_storable
from league.models import League
from ratings.halls.conflicts import PlaceConflict, choose_next, find_conflicts
from ratings.halls.evening import Booking, EveningTimes, HallMatch, HallTable
from ratings.person_names import put_surname_first

MINUTE = timedelta(minutes=1)
#: A match that takes longer than planned is expected to take so many minutes more.
LONGER = 10
#: A plan that is made during the evening begins at the next full so many minutes.
STEP = 5


def list_halls(league: League) -> QuerySet[Hall]:
    """Return the halls of a league by their slugs."""
    return Hall.objects.filter(league=league).order_by("slug")


def find_hall(league: League, slug: str) -> Hall:
    """Return a hall of a league; raises NotFound."""
    found = list_halls(league).filter(slug=slug).first() if is_storable(slug) else None
    if found is None:
        template = _("The league {league} has no hall “{slug}”.")
        raise NotFound(template.format(league=league.title, slug=slug))
    found.league = league
    return found


def list_tables(hall: Hall) -> list[HallTable]:
    """Return the tables of a hall by room."""
    return [
        HallTable(number, room["title"], room["seats"], frozenset(room["competitions"]))
        for room in hall.rooms
        for number in range(room["first"], room["last"] + 1)
    ]


@dataclass(frozen=True)
class HallGame:
    """A fixture of the evening. ``booking``: its place; None: it has none. ``is_open``: it has no result yet.

    ``is_under_way``: it is the one that is played at its table now.
    """

    loaded: LoadedCompetition
    state: FixtureState
    match: HallMatch
    booking: Booking | None
    is_open: bool
    is_under_way: bool = False

    @property
    def names(self) -> str:
        """Who meets."""
        return self.loaded.join_names(self.state.entries)


@dataclass(frozen=True)
class HallEvening:
    """The evening in a hall as of ``now``; ``games``: by time and table, those without a place last."""

    hall: Hall
    now: datetime
    tables: Sequence[HallTable]
    competitions: Mapping[str, LoadedCompetition]
    games: Sequence[HallGame]

    @property
    def times(self) -> EveningTimes:
        """The times of the evening, in minutes from its beginning."""
        return EveningTimes(0, self.count_minutes(self.hall.ends_at), self.hall.minutes, self.hall.rest)

    @property
    def minute(self) -> int:
        """The minute of now."""
        return self.count_minutes(self.now)

    def count_minutes(self, at: datetime | None) -> int:
        """Return the minutes from the beginning of the evening."""
        return count_minutes(self.hall, at)

    def find_time(self, minute: int) -> datetime:
        """Return the time of a minute."""
        assert self.hall.starts_at is not None
        return self.hall.starts_at + minute * MINUTE

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of all people, by their ids."""
        entries = (entry for loaded in self.competitions.values() for entry in loaded.entries.values())
        return {player.pk: player.name for entry in entries for player in entry.survivors}

    @cached_property
    def games_by_number(self) -> dict[int, HallGame]:
        """The games by the number of their fixture."""
        return {game.state.number: game for game in self.games}

    @cached_property
    def fixed(self) -> list[Booking]:
        """What a plan from now on leaves where it is: what was played, and what is under way."""
        fixed = []
        for game in self.games:
            if game.booking is not None and game.is_under_way:
                end = max(game.booking.end, self.minute + LONGER)
                fixed.append(Booking(game.match, game.booking.table, game.booking.start, end))
            elif game.booking is not None and not game.is_open:
                entered = self.count_minutes(game.state.game.entered_at) if game.state.game else game.booking.end
                # Who came early may have played before the time of the plan.
                end = min(entered, self.minute)
                fixed.append(Booking(game.match, game.booking.table, min(game.booking.start, end), end))
        return fixed

    @cached_property
    def waiting(self) -> list[HallGame]:
        """The open games that have not begun, those first that are planned first."""
        return [game for game in self.games if game.is_open and not game.is_under_way]

    @cached_property
    def conflicts(self) -> list[PlaceConflict]:
        """What is wrong with the places of the open games, as they stand."""
        bookings = [game.booking for game in self.games if game.booking is not None and game.is_open]
        return find_conflicts(bookings, self.tables, self.hall.rest)

    @cached_property
    def free_tables(self) -> list[HallTable]:
        """The tables at which nothing is under way."""
        taken = {game.booking.table for game in self.games if game.is_under_way and game.booking}
        return [table for table in self.tables if table.number not in taken]

    @cached_property
    def next_games(self) -> list[tuple[HallTable, HallGame]]:
        """What can begin now, during the evening: a free table, and the first match that can be played there."""
        if not self.is_on:
            return []
        under_way = [game for game in self.games if game.is_under_way]
        busy = {person for game in under_way for person in game.match.people}
        for one in self.fixed:
            if one.end <= self.minute < one.end + self.hall.rest:
                busy |= one.match.people
        wishes = {game.match.key: game.booking.table for game in self.waiting if game.booking is not None}
        called = choose_next([game.match for game in self.waiting], self.free_tables, busy, wishes)
        return [(table, self.games_by_number[match.key]) for table, match in called]

    @property
    def is_on(self) -> bool:
        """Whether it is the time of the evening."""
        starts, ends = self.hall.starts_at, self.hall.ends_at
        return starts is not None and ends is not None and starts <= self.now < ends


def count_minutes(hall: Hall, at: datetime | None) -> int:
    """Return the minutes from the beginning of a hall's evening; 0 without a time."""
    return 0 if hall.starts_at is None or at is None else int((at - hall.starts_at) // MINUTE)


def load_evening(hall: Hall, now: datetime | None = None) -> HallEvening:
    """Return the evening of a hall as of a time (None: now)."""
    now = now or timezone.now()
    slugs = [part["competition"] for part in hall.parts]
    chosen = Q(slug__in=slugs) | Q(fixtures__number__in=hall.planned)
    found = list(Competition.objects.filter(chosen, league=hall.league_id).distinct().order_by("slug"))
    for one in found:
        one.league = hall.league
    competitions = {one.competition.slug: one for one in load_competitions(found, now)}
    games = [
        _build_game(hall, competitions[slug], state)
        for slug in competitions
        for state in _list_fixtures(hall, competitions[slug])
    ]
    games.sort(key=_get_order)
    return HallEvening(hall, now, list_tables(hall), competitions, _mark_under_way(hall, games, now))


def _list_fixtures(hall: Hall, loaded: LoadedCompetition) -> list[FixtureState]:
    """Return the fixtures of a competition that belong to the evening: its open ones, and those that were planned.

    Of one that has ended, only what was played belongs to it.
    """
    is_running = loaded.competition.status == Competition.Status.RUNNING
    planned = set(hall.planned)
    return [
        state
        for state in loaded.fixtures
        if state.kind in MEETINGS
        and state.status != "cancelled"
        and (is_running or state.game is not None)
        and (state.number in planned or (_is_open(state) and is_part(hall, loaded.competition.slug, state.round)))
    ]


def is_part(hall: Hall, slug: str, number: int | None) -> bool:
    """Return whether a round of a competition is played in the evening of a hall."""
    return any(part["competition"] == slug and part["round"] in (None, number) for part in hall.parts)


def _is_open(state: FixtureState) -> bool:
    return state.status == "planned" and state.game is None and not state.adjourned


def _build_game(hall: Hall, loaded: LoadedCompetition, state: FixtureState) -> HallGame:
    entries = [loaded.entries[number] for number in state.entries]
    people = frozenset(player.pk for entry in entries for player in entry.survivors)
    # The boards of a match of teams are at one table, however many people that takes.
    seats = 0 if state.kind == Fixture.Kind.MATCH else len(people)
    match = HallMatch(state.number, people, loaded.competition.slug, seats, state.round or 0, state.table or 0)
    booking = None
    if state.number in hall.planned and state.table is not None and state.starts_at is not None:
        start = count_minutes(hall, state.starts_at)
        booking = Booking(match, state.table, start, start + hall.minutes)
    return HallGame(loaded, state, match, booking, _is_open(state))


def _get_order(game: HallGame) -> tuple[Any, ...]:
    if game.booking is None:
        return True, game.match.order, game.match.key
    return False, game.booking.start, game.booking.table, game.match.key


def _mark_under_way(hall: Hall, games: Sequence[HallGame], now: datetime) -> list[HallGame]:
    """Mark of each table the first open game whose time has come, unless its people still play at another table."""
    minute, begun, busy = count_minutes(hall, now), set[int](), set[int]()
    marked = []
    for game in games:
        booking = game.booking
        begins = bool(
            booking
            and game.is_open
            and booking.start <= minute
            and booking.table not in begun
            and busy.isdisjoint(game.match.people)
        )
        if booking and begins:
            begun.add(booking.table)
            busy |= game.match.people
        marked.append(replace(game, is_under_way=begins))
    return marked


def list_used_tables(evening: HallEvening, planned: Collection[int]) -> dict[tuple[str, int], set[int]]:
    """Return competition and round -> the tables of its fixtures that are not to be planned: played, or under way."""
    used: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for slug, loaded in evening.competitions.items():
        for state in loaded.fixtures:
            if state.round and state.table and state.status != "cancelled" and state.number not in planned:
                used[slug, state.round].add(state.table)
    return used


class PlannedElsewhere(NamedTuple):
    """The fixtures in the plans of a league's other halls, and those of them that are under way there."""

    planned: set[int]
    under_way: set[int]


def list_elsewhere(hall: Hall, now: datetime) -> PlannedElsewhere:
    """Return what is planned and under way in the other halls of a league."""
    found = PlannedElsewhere(set(), set())
    for other in list_halls(hall.league).exclude(pk=hall.pk).exclude(planned=[]):
        other.league = hall.league
        found.planned.update(other.planned)
        if other.starts_at is not None and other.ends_at is not None and other.starts_at <= now < other.ends_at:
            found.under_way.update(game.state.number for game in load_evening(other, now).games if game.is_under_way)
    return found


def list_evenings_now(competition: Competition) -> list[HallEvening]:
    """Return the evenings that are on now and have matches of a competition."""
    now = timezone.now()
    halls = list_halls(competition.league).filter(starts_at__lte=now, ends_at__gt=now)
    found = []
    for hall in halls:
        if any(part["competition"] == competition.slug for part in hall.parts):
            hall.league = competition.league
            found.append(load_evening(hall, now))
    return found


def group_by_table(evening: HallEvening) -> list[tuple[HallTable, list[HallGame]]]:
    """Return each table with its games in order of time."""
    found: defaultdict[int, list[HallGame]] = defaultdict(list)
    for game in evening.games:
        if game.booking is not None:
            found[game.booking.table].append(game)
    return [(table, found[table.number]) for table in evening.tables]


class HallSeat(NamedTuple):
    """A person's or a side's match of the evening: when, where, and against whom."""

    name: str
    game: HallGame
    others: str


def list_seats(evening: HallEvening) -> list[HallSeat]:
    """Return the matches of each entry by name, then in order of time."""
    found = []
    for game in evening.games:
        if game.booking is not None:
            entries = game.state.entries
            for entry in entries:
                others = game.loaded.join_names(other for other in entries if other != entry)
                name = write_listed_name(game.loaded.competition, game.loaded.name(entry))
                found.append(HallSeat(name, game, others))
    return sorted(found, key=lambda seat: build_listed_name_key(seat.game.loaded.competition, seat.name))


def write_listed_name(competition: Competition, name: str) -> str:
    """Return the name of an entry in a list that is ordered by names: a person's with the surname first."""
    return put_surname_first(name) if _is_of_people(competition) else name


def build_listed_name_key(competition: Competition, name: str) -> tuple[str, str]:
    """Return where an entry is in a list by names: a person by the surname, a side of several by its name."""
    return build_surname_key(name) if _is_of_people(competition) else (fold_accents(name), "")


def _is_of_people(competition: Competition) -> bool:
    return competition.sides_of == 1 and not competition.teams
