"""Checks of entries: their details, requested byes, whom they must not meet, and points that an arbiter adds."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.db.models import CharField
from django.utils.translation import gettext as _

from league.apps.competitions.models import DETAILS, MARKS, MAX_LISTS, MAX_ROUNDS, Competition, Entry, Fixture
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, FORMATS_WITH_BYES, build_format
from league.core.db.field_bounds import get_bounds
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.players.listed_people import build_list_key
from league.core.reasons import find_reason_problems
from league.core.text.names import is_storable

#: The byes that an entry can ask for.
BYE_KINDS = (Fixture.Kind.FULL_BYE.value, Fixture.Kind.HALF_BYE.value, Fixture.Kind.ZERO_BYE.value)
#: Formats whose bracket or table is complete after the first round.
CLOSED_FORMATS = (*BRACKET_FORMATS, "round_robin")
#: The value of the tie-break HAND.
BY_HAND = re.compile(r"-?[0-9]+(\.[0-9]+)?")
#: How many points an arbiter takes or adds, as many as line 299 has place for; the length of their text.
MIN_POINTS, MAX_POINTS, MAX_POINTS_TEXT = -9, 99, 20
Status = Competition.Status


def find_entry(competition: Competition, number: int) -> Entry:
    """Return an entry by its number; raises NotFound."""
    entry = competition.entries.filter(number=number).first()
    if entry is None:
        template = _("The competition {title} has no entry {number}.")
        raise NotFound(template.format(title=competition.title, number=number))
    return entry


def has_started(competition: Competition) -> bool:
    """Return whether the entries have their final numbers."""
    return competition.status not in (Status.DRAFT, Status.OPEN)


def refuse_ended(competition: Competition) -> None:
    """Raise Conflict if the competition is finished or cancelled."""
    if competition.status in (Status.FINISHED, Status.CANCELLED):
        raise Conflict(_("The competition has ended; its entries cannot be changed."))


def refuse_late_entries(competition: Competition, last_round: int) -> None:
    """Raise Refused if the format takes no entries after the rounds that were made."""
    if last_round and competition.format in CLOSED_FORMATS:
        template = _("In the format {format} nobody can enter after the first round was made.")
        raise Refused(template.format(format=_(build_format(competition).title)))


def refuse_late_separation(competition: Competition, pointers: Sequence[str]) -> None:
    """Raise Refused if the regulations fix who must not meet: once round 1 is made."""
    if pointers and competition.regulations and competition.round_rows.exists():
        message = _("By the regulations it is fixed who must not meet, once round 1 is made.")
        raise Refused.of([Problem(pointer, "regulations", message) for pointer in pointers])


def find_detail_problems(prefix: str, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of an entry's texts and numbers, by the lengths and bounds of the model."""
    for name in DETAILS:
        field: Any = Entry._meta.get_field(name)
        value = details.get(name, field.get_default())
        if isinstance(field, CharField):
            length = field.max_length or 0
            if not isinstance(value, str) or len(value) > length or not is_storable(value):
                template = _("This is a text of at most {limit} characters.")
                yield Problem(f"{prefix}/{name}", "invalid", template.format(limit=length))
            elif name == "by_hand" and value and not BY_HAND.fullmatch(value):
                yield Problem(f"{prefix}/{name}", "invalid", _("This is a number, such as 3 or 12.5."))
            continue
        low, high = get_bounds(field)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high):
            template = _("This is a whole number from {low} to {high}.")
            yield Problem(f"{prefix}/{name}", "out_of_bounds", template.format(low=low, high=high))


def find_official_problems(prefix: str, official: Any) -> Iterator[Problem]:
    """Yield the problems of the ratings of lists that an entry has."""
    fields: Any = [Entry._meta.get_field(name) for name in ("rating", "rating_from")]
    (low, high), length = get_bounds(fields[0]), fields[1].max_length
    if not _is_list_of(official, {"rating": int, "rating_from": str}) or len(official) > MAX_LISTS:
        template = _("This is a list of at most {limit} ratings, each with the list that it is from.")
        yield Problem(f"{prefix}/official_ratings", "invalid", template.format(limit=MAX_LISTS))
        return
    for index, one in enumerate(official):
        pointer = f"{prefix}/official_ratings/{index}"
        if not low <= one["rating"] <= high:
            template = _("This is a whole number from {low} to {high}.")
            yield Problem(f"{pointer}/rating", "out_of_bounds", template.format(low=low, high=high))
        if not build_list_key(one["rating_from"]) or len(one["rating_from"]) > length:
            message = _("A rating is from a list, its day and a kind, such as fide 2026-11-01, rapid.")
            yield Problem(f"{pointer}/rating_from", "invalid", message)


