"""Checks of entries: their details, requested byes, and whom they must not meet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import CharField
from django.utils.translation import gettext as _

from league.apps.competitions.models import DETAILS, MAX_ROUNDS, Competition, Entry, Fixture
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, FORMATS_WITH_BYES, build_format
from league.core.db.field_bounds import get_bounds
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.text.names import is_storable

#: The byes that an entry can ask for.
BYE_KINDS = (Fixture.Kind.FULL_BYE.value, Fixture.Kind.HALF_BYE.value, Fixture.Kind.ZERO_BYE.value)
#: Formats whose bracket or table is complete after the first round.
CLOSED_FORMATS = (*BRACKET_FORMATS, "round_robin")
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
            continue
        low, high = get_bounds(field)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high):
            template = _("This is a whole number from {low} to {high}.")
            yield Problem(f"{prefix}/{name}", "out_of_bounds", template.format(low=low, high=high))


def find_bye_problems(
    prefix: str, competition: Competition, byes: Any, last_round: int, previous: Sequence[Mapping[str, Any]] = ()
) -> Iterator[Problem]:
    """Yield the problems of requested byes; ``previous``: those that the entry has. Rounds that were made are fixed."""
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
    made = [
        bye for bye in [*byes, *previous] if bye["round"] <= last_round and (bye in byes) != (bye in list(previous))
    ]
    if made:
        template = _("Round {round} has been made; its byes cannot be changed any more.")
        yield Problem(f"{prefix}/byes", "made", template.format(round=made[0]["round"]))


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


def normalize_byes(byes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return requested byes in the order of the rounds, as they are stored."""
    return [{"round": bye["round"], "kind": bye["kind"]} for bye in sorted(byes, key=lambda bye: bye["round"])]
