"""Creates and changes leagues and their dated rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise, zip_longest
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.calendar import ALWAYS, LATEST, check_time_zone, compute_local_date, start_of_day
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused, build_pointer
from league.core.ladders.selectors.ladders import load_ladder_rules, load_ladders
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.ladders import rebuild
from league.core.leagues.services.seasons import check_season
from league.core.leagues.services.sets import check_sets
from league.core.locking import locked
from league.core.log.services import entries
from league.core.metadata import check_metadata
from league.core.replay.services.history import read_log
from league.core.replay.services.inline import catch_up
from league.core.replay.services.played_games import find_unratable, find_unreadable
from league.core.rules.selectors.rules import build_rule_system, has_begun, list_system_changes, load_rules
from league.core.text.display_formats import format_number
from league.models import Edition, Game, League, LogEntry, Membership, Period, Rule
from league.models.facts import RULE_LOG
from league.models.leagues import SETTINGS
from ratings.contract.parameters import ParameterError
from ratings.contract.system import RatingSystem
from ratings.registry import UnknownSystem, get_system
from ratings.texts import localize_number

DAY = timedelta(days=1)


def create_league(
    slug: str,
    title: str,
    *,
    settings: Mapping[str, Any] | None = None,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    from_date: date | None = None,
    season: Mapping[str, Any] | None = None,
    set_rule: Mapping[str, Any] | None = None,
    by: str = "",
    owner: Any = None,
) -> League:
    """Create a league, with its first rule if a system is given; ``owner`` becomes its owner.

    ``set_rule``: how the sets of its games count.

    Raises Invalid with a pointer per field, and Conflict if the slug is taken.
    """
    league = League(slug=slug, title=title)
    apply_settings(league, settings or {})
    try:
        with transaction.atomic():
            league.save()
            entries.append(
                league, league.created_at, by, LogEntry.Kind.LEAGUE_CREATED, entries.build_league_payload(league)
            )
            if owner is not None:
                Membership.objects.create(league=league, user=owner, role=Membership.Role.OWNER)
            if system is not None:
                choice = RuleChoice(system, parameters or {}, season, sets=set_rule)
                add_rule(league, choice, from_date or ALWAYS, league.created_at, by)
    except IntegrityError:
        message = _("There is already a league “{slug}”; choose another slug.").format(slug=slug)
        raise Conflict.of([Problem("/slug", "taken", message)]) from None
    return league


@locked
def change_league(league: League, now: datetime, settings: Mapping[str, Any], *, username: str = "") -> League:
    """Change settings of a league; raises Invalid with a pointer per field."""
    previous_settings = {name: getattr(league, name) for name in SETTINGS}
    zone = league.time_zone
    apply_settings(league, settings)
    league.save(update_fields=list(SETTINGS))
    changed = entries.build_settings_payload(previous_settings, {name: getattr(league, name) for name in SETTINGS})
    if changed:
        entries.append(league, now, username, LogEntry.Kind.LEAGUE_CHANGED, changed)
    if league.time_zone != zone:
        if Edition.objects.filter(ladder__league=league).exists():
            template = _("Periods of this league were published in the time zone {zone}, so it cannot be changed.")
            raise Refused.of([Problem("/time_zone", "closed_period", template.format(zone=zone))])
        move_rules(league)
        for ladder in league.ladders.prefetch_related("rules"):
            rebuild(league, ladder, now)
    return league


def move_rules(league: League) -> None:
    """Resolve the start times of the rules in the league's new time zone, and replay if that matters."""
    rules = load_rules(league)
    if not rules:
        return
    starts = [start_of_day(rule.from_date, league.time_zone) for rule in rules]
    if Game.objects.counting().filter(league=league, played_at__lt=starts[0]).exists():
        template = _("In {zone} a game would be before the first rule, which applies from {day}.")
        message = template.format(zone=league.time_zone, day=rules[0].from_date)
        raise Refused.of([Problem("/time_zone", "before_the_league", message)])
    if len(set(starts)) < len(starts):
        template = _("In {zone} two rules of the league would begin at the same moment.")
        raise Refused.of([Problem("/time_zone", "taken", template.format(zone=league.time_zone))])
    pairs = list(zip(rules, starts, strict=True))
    # Start times must stay unique at every step: rules that move later are saved last to first.
    for rule, start in pairs if starts[0] < rules[0].starts_at else reversed(pairs):
        rule.starts_at = start
        rule.save(update_fields=["starts_at"])
    if league.games.exists():
        catch_up(league, None)


