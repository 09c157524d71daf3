"""Checks submitted games and converts them to score sheets for the league's system."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from league.core.db.columns import convert_to_days
from league.core.errors import Invalid, Problem, Refused, build_pointer
from league.core.metadata import check_metadata
from league.core.permissions import Viewer
from league.core.rules.selectors.rules import build_rule_system
from league.models import Game, Player, Result, Rule
from league.models.facts import MAX_SEATS, MAX_WEIGHT, SCORE_LIMIT, SHEET, list_recorded_values
from league.models.recorded import RESERVED
from ratings.contract.declarations import refuse_single_side, refuse_unequal_partners
from ratings.contract.parameters import format_localized, is_number
from ratings.contract.system import GameSheet, Refusal
from ratings.run.replay import read_sheet

#: How far a game may be dated ahead of the server's clock, to allow for other clocks and time zones.
AHEAD = timedelta(days=1)
KINDS = tuple(Game.Kind.values)
BYES = {"full_bye", "half_bye", "zero_bye", "pairing_bye"}
#: Kinds of what counts without a game.
UNPLAYED = {*BYES, Game.Kind.FORFEIT.value}
#: Limits of the number of game fields and the length of their names.
MAX_DETAILS, DETAIL_LENGTH = 100, 60
TEXT_LIMITS = {field.name: field.max_length or 0 for field in (Game.external_id.field, Game.note.field)}
#: The largest number of a fixture in a database.
MAX_FIXTURE = 2**31 - 1
#: What a game names that is for none, whoever plays it.
NO_FIXTURE = 0


@dataclass(frozen=True, slots=True)
class NewResult:
    """One line of a submitted sheet: the player's handle or alias, a score, a place, or both, and the side.

    What follows from a ``worksheet`` or from ``sets`` is computed first (``services.computed_results``).
    """

    player: str
    score: float | None = None
    place: int | None = None
    side: int | None = None
    worksheet: Mapping[str, Any] | None = None
    sets: Any = None
    """The points of the player's side in each set, as sent."""
    retired: bool = False
    """Whether the player's side stopped before the end."""
    fields: Mapping[str, Any] | None = None
    """The values of declared fields of the seat, as sent (``declared_values``)."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A submitted game; results are in seat order. ``played_at`` None means now."""

    results: Sequence[NewResult]
    played_at: datetime | None = None
    external_id: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "played"
    note: str = ""
    weight: float = 1.0
    metadata: Mapping[str, str] | None = None
    """None: empty for a new game, unchanged for a correction."""
    fields: Mapping[str, Any] | None = None
    """The values of declared fields, as sent (``declared_values``); None: none, or unchanged for a correction."""
    withheld: Mapping[str, Any] = field(default_factory=dict)
    """Those that not everyone may read, as stored."""
    fixture: int | None = None
    """The number of what it is for; None: found by its players (``attaching``); ``NO_FIXTURE``: for nothing."""
    create_players: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    """Key of a handle -> name of the player to add."""
    viewer: Viewer | None = field(default=None, compare=False, repr=False)
    """The submitting user, who cannot refer to players they may not see. None sees everyone."""

    @property
    def lacks_result(self) -> bool:
        """Whether it says neither scores nor places, as an unrated game may, and is no forfeit."""
        return self.kind != Game.Kind.FORFEIT and all(
            line.score is None and line.place is None for line in self.results
        )


def share_side_results(results: Sequence[NewResult]) -> list[NewResult]:
    """Copy the score and place of one partner to the others, so that a side's result need be given only once.

    If partners have different ones, nothing is filled in, and the rules report the problem.
    """

    def theirs(line: NewResult, name: str) -> Any:
        own_value = getattr(line, name)
        if own_value is not None or line.side is None:
            return own_value
        side_values = {getattr(other, name) for other in results if other.side == line.side} - {None}
        return side_values.pop() if len(side_values) == 1 else None

    return [replace(line, score=theirs(line, "score"), place=theirs(line, "place")) for line in results]


