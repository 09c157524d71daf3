"""Checks and sets the settings of a competition.

Problems name the fields as the API does: ``/starts``, ``/points/win``, ``/tie_breaks/2``.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.apps.competitions.models import GIVEN_SETTINGS, POINTS, Competition, Entry
from league.apps.competitions.selectors.competitions import (
    REGULATED,
    USUAL_TIE_BREAKS,
    build_format,
    build_tie_break_rules,
)
from league.apps.competitions.selectors.team_matches import MATCH_POINTS, TEAM_TIE_BREAKS
from league.apps.competitions.services.category_checks import (
    find_category_problems,
    find_prize_problems,
    normalize_categories,
    normalize_prizes,
)
from league.apps.competitions.services.setting_rules import (
    find_head_problems,
    find_rating_list_problems,
    find_regulation_problems,
    find_rule_problems,
    find_team_problems,
    is_accelerated,
)
from league.core.calendar import check_time_zone
from league.core.errors import Invalid, Problem, Refused, build_pointer
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.display_formats import format_exact
from ratings.contract.pairing_format import PairingFormat
from ratings.contract.parameters import ParameterError, is_number
from ratings.contract.system import format_player_count
from ratings.contract.tie_break import TieBreakRules
from ratings.registry import UnknownFormat, get_pairing_format
from ratings.standings.tie_break_codes import UnknownTieBreak, parse_code

MAX_POINTS, MAX_PLACES, MAX_TIE_BREAKS = 1000, 100, 20
#: The fewest entries of an accelerated Swiss system.
MIN_ACCELERATED = 3
#: Setting -> when it is fixed: texts never, and all that are not listed at the end.
FIXED_AT = {
    "title": "never", "description": "never", "format": "start", "parameters": "start", "sides_of": "start",
    "rated": "start", "seeding": "start", "venue": "never", "group": "never", "categories": "never", "prizes": "never",
    "federation": "never", "arbiter": "never", "time_control": "never", "regulations": "start", "teams": "start",
    "chess960": "start", "long": "start",
}  # fmt: skip
TEXTS, UNTIL_START, UNTIL_END = (
    tuple(name for name in GIVEN_SETTINGS if FIXED_AT.get(name, "end") == when) for when in ("never", "start", "end")
)
#: Names in the API, if others.
API_NAMES = {"starts_at": "starts", "ends_at": "ends"}
Status = Competition.Status
#: Field -> the type of its values, and what is said of others.
TYPES: dict[Any, tuple[type, Any]] = {
    models.CharField: (str, gettext_lazy("This must be a text.")),
    models.TextField: (str, gettext_lazy("This must be a text.")),
    models.IntegerField: (int, gettext_lazy("This must be a whole number.")),
    models.BooleanField: (bool, gettext_lazy("This must be true or false.")),
    models.DateTimeField: (datetime, gettext_lazy("This must be a time such as 2024-03-05T19:30:00Z.")),
}


def apply_settings(competition: Competition, settings: Mapping[str, Any], *, from_file: bool = False) -> None:
    """Set and check fields of a competition; raises Invalid or Refused with all problems.

    ``from_file``: it was played elsewhere, with whatever points and acceleration.
    """
    previous = {name: getattr(competition, name) for name in GIVEN_SETTINGS}
    new_format = settings.get("format", competition.format) != competition.format
    for name in GIVEN_SETTINGS:
        if name in settings:
            setattr(competition, name, settings[name])
    _check_types(competition)
    if new_format and "tie_breaks" not in settings:
        competition.tie_breaks = list(USUAL_TIE_BREAKS.get(competition.format, ()))
    if competition.teams and not previous["teams"] and "points" not in settings:
        competition.points = dict(MATCH_POINTS)
    if competition.teams and (new_format or not previous["teams"]) and "tie_breaks" not in settings:
        competition.tie_breaks = list(TEAM_TIE_BREAKS)
    if new_format and "parameters" not in settings:
        competition.parameters = {}
    problems = [
        *find_setting_problems(competition, settings.get("points"), previous["points"]),
        *_find_side_problems(competition),
        *_set_status(competition, settings.get("status")),
    ]
    if not problems and not from_file:
        problems = list(find_rule_problems(competition, previous))
    if not problems and competition.regulations:
        problems = list(find_regulation_problems(competition))
    if problems:
        raise Invalid.of(problems)
    if not new_format:
        # Parameters that are newer than the competition have their defaults.
        previous["parameters"] = build_format(competition).whole(previous["parameters"])
    previous["tie_break_rules"] = TieBreakRules.whole(previous["tie_break_rules"])
    _refuse_late_changes(
        competition,
        [
            name
            for name in GIVEN_SETTINGS
            if getattr(competition, name) != previous[name] and (name in settings or "format" not in settings)
        ],
    )


def find_setting_problems(
    competition: Competition, points: Any, previous_points: Mapping[str, Any] = POINTS
) -> Iterator[Problem]:
    """Yield the problems of a competition's settings, and complete them with what is usual.

    ``points``: given points, which are added to the previous ones; None: unchanged.
    """
    _check_types(competition)
    yield from find_head_problems(competition)
    yield from find_rating_list_problems(competition)
    yield from _find_field_problems(competition)
    yield from _set_format(competition)
    yield from find_team_problems(competition)
    yield from _set_points(competition, previous_points, points)
    yield from _set_tie_breaks(competition)
    yield from _set_prizes(competition)
    yield from _find_time_problems(competition)


def _check_types(competition: Competition) -> None:
    """Raise Invalid for settings of another type than their field's: documents in JSON may have any."""
    problems = []
    for field in Competition._meta.get_fields():
        value = getattr(competition, field.name, None)
        kind, sentence = next((one for base, one in TYPES.items() if isinstance(field, base)), (object, ""))
        # Only flags are true or false.
        fits = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
        if field.name in GIVEN_SETTINGS and kind is not object and not fits and not (value is None and field.null):
            problems.append(Problem(build_pointer(API_NAMES.get(field.name, field.name)), "invalid", str(sentence)))
    if problems:
        raise Invalid.of(problems)


