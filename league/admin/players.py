"""Players: adding, renaming, aliases."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from league.admin.base import by, viewer_of
from league.admin.merges import MergesAdmin
from league.models import Player
from league.services.players import add_player, change_player


class PlayerForm(forms.Form):
    """What may be changed of a player; aliases stand one a line."""

    name = forms.CharField(max_length=120, required=False, help_text="As people read it; empty: the handle.")
    aliases = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Other spellings under which the player is found, one a line.",
    )
    active = forms.BooleanField(required=False, initial=True, help_text="Inactive players leave the leaderboards.")

    def clean_aliases(self) -> list[str]:
        """Return the lines that are not empty."""
        return [line.strip() for line in self.cleaned_data["aliases"].splitlines() if line.strip()]


class NewPlayerForm(PlayerForm):
    """A new player."""

    handle = forms.CharField(max_length=64, help_text="Short name for addresses and files: letters, digits, . _ -")
    field_order = ("handle", "name", "aliases", "active")


@admin.register(Player)
class PlayerAdmin(MergesAdmin):
    """The players of the site."""

    to_view = to_add = to_change = "record"
    league_path = ""
    list_display = ("name", "handle", "active", "merged_into")
    list_select_related = ("merged_into",)
    list_filter = ("active",)
    search_fields = ("name", "handle", "aliases__key")

    def extra_urls(self) -> list[URLPattern]:
        """Return the pages that merge and unmerge."""
        return [self.page("merge", self.merge_view, "merge"), self.page("unmerge", self.unmerge_view, "unmerge")]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Add a player."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = NewPlayerForm(request.POST or None)
        return self.form_page(request, form, "Add a player", lambda data: self.add(request, data))

    def add(self, request: HttpRequest, data: dict[str, Any]) -> str:
        """Carry out an addition."""
        player = add_player(**data)
        self.say(request, f"{player.name} ({player.handle}) was added.")
        return self.url("changelist")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Change a player."""
        player: Player = self.found(request, object_id)
        spellings = [alias.text for alias in player.aliases.filter(recorded_as=None) if alias.text != player.handle]
        initial = {"name": player.name, "active": player.active, "aliases": "\n".join(spellings)}
        form = PlayerForm(request.POST or None, initial=initial)
        return self.form_page(
            request,
            form,
            f"{player.name} ({player.handle})",
            lambda data: self.change(request, player, data),
            beside="admin/league/player_beside.html",
            player=player,
            merged=player.merged.order_by("name"),
            organises=viewer_of(request).may("organise"),
        )

    def change(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        """Carry out a change; an emptied name becomes the handle again."""
        change_player(player, **{**data, "name": data["name"] or player.handle}, by=by(request))
        self.say(request, f"{player.name} was changed.")
        return self.url("changelist")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search without NUL characters, which PostgreSQL does not take."""
        return super().get_search_results(request, queryset, search_term.replace("\0", ""))
