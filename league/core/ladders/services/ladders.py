"""Creates and changes ladders and their dated rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import zip_longest
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.calendar import ALWAYS, CADENCES, LATEST, compute_local_date, compute_span, get_time_zone
from league.core.errors import Conflict, Invalid, Problem, Refused, build_pointer
from league.core.ladders.selectors.ladders import find_ladder, load_ladder_rules
from league.core.ladders.services.periods import open_current, refresh_ladders
from league.core.locking import locked
from league.core.log.services import entries
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.models import Edition, Ladder, LadderRule, League, LogEntry, Standing
from league.models.ladders import LADDER_LOG, LADDER_RULE_LOG
from ratings.contract.parameters import ParameterError
from ratings.registry import UnknownMethod, get_method

#: Messages for a day within a period, by the rule with that cadence: for an endless period, and for others.
MIDDLE = {
    "new": (
        gettext_noop(
            "{day} is within {period}, a period of the new cadence, so periods would overlap. "
            "End this ladder and create a new one."
        ),
        gettext_noop(
            "{day} is within {period}, a period of the new cadence, so periods would overlap. "
            "Choose {first} or {after}."
        ),
    ),
    "present": (
        gettext_noop(
            "{day} is within {period}, a period of the current cadence, so periods would "
            "overlap. End this ladder and create a new one."
        ),
        gettext_noop(
            "{day} is within {period}, a period of the current cadence, so periods would "
            "overlap. Choose {first} or {after}."
        ),
    ),
}


@dataclass(frozen=True)
class RankingRule:
    """A ladder's rule from a day: method, parameters and cadence; a dated one has both days."""

    method: str
    cadence: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    from_date: date | None = None
    to_date: date | None = None


@locked
def create_ladder(
    league: League, now: datetime, slug: str, title: str, ranking: RankingRule, *, username: str
) -> Ladder:
    """Create a ladder with standings of all games so far.

    Raises Invalid with a pointer per field, Conflict if the slug is taken, Refused if the
    method cannot rank the league's games.
    """
    ladder, rule = plan_ladder(league, slug, title, ranking, username=username)
    ladder.save()
    entries.append(league, now, username, LogEntry.Kind.LADDER_CREATED, LADDER_LOG.build_payload(ladder))
    rule.save()
    entries.append(league, now, username, LogEntry.Kind.LADDER_RANKED, LADDER_RULE_LOG.build_payload(rule))
    created = find_ladder(league, slug)
    refresh_ladders(league, None, [created])
    open_current(league, created, now)
    return created


def plan_ladder(
    league: League, slug: str, title: str, ranking: RankingRule, *, username: str
) -> tuple[Ladder, LadderRule]:
    """Return an unsaved ladder and rule; raises like ``create_ladder``."""
    if league.ladders.filter(slug=slug).exists():
        message = _("The league already has a ladder “{slug}”; choose another slug.").format(slug=slug)
        raise Conflict.of([Problem("/slug", "taken", message)])
    ladder = Ladder(league=league, slug=slug, title=title, created_by=username)
    check_words(ladder)
    return ladder, plan_rule(league, ladder, ranking, username=username)


@locked
def change_ladder(
    league: League, now: datetime, slug: str, settings: Mapping[str, Any], *, username: str = ""
) -> Ladder:
    """Change a ladder's title, or the day (``ended_on``) from which no period begins; raises Invalid."""
    ladder = find_ladder(league, slug)
    ended_on = ladder.ended_on
    ladder.title = settings.get("title", ladder.title)
    ladder.ended_on = settings.get("ended_on", ladder.ended_on)
    check_words(ladder)
    if ladder.ended_on is not None:
        refuse_published(ladder, ladder.ended_on, "ended_on")
    ladder.save(update_fields=["title", "ended_on"])
    entries.append(league, now, username, LogEntry.Kind.LADDER_CHANGED, LADDER_LOG.build_payload(ladder))
    if ladder.ended_on != ended_on:  # a title changes no period
        rebuild(league, find_ladder(league, slug), now)
    return ladder


@locked
def change_ranking(league: League, now: datetime, slug: str, ranking: RankingRule, *, username: str) -> LadderRule:
    """Change the rule of a ladder for periods that begin on or after a day.

    Raises Invalid, Conflict (the day has a rule) or Refused: within a period of the old or
    the new cadence, overlapping another period, or before a closed one.
    """
    rule = plan_rule(league, find_ladder(league, slug), ranking, username=username)
    rule.save()
    entries.append(league, now, username, LogEntry.Kind.LADDER_RANKED, LADDER_RULE_LOG.build_payload(rule))
    rebuild(league, find_ladder(league, slug), now)
    return rule


def rebuild(league: League, ladder: Ladder, now: datetime) -> None:
    """Recreate the periods of a ladder that were never published, and all standings."""
    loose = ladder.periods.exclude(key__in=ladder.editions.values("key"))
    Standing.objects.filter(league=league, period__in=loose).delete()
    loose.delete()
    refresh_ladders(league, None, [ladder])
    open_current(league, ladder, now)