def _find_field_problems(competition: Competition) -> Iterator[Problem]:
    """Yield the problems that the model's fields have with their values."""
    try:
        documents = [field.name for field in competition._meta.fields if isinstance(field, models.JSONField)]
        competition.clean_fields(exclude=["league", "format", *documents])
    except ValidationError as error:
        for name, messages in error.message_dict.items():
            yield Problem(build_pointer(API_NAMES.get(name, name)), "invalid", " ".join(messages))
    for name in TEXTS:
        if name not in documents and "\0" in getattr(competition, name):
            yield Problem(build_pointer(name), "nul", _("A text must not contain a NUL character."))


def _set_format(competition: Competition) -> Iterator[Problem]:
    """Store all parameters of the format, with defaults for the missing ones."""
    try:
        kind = get_pairing_format(competition.format)
    except UnknownFormat as error:
        yield Problem("/format", "unknown_format", str(error.args[0]))
        return
    if not isinstance(competition.parameters, Mapping):
        yield Problem("/parameters", "invalid", _("Parameters are an object of names and values."))
        return
    try:
        competition.parameters = kind.whole(competition.parameters)
    except ParameterError as error:
        for name, text in error.problems.items():
            yield Problem(build_pointer("parameters", name), "invalid", text)


def _set_points(competition: Competition, previous: Mapping[str, Any], given: Any) -> Iterator[Problem]:
    """Store given points together with those that the competition had."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        yield Problem("/points", "invalid", _("Points are an object of outcomes and numbers."))
        return
    stored = dict(previous)
    for name, value in given.items():
        if name == "places":
            yield from _find_place_problems(value)
        elif name not in POINTS:
            template = _("There are no points for “{name}”; the outcomes are: {known}.")
            text = template.format(name=name, known=", ".join([*POINTS, "places"]))
            yield Problem(build_pointer("points", name), "unknown_outcome", text)
        elif not _is_points(value):
            yield Problem(build_pointer("points", name), "out_of_bounds", _describe_points())
        stored[name] = value
    competition.points = {name: stored[name] for name in (*POINTS, "places") if stored.get(name) not in (None, [])}
    values = [competition.points.get(name) for name in ("win", "draw", "loss")]
    if all(map(_is_points, values)) and not values[0] >= values[1] >= values[2]:
        yield Problem(
            "/points/win", "out_of_order", _("A win must give at least as much as a draw, and a draw as a loss.")
        )


def _find_place_problems(places: Any) -> Iterator[Problem]:
    if not isinstance(places, list) or len(places) > MAX_PLACES:
        template = _("The points of the places are a list of at most {limit} numbers, from the first place on.")
        yield Problem("/points/places", "invalid", template.format(limit=MAX_PLACES))
        return
    for index, value in enumerate(places):
        if not _is_points(value):
            yield Problem(build_pointer("points", "places", index), "out_of_bounds", _describe_points())


def _is_points(value: Any) -> bool:
    return is_number(value) and -MAX_POINTS <= value <= MAX_POINTS


def _describe_points() -> str:
    return _("Points must be a number from {low} to {high}.").format(low=-MAX_POINTS, high=MAX_POINTS)


def _set_tie_breaks(competition: Competition) -> Iterator[Problem]:
    """Store the rules with all parameters, and the codes as they are usually written."""
    if not isinstance(competition.tie_break_rules, Mapping):
        yield Problem("/tie_break_rules", "invalid", _("Rules are an object of names and values."))
        return
    try:
        competition.tie_break_rules = TieBreakRules.whole(competition.tie_break_rules)
    except ParameterError as error:
        for name, text in error.problems.items():
            yield Problem(build_pointer("tie_break_rules", name), "invalid", text)
        return
    codes = competition.tie_breaks
    if not isinstance(codes, list) or len(codes) > MAX_TIE_BREAKS or not all(isinstance(code, str) for code in codes):
        template = _("Tie-breaks are a list of at most {limit} codes such as BH/C1.")
        yield Problem("/tie_breaks", "invalid", template.format(limit=MAX_TIE_BREAKS))
        return
    rules, parsed = build_tie_break_rules(competition), []
    for index, code in enumerate(codes):
        try:
            parsed.append(parse_code(code, rules).code)
        except UnknownTieBreak as error:
            yield Problem(build_pointer("tie_breaks", index), "unknown_tie_break", str(error.args[0]))
    competition.tie_breaks = parsed


def _set_prizes(competition: Competition) -> Iterator[Problem]:
    """Store categories and prizes as they are usually written."""
    problems = list(find_category_problems(competition.categories))
    yield from problems
    if not problems:
        competition.categories = normalize_categories(competition.categories)
        problems = list(find_prize_problems(competition.prizes, [one["key"] for one in competition.categories]))
        yield from problems
    if not problems:
        competition.prizes = normalize_prizes(competition.prizes)


def _find_time_problems(competition: Competition) -> Iterator[Problem]:
    if competition.time_zone:
        yield from check_time_zone(competition.time_zone)
    times = (competition.starts_at, competition.ends_at)
    for name, value in zip(("starts", "ends"), times, strict=True):
        if value is not None and value.tzinfo is None:
            message = _("The time needs an offset, e.g. 2024-03-05T19:30:00Z.")
            yield Problem(build_pointer(name), "no_offset", message)
            return
    if times[0] is not None and times[1] is not None and times[1] < times[0]:
        yield Problem("/ends", "out_of_order", _("The competition ends before it starts."))


def _find_side_problems(competition: Competition) -> Iterator[Problem]:
    """Yield the problem of sides under a system that does not know them."""
    system = load_system_in_force(competition.league)
    if competition.players_of_seat > 1 and competition.rated and system is not None and not system.sides:
        template = _(
            "{system} does not rate games of sides; let an entry be one player, or do not rate the competition."
        )
        yield Problem("/sides_of", "sides", template.format(system=_(system.title)))


def describe_unrateable_size(competition: Competition, sizes: Iterable[int]) -> str:
    """Return why the league's system cannot rate fixtures of so many entries, "" if it can or need not."""
    system = load_system_in_force(competition.league)
    if system is None or not competition.rated:
        return ""
    for players in sorted(size * competition.players_of_seat for size in sizes):
        if not system.min_players <= players <= system.max_players:
            template = _(
                "{system} is for {players}; a fixture would have {count}. Add or leave out entries, choose another "
                "format or size, or do not rate the competition."
            )
            words = format_player_count(system)
            return template.format(system=_(system.title), players=words, count=players)
    return ""


