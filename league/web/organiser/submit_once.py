"""A form is carried out once: each that writes games has a key of its own, whatever finger or browser repeat."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy

from league.core.accounts.services.secret_links import SecretLinks
from league.core.errors import KeyReused, RungsError, Underway
from league.core.games.services.idempotency import StoredResponse, run_idempotently
from league.models import League
from league.web.organiser.form_errors import put_errors

#: The hidden field of the key.
ONCE = "once"


def lazily(text: Any) -> str:
    """Return a text of this module that is said in the language of whoever reads it, whenever that is."""
    return cast("str", text)


#: What to tell who changed a sheet that was recorded already, and sent it again.
CHANGED = lazily(
    gettext_lazy(
        "This sheet has already been recorded, but its contents have changed. Nothing else "
        "was saved. To change the recorded game, correct it on its own page; to record a "
        "second game, submit again."
    )
)
#: What to tell who changed any other form that was carried out already, and sent it again.
ALREADY_DONE_MESSAGE = lazily(
    gettext_lazy("This form has already been submitted with other contents. Nothing else was saved.")
)
#: What to tell who sent another form than the one whose doing they saw.
DIFFERS = lazily(gettext_lazy("The form differs from what the preview showed. These are the changes now."))
#: What to tell who sent a form again before the first one was done.
AT_WORK = lazily(gettext_lazy("This form was sent twice and is still being processed. Look again shortly."))
#: How long a new secret is shown again if its creator submits the form twice.
SECRET_SHOWN_FOR = timedelta(minutes=5)
KEY = re.compile(r"[0-9a-f]{32}")
#: What differs between two sendings of the same form.
PASSING = ("csrfmiddlewaretoken", "keep_players", "ago", "clock", "after", "before", "make", "seen", ONCE)


@dataclass(frozen=True)
class FormOutcome:
    """What was done; ``again`` where it had been done before."""

    answer: dict[str, Any]
    again: bool


def stamped(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a form did with the time: it shows a secret, and not for as long as its answer is kept."""
    return {**answer, "at": timezone.now().isoformat()}


def lately(done: FormOutcome) -> bool:
    """Return whether what a form did was stamped a moment ago."""
    at = datetime.fromisoformat(done.answer.get("at", "1970-01-01T00:00:00+00:00"))
    return timezone.now() - at <= SECRET_SHOWN_FOR


def given_key(request: HttpRequest) -> str:
    """Return the key that a form came with, "" if it had none."""
    key = request.POST.get(ONCE, "")
    return key if KEY.fullmatch(key) else ""


def key_for(request: HttpRequest, *, new: bool = False) -> str:
    """Return the key that a form is shown with: the one it came with, but where that stands for another form."""
    new = new or getattr(request, "key_taken", False)
    return uuid4().hex if new else given_key(request) or uuid4().hex


def once(request: HttpRequest, work: Callable[[], dict[str, Any]]) -> FormOutcome:
    """Do the work of a form, or tell what it did the first time; raises what the work raises.

    Raises KeyReused if the form was sent with this key before and said something else, Underway where that one is
    not done yet.
    """
    key = given_key(request)
    if not key:
        return FormOutcome(work(), again=False)
    try:
        kept = run_idempotently(
            f"desk:{request.user.pk}", key, digest_of(request), lambda: StoredResponse(302, json.dumps(work()), {})
        )
    except KeyReused:
        request.key_taken = True  # type: ignore[attr-defined]  # kept for this request only
        raise KeyReused(ALREADY_DONE_MESSAGE) from None
    except Underway:
        raise Underway(AT_WORK) from None
    return FormOutcome(json.loads(kept.body), kept.replayed)


def secret_for(request: HttpRequest, links: SecretLinks[Any], league: League) -> str:
    """Return the secret of a link that a form makes: the same where it comes twice."""
    return links.secret_of(request.user, league.pk, given_key(request) or uuid4().hex)


def link_once(request: HttpRequest, form: forms.Form, make: Callable[[], Any], again: str) -> FormOutcome | None:
    """Make a link of a valid form, once; None if the form says why not: what is kept does not hold the secret.

    ``again``: what to tell who changed a form that made one already, and sent it again.
    """
    try:
        return once(request, lambda: stamped({"link": str(make().pk)}))
    except KeyReused:
        form.add_error(None, again)
    except RungsError as error:
        put_errors(form, error)
    return None


def done_before(request: HttpRequest) -> FormOutcome | None:
    """Return what a form did when it came before; None if it did not (yet), or said something else then."""

    def nothing() -> dict[str, Any]:
        raise LookupError

    try:
        return once(request, nothing)
    except (LookupError, KeyReused, Underway):
        return None


def digest_of(request: HttpRequest) -> str:
    """Return what tells forms apart: where they go and what they say, not which button sent them."""
    fields = sorted(
        (name, values) for name, values in request.POST.lists() if name not in PASSING and not name.startswith("_")
    )
    return hashlib.sha256(json.dumps([request.get_full_path(), fields]).encode()).hexdigest()
