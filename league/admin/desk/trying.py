"""Forms that show what they would do before they do it: the one step of merges, starts and ladders."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from league.admin.base import last_part, put_errors, warn_of_decisions
from league.admin.once import DIFFERS, KEPT, as_shown, once
from league.errors import KeyReused, RungsError
from league.models import League

T = TypeVar("T")
#: What a valid form says.
Said = dict[str, Any]


def tried_or_done(
    request: HttpRequest,
    form: forms.Form,
    key: str,
    preview: Callable[[Said], T],
    act: Callable[[Said], HttpResponse],
) -> tuple[T | None, HttpResponse | None]:
    """Return what a form would do, or the answer of what did it; neither where it was not sent or cannot be.

    ``key`` is the button that says do it: then it is done where the form says what it said when that was shown, and
    else shown anew. What refuses it stands on the form.
    """
    if not form.is_bound or not form.is_valid():
        return None, None
    try:
        if key in request.POST and as_shown(request):
            return None, act(form.cleaned_data)
        tried = preview(form.cleaned_data)
        if key in request.POST:
            form.add_error(None, DIFFERS)
        return tried, None
    except RungsError as error:
        put_errors(form, KEPT if isinstance(error, KeyReused) else error, last_part)
        return None, None


def done_once(
    request: HttpRequest, league: League, act: Callable[[], tuple[str, str]], *, warns: bool = True
) -> HttpResponse:
    """Do what a form says, once; say the sentence that ``act`` returns, and lead to its address.

    ``warns``: also of closed periods that differ then. Raises what the act raises.
    """
    done = once(request, lambda: dict(zip(("said", "target"), act(), strict=True))).answer
    messages.success(request, done["said"])
    if warns:
        warn_of_decisions(request, League.objects.get(pk=league.pk))
    return HttpResponseRedirect(done["target"])
