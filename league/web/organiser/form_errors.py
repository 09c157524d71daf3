"""What the desk's forms share: refusals stand at the right field, and closed periods that differ are told."""

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

from league.core.errors import Away, Busy, ClockBack, Full, RungsError
from league.core.ladders.selectors.standings import periods_awaiting
from league.core.text.numbers import number
from league.models import League
from league.web.viewer import viewer_of

#: What is no fault of whoever typed: the page that shows their form again is no good answer.
TROUBLES: dict[str, type[RungsError]] = {error.code: error for error in (Busy, Away, Full, ClockBack)}


def put_above(form: forms.Form, error: RungsError) -> None:
    """Put what is wrong above the form, with the word by which ``show`` knows a trouble of the database."""
    form.add_error(None, forms.ValidationError(error.detail, code=error.code))


def trouble_in(form: Any) -> type[RungsError] | None:
    """Return the trouble of the database that was put above a form, None if there is none."""
    found = form.errors.as_data().get(NON_FIELD_ERRORS, ()) if isinstance(form, forms.Form) and form.is_bound else ()
    return next((TROUBLES[one.code] for one in found if one.code in TROUBLES), None)


def last_part(pointer: str) -> str | None:
    """Return the form field of a pointer such as /time_zone, /from or /parameters/half_life."""
    parts = pointer.split("/")
    if len(parts) < 2:
        return None
    if parts[1] == "parameters":
        return f"parameters_{parts[-1]}"
    return {"from": "from_date", "to": "to_date"}.get(parts[1], parts[1])


def put_errors(form: forms.Form, error: RungsError, names: Callable[[str], str | None] = last_part) -> None:
    """Put each problem at the form field that ``names`` finds for its pointer, the rest above the form."""
    for problem in error.problems:
        name = names(problem.pointer)
        form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        put_above(form, error)


def warn_of_decisions(request: HttpRequest, league: League) -> None:
    """Tell on the next page which closed periods say something else than their games now."""
    count = len(periods_awaiting(league))
    if count:
        words = (
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
        sentence = words.format(league=league.title, count=number(count))
        if not viewer_of(request).may("organise", league):
            messages.warning(request, f"{sentence} {_('An organiser will decide.')}")
            return
        address = reverse("desk:decisions", args=[league.slug])
        asked = _("Decide")
        messages.warning(request, format_html('{} <a href="{}">{}</a>', sentence, address, asked))


def whole_in(text: str, digits: int) -> int | None:
    """Return the whole number of at most so many digits that a text is, None if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def day_in(text: str) -> date | None:
    """Return the day that a field holds, None if it holds none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def by(request: HttpRequest) -> str:
    """Return under whose name something is written."""
    return request.user.get_username()
