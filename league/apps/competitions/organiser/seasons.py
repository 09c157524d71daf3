"""The desk's pages of seasons: found one from a preset, add people, read the proposal and move people, draw, close."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.models import Season
from league.apps.competitions.selectors.season_document import season_differs
from league.apps.competitions.selectors.season_proposal import (
    SeasonProposal,
    build_proposal,
    find_last_season_edition,
)
from league.apps.competitions.selectors.seasons import build_rule, find_season, list_entries, list_parts, list_seasons
from league.apps.competitions.services.season_close import close_season, revise_season
from league.apps.competitions.services.season_draw import draw_season
from league.apps.competitions.services.season_entries import (
    NewSeasonEntry,
    add_season_entries,
    change_season_entry,
    move_in_proposal,
)
from league.apps.competitions.services.seasons import cancel_season, change_season, create_season
from league.core.calendar import compute_local_date, compute_month
from league.core.errors import Refused, RungsError
from league.models import League
from league.web.organiser.forms import add_form_error, get_form_key, get_request_username, parse_whole_number, run_once
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of
from ratings.seasons.divisions import list_divisions

#: Preset -> its rule, given the answers of the form.
PRESETS: dict[str, Any] = {
    "boxes": gettext_lazy("Boxes: small divisions, a month each; the first rise, the last fall"),
    "divisions": gettext_lazy("Divisions: a season each; the first rise, the last fall"),
    "series": gettext_lazy("A series: points for the places of several competitions"),
    "groups": gettext_lazy("Groups, then a cup of the first two and one of the others"),
}


DAY = forms.DateInput(attrs={"type": "date"})


class SeasonForm(forms.Form):
    """The four choices of a new season."""

    title = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    preset = forms.ChoiceField(label=gettext_lazy("What it is"), choices=PRESETS.items(), initial="boxes")
    size = forms.IntegerField(
        label=gettext_lazy("Players of a division or group"), min_value=2, max_value=200, initial=6
    )
    moving = forms.IntegerField(label=gettext_lazy("How many rise and fall"), min_value=0, max_value=50, initial=2)
    events = forms.IntegerField(label=gettext_lazy("Events of a series"), min_value=1, max_value=100, initial=12)
    best = forms.IntegerField(label=gettext_lazy("Events that count"), min_value=1, max_value=100, initial=8)
    starts = forms.DateField(label=gettext_lazy("First day"), required=False, widget=DAY)
    ends = forms.DateField(label=gettext_lazy("Last day"), required=False, widget=DAY)

    def build_settings(self) -> dict[str, Any]:
        """Return the settings of the season."""
        data = self.cleaned_data
        return {
            "title": data["title"],
            "starts": data["starts"],
            "ends": data["ends"],
            "status": "open",
            "rule": BUILDERS[data["preset"]](data),
        }


def _build_divisions(data: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"divisions": {"target_size": data["size"], "up": {"number": data["moving"]}, **more}}


def _build_boxes(data: dict[str, Any]) -> dict[str, Any]:
    return _build_divisions(data, preset="boxes", unplayed="both_lose", smallest=min(3, data["size"]))


def _build_series(data: dict[str, Any]) -> dict[str, Any]:
    return {"series": {"of": data["events"], "best": min(data["best"], data["events"])}}


def _build_groups(data: dict[str, Any]) -> dict[str, Any]:
    places = list(range(3, max(data["size"], 3) + 1))
    return {
        "stages": [
            {"key": "groups", "title": _("Groups"), "parallel": max(data["moving"], 1)},
            {"key": "cup", "title": _("Cup"), "format": "knockout", "from": [{"stage": "groups", "places": [1, 2]}]},
            {
                "key": "plate",
                "title": _("Plate"),
                "format": "knockout",
                "from": [{"stage": "groups", "places": places}],
            },
        ]
    }


BUILDERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "boxes": _build_boxes,
    "divisions": _build_divisions,
    "series": _build_series,
    "groups": _build_groups,
}
#: The last name of a pointer -> the field.
FIELD_NAMES = {"target_size": "size", "smallest": "size", "up": "moving", "of": "events"}


@organiser_page("arbitrate")
def new_season(request: HttpRequest, league: League) -> HttpResponse:
    """Show the form, or create the season and redirect to its page."""
    form = SeasonForm(request.POST if request.method == "POST" else None, initial=_find_initial(league))
    if form.is_bound and form.is_valid():
        settings = form.build_settings()

        def act() -> dict[str, Any]:
            season = create_season(league.pk, "", settings, by=get_request_username(request))
            return {"slug": season.slug}

        try:
            slug = str(run_once(request, act).answer["slug"])
        except RungsError as error:
            _show_problems(form, error)
        else:
            return HttpResponseRedirect(reverse("desk:season", args=[league.slug, slug]))
    return show(
        request, league, "apps/competitions/organiser/new_season.html", "competitions",
        form=form, once=get_form_key(request),
    )  # fmt: skip


def _show_problems(form: SeasonForm, error: RungsError) -> None:
    """Show each problem at its field, those of the rule at the field of the answer that led to it."""
    for problem in error.problems:
        *_path, name = problem.pointer.split("/")
        form.add_error(FIELD_NAMES.get(name, name if name in form.fields else None), problem.detail)
    if not error.problems:
        add_form_error(form, error)


def _find_initial(league: League) -> dict[str, Any]:
    """Return the days of the present month."""
    month = compute_month(compute_local_date(timezone.now(), league.time_zone))
    return {"starts": month.first, "ends": month.after - timedelta(days=1)}


@organiser_page("record")
def show_season(request: HttpRequest, league: League, season: str) -> HttpResponse:
    """Show a season with its next step, or carry out a step."""
    arbitrates = viewer_of(request).may("arbitrate", league)
    found = find_season(league, season, for_organisers=arbitrates)
    if request.method == "POST":
        return _carry_out(request, league, found)
    entries = list_entries(found)
    edition = find_last_season_edition(found)
    proposal, refusal = _find_proposal(found) if arbitrates else (None, "")
    context = {
        "season": found,
        "rule": build_rule(found),
        "arbitrates": arbitrates,
        "organises": viewer_of(request).may("organise", league),
        "entries": entries,
        "parts": list_parts(found),
        "proposal": proposal,
        "refusal": refusal,
        "divisions": _list_proposed(proposal),
        "is_revisable": edition is not None and season_differs(found, edition),
        "following": list_seasons(league, for_organisers=True).filter(previous=found).first(),
        "once": get_form_key(request, new=True),
    }
    return show(request, league, "apps/competitions/organiser/season.html", "competitions", **context)


def _find_proposal(season: Season) -> tuple[SeasonProposal | None, str]:
    """Return what can be drawn now, None if there is nothing, and why not."""
    if season.status in (Season.Status.CLOSED, Season.Status.CANCELLED):
        return None, ""
    try:
        proposal = build_proposal(season)
    except RungsError as error:
        return None, error.detail
    return (proposal if proposal.placements or proposal.groups else None), ""


def _list_proposed(proposal: SeasonProposal | None) -> list[dict[str, Any]]:
    if proposal is None:
        return []
    return [
        {
            "name": f"{level}{letter}",
            "level": level,
            "letter": letter,
            "members": [
                {"player": proposal.people[one.player], "why": one.why, "sentence": one.explain()} for one in members
            ],
        }
        for level, letter, members in list_divisions(proposal.placements)
    ]


def _carry_out(request: HttpRequest, league: League, season: Season) -> HttpResponse:
    """Carry out the step of the pressed button, and show the page again."""
    name = request.POST.get("step", "")
    role = "organise" if name in ("close", "cancel", "revise", "renew") else "arbitrate"
    if not viewer_of(request).may(role, league):
        raise PermissionDenied
    address = reverse("desk:season", args=[league.slug, season.slug])
    try:
        if name not in ACTIONS:
            raise Refused(_("Nothing was done; press a button of this page."))
        outcome = run_once(request, lambda: ACTIONS[name](request, league.pk, season))
        messages.success(request, str(outcome.answer["message"]))
        address = str(outcome.answer.get("address", address))
    except RungsError as error:
        add_error_message(request, error)
    return HttpResponseRedirect(address)


def _enter(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    lines = [line.strip() for line in request.POST.get("players", "").splitlines()]
    new = [NewSeasonEntry(line) for line in lines if line]
    added = add_season_entries(
        league_id, season.slug, new, by=get_request_username(request), viewer=viewer_of(request),
        create_players="create" in request.POST,
    )  # fmt: skip
    return {"message": _("{count} entered.").format(count=len(added))}


def _withdraw(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    number = parse_whole_number(request.POST.get("entry", ""), 5) or 0
    entry = change_season_entry(
        league_id, season.slug, number, {"status": "withdrawn"}, by=get_request_username(request)
    )
    return {"message": _("{name} has left the season.").format(name=entry.survivor.name)}


def _move(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    target = request.POST.get("to", "")
    level, letter = target.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), target.lstrip("0123456789")
    entry = move_in_proposal(
        league_id, season.slug, request.POST.get("player", ""), parse_whole_number(level, 4), letter,
        by=get_request_username(request), reason=request.POST.get("reason", ""),
    )  # fmt: skip
    return {"message": _("{name} was moved.").format(name=entry.survivor.name)}


def _draw(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    made = draw_season(league_id, season.slug, request.POST.get("digest", ""), by=get_request_username(request))
    return {"message": _("Drawn: {titles}.").format(titles=", ".join(one.title for one in made))}


def _close(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    edition = close_season(
        league_id, season.slug, by=get_request_username(request), unplayed=request.POST.get("unplayed") or None,
        reason=request.POST.get("reason", ""),
    )  # fmt: skip
    return {"message": _("The season is closed; edition {number} is published.").format(number=edition.number)}


def _revise(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    edition = revise_season(
        league_id, season.slug, by=get_request_username(request), reason=request.POST.get("reason", "")
    )
    return {"message": _("Edition {number} is published.").format(number=edition.number)}


def _cancel(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    cancel_season(league_id, season.slug, by=get_request_username(request), reason=request.POST.get("reason", ""))
    return {"message": _("The season is cancelled; its competitions go on.")}


def _open(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    change_season(league_id, season.slug, {"status": "open"}, by=get_request_username(request))
    return {"message": _("The season is public, and entries are open.")}


def _renew(request: HttpRequest, league_id: int, season: Season) -> dict[str, Any]:
    """Found the season that follows, with those who played to the end."""
    settings = {
        "title": request.POST.get("title", ""),
        "previous": season.slug,
        "rule": season.rule,
        "status": "open",
        **_find_next_days(season),
    }
    by = get_request_username(request)
    following = create_season(league_id, "", settings, by=by)
    staying = [entry for entry in list_entries(season) if entry.status == "entered"]
    if staying:
        new = [NewSeasonEntry(entry.survivor.handle) for entry in staying]
        add_season_entries(league_id, following.slug, new, by=by, viewer=viewer_of(request))
    return {
        "message": _("{title} follows, with {count} entries.").format(title=following.title, count=len(staying)),
        "address": reverse("desk:season", args=[season.league.slug, following.slug]),
    }


def _find_next_days(season: Season) -> dict[str, Any]:
    """Return the first and last day of the next month if the season took one, else none."""
    if season.starts is None or season.ends is None:
        return {}
    month = compute_month(season.starts)
    if (month.first, month.after) != (season.starts, season.ends + timedelta(days=1)):
        return {}
    following = compute_month(month.after)
    return {"starts": following.first, "ends": following.after - timedelta(days=1)}


ACTIONS: dict[str, Callable[[HttpRequest, int, Season], dict[str, Any]]] = {
    "enter": _enter,
    "withdraw": _withdraw,
    "move": _move,
    "draw": _draw,
    "close": _close,
    "revise": _revise,
    "cancel": _cancel,
    "open": _open,
    "renew": _renew,
}
