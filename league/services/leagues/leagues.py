"""Leagues and their dated rules."""

import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from league.calendar import ALWAYS, LATEST, day_of, start_of_day
from league.errors import Conflict, Invalid, NotFound, Problem, Refused, pointer_to
from league.metadata import check_metadata
from league.models import Edition, Game, League, LogEntry, Membership, Period, Rule
from league.models.declared import SETTINGS
from league.selectors.rules import rules_of, system_of
from league.services.ladders.ladders import rebuild
from league.services.leagues.seasons import checked_season
from league.services.locking import with_league_lock
from league.services.log import entries, write
from league.services.replay.inline import catch_up
from ratings.contract.parameters import ParameterError
from ratings.contract.system import RatingSystem
from ratings.registry import UnknownSystem, get_system
from ratings.texts import localised


def create_league(
    slug: str,
    title: str,
    *,
    settings: Mapping[str, Any] | None = None,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    from_date: date | None = None,
    season: Mapping[str, Any] | None = None,
    by: str = "",
    owner: Any = None,
) -> League:
    """Make a league, with its first rule where a system is named; the user who makes it becomes its owner.

    Raises Invalid with a pointer per field, and Conflict where the slug is taken.
    """
    league = League(slug=slug, title=title)
    apply_settings(league, settings or {})
    try:
        with transaction.atomic():
            league.save()
            write.append(league, league.created_at, by, LogEntry.Kind.LEAGUE_CREATED, entries.of_league(league))
            if owner is not None:
                Membership.objects.create(league=league, user=owner, role=Membership.Role.OWNER)
            if system is not None:
                choice = Choice(system, parameters or {}, season)
                add_rule(league, choice, from_date or ALWAYS, league.created_at, by)
    except IntegrityError:
        sentence = _("There is a league “{slug}” already; choose another slug.").format(slug=slug)
        raise Conflict.of([Problem("/slug", "taken", sentence)]) from None
    return league


def change_league(league_id: int, settings: Mapping[str, Any], *, by: str = "") -> League:
    """Change settings of a league; raises Invalid with a pointer per field."""

    def work(league: League, now: datetime) -> League:
        before = {name: getattr(league, name) for name in SETTINGS}
        zone = league.time_zone
        apply_settings(league, settings)
        league.save(update_fields=list(SETTINGS))
        changed = entries.of_settings(before, {name: getattr(league, name) for name in SETTINGS})
        if changed:
            write.append(league, now, by, LogEntry.Kind.LEAGUE_CHANGED, changed)
        if league.time_zone != zone:
            if Edition.objects.filter(ladder__league=league).exists():
                sentence = _("Periods of this league were published by the clock of {zone}; its time zone stays.")
                raise Refused.of([Problem("/time_zone", "closed_period", sentence.format(zone=zone))])
            move_rules(league)
            for ladder in league.ladders.prefetch_related("rules"):
                rebuild(league, ladder, now)
        return league

    return with_league_lock(league_id, work)


def move_rules(league: League) -> None:
    """Resolve the first instants of the rules anew in the league's zone, and replay where that matters."""
    rules = rules_of(league)
    if not rules:
        return
    starts = [start_of_day(rule.from_date, league.time_zone) for rule in rules]
    if Game.objects.filter(league=league, voided_at=None, played_at__lt=starts[0]).exists():
        sentence = _("In {zone} a game would lie before the first rule, which is in force from {day}.")
        said = sentence.format(zone=league.time_zone, day=rules[0].from_date)
        raise Refused.of([Problem("/time_zone", "before_the_league", said)])
    if len(set(starts)) < len(starts):
        sentence = _("In {zone} two rules of the league would begin at the same instant.")
        raise Refused.of([Problem("/time_zone", "taken", sentence.format(zone=league.time_zone))])
    pairs = list(zip(rules, starts, strict=True))
    # No two rules share an instant, not even on the way: those that move later go from the last one on.
    for rule, start in pairs if starts[0] < rules[0].starts_at else reversed(pairs):
        rule.starts_at = start
        rule.save(update_fields=["starts_at"])
    if league.games.exists():
        catch_up(league, None)


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
    problems += check_metadata(league.metadata)
    if league.time_zone not in zoneinfo.available_timezones():
        sentence = _("There is no time zone “{zone}”; write it such as Europe/Belgrade or UTC.")
        problems.append(Problem("/time_zone", "unknown_time_zone", sentence.format(zone=league.time_zone)))
    if problems:
        raise Invalid.of(problems)


