"""Forms that show what they would do before they do it: the one step of merges, starts and ladders."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.http import HttpRequest, HttpResponse

from league.admin.base import last_part, put_errors
from league.admin.once import DIFFERS, KEPT, as_shown
from league.errors import KeyReused, RungsError

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