def refuse_unrateable_sizes(competition: Competition, sizes: Iterable[int]) -> None:
    """Raise Refused if the league's system cannot rate fixtures of so many entries."""
    if reason := describe_unrateable_size(competition, sizes):
        raise Refused.of([Problem("/parameters/size", "players", reason)])


def _set_status(competition: Competition, status: str | None) -> Iterator[Problem]:
    if status is None or status == competition.status:
        return
    if {status, competition.status} == {Status.DRAFT, Status.OPEN}:
        competition.status = status
    elif status in Status.values:
        yield Problem(
            "/status", "invalid", _("Only draft and open can be set; start, finish or cancel the competition instead.")
        )
    else:
        template = _("A status is one of: {statuses}.")
        yield Problem("/status", "invalid", template.format(statuses=", ".join(Status.values)))


def _refuse_late_changes(competition: Competition, changed: list[str]) -> None:
    """Raise Refused if a changed setting is fixed by now."""
    started = competition.status not in (Status.DRAFT, Status.OPEN)
    ended = competition.status in (Status.FINISHED, Status.CANCELLED)
    problems = [
        Problem(build_pointer(API_NAMES.get(name, name)), "started", _("This can be changed only before the start."))
        for name in changed
        if started and name in UNTIL_START
    ] + [
        Problem(build_pointer(API_NAMES.get(name, name)), "ended", _("This can be changed only before the end."))
        for name in changed
        if ended and name in UNTIL_END
    ]
    if started and not ended and competition.regulations:
        message = _("By the regulations this is fixed at the start. Leave the regulations to change it.")
        problems += [Problem(build_pointer(name), "regulations", message) for name in changed if name in REGULATED]
    if problems:
        raise Refused.of(problems)
    if "long" in changed and not competition.long:
        _refuse_lost_ratings(competition)
    if started and "rounds" in changed:
        _refuse_other_acceleration(competition)
        _check_rounds_under_way(competition)


