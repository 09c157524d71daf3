"""Forms on the organiser's pages: their errors, and keys with which a form that is sent twice is handled once."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.core.accounts.services.secret_links import SecretLinks
from league.core.db.field_bounds import get_bounds
from league.core.errors import Busy, ClockBehind, DatabaseUnavailable, DiskFull, KeyReused, RequestUnderway, RungsError
from league.core.games.services.idempotency import StoredResponse, run_idempotently
from league.core.ladders.selectors.ladders import load_periods_awaiting_decision
from league.core.text.display_formats import format_number
from league.models import League
from league.web.sign_in.sessions import viewer_of
from ratings.forms import WholeField

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


def find_field(pointer: str) -> str | None:
    """Return the form field of a pointer such as /time_zone, /from or /parameters/half_life."""
    segments = pointer.split("/")
    if len(segments) < 2:
        return None
    if segments[1] == "parameters":
        return f"parameters_{segments[-1]}"
    return {"from": "from_date", "to": "to_date"}.get(segments[1], segments[1])


def add_errors(form: forms.Form, error: RungsError, names: Callable[[str], str | None] = find_field) -> None:
    """Show each problem at the field that ``names`` returns for its pointer, and the rest above the form."""
    for problem in error.problems:
        name = names(problem.pointer)
        form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        add_form_error(form, error)


def warn_of_decisions(request: HttpRequest, league: League) -> None:
    """Warn on the next page if closed periods differ from their games."""
    count = len(load_periods_awaiting_decision(league))
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
        message = text.format(league=league.title, count=format_number(count))
        if not viewer_of(request).may("organise", league):
            messages.warning(request, f"{message} {_('An organiser will decide.')}")
            return
        address = reverse("desk:decisions", args=[league.slug])
        label = _("Decide")
        messages.warning(request, format_html('{} <a href="{}">{}</a>', message, address, label))


def parse_whole_number(text: str, digits: int) -> int | None:
    """Parse a whole number of at most ``digits`` digits; None if invalid."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def parse_day(text: str) -> date | None:
    """Parse an ISO date; None if invalid."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def build_form_field(field: Any, **options: Any) -> Any:
    """Return the form field for a model field: its kind, length, bounds, choices and help."""
    options = {"required": not field.blank, "help_text": field.help_text, **options}
    if field.choices:
        return forms.ChoiceField(choices=field.choices, **options)
    if isinstance(field, models.IntegerField):
        low, high = get_bounds(field)
        return WholeField(min_value=low, max_value=high, **options)
    return forms.CharField(max_length=field.max_length, **options)


def get_back_address(request: HttpRequest) -> str:
    """Return the address on this site that a form leads back to, or ""."""
    back = str(request.POST.get("back", ""))
    return back if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None) else ""


def get_request_username(request: HttpRequest) -> str:
    """Return the user name for the log."""
    return request.user.get_username()


#: The hidden field of the key.
ONCE = "once"


def _declare_lazy_text(text: Any) -> str:  # for the type checker
    return cast("str", text)


#: Shown if a recorded sheet is changed and sent again.
CHANGED = _declare_lazy_text(
    gettext_lazy(
        "This game has already been recorded, but the form has changed since. Nothing else "
        "was saved. To change the recorded game, correct it on its own page; to record a "
        "second game, submit again."
    )
)
#: Shown if another form is changed and sent again after it was carried out.
ALREADY_DONE_MESSAGE = _declare_lazy_text(
    gettext_lazy("This form has already been submitted with other contents. Nothing else was saved.")
)
#: Shown if a form differs from its preview.
PREVIEW_DIFFERS_MESSAGE = _declare_lazy_text(
    gettext_lazy("The form differs from what the preview showed. These are the changes now.")
)
#: Shown if a form is sent again while the first one is being processed.
STILL_PROCESSED_MESSAGE = _declare_lazy_text(
    gettext_lazy("This form was sent twice and is still being processed. Look again shortly.")
)
#: How long a new secret is shown again if its creator submits the form twice.
SECRET_SHOWN_FOR = timedelta(minutes=5)
KEY_PATTERN = re.compile(r"[0-9a-f]{32}")
#: Fields that may differ between two submissions of the same form.
IGNORED_FIELDS = ("csrfmiddlewaretoken", "keep_players", "ago", "clock", "after", "before", "make", "seen", ONCE)


@dataclass(frozen=True)
class FormOutcome:
    """The result of a form; ``again`` is whether it was carried out earlier."""

    answer: dict[str, Any]
    again: bool


def add_timestamp(data: dict[str, Any]) -> dict[str, Any]:
    """Add the time to a result that shows a secret, so that it is not shown for as long as the result is stored."""
    return {**data, "at": timezone.now().isoformat()}


def is_recent(outcome: FormOutcome) -> bool:
    """Return whether a stamped result is recent enough to show its secret."""
    stored_at = datetime.fromisoformat(outcome.answer.get("at", "1970-01-01T00:00:00+00:00"))
    return timezone.now() - stored_at <= SECRET_SHOWN_FOR


def get_submitted_key(request: HttpRequest) -> str:
    """Return the key of the submitted form, "" without one."""
    key = request.POST.get(ONCE, "")
    return key if KEY_PATTERN.fullmatch(key) else ""


def get_form_key(request: HttpRequest, *, new: bool = False) -> str:
    """Return the key for showing a form: the submitted one, or a new one if that was used for other contents."""
    new = new or getattr(request, "key_taken", False)
    return uuid4().hex if new else get_submitted_key(request) or uuid4().hex


def run_once(request: HttpRequest, action: Callable[[], dict[str, Any]]) -> FormOutcome:
    """Carry out a form, or return the stored result of the first submission; raises the errors of ``action``.

    Raises KeyReused if the key was used with other contents, Underway if that form is still being processed.
    """
    key = get_submitted_key(request)
    if not key:
        return FormOutcome(action(), again=False)
    try:
        response = run_idempotently(
            f"desk:{request.user.pk}",
            key,
            compute_form_digest(request),
            lambda: StoredResponse(302, json.dumps(action()), {}),
        )
    except KeyReused:
        request.key_taken = True  # type: ignore[attr-defined]  # kept for this request only
        raise KeyReused(ALREADY_DONE_MESSAGE) from None
    except RequestUnderway:
        raise RequestUnderway(STILL_PROCESSED_MESSAGE) from None
    return FormOutcome(json.loads(response.body), response.replayed)


def build_link_secret(request: HttpRequest, links: SecretLinks[Any], league: League) -> str:
    """Return the secret for a link that a form creates; the same if it is sent twice."""
    return links.secret_of(request.user, league.pk, get_submitted_key(request) or uuid4().hex)


def create_link_once(request: HttpRequest, form: forms.Form, make: Callable[[], Any], again: str) -> FormOutcome | None:
    """Create a link once; None if the form shows an error. The stored result does not contain the secret.

    ``again`` is shown if a form that has created a link is changed and sent again.
    """
    try:
        return run_once(request, lambda: add_timestamp({"link": str(make().pk)}))
    except KeyReused:
        form.add_error(None, again)
    except RungsError as error:
        add_errors(form, error)
    return None


def find_stored_result(request: HttpRequest) -> FormOutcome | None:
    """Return the stored result of a form; None if it was not carried out (yet), or with other contents."""

    def nothing() -> dict[str, Any]:
        raise LookupError

    try:
        return run_once(request, nothing)
    except (LookupError, KeyReused, RequestUnderway):
        return None


def compute_form_digest(request: HttpRequest) -> str:
    """Return a digest of the form's address and fields, without its buttons."""
    fields = sorted(
        (name, values)
        for name, values in request.POST.lists()
        if name not in IGNORED_FIELDS and not name.startswith("_")
    )
    return hashlib.sha256(json.dumps([request.get_full_path(), fields]).encode()).hexdigest()
