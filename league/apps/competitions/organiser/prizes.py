"""The page of categories and prizes: their rules, and who wins what by the standings as they are."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition
from league.apps.competitions.organiser.now import build_frame
from league.apps.competitions.organiser.prize_forms import (
    PrizesForm,
    add_problems,
    build_category_forms,
    build_settings,
)
from league.apps.competitions.public.awards import AwardTable, build_award_tables
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.final_standings import differs_from_edition, find_last_edition, read_members
from league.apps.competitions.selectors.prizes import compute_awards
from league.apps.competitions.services.competitions import change_competition
from league.core.errors import RungsError
from league.core.text.display_formats import format_number
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, show


def build_current_awards(loaded: LoadedCompetition) -> tuple[list[AwardTable], list[str]]:
    """Return who wins what by the standings as they are, and the names of those in several categories."""
    edition = find_last_edition(loaded.competition)
    awards, members = compute_awards(loaded, kept=None if edition is None else read_members(edition))
    belongs = [number for numbers in members.values() for number in numbers]
    overlapping = sorted({one for one in belongs if belongs.count(one) > 1})
    return build_award_tables(loaded, awards, members), [loaded.name(number) for number in overlapping]


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
            add_problems(form, rows, error.problems, settings)
            if not error.problems:
                form.add_error(None, error.detail)
            # The page shows what is stored below what was typed.
            loaded = load_competition(find_competition(league, competition, for_organisers=True))
        else:
            return HttpResponseRedirect(reverse("desk:prizes", args=[league.slug, found.slug]))
    elif data is not None and rows.errors and not form.non_field_errors():
        form.add_error(None, _("See the fields below."))
    tables, overlapping = build_current_awards(loaded)
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
        has_results=edition is not None or any(state.status in ("played", "forfeited") for state in loaded.fixtures),
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
