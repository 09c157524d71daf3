"""Two players who are one person, on the desk: merged after a look at what that changes, and taken apart again."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import warn_of_decisions
from league.admin.desk.frame import at_desk
from league.admin.desk.previews import PreviewedForm, Said, preview
from league.admin.desk.would import would
from league.admin.once import done_before, once
from league.desk.viewer import viewer_of
from league.errors import Conflict, NotFound, Problem, Refused
from league.models import League, Player
from league.selectors.permissions import refuse_foreign
from league.selectors.players.find import choices, find_called, find_original, offered_players
from league.selectors.players.roster import looked_after
from league.selectors.players.visibility import people
from league.services.dry_runs.diff import LeagueDiffs
from league.services.dry_runs.run import preview_merge, preview_unmerge
from league.services.players.affected_leagues import Permission, leagues_of
from league.services.players.merges import leagues_to_unmerge, merge_players, unmerge_player


class MergeForm(forms.Form):
    """Who the player is."""

    into = forms.CharField(
        max_length=120,
        label=gettext_lazy("Who stays"),
        help_text=gettext_lazy("A name, handle or spelling."),
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Say who stays.")},
    )


def allow(request: HttpRequest) -> Permission:
    """Return what looks at the affected leagues: a person is changed by whoever organises all of their leagues."""
    viewer = viewer_of(request)
    return lambda leagues: refuse_foreign(viewer, leagues)


@at_desk("organise")
def merge(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Merge a player of the league, or of none yet, into another one, after showing what that changes."""
    player = looked_after(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        return came_twice(request, league) or gone()
    viewer = viewer_of(request)
    asked = request.GET.get("into", "").replace("\0", "")[:120]
    form = MergeForm(request.POST if request.method == "POST" else None, initial={"into": asked})

    def other(data: dict[str, Any]) -> Player:
        try:
            return find_original(find_called(data["into"], league, viewer), viewer)
        except (NotFound, Conflict) as error:
            raise Refused.of([Problem("/into", "unknown", error.detail)]) from None

    def act(data: dict[str, Any]) -> dict[str, Any]:
        into, leagues = other(data), sorted(leagues_of(player))
        merge_players(player, into, by=viewer.name, allow=allow(request))
        said = _("{name} ({handle}) is {other} now.").format(name=player.name, handle=player.handle, other=into.name)
        return {"to": into.handle, "said": said, "leagues": leagues}

    return step(
        request,
        league,
        player,
        form,
        lambda data: preview(request, league, preview_merge, player, other(data), viewer).diff,
        act,
        people=choices([one for one in offered_players(league, viewer) if one[0] != player.handle], league, viewer),
    )


@at_desk("organise")
def unmerge(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Take a merge back, after showing what that changes in every league."""
    viewer = viewer_of(request)
    merged = people(viewer).select_related("merged_into").filter(merged_into__in=looked_after(league))
    player = merged.filter(handle=handle.replace("\0", "")).first()
    if player is None:
        return came_twice(request, league) or gone()
    into = player.merged_into
    assert into is not None, "only merged players were asked for"

    def act(data: dict[str, Any]) -> dict[str, Any]:
        leagues = sorted(leagues_to_unmerge(player))
        unmerge_player(player, by=viewer.name, allow=allow(request))
        text = _("{name} ({handle}) is {other} no more.")
        said = text.format(name=player.name, handle=player.handle, other=into.name)
        return {"to": into.handle, "said": said, "leagues": leagues}

    form = forms.Form(request.POST if request.method == "POST" else None)
    return step(
        request,
        league,
        player,
        form,
        lambda data: preview(request, league, preview_unmerge, player, viewer).diff,
        act,
        into=into,
    )


def gone() -> HttpResponse:
    """Raise 404."""
    raise Http404(_("There is no such player in this league."))


def came_twice(request: HttpRequest, league: League) -> HttpResponse | None:
    """Lead to what a form did that came before; None where it did not."""
    done = done_before(request) if "_do" in request.POST else None
    return None if done is None else told(request, league, done.answer, again=True)


def told(request: HttpRequest, league: League, answer: dict[str, Any], *, again: bool) -> HttpResponse:
    """Say on the page of whoever stays what was done."""
    twice = f" {_('It came twice, and was done once.')}" if again else ""
    messages.success(request, f"{answer['said']}{twice}")
    return HttpResponseRedirect(reverse("desk:person", args=[league.slug, answer["to"]]))


def step(
    request: HttpRequest,
    league: League,
    player: Player,
    form: forms.Form,
    try_out: Callable[[dict[str, Any]], LeagueDiffs],
    act: Callable[[dict[str, Any]], dict[str, Any]],
    **context: Any,
) -> HttpResponse:
    """Show the form, then what it would change, then do it."""

    def do(data: Said) -> HttpResponse:
        done = once(request, lambda: act(data))
        for one in League.objects.filter(pk__in=done.answer.get("leagues", ())).order_by("title", "slug"):
            warn_of_decisions(request, one)
        return told(request, league, done.answer, again=done.again)

    action = PreviewedForm(form, "_do", lambda data: [would(one, diff) for one, diff in try_out(data)], do)
    return action.answer(request, league, ("desk/merge.html", "people"), lambda: {"player": player, **context})
