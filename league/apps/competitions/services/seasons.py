"""Creates, changes, opens and cancels seasons, and says which competition is what in a season."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import (
    GIVEN_SETTINGS,
    MAX_BLOCKED,
    SEASON_SETTINGS,
    Competition,
    Season,
    SeasonPart,
)
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, find_competition
from league.apps.competitions.selectors.seasons import (
    build_rule,
    find_part,
    find_season,
    list_parts,
    refuse_ended_season,
)
from league.apps.competitions.services.season_log import append_season_change
from league.apps.competitions.services.settings import apply_settings
from league.apps.competitions.services.slugs import check_slug, choose_slug
from league.core.errors import Conflict, Invalid, Problem, Refused, RungsError, build_pointer
from league.core.locking import locked
from league.core.reasons import check_reason
from league.models import League
from ratings.registry import load_pairing_formats
from ratings.seasons.letters import list_letters
from ratings.seasons.rules import PLAY_OFF, BadRule, StageRule, read_rule

MAX_SEASONS = 500
#: The first year in which no season is: time zones need a day more.
MAX_YEAR = 9998
#: The format of divisions, unless the rule says another.
DIVISION_FORMAT = "round_robin"
#: Sees the season under the lock, before anything is written, and may raise.
Expectation = Callable[[League, Season], None]
Kind, Status = ChangeKind, Season.Status


@dataclass(frozen=True)
class PartChoice:
    """What a competition is to be in a season: an event of its series, or a group of a stage."""

    season: str
    event: int | None = None
    stage: str = ""
    letter: str = ""
    level: int | None = None


@locked
def create_season(league: League, now: datetime, slug: str, settings: Mapping[str, Any], *, by: str) -> Season:
    """Create a season; an empty slug is derived from the title.

    ``settings``: those of ``SEASON_SETTINGS``, ``previous`` as a slug, and ``status`` (draft or open). Raises Invalid
    with a pointer per field, Conflict if the slug is taken, Refused if the league has too many.
    """
    if Season.objects.filter(league=league).count() >= MAX_SEASONS:
        raise Refused(_("A league has at most {limit} seasons.").format(limit=MAX_SEASONS))
    slug = slug or choose_slug(Season, league, settings.get("title") or "")
    season = Season(league=league, slug=slug, rule={}, created_at=now, created_by=by)
    _apply_settings(season, settings)
    check_slug(season)
    season.save(force_insert=True)
    append_season_change(league, now, by, Kind.SEASON_CREATED, season, settings=True)
    return season


@locked
def change_season(
    league: League,
    now: datetime,
    slug: str,
    settings: Mapping[str, Any],
    *,
    by: str,
    precondition: Expectation | None = None,
) -> Season:
    """Change settings of a season; raises Invalid with a pointer per field, Refused for a rule that was drawn."""
    season = find_season(league, slug, for_organisers=True)
    if precondition is not None:
        precondition(league, season)
    refuse_ended_season(season)
    before = [getattr(season, name) for name in (*SEASON_SETTINGS, "status")]
    _apply_settings(season, settings)
    if [getattr(season, name) for name in (*SEASON_SETTINGS, "status")] == before:
        return season
    season.save(update_fields=[*SEASON_SETTINGS, "status"])
    append_season_change(league, now, by, Kind.SEASON_CHANGED, season, settings=True)
    return season


@locked
def cancel_season(league: League, now: datetime, slug: str, *, by: str, reason: str = "") -> Season:
    """Cancel a season; its competitions stay and go on without it. Raises Conflict if it has ended."""
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    reason = check_reason(reason)
    season.status = Status.CANCELLED
    season.save(update_fields=["status"])
    append_season_change(league, now, by, Kind.SEASON_CANCELLED, season, settings=True, members={"reason": reason})
    return season


@locked
def link_competition(league: League, now: datetime, slug: str, choice: PartChoice | None, *, by: str) -> None:
    """Make a competition an event of a series or a group of a stage, or (None) take it out of its season.

    Raises NotFound, Conflict if it belongs to another season, Refused if the rule has no such event or stage.
    """
    competition = find_competition(league, slug, for_organisers=True)
    part = find_part(competition)
    if part is not None and part.level is not None:
        raise Conflict(_("A division stays in the season that drew it."))
    if part is not None and (choice is None or choice.season != part.season.slug):
        _unlink(league, now, part, by)
        part = None
    if choice is None:
        return
    season = find_season(league, choice.season, for_organisers=True)
    refuse_ended_season(season)
    problems = list(_find_part_problems(season, competition, choice))
    if problems:
        raise Refused.of(problems)
    part = part or SeasonPart(league=league, season=season, competition=competition)
    part.event, part.stage, part.letter = choice.event, choice.stage, choice.letter
    part.save()
    append_season_change(league, now, by, Kind.SEASON_LINKED, season, parts=[part])


def start_season(season: Season) -> bool:
    """Let a season run; return whether it did not before."""
    if season.status == Status.RUNNING:
        return False
    season.status = Status.RUNNING
    season.save(update_fields=["status"])
    return True


def _unlink(league: League, now: datetime, part: SeasonPart, by: str) -> None:
    refuse_ended_season(part.season)
    slug = part.competition.slug
    part.delete()
    append_season_change(league, now, by, Kind.SEASON_LINKED, part.season, removed={"season_parts": [slug]})


def _find_part_problems(season: Season, competition: Competition, choice: PartChoice) -> Iterator[Problem]:
    rule = build_rule(season)
    others = [part for part in list_parts(season) if part.competition_id != competition.pk]
    if choice.level is not None or (choice.event is None) == (not choice.stage):
        yield Problem("/season", "one_of", _("Name either an event of the series or a stage."))
    if choice.event is not None:
        last = int(rule.series.of) if rule.series else 0
        if not 1 <= choice.event <= last:
            template = _("The series has the events 1 to {last}.") if last else _("The season has no series.")
            yield Problem("/season/event", "unknown_event", template.format(last=last))
        taken = next((part for part in others if part.event == choice.event), None)
        if taken is not None:
            template = _("{title} is event {number} already.")
            yield Problem("/season/event", "taken", template.format(title=taken.competition.title, number=choice.event))
    if choice.stage:
        stage = next((one for one in rule.stages if one.key == choice.stage), None)
        if choice.stage == PLAY_OFF and rule.divisions and rule.divisions.play_off:
            stage = StageRule(key=PLAY_OFF)
        if stage is None:
            yield Problem(
                "/season/stage", "unknown_stage", _("The season has no stage “{key}”.").format(key=choice.stage)
            )
        elif choice.letter not in list_letters(stage.parallel):
            template = _("The stage has no group “{letter}”.")
            yield Problem("/season/letter", "unknown_group", template.format(letter=choice.letter))
        if any((part.stage, part.letter) == (choice.stage, choice.letter) for part in others):
            yield Problem("/season/stage", "taken", _("The stage has such a competition already."))


def _apply_settings(season: Season, settings: Mapping[str, Any]) -> None:
    """Set and check the settings of a season; raises Invalid or Refused with all problems."""
    problems: list[Problem] = []
    for name in SEASON_SETTINGS:
        if name in settings and name not in ("previous", "rule"):
            setattr(season, name, settings[name])
    if "previous" in settings:
        problems += _set_previous(season, settings["previous"])
    if "rule" in settings or season.pk is None:
        problems += _set_rule(season, settings.get("rule"))
    problems += _find_field_problems(season)
    problems += _set_status(season, settings.get("status"))
    if problems:
        raise Invalid.of(problems)


def _set_rule(season: Season, given: Any) -> Iterator[Problem]:
    """Set the rule, with all parameters; it does not change once anything was drawn from it."""
    try:
        rule = read_rule(given, load_pairing_formats()).to_json()
    except BadRule as error:
        for path, text in error.problems:
            yield Problem(build_pointer("rule", *path), "invalid", text)
        return
    if season.pk is not None and rule != season.rule and season.parts.exists():
        message = _("The rule does not change once competitions belong to the season.")
        raise Refused.of([Problem("/rule", "drawn", message)])
    season.rule = rule
    yield from _find_competition_problems(season)


def _find_competition_problems(season: Season) -> Iterator[Problem]:
    """Yield what is wrong with the settings of the competitions that a draw would make."""
    rule = build_rule(season)
    for at, stage in enumerate(rule.stages):
        if stage.format in BRACKET_FORMATS and any(source.get("carried") for source in stage.sources):
            message = _("In a bracket no points are carried: its places come from who beats whom.")
            yield Problem(build_pointer("rule", "stages", at, "from"), "carried", message)
    places: list[tuple[tuple[str | int, ...], Mapping[str, Any]]] = [
        (("stages", at), {"format": stage.format, **stage.competition}) for at, stage in enumerate(rule.stages)
    ]
    if rule.divisions is not None:
        places.append((("divisions",), {"format": DIVISION_FORMAT, **rule.divisions.competition}))
    for place, settings in places:
        pointer = build_pointer("rule", *place, "competition")
        for name in settings.keys() - {*GIVEN_SETTINGS}:
            message = _("A competition has no setting “{name}”.").format(name=name)
            yield Problem(pointer + build_pointer(name), "unknown_field", message)
        tried = Competition(league=season.league, slug="tried", title=season.title)
        try:
            apply_settings(tried, {name: value for name, value in settings.items() if name in GIVEN_SETTINGS})
        except RungsError as error:
            for problem in error.problems:
                yield replace(problem, pointer=pointer + problem.pointer)


def _set_previous(season: Season, slug: str | None) -> Iterator[Problem]:
    """Set the season before, which no other season may follow."""
    if slug == (season.previous.slug if season.previous else None):
        return
    if season.pk is not None and season.parts.exists():
        raise Refused.of([Problem("/previous", "drawn", _("The season before is fixed once the season is drawn."))])
    season.previous = None
    if slug is None:
        return
    season.previous = previous = Season.objects.filter(league=season.league, slug=slug).first()
    if previous is None:
        yield Problem("/previous", "unknown_season", _("There is no season “{slug}”.").format(slug=slug))
        return
    if previous.status == Status.CANCELLED:
        message = _("{season} was cancelled: no season follows it.").format(season=previous.title)
        yield Problem("/previous", "cancelled", message)
    follower = previous.following.exclude(pk=season.pk).exclude(status=Status.CANCELLED).first()
    if follower is not None:
        template = _("{title} follows {previous} already.")
        yield Problem("/previous", "taken", template.format(title=follower.title, previous=previous.title))
    step: Season | None = previous
    while step is not None:
        if step.pk == season.pk:
            yield Problem("/previous", "circle", _("A season cannot follow itself."))
            return
        step = step.previous


def _find_field_problems(season: Season) -> Iterator[Problem]:
    try:
        season.clean_fields(exclude=["league", "rule", "blocked", "previous", "created_at"])
    except ValidationError as error:
        for name, messages in error.message_dict.items():
            yield Problem(build_pointer(name), "invalid", " ".join(messages))
    for name in ("title", "description"):
        if "\0" in getattr(season, name):
            yield Problem(build_pointer(name), "nul", _("A text must not contain a NUL character."))
    for name in ("starts", "ends"):
        day = getattr(season, name)
        if day and not 2 <= day.year < MAX_YEAR:
            yield Problem(build_pointer(name), "out_of_bounds", _("The year must be from 2 to 9997."))
    if season.starts and season.ends and season.ends < season.starts:
        yield Problem("/ends", "out_of_order", _("A season ends after it starts."))
    yield from _find_blocked_problems(season)


def _find_blocked_problems(season: Season) -> Iterator[Problem]:
    """Yield problems of the blocked days, and store them in order, as texts."""
    days = season.blocked
    if not isinstance(days, list) or len(days) > MAX_BLOCKED:
        yield Problem(
            "/blocked", "invalid", _("Blocked days are a list of at most {limit} days.").format(limit=MAX_BLOCKED)
        )
        return
    read = set()
    for index, day in enumerate(days):
        try:
            read.add(day if isinstance(day, date) else date.fromisoformat(day))
        except (TypeError, ValueError):
            yield Problem(build_pointer("blocked", index), "invalid", _("This must be a day such as 2024-12-24."))
    season.blocked = sorted(day.isoformat() for day in read)


def _set_status(season: Season, status: str | None) -> Iterator[Problem]:
    """Set draft or open before the draw."""
    if status is None or status == season.status:
        return
    if season.status not in (Status.DRAFT, Status.OPEN) or status not in (Status.DRAFT, Status.OPEN):
        message = _("A season is drawn, closed or cancelled, not set to “{status}”.").format(status=status)
        yield Problem("/status", "invalid", message)
        return
    season.status = Status(status)
