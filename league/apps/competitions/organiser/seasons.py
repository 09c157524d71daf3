"""The desk's pages of seasons: found one from a preset, add people, read the proposal and move people, draw, close."""

from dataclasses import replace
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Season, SeasonPart
from league.apps.competitions.organiser.season_forms import SeasonForm, find_initial
from league.apps.competitions.organiser.season_steps import ACTIONS, ORGANISERS_STEPS, suggest_next_title
from league.apps.competitions.public.season_words import describe_series_rule, describe_status
from league.apps.competitions.selectors.competition_data import load_competitions
from league.apps.competitions.selectors.competitions import list_competitions
from league.apps.competitions.selectors.pairing_input import is_played, list_unplayed
from league.apps.competitions.selectors.season_document import season_differs
from league.apps.competitions.selectors.season_proposal import (
    SeasonProposal,
    build_proposal,
)
from league.apps.competitions.selectors.seasons import (
    build_rule,
    find_last_season_edition,
    find_season,
    list_entries,
    list_free_events,
    list_parts,
    list_seasons,
)
from league.apps.competitions.services.seasons import create_season
from league.core.calendar import compute_local_date
from league.core.errors import Refused, RungsError
from league.models import League
from league.web.organiser.forms import get_form_key, get_request_username, run_once
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of
from ratings.seasons.divisions import list_divisions
from ratings.seasons.rules import DivisionRule, SeasonRule

Status = Competition.Status


class PartProgress(NamedTuple):
    """A competition of a season, how many of its fixtures have no result, and whether it waits to be finished."""

    part: SeasonPart
    unplayed: int
    is_played: bool

    @property
    def waits_for_a_round(self) -> bool:
        """Whether it runs, and all that is paired is played."""
        return self.part.competition.status == Status.RUNNING and not self.unplayed and not self.is_played


@organiser_page("arbitrate")
def new_season(request: HttpRequest, league: League) -> HttpResponse:
    """Show the form, or create the season and redirect to its page."""
    form = SeasonForm(request.POST if request.method == "POST" else None, initial=find_initial(league))
    if form.is_bound and form.is_valid():
        settings = form.build_settings()

        def act() -> dict[str, Any]:
            season = create_season(league.pk, "", settings, by=get_request_username(request))
            return {"slug": season.slug}

        try:
            slug = str(run_once(request, act).answer["slug"])
        except RungsError as error:
            form.add_problems(error)
        else:
            return HttpResponseRedirect(reverse("desk:season", args=[league.slug, slug]))
    return show(
        request, league, "apps/competitions/organiser/new_season.html", "competitions",
        form=form, once=get_form_key(request),
    )  # fmt: skip


@organiser_page("record")
def show_season(request: HttpRequest, league: League, season: str) -> HttpResponse:
    """Show a season with its next step, or carry out a step; what was typed stays if it is refused."""
    arbitrates = viewer_of(request).may("arbitrate", league)
    found = find_season(league, season, for_organisers=arbitrates)
    typed = ""
    if request.method == "POST":
        address = _carry_out(request, league, found)
        if address:
            return HttpResponseRedirect(address)
        typed = request.POST.get("players", "")
    proposal, refusal = _find_proposal(found) if arbitrates else (None, "")
    edition = find_last_season_edition(found)
    rule, parts = build_rule(found), list_parts(found)
    progress = _measure_progress(rule, parts)
    context = {
        "season": found,
        "status": describe_status(found, parts),
        "rule": rule,
        "arbitrates": arbitrates,
        "organises": viewer_of(request).may("organise", league),
        "is_drawn": bool(parts) and rule.series is None,
        "is_open": found.status not in (Season.Status.CLOSED, Season.Status.CANCELLED),
        "entries": list_entries(found),
        "typed": typed,
        "until": found.entries_until and compute_local_date(found.entries_until, league.time_zone),
        "parts": progress,
        "rule_word": _find_rule_word(rule),
        "unplayed": sum(one.unplayed for one in progress),
        "proposal": proposal,
        "refusal": refusal,
        "breaks": _explain_breaks(proposal),
        "divisions": _list_proposed(proposal),
        "moving": request.GET.get("move", ""),
        **_find_events(league, rule, parts),
        **_find_next_stage(rule, progress),
        "is_revisable": edition is not None and season_differs(found, edition),
        "following": list_seasons(league, for_organisers=True).filter(previous=found).first(),
        "next_title": suggest_next_title(found),
        "once": get_form_key(request, new=True),
    }
    return show(request, league, "apps/competitions/organiser/season.html", "competitions", **context)


