"""Two players who are one person, on the desk: merged after a look at what that changes, and taken apart again."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.dry_runs.services.run import preview_merge, preview_unmerge
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.permissions import refuse_foreign
from league.core.players.selectors.roster import looked_after
from league.core.players.selectors.search import find_called, find_original, offered_players, player_choices
from league.core.players.selectors.visibility import people
from league.core.players.services.affected_leagues import Permission, leagues_of
from league.core.players.services.merges import leagues_to_unmerge, merge_players, unmerge_player
from league.models import League, Player
from league.web.organiser.change_preview import ChangePreview, preview_of
from league.web.organiser.page_frame import at_desk
from league.web.organiser.previewed_actions import PreviewedAction, answer_again
from league.web.viewer import viewer_of


class MergeForm(forms.Form):
    """Who the player is."""

    into = forms.CharField(
        max_length=120,
        label=gettext_lazy("Merge into"),
        help_text=gettext_lazy("A name, handle or other name."),
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Choose the player to merge into.")},
    )


def allow(request: HttpRequest) -> Permission:
    """Return what looks at the affected leagues: a person is changed by whoever organises all of their leagues."""
    viewer = viewer_of(request)
    return lambda leagues: refuse_foreign(viewer, leagues)


@dataclass
class MergeAction(PreviewedAction):
    """A merge of a player into another one."""

    player: Player
    template, tab = "web/organiser/merge.html", "people"

    def preview(self) -> list[ChangePreview]:
        """Return what the merge would change in each league."""
        return [preview_of(*one) for one in self.dry_run(preview_merge, self.player, self.into(), self.viewer)]

    def act(self) -> dict[str, Any]:
        """Merge them."""
        player, into, leagues = self.player, self.into(), sorted(leagues_of(self.player))
        merge_players(player, into, by=self.by, allow=allow(self.request))
        said = _("{name} ({handle}) was merged into {other}.").format(
            name=player.name, handle=player.handle, other=into.name
        )
        return {"said": said, "target": page_of(self.league, into), "leagues": leagues}

    def into(self) -> Player:
        """Return who stays; raises Refused at the field."""
        try:
            return find_original(find_called(self.form.cleaned_data["into"], self.league, self.viewer), self.viewer)
        except (NotFound, Conflict) as error:
            raise Refused.of([Problem("/into", "unknown", error.detail)]) from None

    def context(self) -> dict[str, Any]:
        """Return the player, and whom the form offers."""
        others = [one for one in offered_players(self.league, self.viewer) if one[0] != self.player.handle]
        return {"player": self.player, "people": player_choices(others, self.league, self.viewer)}


@dataclass
class UnmergeAction(PreviewedAction):
    """The taking back of a merge."""

    player: Player
    into: Player
    template, tab = "web/organiser/merge.html", "people"

    def preview(self) -> list[ChangePreview]:
        """Return what it would change in each league."""
        return [preview_of(*one) for one in self.dry_run(preview_unmerge, self.player, self.viewer)]

    def act(self) -> dict[str, Any]:
        """Take the merge back."""
        player, into, leagues = self.player, self.into, sorted(leagues_to_unmerge(self.player))
        unmerge_player(player, by=self.by, allow=allow(self.request))
        text = _("{name} ({handle}) is no longer merged into {other}.")
        said = text.format(name=player.name, handle=player.handle, other=into.name)
        return {"said": said, "target": page_of(self.league, into), "leagues": leagues}

    def context(self) -> dict[str, Any]:
        """Return both players."""
        return {"player": self.player, "into": self.into}


@at_desk("organise")
def merge(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Merge a player of the league, or of none yet, into another one, after showing what that changes."""
    player = looked_after(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        return answer_again(request, league) or gone()
    asked = request.GET.get("into", "").replace("\0", "")[:120]
    form = MergeForm(request.POST if request.method == "POST" else None, initial={"into": asked})
    return MergeAction(request, league, form, player).answer()


@at_desk("organise")
def unmerge(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Take a merge back, after showing what that changes in every league."""
    merged = people(viewer_of(request)).select_related("merged_into").filter(merged_into__in=looked_after(league))
    player = merged.filter(handle=handle.replace("\0", "")).first()
    if player is None:
        return answer_again(request, league) or gone()
    assert player.merged_into is not None, "only merged players were asked for"
    form = forms.Form(request.POST if request.method == "POST" else None)
    return UnmergeAction(request, league, form, player, player.merged_into).answer()


def page_of(league: League, player: Player) -> str:
    """Return the address of a player's page."""
    return reverse("desk:person", args=[league.slug, player.handle])


def gone() -> HttpResponse:
    """Raise 404."""
    raise Http404(_("This player is not in this league."))
