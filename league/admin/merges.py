"""Merging two players: a page that shows what it would change in every league, then does it; and its way back."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.admin.base import ServiceAdmin, last_part, put_errors, viewer_of, warn_of_decisions
from league.errors import RungsError
from league.figures import number
from league.models import League, Player
from league.selectors.permissions import refuse_foreign
from league.selectors.players.find import find_original
from league.selectors.rules import rules_of, system_of
from league.services.dry_runs.diff import Diff
from league.services.dry_runs.run import preview_merge, preview_unmerge
from league.services.players.affected_leagues import Permission
from league.services.players.merges import merge_players, unmerge_player

#: A league's diff, and the decimals with which its ratings are read.
Shown = tuple[League, Diff, int]


class MergeForm(forms.Form):
    """Who the player is."""

    into = forms.CharField(
        label=gettext_lazy("Into"), max_length=120, help_text=gettext_lazy("Handle or alias of the player who stays.")
    )


class MergesAdmin(ServiceAdmin):
    """A player with the pages that merge and unmerge."""

    def merge_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Merge a player into another one, after showing what that changes."""
        player: Player = self.found(request, pk)
        allow, viewer = self.allow(request), viewer_of(request)

        def preview(data: dict[str, Any]) -> list[tuple[League, Diff]]:
            return preview_merge(player, find_original(data["into"], viewer), allow)

        def act(data: dict[str, Any]) -> object:
            return merge_players(player, find_original(data["into"], viewer), by=viewer.name, allow=allow)

        named = {"name": player.name, "handle": player.handle}
        intro = _(
            "All games of {name} count for the player who stays, and {handle} leads there. The games keep whom they "
            "named: it can be taken back."
        )
        title = _("Merge {name} ({handle}) into another player").format(**named)
        form = MergeForm(request.POST or None, initial={"into": request.GET.get("into", "")})
        return self.step(request, form, title, intro.format(**named), preview, act)

    def unmerge_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Take a merge back, after showing what that changes."""
        player: Player = self.found(request, pk)
        allow = self.allow(request)
        form = forms.Form(request.POST if request.method == "POST" else None)
        intro = _("Games, start and spellings are the player's own again, as they were.")
        return self.step(
            request,
            form,
            _("Unmerge {name} ({handle})").format(name=player.name, handle=player.handle),
            intro,
            lambda data: preview_unmerge(player, allow),
            lambda data: unmerge_player(player, by=viewer_of(request).name, allow=allow),
        )

    def allow(self, request: HttpRequest) -> Permission:
        """Return what looks at the affected leagues; raises 403 for who organises none."""
        viewer = viewer_of(request)
        if not viewer.may("organise"):
            raise PermissionDenied
        return lambda leagues: refuse_foreign(viewer, leagues)

    def step(
        self,
        request: HttpRequest,
        form: forms.Form,
        title: str,
        intro: str,
        preview: Callable[[dict[str, Any]], list[tuple[League, Diff]]],
        act: Callable[[dict[str, Any]], object],
    ) -> HttpResponse:
        """Show a form, then what it would change, then do it."""
        diffs: list[Shown] | None = None
        if form.is_bound and form.is_valid():
            try:
                found = preview(form.cleaned_data)
                if "_do" in request.POST:
                    act(form.cleaned_data)
                    return self.done(request, title, [league for league, __ in found])
                diffs = [(league, diff, decimals_of(league)) for league, diff in found]
            except RungsError as error:
                put_errors(form, error, last_part)
        save, name = (_("Show what it would change"), "") if diffs is None else (_("Do it"), "_do")
        beside = "admin/league/diffs.html"
        return self.show(
            request,
            "admin/league/form.html",
            title,
            form=form,
            intro=intro,
            save=save,
            name=name,
            beside=beside,
            diffs=diffs,
        )

    def done(self, request: HttpRequest, title: str, leagues: list[League]) -> HttpResponse:
        """Tell that it was done, and which closed periods ask."""
        text = ngettext("{what}: done in {count} league.", "{what}: done in {count} leagues.", len(leagues))
        self.say(request, text.format(what=title, count=number(len(leagues))))
        for league in leagues:
            warn_of_decisions(request, league)
        return HttpResponseRedirect(self.url("changelist"))


def decimals_of(league: League) -> int:
    """Return how many decimals of a rating are shown."""
    rules = rules_of(league)
    return system_of(rules[-1]).decimals if rules else 0
