"""Where players start in a league on its desk: those who do not start where the system says, and another one."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.dry_runs.services.run import preview_start
from league.core.errors import Conflict, NotFound, Problem, Refused
from league.core.leagues.selectors.rules import system_in_force
from league.core.players.selectors.search import find_called, find_player, offered_players, player_choices
from league.core.players.services.players import set_initial_rating
from league.models import League, Player
from league.web.organiser.change_preview import ChangePreview, preview_of
from league.web.organiser.page_frame import at_desk
from league.web.organiser.previewed_actions import PreviewedAction
from league.web.viewer import viewer_of
from ratings.contract.parameters import shown
from ratings.forms import NumberField

#: Maximum number of initial ratings shown.
MAX_STARTS = 500
#: How a player who is not there yet gets a start.
HOW = gettext_noop("New players are added with their first game, or under People. Set the starting rating there.")


class PlayerForm(forms.Form):
    """A player, by name or handle."""

    player = forms.CharField(
        label=gettext_lazy("Player"),
        max_length=120,
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Choose a player.")},
    )


class StartForm(PlayerForm):
    """Who starts where."""

    initial_rating = NumberField(
        label=gettext_lazy("Starts at"), error_messages={"required": gettext_lazy("Enter the starting rating.")}
    )


class StartAction(PreviewedAction):
    """Another start of a player."""

    template, tab = "web/organiser/starts.html", "settings"

    def preview(self) -> ChangePreview:
        """Return what another start would change."""
        player, rating = resolve_player(self.request, self.league, self.form), self.form.cleaned_data["initial_rating"]
        return preview_of(self.league, self.dry_run(preview_start, self.league, player, rating), player)

    def act(self) -> dict[str, Any]:
        """Set the start."""
        player, rating = resolve_player(self.request, self.league, self.form), self.form.cleaned_data["initial_rating"]
        set_initial_rating(self.league.pk, player, rating, by=self.by)
        said = _("{name} starts at {rating}.").format(name=player.name, rating=shown(rating))
        return {"said": said, "target": reverse("desk:starts", args=[self.league.slug])}

    def context(self) -> dict[str, Any]:
        """Return the starts of the league."""
        found = self.league.initial_ratings.select_related("player").order_by("player__name", "player__handle")
        return {
            "starts": found[:MAX_STARTS],
            "count": found.count(),
            "system": system_in_force(self.league),
            "people": named_people(self.request, self.league),
        }


@at_desk("organise")
def starts(request: HttpRequest, league: League) -> HttpResponse:
    """Show who starts elsewhere; preview another start, and set it."""
    form = StartForm(request.POST if request.method == "POST" else None, initial=asked(request))
    return StartAction(request, league, form).answer()


def asked(request: HttpRequest) -> dict[str, str]:
    """Return what a form says at first of its player: what a link asks for."""
    return {"player": request.GET.get("player", "").replace("\0", "")[:120]}


def named_people(request: HttpRequest, league: League) -> list[tuple[str, str]]:
    """Return whom a form offers, each by what means no other player."""
    return player_choices(offered_players(league, viewer_of(request)), league, viewer_of(request))


def resolve_player(request: HttpRequest, league: League, form: forms.Form) -> Player:
    """Return the player whom a valid form means in a league; raises Refused at the field."""
    viewer = viewer_of(request)
    try:
        return find_player(find_called(form.cleaned_data["player"], league, viewer), viewer)
    except NotFound as error:
        sentence = f"{error.detail} {_(HOW)}"
    except Conflict as error:
        sentence = error.detail
    raise Refused.of([Problem("/player", "unknown", sentence)])
