"""Leagues and their dated rules."""

import zoneinfo
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from league.errors import Conflict, Invalid, Problem, Refused
from league.models import Game, League, Rule
from league.selectors.rules import rules_of
from league.services.books import with_books
from league.services.replay import replay_from
from ratings.parameters import ParameterError
from ratings.registry import UnknownSystem, get_system

#: What may be set of a league when it is made and changed later.
SETTINGS = ("title", "game", "description", "time_zone", "visibility", "min_games", "inactive_after_days")
#: A first rule without a date is in force since before any game that we know of.
ALWAYS = date(1800, 1, 1)
LATEST = date(2200, 12, 31)
MOMENT = timedelta(microseconds=1)


def create_league(
    slug: str,
    title: str,
    *,
    settings: Mapping[str, Any] | None = None,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    from_date: date | None = None,
    by: str = "",
) -> League:
    """Make a league, with its first rule where a system is named.

    Raises Invalid with a pointer per field, and Conflict where the slug is taken.
    """
    league = League(slug=slug, title=title)
    apply_settings(league, settings or {})
    try:
        with transaction.atomic():
            league.save()
            if system is not None:
                add_rule(league, system, parameters or {}, from_date or ALWAYS, by)
    except IntegrityError:
        problem = Problem("/slug", "taken", f"There is a league “{slug}” already; choose another slug.")
        raise Conflict.of([problem]) from None
    return league


def change_league(league_id: int, settings: Mapping[str, Any]) -> League:
    """Change settings of a league; raises Invalid with a pointer per field."""

    def work(league: League, now: datetime) -> League:
        apply_settings(league, settings)
        league.save(update_fields=list(SETTINGS))
        return league

    return with_books(league_id, work)


def apply_settings(league: League, settings: Mapping[str, Any]) -> None:
    """Set fields of a league and check all of them; raises Invalid."""
    for name in SETTINGS:
        if name in settings:
            setattr(league, name, settings[name])
    problems = []
    try:
        league.clean_fields()
    except ValidationError as error:
        problems = [Problem(f"/{name}", "invalid", " ".join(messages)) for name, messages in error.message_dict.items()]
    if league.time_zone not in zoneinfo.available_timezones():
        sentence = f"There is no time zone “{league.time_zone}”; write it such as Europe/Belgrade or UTC."
        problems.append(Problem("/time_zone", "unknown_time_zone", sentence))
    if problems:
        raise Invalid.of(problems)


def adopt_rule(
    league_id: int, system: str, parameters: Mapping[str, Any], from_date: date | None = None, *, by: str
) -> Rule:
    """Give the league a rule from a date on, and replay the games played since.

    Without a date the first rule is in force always, a later one from today in the league's zone.
    Raises Invalid (unknown system, parameters out of bounds), Conflict (that date has a rule) or
    Refused (another system than the league's).
    """

    def work(league: League, now: datetime) -> Rule:
        today = now.astimezone(zoneinfo.ZoneInfo(league.time_zone)).date()
        day = from_date or (today if rules_of(league) else ALWAYS)
        rule = add_rule(league, system, parameters, day, by)
        if Game.objects.filter(league=league, played_at__gte=rule.starts_at).exists():
            replay_from(league, None if rule.pk == rules_of(league)[0].pk else (rule.starts_at, 0))
        return rule

    return with_books(league_id, work)


def add_rule(league: League, system: str, parameters: Mapping[str, Any], from_date: date, by: str) -> Rule:
    """Write a rule after checking it."""
    check_choice(system, parameters)
    if not ALWAYS <= from_date <= LATEST:
        sentence = f"A rule's first day is from {ALWAYS} to {LATEST}; {from_date} is not."
        raise Invalid.of([Problem("/from", "out_of_bounds", sentence)])
    rules = rules_of(league)
    if any(rule.from_date == from_date for rule in rules):
        problem = Problem("/from", "taken", f"The league has a rule from {from_date} already; choose another date.")
        raise Conflict.of([problem])
    if rules and rules[0].system != system:
        sentence = (
            f"The league rates by {get_system(rules[0].system).title}; its rules may change the parameters, "
            "not the system. Make a new league for another system."
        )
        raise Refused.of([Problem("/system", "other_system", sentence)])
    return Rule.objects.create(
        league=league,
        from_date=from_date,
        starts_at=start_of_day(from_date, league.time_zone),
        system=system,
        parameters=dict(parameters),
        created_by=by,
    )


def check_choice(system: str, parameters: Mapping[str, Any]) -> None:
    """Raise Invalid where there is no such system or it does not take these parameters."""
    try:
        get_system(system).from_json(parameters)
    except UnknownSystem as error:
        raise Invalid.of([Problem("/system", "unknown_system", str(error.args[0]))]) from None
    except ParameterError as error:
        raise Invalid.of(
            [Problem(f"/parameters/{name}", "invalid", sentence) for name, sentence in error.problems.items()]
        ) from None


def start_of_day(day: date, time_zone: str) -> datetime:
    """Return the first instant (UTC) of a calendar day in a zone.

    Some days have no midnight (clocks went forward over it), some have two: then it is the first
    instant that bears the date. Raises ValueError at the ends of the calendar.
    """
    if not 2 <= day.year <= 9998:
        raise ValueError(f"{day} is too near the end of the calendar.")
    zone = zoneinfo.ZoneInfo(time_zone)

    def date_at(moment: datetime) -> date:
        return moment.astimezone(zone).date()

    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    if date_at(midnight) == day and date_at(midnight - MOMENT) < day:
        return midnight
    # A gap that swallowed midnight: the day begins where the gap ends.
    low, high = midnight - timedelta(hours=26), midnight + timedelta(hours=26)
    while high - low > MOMENT:
        middle = low + (high - low) / 2
        low, high = (low, middle) if date_at(middle) >= day else (middle, high)
    return high