def check_words(ladder: Ladder) -> None:
    """Raise Invalid if slug, title or day is invalid."""
    problems = []
    try:
        ladder.clean_fields(exclude=["league"])
    except ValidationError as error:
        problems = [Problem(f"/{name}", "invalid", " ".join(messages)) for name, messages in error.message_dict.items()]
    if "\0" in ladder.title:
        problems.append(Problem("/title", "nul", _("A title must not contain a NUL character.")))
    if ladder.ended_on is not None and not ALWAYS <= ladder.ended_on <= LATEST:
        problems.append(
            Problem(
                "/ended_on",
                "out_of_bounds",
                _("The day must be from {first} to {last}.").format(first=ALWAYS, last=LATEST),
            )
        )
    if problems:
        raise Invalid.of(problems)


def check_league(league: League, ranking: RankingRule) -> None:
    """Raise if the method, its parameters or the cadence are unknown or do not suit the league."""
    problems = []
    try:
        method = get_method(ranking.method).from_json(ranking.parameters)
    except UnknownMethod as error:
        problems.append(Problem("/method", "unknown_method", str(error.args[0])))
    except ParameterError as error:
        problems += [
            Problem(build_pointer("parameters", name), "invalid", text) for name, text in error.problems.items()
        ]
    if ranking.cadence not in CADENCES:
        message = _("A cadence is one of: {cadences}.").format(cadences=", ".join(CADENCES))
        problems.append(Problem("/cadence", "unknown_cadence", message))
    problems += check_days(ranking)
    get_time_zone(league.time_zone)
    if problems:
        raise Invalid.of(problems)
    day = ranking.from_date or ALWAYS
    for rule, next_rule in zip_longest(load_rules(league), load_rules(league)[1:]):
        over = (next_rule and next_rule.from_date <= day) or (ranking.to_date and ranking.to_date < rule.from_date)
        refusal = method.refusal(type(build_rule_system(rule)))
        if refusal and not over:
            raise Refused.of([Problem("/method", "other_system", refusal)])


def check_days(ranking: RankingRule) -> list[Problem]:
    """Return the problems of a rule's days."""
    problems = [
        Problem(
            pointer,
            "out_of_bounds",
            _("The day must be from {first} to {last}, which {day} is not.").format(first=ALWAYS, last=LATEST, day=day),
        )
        for pointer, day in (("/from", ranking.from_date), ("/to", ranking.to_date))
        if day is not None and not ALWAYS <= day <= LATEST
    ]
    if ranking.cadence != "dated":
        if ranking.to_date is not None:
            problems.append(Problem("/to", "not_dated", _("Only a ladder of the cadence “dated” has a last day.")))
        return problems
    if ranking.from_date is None or ranking.to_date is None:
        problems.append(Problem("/from", "missing", _("A dated ladder needs a first and a last day.")))
    elif ranking.to_date < ranking.from_date:
        problems.append(Problem("/to", "out_of_bounds", _("The last day is before the first day.")))
    return problems


def plan_rule(league: League, ladder: Ladder, ranking: RankingRule, *, username: str) -> LadderRule:
    """Return an unsaved rule with all parameters; raises like ``change_ranking``.

    It suits the league, and divides no period.
    """
    check_league(league, ranking)
    is_stored = ladder.pk is not None
    rules = load_ladder_rules(ladder) if is_stored else []
    day = ranking.from_date or ALWAYS
    if any(rule.from_date == day for rule in rules):
        message = _("The ladder already has a rule from {day}; choose another date.").format(day=day)
        raise Conflict.of([Problem("/from", "taken", message)])
    # Neither this rule nor the next one may begin within a period.
    if day != ALWAYS:
        refuse_middle(ranking.cadence, day, ranking.from_date or day, ranking.to_date, "new")
    earlier_rules = [rule for rule in rules if rule.from_date < day]
    if earlier_rules:
        last = earlier_rules[-1]
        refuse_middle(last.cadence, day, last.from_date, last.to_date, "present")
    later = [rule for rule in rules if rule.from_date > day]
    if later:
        refuse_middle(ranking.cadence, later[0].from_date, day, ranking.to_date, "new")
    if is_stored:
        refuse_published(ladder, day, "from")
    return LadderRule(
        league=league,
        ladder=ladder,
        from_date=day,
        to_date=ranking.to_date,
        method=ranking.method,
        parameters=get_method(ranking.method).whole(ranking.parameters),
        cadence=ranking.cadence,
        created_by=username,
    )


def refuse_middle(cadence: str, day: date, first: date, last: date | None, subject: str) -> None:
    """Raise Refused if a day is within a period of a cadence but not its first day."""
    span = compute_span(cadence, day, first, last)
    if span is None or span.first == day:
        return
    endless, bounded = MIDDLE[subject]
    message = _(endless if cadence == "all_time" else bounded)
    message = message.format(day=day, period=span.name, first=span.first, after=span.after)
    raise Refused.of([Problem("/from", "mid_period", message)])


def refuse_published(ladder: Ladder, day: date, name: str) -> None:
    """Raise Refused if a day is before the end of a published period of the ladder."""
    last = Edition.objects.filter(ladder=ladder).defer("document").order_by("-starts_at").first()
    if last is None:
        return
    end = compute_local_date(last.ends_at, ladder.league.time_zone)
    if day < end:
        message = _("{period} of the ladder {ladder} is published; choose {end} or a later day.").format(
            period=last.key, ladder=ladder.title, end=end
        )
        raise Refused.of([Problem(f"/{name}", "closed_period", message)])
