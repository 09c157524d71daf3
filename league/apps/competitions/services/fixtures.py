"""Changes fixtures: who meets whom, where and when."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.apps.competitions.files.fixture_plan import PLANNED, PLANNED_TIMES
from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import MAX_TABLE, MEETINGS, Competition, Fixture, FixtureSeat
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, check_running
from league.apps.competitions.selectors.exporting import REPORTED
from league.apps.competitions.selectors.playable_fixtures import find_playable_fixture
from league.apps.competitions.services.entered import forget_entered
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.pairing_warnings import list_breaches_of, refuse_unconfirmed_pairings
from league.apps.competitions.services.regulations import (
    CONFIRMED,
    Confirmed,
    RuleWarning,
    refuse_fixed_results,
    refuse_unconfirmed,
)
from league.apps.competitions.services.rounds import (
    check_entries,
    is_played,
    list_fixture_sizes,
)
from league.core.errors import Conflict, Invalid, Problem, Refused
from league.core.locking import locked
from league.core.reasons import find_reason_problems
from league.models import League
from ratings.contract.competition import parse_fraction

#: The most points that an arbiter gives or takes.
MAX_POINTS = 1000
CHANGEABLE = ("entries", *PLANNED, "cancelled", "points", "adjourned", "reported")
#: Before a result is corrected too late for standings and pairings.
REPORT_WARNING = RuleWarning(
    "report_alone",
    CONFIRMED,
    gettext_lazy("Only the tournament report gets this result. Standings, pairings and ratings here stay."),
)


@locked
def change_fixture(
    league: League,
    now: datetime,
    number: int,
    changes: Mapping[str, Any],
    *,
    by: str,
    reason: str = "",
    confirmed: Confirmed = (),
) -> Fixture:
    """Change a fixture: any of ``CHANGEABLE``.

    ``adjourned``: the game has begun and ends another day; until then it is a draw for the pairing of the next rounds.
    ``reported``: another result in the tournament report alone, in ``REPORTED``; "": none. Also after the end.
    ``points``: those that the arbiter decides, in seat order; None: as the result has them. An entry of another fixture
    of the round changes places with the one that it replaces. The same entries in another order get other seats.
    Raises NotFound, Invalid, Refused, Conflict if a game was played, and ConfirmationNeeded for what the regulations
    warn of.
    """
    row = find_playable_fixture(league, number).row
    competition = row.competition
    competition.league = league
    if changes.keys() != {"reported"} or competition.status != Competition.Status.FINISHED:
        check_running(competition)
    reason = reason.strip()
    _check_changes(row, changes, reason)
    if "points" in changes:
        refuse_fixed_results([row])
    loaded = load_competition(competition, now)
    state = loaded.find_fixture(number)
    assert state is not None
    _refuse_board(state, changes)
    seats: dict[int, list[int]] = {}
    if "entries" in changes and tuple(changes["entries"]) != state.entries:
        seats = _seat_entries(loaded, state, list(changes["entries"]))
    if "reported" in changes:
        _refuse_report(state)
        refuse_unconfirmed(competition, [REPORT_WARNING], confirmed)
    _write_values(loaded, row, state, changes)
    _write_seats(competition, seats)
    if "cancelled" in changes or seats:
        forget_entered(competition, {number, *seats})
    if "points" in changes:
        _write_points(row, state, changes["points"])
    if competition.regulations and state.round is not None and (seats or "cancelled" in changes):
        rounds = {state.round}
        after = load_competition(competition, now)
        refuse_unconfirmed_pairings(list_breaches_of(loaded, rounds), after, rounds, confirmed)
    boards, removed = _change_boards(loaded, state, row, seats)
    changed = competition.fixtures.filter(number__in={number, *seats, *boards}).select_related("round", "game")
    append_change(
        league, now, by, ChangeKind.FIXTURE_CHANGED, competition, reason=reason,
        fixtures=FIXTURE_LOG.build_payloads(changed.order_by("number"), competition=competition.slug),
        members={"fixture": number}, removed={"fixtures": removed} if removed else None,
    )  # fmt: skip
    return row


def _write_values(loaded: LoadedCompetition, row: Fixture, state: FixtureState, changes: Mapping[str, Any]) -> None:
    """Write what is changed of a fixture itself; raises Refused, and Conflict if a game was played."""
    if changes.get("cancelled") and is_played(state):
        _refuse_played(loaded, state)
    for name in changes.keys() & {*PLANNED}:
        setattr(row, name, changes[name])
    if "cancelled" in changes:
        row.cancelled_at = (row.cancelled_at or loaded.now) if changes["cancelled"] else None
    if changes.get("adjourned"):
        _refuse_adjournment(loaded.competition, state)
    row.adjourned = changes.get("adjourned", row.adjourned)
    row.reported = changes.get("reported", row.reported)
    row.save(update_fields=[*PLANNED, "cancelled_at", "adjourned", "reported"])


def _refuse_board(state: FixtureState, changes: Mapping[str, Any]) -> None:
    """Raise Refused for a change of a board that is one of its match."""
    if state.match is not None and changes.keys() & {"entries", "cancelled", "adjourned"}:
        message = _("Fixture {number} is a board: change the match {match}.").format(
            number=state.number, match=state.match
        )
        raise Refused.of([Problem("/entries", "board", message)])


def _change_boards(
    loaded: LoadedCompetition, state: FixtureState, row: Fixture, seats: Mapping[int, Sequence[int]]
) -> tuple[set[int], list[int]]:
    """Let the boards of a match follow it; return the numbers of those that changed, and were removed.

    If other teams meet, line-ups begin again.
    """
    fixtures = loaded.competition.fixtures
    if seats:
        removed = [board.number for other in loaded.fixtures if other.number in seats for board in other.boards]
        fixtures.filter(number__in=removed).delete()
        return set(), sorted(removed)
    boards = {board.number for board in state.boards}
    if boards:
        shared = {name: getattr(row, name) for name in (*PLANNED, "cancelled_at", "adjourned")}
        fixtures.filter(number__in=boards).update(**shared)
    return boards, []


def _check_changes(row: Fixture, changes: Mapping[str, Any], reason: str) -> None:
    """Raise Invalid if a change is not well-formed, or who meets whom is changed without a reason."""
    problems = [
        Problem(f"/{name}", "unknown_field", _("A fixture has no changeable field “{name}”.").format(name=name))
        for name in changes
        if name not in CHANGEABLE
    ]
    for name in PLANNED_TIMES:
        time = changes.get(name)
        if time is not None and (not isinstance(time, datetime) or time.tzinfo is None):
            problems.append(Problem(f"/{name}", "no_offset", _("The time needs an offset, e.g. 2024-03-05T19:30:00Z.")))
    table = changes.get("table")
    if table is not None and not (isinstance(table, int) and 1 <= table <= MAX_TABLE):
        message = _("A table is a number from 1 to {limit}.").format(limit=MAX_TABLE)
        problems.append(Problem("/table", "out_of_bounds", message))
    venue = changes.get("venue", "")
    limit: Any = Fixture._meta.get_field("venue").max_length
    if not isinstance(venue, str) or len(venue) > limit or "\0" in venue:
        message = _("A venue has at most {limit} characters.").format(limit=limit)
        problems.append(Problem("/venue", "too_long", message))
    if changes.get("reported", "") not in ("", *REPORTED):
        message = _("A result in the report is one of: {results}.").format(results=", ".join(REPORTED))
        problems.append(Problem("/reported", "invalid", message))
    problems += find_reason_problems(reason)
    published = row.round is None or row.round.published_at is not None
    if published and not reason and ("entries" in changes or "cancelled" in changes):
        message = _("The round is published: give a reason for changing who meets whom.")
        problems.append(Problem("/reason", "missing", message))
    elif not reason and changes.keys() & {"points", "reported"}:
        problems.append(Problem("/reason", "missing", _("Give the reason of the arbiter's decision.")))
    if problems:
        raise Invalid.of(problems)


def _refuse_report(state: FixtureState) -> None:
    """Raise Refused if a fixture cannot have another result in the report: only a game of two that has one."""
    if state.kind != Fixture.Kind.GAME or len(state.entries) != 2 or state.game is None:
        message = _("Only a game of two that has a result can have another one in the report.")
        raise Refused.of([Problem("/reported", "no_result", message)])


def _refuse_adjournment(competition: Competition, state: FixtureState) -> None:
    """Raise Refused or Conflict if a fixture cannot be adjourned: only a game or match that has no result yet."""
    if competition.format in BRACKET_FORMATS:
        message = _("The next round of a knock-out needs the winner: enter the result when the game has ended.")
        raise Refused.of([Problem("/adjourned", "bracket", message)])
    if state.kind not in MEETINGS or state.status != "planned":
        message = _("Only a game without a result can be adjourned.")
        raise Conflict(message, [Problem("/adjourned", "played", message)])


def _write_points(row: Fixture, state: FixtureState, points: Sequence[float | None]) -> None:
    """Write the points of the seats; raises Refused or Invalid."""
    if state.status not in ("played", "forfeited", "bye") or state.is_decided_by_deadline:
        message = _("Fixture {number} has no result yet: enter it first.").format(number=state.number)
        raise Refused.of([Problem("/points", "no_result", message)])
    if len(points) != len(state.entries):
        template = ngettext(
            "Fixture {number} has {count} seat: give its points.",
            "Fixture {number} has {count} seats: give the points of each.",
            len(state.entries),
        )
        message = template.format(number=state.number, count=len(state.entries))
        raise Invalid.of([Problem("/points", "count", message)])
    if any(one is not None and abs(one) > MAX_POINTS for one in points):
        message = _("Points are numbers from {low} to {high}.").format(low=-MAX_POINTS, high=MAX_POINTS)
        raise Invalid.of([Problem("/points", "out_of_bounds", message)])
    seats = list(FixtureSeat.objects.filter(league=row.league_id, fixture=row).order_by("seat"))
    for seat, one in zip(seats, points, strict=True):
        seat.points = "" if one is None else str(parse_fraction(one))
    FixtureSeat.objects.bulk_update(seats, ["points"])


def _seat_entries(loaded: LoadedCompetition, state: FixtureState, wanted: list[int]) -> dict[int, list[int]]:
    """Return fixture -> its new entries: the fixture itself, and those with whose entries it changes places."""
    problems = list(check_entries(loaded, wanted, "/entries"))
    if problems:
        raise Refused.of(problems)
    if is_played(state):
        _refuse_played(loaded, state)
    removed = [entry for entry in state.entries if entry not in wanted]
    seats = {state.number: wanted}
    others = [] if state.round is None else loaded.list_fixtures(state.round)
    for entry in wanted:
        if entry in state.entries:
            continue
        other = next(
            (one for one in others if entry in one.entries and one.status != "cancelled" and one is not state), None
        )
        instead = [removed.pop(0)] if removed else []
        if other is None:
            continue
        if is_played(other):
            _refuse_played(loaded, other)
        places = seats.setdefault(other.number, list(other.entries))
        at = places.index(entry)
        places[at : at + 1] = instead
    by_number = {one.number: one for one in [*others, state]}
    for number, entries in seats.items():
        _refuse_wrong_size(loaded, by_number[number], entries)
    return seats


def _refuse_wrong_size(loaded: LoadedCompetition, state: FixtureState, entries: Sequence[int]) -> None:
    low, high = list_fixture_sizes(loaded.competition, state.kind)
    if low <= len(entries) <= high:
        return
    template = ngettext(
        "Fixture {number} would have {count} entry, which is not possible.",
        "Fixture {number} would have {count} entries, which is not possible.",
        len(entries),
    )
    raise Refused.of([Problem("/entries", "count", template.format(number=state.number, count=len(entries)))])


def _refuse_played(loaded: LoadedCompetition, state: FixtureState) -> None:
    game = next(one.game for one in (state, *state.boards) if one.game is not None)
    template = _("{entries} already have a result: game {game}. Void or correct that game first.")
    message = template.format(entries=loaded.join_names(state.entries), game=game.number)
    raise Conflict(message, [Problem("/entries", "played", message)], {"game": game.number})


def _write_seats(competition: Competition, seats: Mapping[int, Sequence[int]]) -> None:
    """Write the new entries of fixtures; points that an arbiter awarded stay with their entry."""
    if not seats:
        return
    lines = FixtureSeat.objects.filter(league=competition.league_id, fixture__competition=competition)
    old = lines.filter(fixture__number__in=seats)
    points = {(fixture, entry): value for fixture, entry, value in
              old.values_list("fixture__number", "entry__number", "points")}  # fmt: skip
    old.delete()
    fixtures = dict(competition.fixtures.filter(number__in=seats).values_list("number", "pk"))
    keys = dict(competition.entries.values_list("number", "pk"))
    FixtureSeat.objects.bulk_create(
        FixtureSeat(
            league_id=competition.league_id,
            fixture_id=fixtures[number],
            seat=seat,
            entry_id=keys[entry],
            points=points.get((number, entry), ""),
        )
        for number, entries in seats.items()
        for seat, entry in enumerate(entries, start=1)
    )
