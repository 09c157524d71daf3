"""The page of categories and prizes: their rules, and who wins what by the standings as they are."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.models import Competition
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.organiser.prize_forms import (
    PrizesForm,
    build_category_forms,
    build_settings,
    describe_problem,
)
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.final_standings import differs_from_edition, find_last_edition, read_members
from league.apps.competitions.selectors.prizes import compute_awards
from league.apps.competitions.services.category_checks import write_amount
from league.apps.competitions.services.competitions import change_competition
from league.core.errors import RungsError
from league.core.text.display_formats import format_number
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, show

#: Why nobody gets a prize.
REASONS = {
    "empty": gettext_lazy("nobody belongs to this category"),
    "few": gettext_lazy("fewer belong to this category"),
    "taken": gettext_lazy("all others have a prize that is worth more"),
}


class AwardLine(NamedTuple):
    """What an entry gets. ``amount``: with the currency; ``undecided``: a lot says who of a rank gets the thing."""

    place: int
    name: str
    amount: str
    thing: str
    shared_by: int
    undecided: bool


class AwardTable(NamedTuple):
    """The awards of a list, and the places that nobody wins, each with the reason. ``members``: None for all."""

    title: str
    members: int | None
    lines: list[AwardLine]
    unwon: list[tuple[int, Any]]


def build_award_tables(loaded: LoadedCompetition) -> tuple[list[AwardTable], list[str]]:
    """Return who wins what by the standings as they are, and the names of those in several categories."""
    competition = loaded.competition
    edition = find_last_edition(competition)
    awards, members = compute_awards(loaded, kept=None if edition is None else read_members(edition))
    currency = competition.prizes.get("currency", "")
    titles = {"": _("The whole competition"), **{one["key"]: one["title"] for one in competition.categories}}
    tables = []
    for key, title in titles.items():
        lines = [
            AwardLine(
                award.place,
                loaded.name(award.entry),
                f"{write_amount(award.amount)} {currency}".strip() if award.amount else "",
                award.thing,
                award.shared_by if award.amount else 1,
                award.undecided,
            )
            for award in awards.awards
            if award.category == key
        ]
        unwon = [(place, REASONS[why]) for category, place, why in awards.unwon if category == key]
        if key or lines or unwon:
            tables.append(AwardTable(title, len(members[key]) if key else None, lines, unwon))
    belongs = [number for numbers in members.values() for number in numbers]
    return tables, [loaded.name(number) for number in sorted({one for one in belongs if belongs.count(one) > 1})]


@organiser_page("arbitrate")
def show_prizes(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Show categories and prizes, or change them."""
    found = find_competition(league, competition, for_organisers=True)
    loaded = load_competition(found)
    data = request.POST if request.method == "POST" else None
    form, rows = PrizesForm(found, data), build_category_forms(found, data)
    if data is not None and form.is_valid() and rows.is_valid():
        settings = build_settings(form, rows)
        try:
            _save(request, league, found, settings)
        except RungsError as error:
            for problem in error.problems:
                form.add_error(None, describe_problem(problem.pointer, problem.detail, settings))
            if not error.problems:
                form.add_error(None, error.detail)
            # The page shows what is stored below what was typed.
            loaded = load_competition(find_competition(league, competition, for_organisers=True))
        else:
            return HttpResponseRedirect(reverse("desk:prizes", args=[league.slug, found.slug]))
    elif data is not None and rows.errors and not form.non_field_errors():
        form.add_error(None, _("See the fields below."))
    tables, overlapping = build_award_tables(loaded)
    edition = find_last_edition(found)
    return show(
        request,
        league,
        "apps/competitions/organiser/prizes.html",
        "competitions",
        **build_frame(request, loaded),
        form=form,
        rows=rows,
        tables=tables,
        overlapping=", ".join(overlapping),
        edition=edition,
        differs=edition is not None and differs_from_edition(loaded, edition),
        once=get_form_key(request),
        key=get_form_key(request, new=True),
    )


def _save(request: HttpRequest, league: League, competition: Competition, settings: Mapping[str, Any]) -> None:
    def act() -> dict[str, Any]:
        change_competition(league.pk, competition.slug, settings, by=get_request_username(request))
        return {}

    run_once(request, act)
    messages.success(
        request,
        _("Saved. Categories: {count}, prizes: {prizes}.").format(
            count=format_number(len(settings["categories"])), prizes=format_number(len(settings["prizes"]["list"]))
        ),
    )
