"""The page on which an entry exchanges its pairing number with another one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.models import Competition
from league.apps.competitions.organiser.confirmations import ask_confirmation, list_confirmed
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.public.lines import build_entry_line
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.services.exchange_numbers import describe_fixed_numbers, exchange_numbers
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.core.errors import RungsError
from league.models import League
from league.models.recorded import MAX_REASON_LENGTH
from league.web.organiser.forms import add_errors, get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, show


class ExchangeForm(forms.Form):
    """The other entry, and the reason."""

    other = forms.TypedChoiceField(label=gettext_lazy("Exchange with"), coerce=int)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=gettext_lazy("Everyone sees it among the changes by hand."),
    )

    def __init__(self, loaded: LoadedCompetition, number: int, data: Any = None) -> None:
        super().__init__(data)
        others = [build_entry_line(entry) for one, entry in loaded.entries.items() if one != number]
        choices: Any = self.fields["other"]
        choices.choices = [("", "–"), *((one.number, f"{one.name} · {one.about}") for one in others)]


def may_exchange_number(loaded: LoadedCompetition, number: int) -> bool:
    """Return whether an entry may exchange its number now."""
    is_running = loaded.competition.status == Competition.Status.RUNNING and number in loaded.entries
    return is_running and not describe_fixed_numbers(loaded.competition, max(loaded.rounds, default=0))


@organiser_page("arbitrate")
def exchange_number(request: HttpRequest, league: League, competition: str, number: int) -> HttpResponse:
    """Exchange the pairing numbers of an entry and another one."""
    found = find_competition(league, competition, for_organisers=True)
    loaded = load_competition(found)
    if number not in loaded.entries:
        raise Http404
    form = ExchangeForm(loaded, number, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            _exchange(request, league, found, [number, form.cleaned_data["other"]], form.cleaned_data["reason"])
        except ConfirmationNeeded as needed:
            return ask_confirmation(request, found, needed)
        except RungsError as error:
            add_errors(form, error, lambda pointer: "reason" if pointer == "/reason" else "other")
        else:
            messages.success(request, _("The numbers were exchanged. Exchanging them again takes it back."))
            return HttpResponseRedirect(reverse("desk:entries", args=[league.slug, found.slug]))
    return show(
        request,
        league,
        "apps/competitions/organiser/exchange_number.html",
        "competitions",
        **build_frame(request, loaded),
        form=form,
        entry=build_entry_line(loaded.entries[number]),
        once=get_form_key(request),
    )


def _exchange(request: HttpRequest, league: League, competition: Competition, numbers: list[int], reason: str) -> None:
    by, confirmed = get_request_username(request), list_confirmed(request)

    def act() -> dict[str, Any]:
        exchange_numbers(league.pk, competition.slug, numbers, by=by, reason=reason, confirmed=confirmed)
        return {}

    run_once(request, act)
