"""Show errors of services in forms, warn of closed periods that differ, and parse fields."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.errors import Busy, ClockBehind, DatabaseUnavailable, DiskFull, RungsError
from league.core.ladders.selectors.standings import periods_awaiting
from league.core.text.display_formats import number
from league.models import League
from league.web.viewer import viewer_of

#: Errors that are not caused by the input; the page then answers with their status.
DATABASE_ERRORS: dict[str, type[RungsError]] = {
    error.code: error for error in (Busy, DatabaseUnavailable, DiskFull, ClockBehind)
}


def add_form_error(form: forms.Form, error: RungsError) -> None:
    """Show an error above the form, with its code for ``find_database_error``."""
    form.add_error(None, forms.ValidationError(error.detail, code=error.code))


def find_database_error(form: Any) -> type[RungsError] | None:
    """Return the database error shown above a form, or None."""
    errors = form.errors.as_data().get(NON_FIELD_ERRORS, ()) if isinstance(form, forms.Form) and form.is_bound else ()
    return next((DATABASE_ERRORS[error.code] for error in errors if error.code in DATABASE_ERRORS), None)


def field_of_pointer(pointer: str) -> str | None:
    """Return the form field of a pointer such as /time_zone, /from or /parameters/half_life."""
    parts = pointer.split("/")
    if len(parts) < 2:
        return None
    if parts[1] == "parameters":
        return f"parameters_{parts[-1]}"
    return {"from": "from_date", "to": "to_date"}.get(parts[1], parts[1])


def put_errors(form: forms.Form, error: RungsError, names: Callable[[str], str | None] = field_of_pointer) -> None:
    """Show each problem at the field that ``names`` returns for its pointer, and the rest above the form."""
    for problem in error.problems:
        name = names(problem.pointer)
        form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        add_form_error(form, error)


def warn_of_decisions(request: HttpRequest, league: League) -> None:
    """Warn on the next page if closed periods differ from their games."""
    count = len(periods_awaiting(league))
    if count:
        text = (
            ngettext(
                "One closed period of {league} now differs from what was published.",
                "{count} closed periods of {league} now differ from what was published.",
                count,
            )
            if count == 1
            else ngettext(
                "{count} closed period of {league} now differs from what was published.",
                "{count} closed periods of {league} now differ from what was published.",
                count,
            )
        )
        message = text.format(league=league.title, count=number(count))
        if not viewer_of(request).may("organise", league):
            messages.warning(request, f"{message} {_('An organiser will decide.')}")
            return
        address = reverse("desk:decisions", args=[league.slug])
        label = _("Decide")
        messages.warning(request, format_html('{} <a href="{}">{}</a>', message, address, label))


def whole_in(text: str, digits: int) -> int | None:
    """Parse a whole number of at most ``digits`` digits; None if invalid."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def day_in(text: str) -> date | None:
    """Parse an ISO date; None if invalid."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def by(request: HttpRequest) -> str:
    """Return the user name for the log."""
    return request.user.get_username()