def adopt_rule(
    league_id: int,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date | None = None,
    season: Mapping[str, Any] | None = None,
    *,
    by: str,
) -> Rule:
    """Give the league a rule from a date on, and replay the games played since.

    Without a date the first rule is in force always, a later one from today in the league's zone.
    Raises Invalid (unknown system, parameters out of bounds), Conflict (that date has a rule) or
    Refused (another system than the league's; a day before the end of a closed period).
    """

    def work(league: League, now: datetime) -> Rule:
        day = from_date or (day_of(now, league.time_zone) if rules_of(league) else ALWAYS)
        rule = add_rule(league, Choice(system, parameters, season), day, now, by)
        refuse_closed(league, rule)
        if Game.objects.filter(league=league, played_at__gte=rule.starts_at).exists():
            catch_up(league, None if rule.pk == rules_of(league)[0].pk else (rule.starts_at, 0))
        return rule

    return with_league_lock(league_id, work)


def withdraw_rule(league_id: int, from_date: date, *, by: str) -> Rule:
    """Take back a rule that is not yet in force and has rated no game.

    Raises NotFound where the league has no such rule, Refused where it is the first one, in force, or has games.
    """

    def work(league: League, now: datetime) -> Rule:
        rules = rules_of(league)
        rule = next((one for one in rules if one.from_date == from_date), None)
        if rule is None:
            sentence = _("{league} has no rule from {day}; it may have been withdrawn meanwhile.")
            raise NotFound(sentence.format(league=league.title, day=from_date))
        if rule.pk == rules[0].pk:
            sentence = _("The rule from {day} is the league's first; games need one.")
            raise Refused(sentence.format(day=rule.from_date))
        if rule.starts_at <= now:
            sentence = _("The rule from {day} is in force; adopt another one from a day on.")
            raise Refused(sentence.format(day=rule.from_date))
        if Game.objects.filter(league=league, voided_at=None, played_at__gte=rule.starts_at).exists():
            sentence = _("Games on {day} or later are rated by that rule already; it stays.")
            raise Refused(sentence.format(day=rule.from_date))
        pk = rule.pk
        rule.delete()
        rule.pk = pk
        write.append(league, now, by, LogEntry.Kind.RULE_WITHDRAWN, entries.of_withdrawal(rule))
        return rule

    return with_league_lock(league_id, work)


def suppose_rule(
    league_id: int,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date,
    season: Mapping[str, Any] | None = None,
    *,
    by: str,
) -> Rule:
    """Rate everything since a day by one rule, whatever rules came since and whatever is closed.

    For dry runs only, which take it back. Raises Invalid and Refused as ``adopt_rule`` does.
    """

    def work(league: League, now: datetime) -> Rule:
        check_choice(system, parameters)
        rules = rules_of(league)
        check_start(rules[0], system, parameters)
        day = max(from_date, rules[0].from_date)
        Rule.objects.filter(league=league, from_date__gte=day).delete()
        rule = add_rule(league, Choice(system, parameters, season), day, now, by)
        if Game.objects.filter(league=league, played_at__gte=rule.starts_at).exists():
            catch_up(league, None if day == rules[0].from_date else (rule.starts_at, 0))
        return rule

    return with_league_lock(league_id, work)


def refuse_closed(league: League, rule: Rule) -> None:
    """Raise Refused where a rule would change what a closed period says."""
    closed = Period.objects.filter(league=league, closed=True, ends_at__gt=rule.starts_at)
    last = closed.select_related("ladder").order_by("-ends_at").first()
    if last is not None:
        sentence = _(
            "{period} of the ladder {ladder} is closed; a rule from {day} would change it. "
            "Choose {end} or a later day, or reopen the closed periods first."
        )
        said = sentence.format(
            period=last.name,
            ladder=last.ladder.title,
            day=rule.from_date,
            end=day_of(last.ends_at, league.time_zone),
        )
        raise Refused.of([Problem("/from", "closed_period", said)])