def rebuild_input(game: Game, lines: Iterable[Result]) -> NewGame:
    """Return a recorded game as it would be submitted again, its lines in seat order.

    Merged players have their current handles.
    """
    return NewGame(
        [NewResult(line.player.handle, *list_recorded_values(line)) for line in lines],
        **{name: getattr(game, name) for name in SHEET},
    )


def check_form(new: NewGame) -> None:
    """Raise Invalid if the game is malformed, independent of the league's rules."""
    problems = []
    if new.kind not in KINDS:
        message = _("A game's kind is one of: {kinds}.").format(kinds=", ".join(KINDS))
        problems.append(Problem("/kind", "unknown_kind", message))
    if new.played_at is not None and new.played_at.tzinfo is None:
        message = _("The time needs an offset, e.g. 2024-03-05T19:30:00Z.")
        problems.append(Problem("/played_at", "no_offset", message))
    if not new.results:
        problems.append(Problem("/results", "players", _("This game has no players: choose who played.")))
    elif len(new.results) > MAX_SEATS:
        message = _("A game has at most {limit} results; this one has {count}.")
        problems.append(Problem("/results", "players", message.format(limit=MAX_SEATS, count=len(new.results))))
    for name, limit in TEXT_LIMITS.items():
        text = getattr(new, name) or ""
        if len(text) > limit:
            message = _("{field} has at most {limit} characters.").format(field=name, limit=limit)
            problems.append(Problem(f"/{name}", "too_long", message))
        if "\0" in text:
            problems.append(
                Problem(f"/{name}", "nul", _("{field} must not contain a NUL character.").format(field=name))
            )
    if not math.isfinite(new.weight):
        problems.append(Problem("/weight", "not_finite", _("The weight must be a finite number.")))
    problems += check_details(new.details)
    if new.metadata:
        problems += check_metadata(new.metadata)
    problems += check_finite(new.results[:MAX_SEATS])
    if problems:
        raise Invalid.of(problems)


def build_field_problem(seat: int, field: str, code: str, template: str, **values: object) -> Problem:
    """Return a problem with a field of a result."""
    return Problem(f"/results/{seat}/{field}", code, template.format(seat=seat + 1, **values))


def check_finite(results: Sequence[NewResult]) -> list[Problem]:
    """Refuse scores and places that are not finite numbers."""
    problems = []
    for seat, result in enumerate(results):
        if result.score is not None and not math.isfinite(result.score):
            template = _("Seat {seat}: the score must be a finite number.")
            problems.append(build_field_problem(seat, "score", "not_finite", template))
        if result.place is not None and not math.isfinite(result.place):
            template = _("Seat {seat}: the place must be a finite number.")
            problems.append(build_field_problem(seat, "place", "not_finite", template))
    return problems


def check_details(details: Mapping[str, Any]) -> list[Problem]:
    """Refuse too many game fields or too long names: every list of games includes them."""
    if len(details) > MAX_DETAILS:
        template = _("A game has at most {limit} details; this one has {count}.")
        count = number_format(len(details), force_grouping=True)
        return [Problem("/details", "too_many", template.format(limit=MAX_DETAILS, count=count))]
    long = [key for key in details if len(key) > DETAIL_LENGTH]
    # Translated only if needed: this runs for each game of a file, and a translation costs as much as the check.
    template = _("A detail's name has at most {limit} characters: “{name}…”.") if long else ""
    return [Problem("/details", "too_long", template.format(limit=DETAIL_LENGTH, name=key[:20])) for key in long]


def check_sheet(new: NewGame, rules: Sequence[Rule], players: Sequence[Player]) -> None:
    """Raise Refused with a message per seat or field if the rules that rate a sheet refuse it."""
    problems = find_repeated_players(players)
    if not problems or new.kind != Game.Kind.PLAYED:
        problems += find_refusals(rules, new)
    if problems:
        raise Refused.of(problems)


