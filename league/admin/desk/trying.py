"""Forms that show what they would do before they do it: the one step of merges, starts and ladders."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from league.admin.base import last_part, put_errors, warn_of_decisions
from league.admin.desk.frame import show
from league.admin.desk.previews import carry_notice
from league.admin.once import DIFFERS, KEPT, as_shown, digest_of, key_for, once
from league.errors import KeyReused, RungsError
from league.models import League

#: What a valid form says.
Said = dict[str, Any]


@dataclass(frozen=True)
class PreviewedForm:
    """A form, the name of the button that does what it says, what it would do, and the doing of it."""

    form: forms.Form
    key: str
    preview: Callable[[Said], object]
    act: Callable[[Said], HttpResponse]

    def answer(
        self, request: HttpRequest, league: League, page: tuple[str, str], context: Callable[[], dict[str, Any]]
    ) -> HttpResponse:
        """Return the page, its template and tab, with what a sent form would do; or do it, if that was shown.

        Where the form says something else than what was shown, that is shown first. A refusal stands on the form.
        """
        form, tried = self.form, None
        if form.is_bound and form.is_valid():
            try:
                if self.key in request.POST and as_shown(request):
                    return self.act(form.cleaned_data)
                with carry_notice(request, str(DIFFERS) if self.key in request.POST else ""):
                    tried = self.preview(form.cleaned_data)
                if self.key in request.POST:
                    form.add_error(None, DIFFERS)
            except RungsError as error:
                put_errors(form, KEPT if isinstance(error, KeyReused) else error, last_part)
        own: dict[str, Any] = {"form": form, "tried": tried, "once": key_for(request), "mark": digest_of(request)}
        template, tab = page
        return show(request, league, template, tab, **own, **context())


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
