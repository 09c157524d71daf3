"""Plans the evening of a hall, and calls a match to a table. The places are written into the fixtures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import EVENING, Competition, Fixture, Hall
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.halls import (
    STEP,
    HallEvening,
    HallGame,
    find_hall,
    is_part,
    list_elsewhere,
    list_halls,
    list_used_tables,
    load_evening,
)
from league.apps.competitions.services.hall_checks import MAX_PLANNED, find_hall_problems
from league.apps.competitions.services.halls import append_hall_change
from league.apps.competitions.services.log_rows import append_change
from league.core.errors import Conflict, Invalid, Problem, Refused, build_pointer
from league.core.locking import locked
from league.models import League
from ratings.halls.evening import EveningPlan
from ratings.halls.planning import plan_evening

#: What a place of a match is, as a fixture has it.
PLACE = ("table", "starts_at", "venue")
TableTime = tuple[int | None, datetime | None]


@locked
def plan_hall(league: League, now: datetime, slug: str, settings: Mapping[str, Any], *, by: str) -> EveningPlan:
    """Plan the evening of a hall from now on, and write the table and the time of each match; return the plan.

    ``settings``: those of ``EVENING`` that change. What was played or is under way stays. A match without a place, or
    of a competition that is taken out of the evening, loses the one that it had. Raises NotFound, Invalid, and Refused
    if the evening is over or has no match.
    """
    hall = find_hall(league, slug)
    _apply(hall, settings)
    evening = load_evening(hall, now)
    start = 0 if evening.minute <= 0 else -(-evening.minute // STEP) * STEP
    elsewhere = list_elsewhere(hall, now)
    chosen = [
        game
        for game in evening.waiting
        if is_part(hall, game.match.group, game.state.round) and game.state.number not in elsewhere.under_way
    ]
    _refuse_evening(evening, chosen)
    used = list_used_tables(evening, {game.state.number for game in evening.waiting})
    times = replace(evening.times, start=start)
    plan = plan_evening([game.match for game in chosen], evening.tables, times, evening.fixed, used)
    waiting = {game.match.key for game in evening.waiting}
    # What has no place here keeps the one that it has in another hall.
    places: dict[int, TableTime] = dict.fromkeys(waiting - elsewhere.planned, (None, None))
    placed = {one.match.key: (one.table, evening.find_time(one.start)) for one in plan.bookings}
    places |= placed
    kept = [game.state.number for game in evening.games if game.booking and game.state.number not in waiting]
    hall.planned = sorted([*kept, *placed])
    hall.save(update_fields=[*EVENING, "planned"])
    append_hall_change(league, now, by, ChangeKind.HALL_CHANGED, hall)
    _take_from_others(league, now, by, hall, placed)
    _write_places(league, now, by, evening, places)
    return plan


@locked
def call_match(league: League, now: datetime, slug: str, number: int, table: int, *, by: str) -> None:
    """Let a waiting match of the evening begin at a table now.

    Raises NotFound, Refused if the hall has no such table or match or it does not suit, Conflict if the table or one of
    the people is not free.
    """
    hall = find_hall(league, slug)
    evening = load_evening(hall, now)
    game = next((one for one in evening.waiting if one.state.number == number), None)
    if game is None or number in list_elsewhere(hall, now).under_way:
        message = _("Fixture {number} does not wait for a table here.").format(number=number)
        raise Refused.of([Problem("/fixture", "unknown_fixture", message)])
    found = next((one for one in evening.tables if one.number == table), None)
    if found is None or not found.suits(game.match):
        message = _("{names} cannot play at table {table}.").format(names=game.names, table=table)
        raise Refused.of([Problem("/table", "unsuitable", message)])
    _refuse_busy(evening, game, table)
    if number not in hall.planned:
        hall.planned = sorted([*hall.planned, number])
        hall.save(update_fields=["planned"])
        append_hall_change(league, now, by, ChangeKind.HALL_CHANGED, hall)
        _take_from_others(league, now, by, hall, [number])
    _write_places(league, now, by, evening, {number: (table, now.replace(second=0, microsecond=0))})


def _apply(hall: Hall, settings: Mapping[str, Any]) -> None:
    """Set and check the evening, in whole minutes; raises Invalid.

    Another evening, which begins after the end of the one before, has nothing planned.
    """
    ended = hall.ends_at
    for name in EVENING:
        if name in settings:
            value = settings[name]
            setattr(hall, name, value.replace(second=0, microsecond=0) if isinstance(value, datetime) else value)
    problems = list(find_hall_problems(hall))
    if not problems:
        problems = list(_find_part_problems(hall))
    if problems:
        raise Invalid.of(problems)
    if hall.starts_at is None or ended is None or ended <= hall.starts_at:
        hall.planned = []


def _take_from_others(league: League, now: datetime, by: str, hall: Hall, numbers: Collection[int]) -> None:
    """Take fixtures that got a place in a hall out of the plans of the others: a fixture is in one hall."""
    for other in list_halls(league).exclude(pk=hall.pk):
        left = [number for number in other.planned if number not in numbers]
        if left != other.planned:
            other.planned = left
            other.save(update_fields=["planned"])
            append_hall_change(league, now, by, ChangeKind.HALL_CHANGED, other)


def _find_part_problems(hall: Hall) -> Iterable[Problem]:
    """Yield a problem for each competition that is not running, and for each round that is not there."""
    slugs = [part["competition"] for part in hall.parts]
    running = Competition.objects.filter(league=hall.league_id, slug__in=slugs, status=Competition.Status.RUNNING)
    known = set(running.order_by().values_list("slug", "round_rows__number"))
    for at, part in enumerate(hall.parts):
        slug, number = part["competition"], part["round"]
        if all(slug != other for other, _number in known):
            message = _("There is no running competition “{slug}”.").format(slug=slug)
            yield Problem(build_pointer("parts", at, "competition"), "not_running", message)
        elif number is not None and (slug, number) not in known:
            message = _("The competition has no round {round}.").format(round=number)
            yield Problem(build_pointer("parts", at, "round"), "unknown_round", message)
    if hall.starts_at is None:
        yield Problem("/starts", "missing", _("An evening has a beginning and an end."))


def _refuse_evening(evening: HallEvening, chosen: Sequence[HallGame]) -> None:
    """Raise Refused if nothing can be planned."""
    if evening.minute >= evening.times.end:
        raise Refused.of([Problem("/ends", "ended", _("The evening is over; give it another beginning and end."))])
    if not chosen:
        raise Refused(_("No match waits for a place: these competitions have none, or all are played or under way."))
    if len(evening.games) > MAX_PLANNED:
        raise Refused(_("At most {limit} matches are planned for an evening.").format(limit=MAX_PLANNED))


def _refuse_busy(evening: HallEvening, game: HallGame, table: int) -> None:
    """Raise Conflict if something is under way at the table, or with one of the people."""
    for other in evening.games:
        if not other.is_under_way or other.booking is None:
            continue
        if other.booking.table == table:
            message = _("At table {table} {names} are playing.").format(table=table, names=other.names)
            raise Conflict.of([Problem("/table", "table_twice", message)])
        if person := next(iter(other.match.people & game.match.people), None):
            template = _("{person} is playing at table {table}.")
            message = template.format(person=evening.names[person], table=other.booking.table)
            raise Conflict.of([Problem("/fixture", "person_twice", message)])


def _write_places(
    league: League, now: datetime, by: str, evening: HallEvening, places: Mapping[int, TableTime]
) -> None:
    """Write the places of matches, and of their boards, with an entry of the log for each competition."""
    rooms = {table.number: table.room for table in evening.tables}
    for loaded in evening.competitions.values():
        places_of_fixtures: dict[int, TableTime] = {}
        for game in evening.games:
            if game.loaded is loaded and game.state.number in places:
                numbers = [game.state.number, *(board.number for board in game.state.boards)]
                places_of_fixtures |= dict.fromkeys(numbers, places[game.state.number])
        fixtures = loaded.competition.fixtures.filter(number__in=places_of_fixtures).select_related("round", "game")
        changed = []
        for fixture in fixtures.order_by("number"):
            before = [getattr(fixture, name) for name in PLACE]
            fixture.table, fixture.starts_at = places_of_fixtures[fixture.number]
            if len(evening.hall.rooms) > 1:
                fixture.venue = _describe_room(evening.hall, loaded.competition, rooms.get(fixture.table or 0, ""))
            if [getattr(fixture, name) for name in PLACE] != before:
                changed.append(fixture)
        Fixture.objects.bulk_update(changed, PLACE)
        if changed:
            append_change(
                league, now, by, ChangeKind.FIXTURE_CHANGED, loaded.competition,
                fixtures=FIXTURE_LOG.build_payloads(changed, competition=loaded.competition.slug),
            )  # fmt: skip


def _describe_room(hall: Hall, competition: Competition, room: str) -> str:
    """Return the venue of a match in a hall of several rooms."""
    return ", ".join(filter(None, [room, competition.venue or hall.title]))[:200] if room else ""