def apply_settings(league: League, settings: Mapping[str, Any]) -> None:
    """Set and validate fields of a league; raises Invalid."""
    for name in SETTINGS:
        if name in settings:
            setattr(league, name, settings[name])
    problems = []
    try:
        league.clean_fields()
    except ValidationError as error:
        problems = [Problem(f"/{name}", "invalid", " ".join(messages)) for name, messages in error.message_dict.items()]
    problems += check_metadata(league.metadata) + check_time_zone(league.time_zone)
    if problems:
        raise Invalid.of(problems)


@locked
def adopt_rule(
    league: League,
    now: datetime,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date | None = None,
    season: Mapping[str, Any] | None = None,
    start: str = Rule.Start.REPLAYED,
    sets: Mapping[str, Any] | None = None,
    *,
    username: str,
    at_once: bool = False,
) -> Rule:
    """Add a rule from a date, and replay the games that it rates.

    Without a date the first rule is always in force, a later one from today in the league's time zone. ``start``: where
    ratings begin if the system differs from the previous rule's. at_once: as if its day had come, for dry runs.
    Raises Invalid (unknown system, parameters out of bounds), Conflict (the date has a rule) or
    Refused (games or ladders that do not suit the system; a day before the end of a closed period).
    """
    day = from_date or (compute_local_date(now, league.time_zone) if load_rules(league) else ALWAYS)
    rule = add_rule(league, RuleChoice(system, parameters, season, start, sets), day, now, username)
    refuse_closed(league, rule)
    if at_once:
        Rule.objects.filter(pk=rule.pk).update(created_at=max(rule.created_at, rule.starts_at))
    rate_since(league, rule)
    return rule


@locked
def withdraw_rule(league: League, now: datetime, from_date: date, *, username: str) -> Rule:
    """Withdraw a rule that is not yet in force and has rated no games.

    Raises NotFound if the league has no such rule, Refused if it is the first one, in force, or has games.
    """
    rules = load_rules(league)
    rule = next((candidate for candidate in rules if candidate.from_date == from_date), None)
    if rule is None:
        template = _("{league} has no rule from {day}; it may have been withdrawn.")
        raise NotFound(template.format(league=league.title, day=from_date))
    if rule.pk == rules[0].pk:
        template = _("The rule from {day} is the league's first and cannot be withdrawn.")
        raise Refused(template.format(day=rule.from_date))
    if rule.starts_at <= now:
        template = _("The rule from {day} is already in force; adopt another rule from a later day instead.")
        raise Refused(template.format(day=rule.from_date))
    if Game.objects.counting().filter(league=league, played_at__gte=rule.starts_at).exists():
        template = _("Games on or after {day} have already been rated by that rule, so it cannot be withdrawn.")
        raise Refused(template.format(day=rule.from_date))
    check_sequence(league, [candidate for candidate in rules if candidate.pk != rule.pk], rule.starts_at)
    pk = rule.pk
    rule.delete()
    rule.pk = pk
    entries.append(league, now, username, LogEntry.Kind.RULE_WITHDRAWN, {"from": rule.from_date.isoformat()})
    return rule


@locked
def suppose_rule(
    league: League,
    now: datetime,
    system: str,
    parameters: Mapping[str, Any],
    from_date: date,
    season: Mapping[str, Any] | None = None,
    start: str = Rule.Start.REPLAYED,
    sets: Mapping[str, Any] | None = None,
    *,
    username: str,
) -> Rule:
    """Rate everything since a day by one rule, replacing later rules and ignoring closed periods.

    For dry runs only, which roll it back. Raises Invalid and Refused like ``adopt_rule``.
    """
    day = max(from_date, load_rules(league)[0].from_date)
    Rule.objects.filter(league=league, from_date__gte=day).delete()
    rule = add_rule(league, RuleChoice(system, parameters, season, start, sets), day, now, username)
    rate_since(league, rule)
    return rule


def rate_since(league: League, rule: Rule) -> None:
    """Replay after adding a rule, if it rates any games or takes effect at once."""
    rules = load_rules(league)
    games = Game.objects.filter(league=league)
    changed = any(change.pk == rule.pk and has_begun(change, None) for change in list_system_changes(rules))
    if games.filter(played_at__gte=rule.starts_at).exists() or (changed and games.exists()):
        catch_up(league, None if rule.pk == rules[0].pk else (rule.starts_at, 0))


