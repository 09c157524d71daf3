"""The ladders of a league on its desk: side by side, and a new one, which is shown before it is made."""

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
from league.core.ladders.selectors.ladders import Row, ladder_lines, method_of
from league.core.ladders.selectors.standings import periods_awaiting
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.selectors.rules import system_in_force
from league.models import Ladder, LadderRule, League
from league.web.organiser.league_forms import (
    PREFIX,
    chosen_preset,
    day,
    offered_presets,
    parameters_in,
    with_parameters,
)
from league.web.organiser.page_frame import at_desk, show
from league.web.organiser.previewed_actions import PreviewedAction
from league.web.organiser.selectors import closing_soon
from league.web.organiser.title_forms import TitledForm
from ratings.contract.method import Method, translate_why_not
from ratings.registry import all_methods

#: How often a ladder restarts, in words.
CADENCE_NAMES = {
    "week": gettext_noop("every week"),
    "month": gettext_noop("every month"),
    "quarter": gettext_noop("every quarter"),
    "year": gettext_noop("every year"),
    "all_time": gettext_noop("all games ever"),
    "dated": gettext_noop("once, between two dates"),
}
#: Maximum number of ranks shown of a ranking.
MAX_RANKS = 10


class RankingForm(forms.Form):
    """How a ladder ranks from a day on."""

    cadence = forms.ChoiceField(choices=LadderRule.Cadence.choices, initial="month", label=gettext_lazy("New period"))
    from_date = day(gettext_lazy("From"), gettext_lazy("The first day of a period."))
    to_date = day(gettext_lazy("To"), gettext_lazy("Only for a one-off ladder: its last day."))


class NewForm(TitledForm, RankingForm):
    """A new ladder."""

    no_title = gettext_noop("Enter a title, e.g. Ladder of the month.")
    no_address = gettext_noop("The title cannot be turned into an address; enter one, e.g. month.")
    from_date = day(
        gettext_lazy("From"), gettext_lazy("The first day of a period. Empty: from the league's first game.")
    )
    field_order = ("title", "slug", "cadence", "from_date", "to_date")


@dataclass(frozen=True)
class LadderPreview:
    """A ranking as a dry run shows it: the best, each with the rank of today, and how many more there are."""

    title: str
    rows: list[tuple[Row, int | None]]
    more: int
    known: bool


@dataclass(frozen=True)
class OfferedMethod:
    """A method to choose; ``refusal`` says why it cannot rank this league's games, "" if it can."""

    method: type[Method]
    refusal: str


@at_desk("organise")
def ladders(request: HttpRequest, league: League) -> HttpResponse:
    """Show the ladders, and what is due in them."""
    now = timezone.now()
    waiting, closing = periods_awaiting(league), closing_soon(league, now)
    return show(
        request,
        league,
        "web/organiser/ladders.html",
        "ladders",
        lines=[(line, _(CADENCE_NAMES[line.rule.cadence])) for line in ladder_lines(league, now)],
        awaiting=waiting,
        closing=closing,
        due=len(waiting) + len(closing),
        now=now,
        organises=True,
    )


def offered(league: League) -> list[OfferedMethod]:
    """Return the methods, those first that can rank the league's games."""
    system = system_in_force(league)
    found = [
        OfferedMethod(one, one.from_json({}).refusal(type(system)) if system else "") for one in all_methods().values()
    ]
    return sorted(found, key=lambda one: bool(one.refusal))


def chosen(request: HttpRequest) -> type[Method] | None:
    """Return the method that the address or the form names, None if neither does."""
    return all_methods().get(request.GET.get("method", "") or request.POST.get("method", ""))


@dataclass
class RankingAction(PreviewedAction):
    """A ranking of a ladder from a day on, or of a new one."""

    method: type[Method]
    ladder: Ladder | None = None
    template, tab, warns = "web/organiser/ladder_new.html", "ladders", False

    def ranking(self) -> RankingRule:
        """Return the ranking of a valid form."""
        data = self.form.cleaned_data
        parameters = parameters_in(data, self.method)
        return RankingRule(self.method.key, data["cadence"], parameters, data["from_date"], data["to_date"])

    def context(self) -> dict[str, Any]:
        """Return the ladder, the method, and the fields apart from those of the method's parameters."""
        rest = [field for field in self.form if field.name.startswith(PREFIX)]
        return {
            "ladder": self.ladder,
            "method": self.method,
            "presets": offered_presets(self.request, self.method),
            "own": [field for field in self.form if field not in rest],
            "parameters": rest,
            "wrong": any(field.errors for field in rest),
        }


class LadderAction(RankingAction):
    """A new ladder."""

    def preview(self) -> list[tuple[LadderPreview, Method]]:
        """Return what it would show."""
        data = self.form.cleaned_data
        return ranking_previews(preview_ladder(self.league, data["slug"], data["title"], self.ranking()))

    def act(self) -> dict[str, Any]:
        """Make the ladder."""
        data = self.form.cleaned_data
        ladder = create_ladder(self.league.pk, data["slug"], data["title"], self.ranking(), by=self.by)
        said = _("{ladder} was created and ranks all games so far.").format(ladder=ladder.title)
        return {"said": said, "target": reverse("desk:ladder", args=[self.league.slug, ladder.slug])}


@at_desk("organise")
def new_ladder(request: HttpRequest, league: League) -> HttpResponse:
    """Choose how it ranks; then give the rest, see what it would show, and make it."""
    method = chosen(request)
    if method is None:
        return show(request, league, "web/organiser/ladder_method.html", "ladders", offered=offered(league))
    initial = chosen_preset(request, method)
    form = with_parameters(NewForm, method)(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound:  # then what was worked out, or what is wrong, is to be read first
        form.fields["title"].widget.attrs.pop("autofocus")
    return LadderAction(request, league, form, method).answer()


def said_rows(rows: Sequence[Row]) -> list[Row]:
    """Return lines of a ranking with what keeps someone off it said to the reader."""
    return [{**row, "why_not": translate_why_not(row["why_not"])} for row in rows]


def ranking_previews(ranked: list[RankingPreview]) -> list[tuple[LadderPreview, Method]]:
    """Return rankings of a dry run as the page shows them, each with its method."""
    return [
        (
            LadderPreview(
                one.period.name,
                [(row, one.ranks.get(row["player"])) for row in said_rows(one.rows[:MAX_RANKS])],
                max(len(one.rows) - MAX_RANKS, 0),
                bool(one.ranks),
            ),
            method_of(one.period.rule),
        )
        for one in ranked
    ]
