"""Create a competition: name, template, rounds or size of tables, rated or not; everything else is folded."""

import zoneinfo
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.apps.competitions.models import Season
from league.apps.competitions.organiser.competition_forms import NewCompetitionForm
from league.apps.competitions.selectors.seasons import build_rule, find_season, list_free_events, list_parts
from league.apps.competitions.services.competitions import create_competition
from league.apps.competitions.services.seasons import PartChoice, link_competition
from league.core.errors import RungsError
from league.core.rules.selectors.rules import load_system_in_force
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from ratings.contract.system import format_player_count


@organiser_page("arbitrate")
def new_competition(request: HttpRequest, league: League) -> HttpResponse:
    """Show the form, or create the competition and redirect to its entries."""
    system = load_system_in_force(league)
    if system is None:
        return redirect_to_first_rule(request, league)
    with timezone.override(zoneinfo.ZoneInfo(league.time_zone)):
        form = NewCompetitionForm(league, system, request.POST if request.method == "POST" else None)
        if series := request.GET.get("series", ""):
            form.initial["title"] = _name_event(league, series)
        if form.is_bound and form.is_valid():
            try:
                slug = _create(request, league, form)
            except RungsError as error:
                form.add_problems(error)
            else:
                return HttpResponseRedirect(reverse("desk:entries", args=[league.slug, slug]))
        return show(
            request,
            league,
            "apps/competitions/organiser/new_competition.html",
            "competitions",
            form=form,
            system=system,
            players=format_player_count(system),
            once=get_form_key(request),
        )


def _find_event(league: League, series: str) -> tuple[Season, int | None]:
    """Return a season and its first event that has no competition yet; raises NotFound."""
    season = find_season(league, series, for_organisers=True)
    return season, next(iter(list_free_events(build_rule(season), list_parts(season))), None)


def _name_event(league: League, series: str) -> str:
    season, event = _find_event(league, series)
    return _("{season}, event {number}").format(season=season.title, number=event)[:120]


def _create(request: HttpRequest, league: League, form: NewCompetitionForm) -> str:
    """Create the competition once; returns its slug."""

    def act() -> dict[str, Any]:
        username = get_request_username(request)
        competition = create_competition(league.pk, form.cleaned_data["slug"], form.build_new_settings(), by=username)
        if series := request.GET.get("series", ""):
            season, event = _find_event(league, series)
            link_competition(league.pk, competition.slug, PartChoice(season.slug, event=event), by=username)
        return {"slug": competition.slug}

    return str(run_once(request, act).answer["slug"])
