"""Conflicts and matches without a place, as sentences that name tables and people."""

from dataclasses import replace

from django.utils.translation import gettext as _

from league.apps.competitions.selectors.halls import HallEvening, HallGame
from league.core.calendar import get_time_zone
from league.core.text.display_formats import format_day_of_year
from ratings.halls.conflicts import PlaceConflict
from ratings.halls.evening import EveningPlan, LeftOut
from ratings.halls.planning import plan_evening


def format_clock(evening: HallEvening, minute: int) -> str:
    """Return the time of day of a minute in the league's zone, with the day if the evening began on another one."""
    zone = get_time_zone(evening.hall.league.time_zone)
    time, first = (evening.find_time(one).astimezone(zone) for one in (minute, 0))
    clock = f"{time:%H:%M}"
    return clock if time.date() == first.date() else f"{format_day_of_year(time)}, {clock}"


def describe_conflict(evening: HallEvening, conflict: PlaceConflict) -> str:
    """Return what is wrong with the places of a match, or of two."""
    last = conflict.bookings[-1]
    first = conflict.bookings[0]
    values = {
        "names": evening.games_by_number[last.match.key].names,
        "table": last.table,
        "time": format_clock(evening, last.start),
        "other_names": evening.games_by_number[first.match.key].names,
        "other_table": first.table,
        "other_time": format_clock(evening, first.start),
        "person": evening.names.get(conflict.person, ""),
        "rest": evening.hall.rest,
    }
    templates = {
        "table": _("Table {table} has two matches at once: {other_names} from {other_time} and {names} from {time}."),
        "person": _(
            "{person} plays twice at once: {other_names} at table {other_table} from {other_time}, and {names} at "
            "table {table} from {time}."
        ),
        "rest": _("{person} has less than {rest} minutes of rest before {names} at table {table} at {time}."),
        "unknown_table": _("The hall has no table {table}: {names}, {time}."),
        "unsuitable": _("Table {table} does not suit {names}, {time}."),
    }
    return templates[conflict.kind].format(**values)


def describe_left_out(evening: HallEvening, left: LeftOut) -> str:
    """Return why a match has no place in the evening: a sentence that others may share."""
    values = {
        "person": evening.names.get(left.person, ""),
        "count": left.matches,
        "until": format_clock(evening, left.until),
        "end": format_clock(evening, evening.times.end),
    }
    templates = {
        "no_table": _("No table of the hall suits the match."),
        "person": _("{person} has {count} matches to play, which end at {until} at the earliest, not by {end}."),
        "tables": _("The tables are too few. {count} matches need them until {until}, the evening ends at {end}."),
        "none_found": _("No place was found before {end}. Let the evening end later."),
    }
    return templates[left.reason].format(**values)


def explain_unplaced(evening: HallEvening) -> dict[str, list[HallGame]]:
    """Return why matches have no place, each reason with its matches: as the others stand, or that one is free now."""
    unplaced = {game.match.key: game for game in evening.waiting if game.booking is None}
    standing = [game.booking for game in evening.waiting if game.booking is not None]
    times = replace(evening.times, start=max(evening.minute, 0))
    plan = plan_evening([game.match for game in unplaced.values()], evening.tables, times, [*evening.fixed, *standing])
    reasons = {left.match.key: describe_left_out(evening, left) for left in plan.left_out}
    found, grouped = _("There is a place now; plan again."), dict[str, list[HallGame]]()
    for key, game in unplaced.items():
        grouped.setdefault(reasons.get(key) or found, []).append(game)
    return grouped


def describe_plan(evening: HallEvening, plan: EveningPlan) -> str:
    """Return when the last match of a plan ends, and whether that could be earlier."""
    ends = format_clock(evening, plan.ends)
    if plan.left_out:
        template = _("The last planned match ends at {ends}. {count} matches have no place.")
        return template.format(ends=ends, count=len(plan.left_out))
    if plan.ends <= plan.bound:
        return _("The last match ends at {ends}; no plan ends earlier.").format(ends=ends)
    template = _("The last match ends at {ends}; no plan ends before {bound}.")
    return template.format(ends=ends, bound=format_clock(evening, plan.bound))