def _refuse_lost_ratings(competition: Competition) -> None:
    """Raise Refused if an entry has later ratings, which only a long competition has."""
    rated = competition.entries.exclude(later_ratings=[]).order_by("number").values_list("number", flat=True)
    if numbers := ", ".join(map(str, rated)):
        template = _("Only a competition of more than 30 days has later ratings; remove them first from: {entries}.")
        raise Refused.of([Problem("/long", "later_ratings", template.format(entries=numbers))])


def _check_rounds_under_way(competition: Competition) -> None:
    """Raise Refused if a running competition cannot have its number of rounds; late entries may make more possible."""
    pairing_format = build_format(competition)
    entries = competition.entries.exclude(status=Entry.Status.WAITING).count()
    if pairing_format.count_rounds(entries) is not None:
        raise Refused.of([Problem("/rounds", "started", _("This can be changed only before the start."))])
    made = competition.round_rows.aggregate(last=Max("number"))["last"] or 0
    if competition.rounds is not None and competition.rounds < made:
        template = _("Round {round} is already made; the competition has at least so many rounds.")
        raise Refused.of([Problem("/rounds", "out_of_bounds", template.format(round=made))])


def _refuse_other_acceleration(competition: Competition) -> None:
    """Raise Refused if round 1 was paired with an acceleration that the number of rounds would change."""
    if is_accelerated(competition) and competition.round_rows.exists():
        message = _("The accelerated rounds follow from the number of rounds: it is fixed once round 1 is made.")
        raise Refused.of([Problem("/rounds", "acceleration", message)])


def count_possible_rounds(pairing_format: PairingFormat, entries: int) -> int | None:
    """Return the most rounds that a format can pair for so many entries, None if there is no limit."""
    if pairing_format.key == "swiss":
        return entries + entries % 2 - 1
    return pairing_format.count_rounds(entries)


def _check_acceleration(competition: Competition, entries: int) -> None:
    """Raise Refused if a competition cannot be accelerated: its rounds are open, or nobody would be in group B."""
    if competition.rounds is None:
        message = _("With an acceleration, state the number of rounds.")
        raise Refused.of([Problem("/rounds", "missing", message)])
    if entries < MIN_ACCELERATED:
        template = _("An acceleration needs at least {count} entries: the better half, and others.")
        sentence = template.format(count=MIN_ACCELERATED)
        raise Refused.of([Problem("/parameters/acceleration", "entries", sentence)])


def check_rounds(competition: Competition, pairing_format: PairingFormat, entries: int) -> None:
    """Raise Refused if the number of rounds that was set does not fit the format and the number of entries."""
    if is_accelerated(competition):
        _check_acceleration(competition, entries)
    possible, rounds = count_possible_rounds(pairing_format, entries), competition.rounds
    if competition.regulations and rounds is None and pairing_format.count_rounds(entries) is None:
        message = _("By the regulations the number of rounds is fixed at the start: state it.")
        raise Refused.of([Problem("/rounds", "missing", message)])
    if possible is None or rounds is None or rounds == possible:
        return
    values = {"entries": format_exact(entries), "possible": format_exact(possible), "rounds": format_exact(rounds)}
    if pairing_format.count_rounds(entries) is not None:
        template = ngettext(
            "With {entries} entries this format has {possible} round, not {rounds}; leave the number out.",
            "With {entries} entries this format has {possible} rounds, not {rounds}; leave the number out.",
            possible,
        )
    elif rounds > possible:
        template = ngettext(
            "With {entries} entries at most {possible} round can be paired, not {rounds}.",
            "With {entries} entries at most {possible} rounds can be paired, not {rounds}.",
            possible,
        )
    else:
        return
    raise Refused.of([Problem("/rounds", "too_many_rounds", template.format(**values))])
