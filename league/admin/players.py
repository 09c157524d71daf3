"""Players: adding, renaming, aliases."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.admin.base import by, viewer_of
from league.admin.merges import MergesAdmin
from league.models import League, Player
from league.selectors.permissions import leagues_for, refuse_foreign, visible_leagues
from league.selectors.players.find import found_among
from league.selectors.players.visibility import active_in, people, seen_by
from league.services.players.affected_leagues import leagues_of
from league.services.players.players import add_player, change_player, set_active

#: So many players are found by letters beyond ASCII.
MOST = 1000


def active_field(*, initial: bool) -> forms.BooleanField:
    """Return the field of somebody who has played nowhere yet."""
    text = gettext_lazy("Whether the player is offered for new games.")
    return forms.BooleanField(label=gettext_lazy("Active"), required=False, initial=initial, help_text=text)


class PlayerForm(forms.Form):
    """What may be changed of a player in all leagues; aliases stand one a line."""

    name = forms.CharField(
        label=pgettext_lazy("of a person", "Name"),
        max_length=120,
        required=False,
        help_text=gettext_lazy("As people read it; empty: the handle."),
    )
    aliases = forms.CharField(
        label=gettext_lazy("Aliases"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Other spellings under which the player is found, one a line."),
    )

    def clean_aliases(self) -> list[str]:
        """Return the lines that are not empty."""
        return [line.strip() for line in self.cleaned_data["aliases"].splitlines() if line.strip()]


class NewPlayerForm(PlayerForm):
    """A new player."""

    handle = forms.CharField(
        label=gettext_lazy("Handle"),
        max_length=64,
        help_text=gettext_lazy("Short name for addresses and files: letters, digits, . _ -"),
    )
    active = active_field(initial=True)
    field_order = ("handle", "name", "aliases", "active")


class ActiveForm(forms.Form):
    """In which leagues a player is active."""

    active = forms.ModelMultipleChoiceField(
        League.objects.none(),
        label=gettext_lazy("Active"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Elsewhere among these leagues the player leaves the leaderboard and is not offered for new games."
        ),
    )


@admin.register(Player)
class PlayerAdmin(MergesAdmin):
    """The players whom somebody may see."""

    to_view = to_add = to_change = "record"
    league_path = ""
    list_display = ("name", "handle", "merged_into")
    list_select_related = ("merged_into",)
    search_fields = ("name", "handle")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the players of leagues that somebody may read, and those of none."""
        return super().get_queryset(request).filter(seen_by(viewer_of(request)))

    def extra_urls(self) -> list[URLPattern]:
        """Return the pages that merge and unmerge, and the one of a player's leagues."""
        return [
            self.page("merge", self.merge_view, "merge"),
            self.page("unmerge", self.unmerge_view, "unmerge"),
            self.page("active", self.active_view, "active"),
        ]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Add a player."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = NewPlayerForm(request.POST or None)
        return self.form_page(request, form, _("Add a player"), lambda data: self.add(request, data))

    def add(self, request: HttpRequest, data: dict[str, Any]) -> str:
        """Carry out an addition."""
        player = add_player(**data, viewer=viewer_of(request))
        self.say(request, _("{name} ({handle}) was added.").format(name=player.name, handle=player.handle))
        return self.url("changelist")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Change a player, or show them to who may not in all of their leagues."""
        player: Player = self.found(request, object_id)
        viewer = viewer_of(request)
        leagues = League.objects.filter(pk__in=leagues_of(player))
        context = {
            "beside": "admin/league/player_beside.html",
            "player": player,
            "merged": people(viewer).filter(merged_into=player).order_by("name"),
            "organises": viewer.may("organise"),
            "leagues": active_in(player, visible_leagues(viewer).filter(pk__in=leagues)),
        }
        title = f"{player.name} ({player.handle})"
        if not all(viewer.may("record", league) for league in leagues):
            return self.show(request, "admin/league/player.html", title, **context)
        spellings = [alias.text for alias in player.aliases.filter(recorded_as=None) if alias.text != player.handle]
        form = PlayerForm(request.POST or None, initial={"name": player.name, "aliases": "\n".join(spellings)})
        if not leagues:
            form.fields["active"] = active_field(initial=player.active)
        elif not all(viewer.may("organise", league) for league in leagues):
            del form.fields["aliases"]
        return self.form_page(request, form, title, lambda data: self.change(request, player, data), **context)

    def change(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        """Carry out a change; an emptied name becomes the handle again."""
        viewer = viewer_of(request)
        action = "organise" if "aliases" in data else "record"
        given = {**data, "name": data["name"] or player.handle}

        def allow(leagues: Collection[League]) -> None:
            refuse_foreign(viewer, leagues, action)

        change_player(player, **given, by=by(request), allow=allow, viewer=viewer)
        self.say(request, _("{name} was changed.").format(name=player.name))
        return self.url("changelist")

    def active_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Choose in which of somebody's leagues a player is active."""
        player: Player = self.found(request, pk)
        leagues = leagues_for(viewer_of(request), "record").filter(pk__in=leagues_of(player))
        form = ActiveForm(request.POST if request.method == "POST" else None)
        field = form.fields["active"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = leagues
        field.initial = [league for league, active in active_in(player, leagues) if active]
        title = _("Where {name} ({handle}) is active").format(name=player.name, handle=player.handle)
        return self.form_page(request, form, title, lambda data: self.set_active(request, player, leagues, data))

    def set_active(self, request: HttpRequest, player: Player, leagues: QuerySet[League], data: dict[str, Any]) -> str:
        """Carry out the choice of leagues."""
        for league in leagues:
            set_active(league.pk, player, league in data["active"], by=by(request))
        self.say(request, _("{name} was changed.").format(name=player.name))
        return self.url("change", player.pk)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search as the API does: without NUL characters, and by the spellings that somebody may know."""
        term = search_term.replace("\0", "")
        return found_among(queryset, term, viewer_of(request), MOST), False