def refuse_closed(league: League, rule: Rule) -> None:
    """Raise Refused if a rule would change a closed period."""
    closed = Period.objects.filter(league=league, closed=True, ends_at__gt=rule.starts_at)
    last = closed.select_related("ladder").order_by("-ends_at").first()
    if last is not None:
        template = _(
            "{period} of the ladder {ladder} is closed, and a rule from {day} would change it. "
            "Choose {end} or a later day, or reopen the closed periods first."
        )
        message = template.format(
            period=last.name,
            ladder=last.ladder.title,
            day=rule.from_date,
            end=compute_local_date(last.ends_at, league.time_zone),
        )
        raise Refused.of([Problem("/from", "closed_period", message)])


@dataclass(frozen=True)
class RuleChoice:
    """What a rule chooses."""

    system: str
    parameters: Mapping[str, Any]
    season: Mapping[str, Any] | None = None
    start: str = Rule.Start.REPLAYED
    sets: Mapping[str, Any] | None = None


def add_rule(league: League, choice: RuleChoice, from_date: date, now: datetime, username: str) -> Rule:
    """Validate and write a rule with all its parameters."""
    check_choice(choice)
    rule = Rule(
        league=league,
        from_date=from_date,
        starts_at=_validate_start(league, from_date),
        system=choice.system,
        parameters=get_system(choice.system).whole(choice.parameters),
        season=check_season(choice.season),
        start=choice.start,
        sets=check_sets(choice.sets, choice.system, choice.parameters),
        created_by=username,
    )
    rules = sorted([*load_rules(league), rule], key=lambda item: item.starts_at)
    check_sequence(league, rules, rule.starts_at)
    check_ladders(league, rule)
    rule.save()
    if rule.season or list_system_changes(rules):
        note_event(league)
    entries.append(league, now, username, LogEntry.Kind.RULE_ADOPTED, RULE_LOG.build_payload(rule))
    return rule


def note_event(league: League) -> None:
    """Mark that a league may have rating changes between games; the league must be locked."""
    if not league.eventful:
        league.eventful = True
        league.save(update_fields=["eventful"])


def _validate_start(league: League, from_date: date) -> datetime:
    """Return the start time of a new rule; raises if the league cannot have one then."""
    if not ALWAYS <= from_date <= LATEST:
        template = _("The first day of a rule must be from {first} to {last}, which {day} is not.")
        message = template.format(first=ALWAYS, last=LATEST, day=from_date)
        raise Invalid.of([Problem("/from", "out_of_bounds", message)])
    rules = load_rules(league)
    if any(rule.from_date == from_date for rule in rules):
        template = _("The league already has a rule from {day}; choose another date.").format(day=from_date)
        raise Conflict.of([Problem("/from", "taken", template)])
    starts_at = start_of_day(from_date, league.time_zone)
    for rule in rules:
        if rule.starts_at == starts_at:
            template = _("In {zone} {day} begins at the same moment as the rule from {other}.")
            message = template.format(zone=league.time_zone, day=from_date, other=rule.from_date)
            raise Conflict.of([Problem("/from", "taken", message)])
    return starts_at


def check_sequence(league: League, rules: Sequence[Rule], changed_at: datetime) -> None:
    """Raise Refused if a league cannot have these rules, one of which is new, or was withdrawn, at ``changed_at``.

    Rules with the same system must have the same initial state. A different system must be able to rate the games of
    its time as recorded; if replayed, also the earlier ones.
    """
    for earlier_rule, later_rule in pairwise(rules):
        if earlier_rule.system == later_rule.system:
            check_start(
                *((later_rule, earlier_rule) if earlier_rule.starts_at == changed_at else (earlier_rule, later_rule))
            )
    first = next((index for index, rule in enumerate(rules) if rule.starts_at >= changed_at), len(rules))
    # The new rule and the next one, whose previous system may have changed.
    for index in range(first, min(first + 2, len(rules))):
        rule = rules[index]
        changes = index > 0 and rules[index - 1].system != rule.system
        if rule.start == Rule.Start.ANEW and not changes and rule.starts_at == changed_at:
            message = _("“anew” is only for a rule that changes the rating system; here ratings continue.")
            raise Refused.of([Problem("/start", "same_system", message)])
        if changes:
            check_games(league, rules, index, replays=index == first and rule.start == Rule.Start.REPLAYED)