def _find_rule_word(rule: SeasonRule) -> str:
    """Return what the rule of the divisions makes of fixtures without a result, "" if it asks."""
    word = rule.divisions.word_on_unplayed if rule.divisions else "ask"
    parameter: Any = DivisionRule.parameters()["unplayed"]
    return "" if word == "ask" else _(parameter.meaning(word))


def _find_events(league: League, rule: SeasonRule, parts: list[SeasonPart]) -> dict[str, Any]:
    """Return the events of a series that are free, and the competitions that could be one."""
    if rule.series is None:
        return {}
    return {
        "series_rule": describe_series_rule(rule.series),
        "free_events": list_free_events(rule, parts),
        "loose": list_competitions(league, for_organisers=True)
        .filter(season_parts__isnull=True)
        .exclude(status=Status.CANCELLED),
    }


def _measure_progress(rule: SeasonRule, parts: list[SeasonPart]) -> list[PartProgress]:
    """Return the competitions of a season, earlier stages first, with the number of fixtures that wait for a result."""
    stages = ["", *(stage.key for stage in rule.stages)]
    parts = sorted(parts, key=lambda part: stages.index(part.stage) if part.stage in stages else len(stages))
    running = [part.competition for part in parts if part.competition.status == Status.RUNNING]
    found = {one.competition.pk: (len(list_unplayed(one)), is_played(one)) for one in load_competitions(running)}
    return [PartProgress(part, *found.get(part.competition_id, (0, False))) for part in parts]


def _find_next_stage(rule: SeasonRule, progress: list[PartProgress]) -> dict[str, Any]:
    """Return the stages that wait for others, and whether these only wait to be finished."""
    drawn = {one.part.stage for one in progress}
    waiting = [stage for stage in rule.stages if stage.sources and stage.key not in drawn]
    before = {source["stage"] for stage in waiting for source in stage.sources}
    running = [one for one in progress if one.part.stage in before and one.part.competition.status == Status.RUNNING]
    if not running:
        return {}
    return {
        "next_stages": [stage.heading for stage in waiting],
        "left_to_play": sum(one.unplayed for one in running),
        "can_finish": all(one.is_played for one in running),
    }


def _find_proposal(season: Season) -> tuple[SeasonProposal | None, str]:
    """Return what can be drawn now, None if there is nothing, and why not."""
    if season.status in (Season.Status.CLOSED, Season.Status.CANCELLED):
        return None, ""
    try:
        proposal = build_proposal(season)
    except RungsError as error:
        return None, error.detail
    return (proposal if proposal.placements or proposal.groups else None), ""


def _explain_breaks(proposal: SeasonProposal | None) -> list[str]:
    """Return what a proposal breaks as sentences with names, where the proposal has handles."""
    if proposal is None:
        return []
    sentences = []
    for one in proposal.breaks:
        values = {key: proposal.people[value].name if key == "player" else value for key, value in one.values.items()}
        sentences.append(replace(one, values=values).explain())
    return sentences


def _list_proposed(proposal: SeasonProposal | None) -> list[dict[str, Any]]:
    if proposal is None:
        return []
    return [
        {
            "name": f"{level}{letter}",
            "level": level,
            "letter": letter,
            "members": [
                {
                    "player": proposal.people[one.player],
                    "is_moved": one.why == "moved" and "reason" in one.values,
                    "sentence": one.explain(),
                }
                for one in members
            ],
        }
        for level, letter, members in list_divisions(proposal.placements)
    ]


def _carry_out(request: HttpRequest, league: League, season: Season) -> str:
    """Carry out the step of the pressed button; return where to go, "" if it was refused."""
    name = request.POST.get("step", "")
    role = "organise" if name in ORGANISERS_STEPS else "arbitrate"
    if not viewer_of(request).may(role, league):
        raise PermissionDenied
    try:
        if name not in ACTIONS:
            raise Refused(_("Nothing was done; press a button of this page."))
        outcome = run_once(request, lambda: ACTIONS[name](request, league.pk, season))
    except RungsError as error:
        add_error_message(request, error)
        return ""
    messages.success(request, str(outcome.answer["message"]))
    return str(outcome.answer.get("address", "")) or reverse("desk:season", args=[league.slug, season.slug])
