"""The ladders of a league; create one after a preview."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.dry_runs.services.rankings import RankingPreview, preview_ladder
from league.core.ladders.selectors.ladders import Row, load_ladder_lines, load_periods_awaiting_decision
from league.core.ladders.selectors.tallies import build_method
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.rules.selectors.rules import load_system_in_force
from league.models import Ladder, LadderRule, League
from league.web.organiser.league_forms import (
    PREFIX,
    add_parameters,
    build_date_field,
    collect_parameters,
    get_preset_values,
    list_preset_choices,
)
from league.web.organiser.previewed_actions import PreviewedAction
from league.web.organiser.selectors import load_closing_periods
from league.web.organiser.site import organiser_page, show
from league.web.organiser.title_forms import TitledForm
from ratings.contract.method import Method, translate_why_not
from ratings.registry import load_methods

#: How often a ladder restarts.
CADENCE_NAMES = {
    "week": gettext_noop("every week"),
    "month": gettext_noop("every month"),
    "quarter": gettext_noop("every quarter"),
    "year": gettext_noop("every year"),
    "all_time": gettext_noop("all games ever"),
    "dated": gettext_noop("once, between two dates"),
}
#: Maximum number of ranks shown in a preview.
MAX_RANKS = 10


class RankingForm(forms.Form):
    """The cadence and dates of a ranking rule."""

    cadence = forms.ChoiceField(choices=LadderRule.Cadence.choices, initial="month", label=gettext_lazy("New period"))
    from_date = build_date_field(gettext_lazy("From"), gettext_lazy("The first day of a period."))
    to_date = build_date_field(gettext_lazy("To"), gettext_lazy("Only for a one-off ladder: its last day."))


class NewLadderForm(TitledForm, RankingForm):
    """A new ladder."""

    no_title = gettext_noop("Enter a title, e.g. Ladder of the month.")
    no_address = gettext_noop("The title cannot be turned into an address; enter one, e.g. month.")
    from_date = build_date_field(
        gettext_lazy("From"), gettext_lazy("The first day of a period. Empty: from the league's first game.")
    )
    field_order = ("title", "slug", "cadence", "from_date", "to_date")


@dataclass(frozen=True)
class LadderPreview:
    """The best rows of a previewed ranking, each with its present rank; ``known`` is whether there are any."""

    title: str
    rows: list[tuple[Row, int | None]]
    more: int
    known: bool


@dataclass(frozen=True)
class OfferedMethod:
    """A ranking method; ``refusal`` is why it cannot rank this league's games, "" if it can."""

    method: type[Method]
    refusal: str


@organiser_page("organise")
def ladders(request: HttpRequest, league: League) -> HttpResponse:
    """Show the ladders and their due decisions."""
    now = timezone.now()
    pending_periods, closing = load_periods_awaiting_decision(league), load_closing_periods(league, now)
    return show(
        request,
        league,
        "web/organiser/ladders.html",
        "ladders",
        lines=[(line, _(CADENCE_NAMES[line.rule.cadence])) for line in load_ladder_lines(league, now)],
        awaiting=pending_periods,
        closing=closing,
        due=len(pending_periods) + len(closing),
        now=now,
        organises=True,
    )


def list_offered_methods(league: League) -> list[OfferedMethod]:
    """Return the ranking methods, usable ones first."""
    system = load_system_in_force(league)
    offers = [
        OfferedMethod(method, method.from_json({}).refusal(type(system)) if system else "")
        for method in load_methods().values()
    ]
    return sorted(offers, key=lambda offer: bool(offer.refusal))


def get_chosen_method(request: HttpRequest) -> type[Method] | None:
    """Return the method named in the address or the form, or None."""
    return load_methods().get(request.GET.get("method", "") or request.POST.get("method", ""))


@dataclass
class RankingAction(PreviewedAction):
    """A ranking rule of a new or existing ladder."""

    method: type[Method]
    ladder: Ladder | None = None
    template, tab, warns = "web/organiser/ladder_new.html", "ladders", False

    def ranking(self) -> RankingRule:
        """Return the ranking rule of a valid form."""
        data = self.form.cleaned_data
        parameters = collect_parameters(data, self.method)
        return RankingRule(self.method.key, data["cadence"], parameters, data["from_date"], data["to_date"])

    def context(self) -> dict[str, Any]:
        """Return the ladder, the method, and the form's fields without and with the method's parameters."""
        parameter_fields = [field for field in self.form if field.name.startswith(PREFIX)]
        return {
            "ladder": self.ladder,
            "method": self.method,
            "presets": list_preset_choices(self.request, self.method),
            "own": [field for field in self.form if field not in parameter_fields],
            "parameters": parameter_fields,
            "wrong": any(field.errors for field in parameter_fields),
        }


class LadderAction(RankingAction):
    """A new ladder."""

    def preview(self) -> list[tuple[LadderPreview, Method]]:
        """Return the rankings of the new ladder."""
        data = self.form.cleaned_data
        return build_ranking_previews(preview_ladder(self.league, data["slug"], data["title"], self.ranking()))

    def act(self) -> dict[str, Any]:
        """Create the ladder."""
        data = self.form.cleaned_data
        ladder = create_ladder(self.league.pk, data["slug"], data["title"], self.ranking(), username=self.by)
        message = _("{ladder} was created and ranks all games so far.").format(ladder=ladder.title)
        return {"said": message, "target": reverse("desk:ladder", args=[self.league.slug, ladder.slug])}


@organiser_page("organise")
def new_ladder(request: HttpRequest, league: League) -> HttpResponse:
    """Choose a method, fill in the form, preview the ranking, and create the ladder."""
    method = get_chosen_method(request)
    if method is None:
        return show(
            request, league, "web/organiser/ladder_method.html", "ladders", offered=list_offered_methods(league)
        )
    initial = get_preset_values(request, method)
    form = add_parameters(NewLadderForm, method)(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound:  # the preview or the errors are read first
        form.fields["title"].widget.attrs.pop("autofocus")
    return LadderAction(request, league, form, method).answer()


def translate_rows(rows: Sequence[Row]) -> list[Row]:
    """Return rows of a ranking with translated reasons for missing ranks."""
    return [{**row, "why_not": translate_why_not(row["why_not"])} for row in rows]


def build_ranking_previews(ranked: list[RankingPreview]) -> list[tuple[LadderPreview, Method]]:
    """Return the rankings of a dry run for the page, each with its method."""
    return [
        (
            LadderPreview(
                preview.period.name,
                [(row, preview.ranks.get(row["player"])) for row in translate_rows(preview.rows[:MAX_RANKS])],
                max(len(preview.rows) - MAX_RANKS, 0),
                bool(preview.ranks),
            ),
            build_method(preview.period.rule),
        )
        for preview in ranked
    ]