def check_games(league: League, rules: Sequence[Rule], index: int, *, replays: bool) -> None:
    """Raise Refused if a rule with a different system cannot rate the games of its time.

    ``replays``: nor if it cannot replay earlier ones.
    """
    rule, next_rules = rules[index], rules[index + 1 : index + 2]
    log = read_log(league, None, [build_rule_system(item) for item in rules])
    first, edge, *end = log.edges([rules[0], rule, *next_rules])
    system = build_rule_system(rule)
    template = _(
        "{system} cannot rate games on or after {day} as they were recorded: {count}, first "
        "game {number}. {reason} Choose a later day."
    )
    refused = find_unratable(system, log, edge, end[0] if end else len(log.games))
    if replays and not refused:
        template = _(
            "{system} cannot replay the games before {day}: {count}, first game {number}. "
            "{reason} With the start “anew” this does not matter."
        )
        refused = find_unreadable(system, log, first, edge, league.time_zone)
    if refused:
        game, reason = refused[0]
        count = ngettext("{count} game", "{count} games", len(refused)).format(count=format_number(len(refused)))
        message = template.format(system=system.title, day=rule.from_date, count=count, number=game, reason=reason)
        raise Refused.of([Problem("/system", "other_games", message)])


def check_ladders(league: League, rule: Rule) -> None:
    """Raise Refused if a ladder's method on or after the first day of a rule does not support its system."""
    problems = []
    for ladder in load_ladders(league):
        ranking = load_ladder_rules(ladder)
        for ladder_rule, next_rule in zip_longest(ranking, ranking[1:]):
            end_days = [
                next_rule.from_date if next_rule else None,
                ladder_rule.to_date + DAY if ladder_rule.to_date else None,
                ladder.ended_on,
            ]
            refusal = build_method(ladder_rule).refusal(get_system(rule.system))
            if refusal and not any(day is not None and day <= rule.from_date for day in end_days):
                template = _("The ladder {ladder} cannot continue: {reason} End it before {day}, or change its method.")
                message = template.format(ladder=ladder.title, reason=refusal, day=rule.from_date)
                problems.append(Problem("/system", "ladder", message))
    if problems:
        raise Refused.of(problems)


def check_choice(choice: RuleChoice) -> None:
    """Raise Invalid if system, parameters or start are invalid."""
    if choice.start not in Rule.Start.values:
        template = _("With another system ratings start “replayed” or “anew”, not “{start}”.")
        raise Invalid.of([Problem("/start", "invalid", template.format(start=choice.start))])
    try:
        get_system(choice.system).from_json(choice.parameters)
    except UnknownSystem as error:
        raise Invalid.of([Problem("/system", "unknown_system", str(error.args[0]))]) from None
    except ParameterError as error:
        raise Invalid.of(
            [Problem(build_pointer("parameters", name), "invalid", message) for name, message in error.problems.items()]
        ) from None


def check_start(existing_rule: Rule, new: Rule) -> None:
    """Raise Refused if the initial state differs from that of a rule with the same system (ruling R108)."""
    old_system, new_system = build_rule_system(existing_rule), build_rule_system(new)
    if old_system.start() != new_system.start():
        template = _(
            "New players of this league start at {start} under another rule with the same "
            "system, so this rule cannot use {other}. Use the same start, or set initial ratings "
            "for players."
        )
        message = template.format(start=start_of(old_system), other=start_of(new_system))
        # The parameters that change the start alone, or all of them if only their combination does.
        moving = [
            name
            for name, value in new_system.to_json().items()
            if replace(old_system, **{name: value}).start() != old_system.start()
        ]
        raise Refused.of([Problem(build_pointer("parameters", *moving[:1]), "other_start", message)])


def start_of(system: RatingSystem) -> str:
    """Return the initial state in readable form: "1500", or each field if there are several."""
    if len(system.state) == 1:
        return localize_number(f"{system.start()[0]:.15g}")
    return ", ".join(
        f"{spec.label} {localize_number(f'{value:.15g}')}"
        for spec, value in zip(system.state, system.start(), strict=True)
        if not spec.inner
    )