def find_later_problems(prefix: str, later: Any, *, is_long: bool) -> Iterator[Problem]:
    """Yield the problems of the ratings that apply in later rounds; ``is_long``: whether the competition is long."""
    pointer = f"{prefix}/later_ratings"
    if not _is_list_of(later, {"from_round": int, "rating": int, "rating_from": str}):
        message = _("This is a list of ratings, each with the first round in which it applies and where it is from.")
        yield Problem(pointer, "invalid", message)
        return
    if later and not is_long:
        yield Problem(
            pointer, "not_long", _("Only in a competition of more than 30 days an entry has several ratings.")
        )
    rounds = [one["from_round"] for one in later]
    for index, one in enumerate(later):
        details = {name: one[name] for name in ("rating", "rating_from")}
        yield from find_detail_problems(f"{pointer}/{index}", details)
        if not 2 <= one["from_round"] <= MAX_ROUNDS:
            template = _("A later rating applies from a round from 2 to {limit} on.")
            yield Problem(f"{pointer}/{index}/from_round", "out_of_bounds", template.format(limit=MAX_ROUNDS))
        elif one["from_round"] in rounds[:index]:
            template = _("Round {round} is listed twice.")
            yield Problem(f"{pointer}/{index}/from_round", "twice", template.format(round=one["from_round"]))


