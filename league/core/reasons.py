"""Reasons that people give for what they change: how long they may be, whatever they are for."""

from django.utils.translation import gettext as _

from league.core.errors import Invalid, Problem
from league.models.recorded import MAX_REASON_LENGTH


def check_reason(reason: str) -> str:
    """Return a stripped reason, which may be empty; raises Invalid if it is too long."""
    reason = reason.strip()
    if problems := find_reason_problems(reason):
        raise Invalid.of(problems)
    return reason


def require_reason(reason: str, message: str = "") -> str:
    """Return a stripped reason; raises Invalid if it is too long or, with the message, empty."""
    reason = check_reason(reason)
    if not reason:
        message = message or _("Give a reason; it is kept with the game.")
        raise Invalid.of([Problem("/reason", "missing", message)])
    return reason


def find_reason_problems(reason: str) -> list[Problem]:
    """Return what is wrong with a stripped reason: it is too long."""
    if len(reason) <= MAX_REASON_LENGTH and "\0" not in reason:
        return []
    message = _("A reason has at most {limit} characters.").format(limit=MAX_REASON_LENGTH)
    return [Problem("/reason", "too_long", message)]