def find_refusals(rules: Sequence[Rule], new: NewGame) -> list[Problem]:
    """Return the problems that the rules rating a sheet find, regardless of players: see ``find_rules_rating``."""
    if new.kind == Game.Kind.PLAYED:
        sheet = build_sheet(new)
        problems = [_convert_refusal(refusal) for refusal in build_rule_system(rules[0]).check(sheet)]
        return problems or [problem for rule in rules[1:] for problem in find_later_refusals(rule, sheet)]
    problems = check_unrated(new)
    if new.kind in BYES and len(new.results) != 1:
        message = _("A bye has one result: the player who had no opponent.")
        problems.insert(0, Problem("/results", "players", message))
    return problems


def find_later_refusals(rule: Rule, sheet: GameSheet) -> list[Problem]:
    """Return why the system of a later rule, which replays all games, cannot rate a sheet."""
    system = build_rule_system(rule)
    template = _("Ratings since {day} are computed from all games by {system}, which cannot rate this game: {reason}")
    return [
        replace(problem, detail=template.format(day=rule.from_date, system=system.title, reason=problem.detail))
        for problem in map(_convert_refusal, system.check(read_sheet(system, sheet)))
    ]


def check_unrated(new: NewGame) -> list[Problem]:
    """Refuse impossible results; the scores of byes and forfeits are up to the tournament."""
    problems = []
    for seat, result in enumerate(new.results):
        if result.score is not None and abs(result.score) > SCORE_LIMIT:
            template = _("Seat {seat}: a score of {score} must be a typing error.")
            problems.append(
                build_field_problem(seat, "score", "out_of_bounds", template, score=format_localized(result.score))
            )
        if result.place is not None and not 1 <= result.place <= len(new.results):
            template = _("Seat {seat}: a place must be from 1 to {last}.")
            problems.append(build_field_problem(seat, "place", "out_of_bounds", template, last=len(new.results)))
        if result.side is not None and not 1 <= result.side <= MAX_SEATS:
            template = _("Seat {seat}: a team must be from 1 to {last}.")
            problems.append(build_field_problem(seat, "side", "out_of_bounds", template, last=MAX_SEATS))
    problems = problems or check_partners(new)
    if not 0 <= new.weight <= MAX_WEIGHT:
        template = _("The weight must be from 0 to {most}.").format(most=format_localized(MAX_WEIGHT))
        problems.append(Problem("/weight", "out_of_bounds", template))
    for key, value in _select_game_fields(new.details).items():
        if not is_number(value):
            template = _("{field} must be a number.").format(field=key)
            problems.append(Problem(build_pointer("details", key), "not_a_number", template))
        elif abs(value) > SCORE_LIMIT:
            template = _("{field} of {value} must be a typing error.").format(field=key, value=format_localized(value))
            problems.append(Problem(build_pointer("details", key), "out_of_bounds", template))
    return problems


def check_partners(new: NewGame) -> list[Problem]:
    """Refuse sides with different results, and a single side for everyone. A bye has one player."""
    sheet = build_sheet(new)
    if not sheet.sides or sheet.size == 1:
        return []
    alone = replace(sheet, sides=[-seat if side is None else side for seat, side in enumerate(sheet.sides, start=1)])
    return [_convert_refusal(refusal) for refusal in refuse_single_side(alone) or refuse_unequal_partners(alone)]


def find_repeated_players(players: Sequence[Player]) -> list[Problem]:
    """Refuse a player at two seats of one game."""
    seats: dict[int, int] = {}
    problems = []
    for seat, player in enumerate(players):
        first = seats.setdefault(player.pk, seat)
        if first != seat:
            template = _("{player} is in seats {first} and {second}; a player can play a game only once.")
            message = template.format(player=player.name, first=first + 1, second=seat + 1)
            problems.append(Problem(f"/results/{seat}/player", "twice", message))
    return problems