def normalize_later(later: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the ratings that apply in later rounds as they are stored, in the order of the rounds."""
    return [dict(one) for one in sorted(later, key=lambda one: one["from_round"])]


def find_bye_problems(
    prefix: str, competition: Competition, byes: Any, last_round: int, previous: Sequence[Mapping[str, Any]] | None = ()
) -> Iterator[Problem]:
    """Yield the problems of requested byes. Rounds that were made are fixed, but for who enters after them.

    ``previous``: those that the entry has; None for a new one.
    """
    if not _is_list_of_byes(byes):
        template = _("Byes are a list of rounds with a kind: {kinds}.")
        yield Problem(f"{prefix}/byes", "invalid", template.format(kinds=", ".join(BYE_KINDS)))
        return
    if byes and competition.format not in FORMATS_WITH_BYES:
        yield Problem(f"{prefix}/byes", "no_byes", _("In this format entries cannot ask for byes."))
        return
    limit = competition.rounds or MAX_ROUNDS
    rounds = [bye["round"] for bye in byes]
    for index, bye in enumerate(byes):
        pointer = f"{prefix}/byes/{index}/round"
        if not 1 <= bye["round"] <= limit:
            template = _("There is no round {round}; the last one is {limit}.")
            yield Problem(pointer, "out_of_bounds", template.format(round=bye["round"], limit=limit))
        elif rounds.count(bye["round"]) > 1:
            template = _("Round {round} is listed twice.")
            yield Problem(pointer, "twice", template.format(round=bye["round"]))
    before = list(byes if previous is None else previous)
    made = [bye for bye in [*byes, *before] if bye["round"] <= last_round and (bye in byes) != (bye in before)]
    if made:
        template = _("Round {round} has been made; its byes cannot be changed any more.")
        yield Problem(f"{prefix}/byes", "made", template.format(round=made[0]["round"]))


def find_mark_problems(changes: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of what an arbiter notes of an entry."""
    for name in MARKS:
        if not isinstance(changes.get(name, False), bool):
            yield Problem(f"/{name}", "invalid", _("This must be true or false."))


def find_point_problems(
    prefix: str, byes: Any, kept: Sequence[Mapping[str, Any]] = (), *, may_have_none: bool
) -> Iterator[Problem]:
    """Yield the byes with points of an entry that may have none; ``kept``: those of rounds that were made."""
    for index, bye in enumerate(byes if may_have_none and _is_list_of_byes(byes) else ()):
        if bye["kind"] != Fixture.Kind.ZERO_BYE and bye not in kept:
            message = _("This entry may have no bye with points.")
            yield Problem(f"{prefix}/byes/{index}/kind", "no_points", message)


def _is_list_of_byes(byes: Any) -> bool:
    return (
        isinstance(byes, Sequence)
        and not isinstance(byes, str)
        and all(
            isinstance(bye, Mapping)
            and bye.keys() == {"round", "kind"}
            and isinstance(bye["round"], int)
            and not isinstance(bye["round"], bool)
            and bye["kind"] in BYE_KINDS
            for bye in byes
        )
    )


def find_opponent_problems(prefix: str, own: int, numbers: Any, known: Collection[int]) -> Iterator[Problem]:
    """Yield the problems of the list of entries that an entry must not meet."""
    if not isinstance(numbers, Sequence) or isinstance(numbers, str):
        yield Problem(f"{prefix}/not_against", "invalid", _("This is a list of numbers of entries."))
        return
    for index, number in enumerate(numbers):
        pointer = f"{prefix}/not_against/{index}"
        if number == own:
            yield Problem(pointer, "itself", _("An entry cannot meet itself anyway."))
        elif isinstance(number, bool) or number not in known:
            template = _("There is no entry {number}.")
            yield Problem(pointer, "unknown_entry", template.format(number=number))


def find_apart_problems(prefix: str, own: int, apart: Any, known: Collection[int]) -> Iterator[Problem]:
    """Yield the problems of the entries that an entry must not meet in some rounds."""
    if not _is_list_of(apart, {"entry": int, "rounds": list}):
        message = _("This is a list of entries, each with its first and last round.")
        yield Problem(f"{prefix}/apart", "invalid", message)
        return
    for index, one in enumerate(apart):
        pointer, rounds = f"{prefix}/apart/{index}", one["rounds"]
        fits = len(rounds) == 2 and all(type(number) is int for number in rounds)
        if not (fits and 1 <= rounds[0] <= rounds[1] <= MAX_ROUNDS):
            template = _("Rounds are the first and the last one, from 1 to {limit}.")
            yield Problem(f"{pointer}/rounds", "out_of_bounds", template.format(limit=MAX_ROUNDS))
        elif one["entry"] == own:
            yield Problem(f"{pointer}/entry", "itself", _("An entry cannot meet itself anyway."))
        elif one["entry"] not in known:
            template = _("There is no entry {number}.")
            yield Problem(f"{pointer}/entry", "unknown_entry", template.format(number=one["entry"]))


def find_added_points_problems(added: Any) -> Iterator[Problem]:
    """Yield the problems of the points that an arbiter adds or takes, each after a round and with its reason."""
    if not _is_list_of(added, {"round": int, "points": str, "reason": str}):
        message = _("This is a list of points, each with the round after which it counts and the reason.")
        yield Problem("/added_points", "invalid", message)
        return
    for index, one in enumerate(added):
        pointer = f"/added_points/{index}"
        if not 0 <= one["round"] <= MAX_ROUNDS:
            template = _("A round is a number from 0 to {limit}.")
            yield Problem(f"{pointer}/round", "out_of_bounds", template.format(limit=MAX_ROUNDS))
        points = read_points(one["points"])
        if points is None or not points or not MIN_POINTS <= points <= MAX_POINTS or 10 % points.denominator:
            template = _("Points are a number from {low} to {high} such as 1/2, 0.1 or -1, and not 0.")
            sentence = template.format(low=MIN_POINTS, high=MAX_POINTS)
            yield Problem(f"{pointer}/points", "out_of_bounds", sentence)
        reason = one["reason"].strip()
        if not reason:
            yield Problem(f"{pointer}/reason", "missing", _("Give the reason of the arbiter's decision."))
        yield from (replace(problem, pointer=f"{pointer}/reason") for problem in find_reason_problems(reason))


def read_points(text: str) -> Fraction | None:
    """Return a number of points as it is stored, None if the text is none."""
    # An exponent could write a number of a billion digits.
    if len(text) > MAX_POINTS_TEXT or not re.fullmatch(r"[+-]?\d+([.,]\d+|/\d+)?", text.strip(), re.ASCII):
        return None
    try:
        return Fraction(text.strip().replace(",", "."))
    except ZeroDivisionError:
        return None


def _is_list_of(value: Any, members: Mapping[str, type]) -> bool:
    """Return whether a value is a list of objects with these members of these types."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(
            isinstance(one, Mapping)
            and one.keys() == members.keys()
            and all(type(one[name]) is kind for name, kind in members.items())
            for one in value
        )
    )


def normalize_apart(apart: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return whom an entry must not meet in some rounds as it is stored: by number and rounds, each once."""
    found = sorted({(one["entry"], *one["rounds"]) for one in apart})
    return [{"entry": entry, "rounds": [first, last]} for entry, first, last in found]


def normalize_added_points(added: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the points that an arbiter added as they are stored, in the order of the rounds."""
    return [
        {"round": one["round"], "points": str(read_points(one["points"])), "reason": one["reason"].strip()}
        for one in sorted(added, key=lambda one: one["round"])
    ]


def normalize_byes(byes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return requested byes in the order of the rounds, as they are stored."""
    return [{"round": bye["round"], "kind": bye["kind"]} for bye in sorted(byes, key=lambda bye: bye["round"])]