@dataclass(frozen=True)
class Choice:
    """What a rule chooses: a system with its parameters, and when everybody is pulled to the start, if ever."""

    system: str
    parameters: Mapping[str, Any]
    season: Mapping[str, Any] | None = None


def add_rule(league: League, choice: Choice, from_date: date, now: datetime, by: str) -> Rule:
    """Write a rule, with all of its parameters, after checking it."""
    starts_at = checked_start(league, choice.system, choice.parameters, from_date)
    rule = Rule.objects.create(
        league=league,
        from_date=from_date,
        starts_at=starts_at,
        system=choice.system,
        parameters=get_system(choice.system).whole(choice.parameters),
        season=checked_season(choice.season),
        created_by=by,
    )
    if rule.season:
        note_event(league)
    write.append(league, now, by, LogEntry.Kind.RULE_ADOPTED, entries.of_rule(rule))
    return rule


def note_event(league: League) -> None:
    """Note that something may move ratings of a league between its games; the league must be locked."""
    if not league.eventful:
        league.eventful = True
        league.save(update_fields=["eventful"])


def checked_start(league: League, system: str, parameters: Mapping[str, Any], from_date: date) -> datetime:
    """Return the instant at which a new rule begins; raises where the league cannot have it."""
    check_choice(system, parameters)
    if not ALWAYS <= from_date <= LATEST:
        sentence = _("A rule's first day is from {first} to {last}; {day} is not.")
        said = sentence.format(first=ALWAYS, last=LATEST, day=from_date)
        raise Invalid.of([Problem("/from", "out_of_bounds", said)])
    rules = rules_of(league)
    if any(rule.from_date == from_date for rule in rules):
        sentence = _("The league has a rule from {day} already; choose another date.").format(day=from_date)
        raise Conflict.of([Problem("/from", "taken", sentence)])
    starts_at = start_of_day(from_date, league.time_zone)
    for rule in rules:
        if rule.starts_at == starts_at:
            sentence = _("In {zone} {day} begins when the rule from {other} does.")
            said = sentence.format(zone=league.time_zone, day=from_date, other=rule.from_date)
            raise Conflict.of([Problem("/from", "taken", said)])
    if rules and rules[0].system != system:
        sentence = _(
            "The league rates by {system}; its rules may change the parameters, "
            "not the system. Make a new league for another system."
        )
        said = sentence.format(system=get_system(rules[0].system).title)
        raise Refused.of([Problem("/system", "other_system", said)])
    if rules:
        check_start(rules[0], system, parameters)
    return starts_at


def check_choice(system: str, parameters: Mapping[str, Any]) -> None:
    """Raise Invalid where there is no such system or it does not take these parameters."""
    try:
        get_system(system).from_json(parameters)
    except UnknownSystem as error:
        raise Invalid.of([Problem("/system", "unknown_system", str(error.args[0]))]) from None
    except ParameterError as error:
        raise Invalid.of(
            [Problem(pointer_to("parameters", name), "invalid", said) for name, said in error.problems.items()]
        ) from None


def check_start(first: Rule, system: str, parameters: Mapping[str, Any]) -> None:
    """Raise Refused where newcomers would start elsewhere than under the league's first rule (ruling R108)."""
    before, after = system_of(first), get_system(system).from_json(parameters)
    if before.start() != after.start():
        sentence = _(
            "Newcomers of this league start at {start}, as its first rule says; a further rule cannot let "
            "them start at {other}. Give it the same start, or set the players' initial ratings."
        )
        said = sentence.format(start=start_of(before), other=start_of(after))
        # What moves the start by itself; where only several do so together, all of them are meant.
        moving = [
            name
            for name, value in after.to_json().items()
            if replace(before, **{name: value}).start() != before.start()
        ]
        raise Refused.of([Problem(pointer_to("parameters", *moving[:1]), "other_start", said)])


def start_of(system: RatingSystem) -> str:
    """Return where newcomers start: "1500", or each field of a state of several."""
    if len(system.state) == 1:
        return localised(f"{system.start()[0]:.15g}")
    return ", ".join(
        f"{spec.label} {localised(f'{value:.15g}')}"
        for spec, value in zip(system.state, system.start(), strict=True)
        if not spec.inner
    )
