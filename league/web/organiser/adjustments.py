"""Adjustments of a league: list, preview, make and void them."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.calendar import LATEST, start_of_day
from league.core.dry_runs.services.run import preview_adjustment
from league.core.errors import Problem, Refused
from league.core.leagues.selectors.adjustments import find_adjustments, load_adjustment_lines
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.rules.selectors.rules import load_decimals
from league.models import League
from league.models.recorded import MAX_REASON_LENGTH
from league.web.organiser.differences import ChangePreview, build_preview
from league.web.organiser.forms import get_request_username, warn_of_decisions
from league.web.organiser.initial_ratings import PlayerForm, get_initial_player, list_player_options, resolve_player
from league.web.organiser.league_forms import build_date_field
from league.web.organiser.previewed_actions import PreviewedAction
from league.web.organiser.site import organiser_page, post_action
from ratings.contract.parameters import format_localized
from ratings.forms import NumberField

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_adjustments"]
#: The first year whose days can be converted to UTC in every time zone.
MIN_YEAR = 2


class AdjustmentForm(PlayerForm):
    """The player, points, reason and first day of an adjustment."""

    amount = NumberField(
        label=gettext_lazy("Points"),
        error_messages={"required": gettext_lazy("Enter the number of points.")},
        help_text=gettext_lazy("Points added to the rating; use a minus sign to subtract."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        error_messages={"required": gettext_lazy("Give a reason; everyone who can see the league can read it.")},
    )
    at = build_date_field(
        gettext_lazy("From"),
        gettext_lazy("Applied before the games of that day, in the league's time zone. Empty: now."),
    )


class AdjustmentAction(PreviewedAction):
    """An adjustment of a player."""

    template, tab = "web/organiser/adjustments.html", "settings"

    def preview(self) -> ChangePreview:
        """Return the changes by the adjustment."""
        player = resolve_player(self.request, self.league, self.form)
        return build_preview(self.league, self.dry_run(preview_adjustment, self.league, player, self.points()), player)

    def act(self) -> dict[str, Any]:
        """Make the adjustment."""
        player, points = resolve_player(self.request, self.league, self.form), self.points()
        adjustment = adjust(self.league.pk, player, points, username=self.by)
        text, sign = _("{name} was adjusted by {points} (adjustment {number})."), "+" if points.amount > 0 else "−"
        message = text.format(
            name=player.name, points=f"{sign}{format_localized(abs(points.amount))}", number=adjustment.number
        )
        return {"said": message, "target": reverse("desk:adjustments", args=[self.league.slug])}

    def points(self) -> AdjustmentData:
        """Return the data of a valid form; raises Refused if the day is out of range."""
        data = self.form.cleaned_data
        time = data["at"]
        if time is None:
            return AdjustmentData(data["amount"], data["reason"])
        if time.year < MIN_YEAR or time > LATEST:
            raise Refused.of([Problem("/at", "out_of_bounds", _("That date is outside the calendar."))])
        return AdjustmentData(data["amount"], data["reason"], start_of_day(time, self.league.time_zone))

    def context(self) -> dict[str, Any]:
        """Return a page of the league's adjustments."""
        page = Paginator(find_adjustments(self.league), PAGE_SIZE).get_page(self.request.GET.get("page"))
        return {
            "adjustments": load_adjustment_lines(self.league, list(page.object_list)),
            "pages": page,
            "decimals": load_decimals(self.league),
            "people": list_player_options(self.request, self.league),
        }


@organiser_page("organise")
def adjustments(request: HttpRequest, league: League) -> HttpResponse:
    """Show the adjustments; preview and make a new one."""
    form = AdjustmentForm(request.POST if request.method == "POST" else None, initial=get_initial_player(request))
    return AdjustmentAction(request, league, form).answer()


@post_action("organise", "adjustments")
def void(request: HttpRequest, league: League, number: int) -> None:
    """Void an adjustment."""
    void_adjustment(league.pk, number, reason=request.POST.get("reason", ""), username=get_request_username(request))
    messages.success(request, _("Adjustment {number} was voided.").format(number=number))
    warn_of_decisions(request, League.objects.get(pk=league.pk))
