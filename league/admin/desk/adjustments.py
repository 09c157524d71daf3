"""Adjustments of a league on its desk: points that somebody is given or loses beside the games, and their end."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import by, warn_of_decisions
from league.admin.desk.frame import at_desk, posted
from league.admin.desk.previews import PreviewedForm, Said, done_once, preview
from league.admin.desk.starts import PlayerForm, asked, meant, named_people
from league.admin.desk.would import Would, would
from league.admin.league_forms import day
from league.calendar import LATEST, start_of_day
from league.errors import Problem, Refused
from league.models import League
from league.selectors.adjustments import adjustments_of, told
from league.selectors.rules import decimals_of
from league.services.dry_runs.adjusting import preview_adjustment
from league.services.recording.adjusting import Points, adjust, void_adjustment
from league.services.recording.games import REASON_LENGTH
from ratings.contract.parameters import shown
from ratings.forms import NumberField

#: Adjustments on a page.
PAGE = 50
#: No zone's calendar ends so early.
FIRST_YEAR = 2


class AdjustmentForm(PlayerForm):
    """Who is given how many points, why, and since when."""

    amount = NumberField(
        label=gettext_lazy("Points"),
        error_messages={"required": gettext_lazy("Say how many points.")},
        help_text=gettext_lazy("The rating goes up by so much; with a minus it goes down."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=REASON_LENGTH,
        error_messages={"required": gettext_lazy("Say why: everybody who may read the league can read it.")},
    )
    at = day(
        gettext_lazy("From"),
        gettext_lazy("It counts before the games of that day by the league's clock; empty: now."),
    )


@at_desk("organise")
def adjustments(request: HttpRequest, league: League) -> HttpResponse:
    """Show the adjustments; try another one, and make it."""
    form = AdjustmentForm(request.POST if request.method == "POST" else None, initial=asked(request))

    def try_out(data: Said) -> Would:
        player = meant(request, league, data["player"])
        tried = preview(request, league, preview_adjustment, league, player, points_of(league, data))
        return would(league, tried.diff, player)

    page = Paginator(adjustments_of(league), PAGE).get_page(request.GET.get("page"))
    action = PreviewedForm(form, "_make", try_out, lambda data: made(request, league, data))
    return action.answer(
        request,
        league,
        ("desk/adjustments.html", "settings"),
        lambda: {
            "adjustments": told(league, list(page.object_list)),
            "pages": page,
            "decimals": decimals_of(league),
            "people": named_people(request, league),
        },
    )


def points_of(league: League, data: Said) -> Points:
    """Return what a valid form gives; raises Refused for a day that no calendar here has."""
    since = data["at"]
    if since is None:
        return Points(data["amount"], data["reason"])
    if since.year < FIRST_YEAR or since > LATEST:
        raise Refused.of([Problem("/at", "out_of_bounds", _("That day is out of the calendar."))])
    return Points(data["amount"], data["reason"], start_of_day(since, league.time_zone))


def made(request: HttpRequest, league: League, data: Said) -> HttpResponse:
    """Make the adjustment of a valid form, once; raises what refuses it."""

    def act() -> tuple[str, str]:
        player = meant(request, league, data["player"])
        one = adjust(league.pk, player, points_of(league, data), by=by(request))
        words, sign = _("{name} was adjusted by {points}: adjustment {number}."), "+" if data["amount"] > 0 else "−"
        said = words.format(name=player.name, points=f"{sign}{shown(abs(data['amount']))}", number=one.number)
        return said, reverse("desk:adjustments", args=[league.slug])

    return done_once(request, league, act)


@posted("organise", "adjustments")
def void(request: HttpRequest, league: League, number: int) -> None:
    """Void an adjustment: it moves nothing more."""
    void_adjustment(league.pk, number, reason=request.POST.get("reason", ""), by=by(request))
    messages.success(request, _("Adjustment {number} is void.").format(number=number))
    warn_of_decisions(request, League.objects.get(pk=league.pk))