def build_sheet(new: NewGame) -> GameSheet:
    """Return the kernel's sheet of a submitted game; without a time its day is 0, which no check uses."""
    return GameSheet(
        scores=[result.score for result in new.results],
        places=[result.place for result in new.results],
        fields=_select_game_fields(new.details),
        sides=_list_sides(new.results),
        weight=new.weight,
        day=0.0 if new.played_at is None else convert_to_days(new.played_at),
    )


def build_recorded_sheet(game: Game, lines: Sequence[Result]) -> GameSheet:
    """Return the kernel's sheet of a recorded game, its results in seat order."""
    return GameSheet(
        scores=[line.score for line in lines],
        places=[line.place for line in lines],
        fields=dict(game.fields),
        sides=_list_sides(lines),
        weight=game.weight,
        day=convert_to_days(game.played_at),
    )


def _list_sides(lines: Sequence[NewResult] | Sequence[Result]) -> Sequence[int | None]:
    """Return the sides in seat order; empty if everyone plays alone."""
    sides = [line.side for line in lines]
    return () if sides.count(None) == len(sides) else sides


def _select_game_fields(details: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the system's game fields: the details without worksheets, sets and declared fields."""
    if RESERVED.isdisjoint(details):
        return details
    return {key: value for key, value in details.items() if key not in RESERVED}


def _convert_refusal(refusal: Refusal) -> Problem:
    """Convert a system's refusal to a problem with a pointer into the game."""
    if refusal.seat is not None:
        return Problem(f"/results/{refusal.seat}/{refusal.field}", refusal.code, refusal.sentence)
    if refusal.field == "weight":
        pointer = "/weight"
    else:
        of_all = refusal.field in ("results", "side")
        pointer = "/results" if of_all else build_pointer("details", refusal.field)
    return Problem(pointer, refusal.code, refusal.sentence)


def check_time(played_at: datetime, now: datetime, rules: Sequence[Rule]) -> Rule:
    """Return the rule in force when the game was played; raises Refused outside the league's time."""
    if played_at - now > AHEAD:  # now plus a day may exceed the calendar
        template = _("The game is dated {time} UTC, more than a day in the future.")
        message = template.format(time=f"{played_at:%Y-%m-%d %H:%M}")
        raise Refused.of([Problem("/played_at", "future", message)])
    in_force = [rule for rule in rules if rule.starts_at <= played_at]
    if in_force:
        return in_force[-1]
    if not rules:
        raise Refused(_("The league has no rule yet. Choose a rating system before recording games."))
    template = _("The game is dated {day}, before the league's first rule takes effect on {first}.")
    message = template.format(day=f"{played_at:%Y-%m-%d}", first=rules[0].from_date)
    raise Refused.of([Problem("/played_at", "before_the_league", message)])


def normalize_negative_zero(value: Any) -> Any:
    """Replace -0.0 by 0.0: the databases differ in whether they store -0.0."""
    return value + 0.0 if isinstance(value, float) else value


def build_content(sheet: Any, results: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the content by which two sheets, sent or recorded, with one external_id are the same game; without time.

    ``results``: player, score, place and side.
    """
    values = [getattr(sheet, name) for name in SHEET if name not in ("played_at", "external_id", "metadata")]
    return json.loads(json.dumps(values, default=dict)), dict(sheet.metadata or {}), list(results)


def has_same_content(game: Game, new: NewGame, players: Sequence[Player]) -> bool:
    """Return whether ``new`` has the same content as the recorded game; the time counts only if it is given."""
    lines = sorted(game.results.all(), key=lambda result: result.seat)
    recorded = [(line.player_id, *list_recorded_values(line)) for line in lines]
    sent = [(player.pk, *list_recorded_values(result)) for player, result in zip(players, new.results, strict=True)]
    same_time = new.played_at is None or new.played_at == game.played_at
    return same_time and build_content(game, recorded) == build_content(new, sent)
