"""Merge two players who are one person, or undo a merge, after a preview."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.dry_runs.services.run import preview_merge, preview_unmerge
from league.core.errors import NotFound, Problem, Refused
from league.core.permissions import refuse_foreign
from league.core.players.selectors.resolve import find_one
from league.core.players.selectors.roster import find_managed_players
from league.core.players.selectors.search import build_player_choices, load_offered_players
from league.core.players.selectors.visibility import find_visible_people
from league.core.players.services.affected_leagues import Permission, find_leagues_of
from league.core.players.services.merges import find_leagues_to_unmerge, merge_players, unmerge_player
from league.core.text.names import NAME_LENGTH
from league.models import League, Player
from league.web.organiser.differences import ChangePreview, build_preview
from league.web.organiser.previewed_actions import PreviewedAction, stored_response
from league.web.organiser.site import organiser_page
from league.web.sign_in.sessions import viewer_of


class MergeForm(forms.Form):
    """The player to merge into."""

    into = forms.CharField(
        max_length=NAME_LENGTH,
        label=gettext_lazy("Merge into"),
        help_text=gettext_lazy("A name, handle or other name."),
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Choose the player to merge into.")},
    )


def make_leagues_check(request: HttpRequest) -> Permission:
    """Return the check of affected leagues: the user must organise all leagues of the player."""
    viewer = viewer_of(request)
    return lambda leagues: refuse_foreign(viewer, leagues)


@dataclass
class MergeAction(PreviewedAction):
    """A merge of a player into another."""

    player: Player
    template, tab = "web/organiser/merge.html", "people"

    def preview(self) -> list[ChangePreview]:
        """Return the changes by the merge in each league."""
        return [build_preview(*change) for change in self.dry_run(preview_merge, self.player, self.into(), self.viewer)]

    def act(self) -> dict[str, Any]:
        """Merge the players."""
        player, survivor, leagues = self.player, self.into(), sorted(find_leagues_of(self.player))
        merge_players(player, survivor, username=self.by, allow=make_leagues_check(self.request))
        message = _("{name} ({handle}) was merged into {other}.").format(
            name=player.name, handle=player.handle, other=survivor.name
        )
        return {"said": message, "target": build_player_url(self.league, survivor), "leagues": leagues}

    def into(self) -> Player:
        """Return the player to merge into; raises Refused at the field."""
        try:
            return find_one(self.form.cleaned_data["into"], self.viewer, self.league).original
        except (NotFound, Refused) as error:
            raise Refused.of([Problem("/into", "unknown", error.detail)]) from None

    def context(self) -> dict[str, Any]:
        """Return the player, and the players to choose from."""
        other_players = [
            pair for pair in load_offered_players(self.league, self.viewer) if pair[0] != self.player.handle
        ]
        return {"player": self.player, "people": build_player_choices(other_players, self.league, self.viewer)}


@dataclass
class UnmergeAction(PreviewedAction):
    """The undoing of a merge."""

    player: Player
    into: Player
    template, tab = "web/organiser/merge.html", "people"

    def preview(self) -> list[ChangePreview]:
        """Return the changes in each league."""
        return [build_preview(*change) for change in self.dry_run(preview_unmerge, self.player, self.viewer)]

    def act(self) -> dict[str, Any]:
        """Undo the merge."""
        player, survivor, leagues = self.player, self.into, sorted(find_leagues_to_unmerge(self.player))
        unmerge_player(player, username=self.by, allow=make_leagues_check(self.request))
        text = _("{name} ({handle}) is no longer merged into {other}.")
        message = text.format(name=player.name, handle=player.handle, other=survivor.name)
        return {"said": message, "target": build_player_url(self.league, survivor), "leagues": leagues}

    def context(self) -> dict[str, Any]:
        """Return both players."""
        return {"player": self.player, "into": self.into}


@organiser_page("organise")
def merge(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Merge a player into another after a preview."""
    player = find_managed_players(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        return stored_response(request, league) or _raise_not_found()
    initial = request.GET.get("into", "").replace("\0", "")[:120]
    form = MergeForm(request.POST if request.method == "POST" else None, initial={"into": initial})
    return MergeAction(request, league, form, player).answer()


@organiser_page("organise")
def unmerge(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Undo a merge after a preview."""
    merged = (
        find_visible_people(viewer_of(request))
        .select_related("merged_into")
        .filter(merged_into__in=find_managed_players(league))
    )
    player = merged.filter(handle=handle.replace("\0", "")).first()
    if player is None:
        return stored_response(request, league) or _raise_not_found()
    assert player.merged_into is not None, "only merged players were asked for"
    form = forms.Form(request.POST if request.method == "POST" else None)
    return UnmergeAction(request, league, form, player, player.merged_into).answer()


def build_player_url(league: League, player: Player) -> str:
    """Return the address of the organiser's page of a player."""
    return reverse("desk:person", args=[league.slug, player.handle])


def _raise_not_found() -> HttpResponse:
    raise Http404(_("This player is not in this league."))
