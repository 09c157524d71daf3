"""Declares and changes the fields of a league."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from league.core.errors import Conflict, Invalid, Problem, Refused, build_pointer
from league.core.fields.selectors.fields import find_field
from league.core.locking import locked
from league.core.log.services import entries
from league.core.text.names import is_storable
from league.models import DeclaredField, League, LogEntry
from league.models.fields import FIELD_LOG, MAX_VALUE_LENGTH

#: The most fields of a league, also retired ones, and the most choices of a field.
MAX_FIELDS, MAX_CHOICES = 50, 200
#: What may change of a field.
CHANGEABLE = ("title", "choices", "required", "retired")


@dataclass(frozen=True)
class NewField:
    """A field to declare."""

    key: str
    title: str
    of: str
    type: str
    choices: list[str] = field(default_factory=list)
    required: bool = False
    visible: str = "all"
    from_date: date | None = None


@locked
def declare_field(league: League, now: datetime, new: NewField, *, username: str) -> DeclaredField:
    """Declare a field; raises Invalid with a pointer per member, Conflict if the key is taken."""
    if league.declared_fields.filter(key=new.key).exists():
        message = _("The league already has a field “{field}”; choose another key.").format(field=new.key)
        raise Conflict.of([Problem("/key", "taken", message)])
    if league.declared_fields.count() >= MAX_FIELDS:
        template = _("A league has at most {limit} fields, with those that are retired.")
        raise Refused.of([Problem("/key", "too_many", template.format(limit=MAX_FIELDS))])
    declared = DeclaredField(league=league, created_by=username, created_at=now, **vars(new))
    check_field(declared)
    if declared.required:
        _check_asked_for(declared)
    declared.save(force_insert=True)
    # The row says when it was inserted, the log when the request began.
    DeclaredField.objects.filter(pk=declared.pk).update(created_at=now)
    declared.created_at = now
    if not league.has_fields:
        league.has_fields = True
        league.save(update_fields=["has_fields"])
    entries.append(league, now, username, LogEntry.Kind.FIELD_DECLARED, FIELD_LOG.build_payload(declared))
    return declared


@locked
def change_field(
    league: League, now: datetime, key: str, changes: Mapping[str, Any], *, username: str
) -> DeclaredField:
    """Change title, choices, or whether a field is required or retired; raises NotFound, Invalid or Refused.

    Choices can be added and reordered, but not removed, because games may have them.
    """
    declared = find_field(league, key)
    lost = [choice for choice in declared.choices if choice not in changes.get("choices", declared.choices)]
    if lost:
        template = _("Choices cannot be removed, because games may have them: {choices}.")
        raise Refused.of([Problem("/choices", "removed_choice", template.format(choices=", ".join(lost)))])
    for name in CHANGEABLE:
        setattr(declared, name, changes.get(name, getattr(declared, name)))
    check_field(declared)
    if changes.get("required"):
        _check_asked_for(declared)
    declared.save(update_fields=list(CHANGEABLE))
    # The new count invalidates cached pages, which have the title.
    league.replays += 1
    league.save(update_fields=["replays"])
    entries.append(league, now, username, LogEntry.Kind.FIELD_CHANGED, FIELD_LOG.build_payload(declared))
    return declared


def check_field(declared: DeclaredField) -> None:
    """Raise Invalid if a member of a field is invalid."""
    problems = _find_choice_problems(declared)
    try:
        declared.clean_fields(exclude=["league"])
    except ValidationError as error:
        problems += [
            Problem(f"/{'from' if name == 'from_date' else name}", "invalid", " ".join(messages))
            for name, messages in error.message_dict.items()
        ]
    if problems:
        raise Invalid.of(problems)


def _check_asked_for(declared: DeclaredField) -> None:
    """Raise Refused if games cannot require a value of a field, because no score sheet asks for it."""
    if not declared.can_be_required:
        message = _("Games cannot require a field that only organisers may read: no score sheet asks for it.")
        raise Refused.of([Problem("/required", "not_asked_for", message)])


def _find_choice_problems(declared: DeclaredField) -> list[Problem]:
    """Return what is wrong with the choices."""
    choices: Any = declared.choices
    if declared.type != DeclaredField.Type.CHOICE:
        message = _("Only fields of the type “choice” have choices.")
        return [Problem("/choices", "unknown_field", message)] if choices else []
    if not isinstance(choices, list) or not 1 <= len(choices) <= MAX_CHOICES:
        template = _("A field of the type “choice” has 1 to {limit} choices.")
        return [Problem("/choices", "required", template.format(limit=MAX_CHOICES))]
    problems = []
    folded: set[str] = set()
    for place, choice in enumerate(choices):
        pointer = build_pointer("choices", place)
        if not isinstance(choice, str) or not choice.strip() or choice != choice.strip() or not is_storable(choice):
            problems.append(Problem(pointer, "not_a_text", _("A choice is a text without spaces around it.")))
        elif len(choice) > MAX_VALUE_LENGTH:
            template = _("A choice has at most {limit} characters.")
            problems.append(Problem(pointer, "too_long", template.format(limit=MAX_VALUE_LENGTH)))
        elif choice.casefold() in folded:
            problems.append(Problem(pointer, "twice", _("The choice “{choice}” is there twice.").format(choice=choice)))
        else:
            folded.add(choice.casefold())
    return problems
