"""Asks for the confirmation of what the regulations warn of: the form is sent again, with what is confirmed."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition
from league.apps.competitions.services.regulations import (
    ACKNOWLEDGED,
    CONFIRMED_TWICE,
    MAX_CONFIRMED,
    ConfirmationNeeded,
)
from league.web.organiser.forms import get_form_key
from league.web.organiser.site import show

#: The field with the codes of confirmed warnings.
FIELD = "confirm"
#: Fields of a form that its confirmation does not send again: it has its own.
REPLACED = ("csrfmiddlewaretoken", "once", FIELD)


def list_confirmed(request: HttpRequest) -> list[str]:
    """Return the codes of the warnings that a form confirms."""
    return request.POST.getlist(FIELD)[:MAX_CONFIRMED]


def ask_confirmation(request: HttpRequest, competition: Competition, needed: ConfirmationNeeded) -> HttpResponse:
    """Return the page that shows warnings; its button sends the form again, with each of them confirmed once more."""
    level = max(one.level for one in needed.warnings)
    again = level == CONFIRMED_TWICE and any(one.code in needed.confirmed for one in needed.warnings)
    is_acknowledged = level == ACKNOWLEDGED and competition.regulations
    action = needed.describe_action()
    label = _("Acknowledge") if is_acknowledged else action or _("Confirm")
    return show(
        request,
        competition.league,
        "apps/competitions/organiser/confirm_warnings.html",
        "competitions",
        competition=competition,
        warnings=needed.warnings,
        effect=needed.effect,
        action=action,
        is_second=again,
        label=_("Yes, finally") if again else label,
        fields=[(name, value) for name, values in request.POST.lists() if name not in REPLACED for value in values],
        confirmed=[*needed.confirmed, *dict.fromkeys(one.code for one in needed.warnings)],
        address=request.get_full_path(),
        once=get_form_key(request, new=True),
    )
