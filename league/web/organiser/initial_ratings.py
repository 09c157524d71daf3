"""Initial ratings that differ from the system's: list, preview and set them."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.dry_runs.services.run import preview_start
from league.core.errors import NotFound, Problem, Refused
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.search import build_player_choices, load_offered_players
from league.core.players.services.players import set_initial_rating
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.names import NAME_LENGTH
from league.models import League, Player
from league.web.organiser.differences import ChangePreview, build_preview
from league.web.organiser.previewed_actions import PreviewedAction
from league.web.organiser.site import organiser_page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.parameters import format_localized
from ratings.forms import NumberField

#: Maximum number of initial ratings shown.
MAX_STARTS = 500
#: Added to the error about an unknown player.
UNKNOWN_PLAYER_HINT = gettext_noop(
    "New players are added with their first game, or under People. Set the initial rating there."
)


class PlayerForm(forms.Form):
    """A player, by name or handle."""

    player = forms.CharField(
        label=gettext_lazy("Player"),
        max_length=NAME_LENGTH,
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Choose a player.")},
    )


class InitialRatingForm(PlayerForm):
    """A player and their initial rating."""

    initial_rating = NumberField(
        label=gettext_lazy("Starts at"), error_messages={"required": gettext_lazy("Enter the initial rating.")}
    )


class InitialRatingAction(PreviewedAction):
    """A new initial rating of a player."""

    template, tab = "web/organiser/initial_ratings.html", "settings"

    def preview(self) -> ChangePreview:
        """Return the changes by the new initial rating."""
        player, rating = resolve_player(self.request, self.league, self.form), self.form.cleaned_data["initial_rating"]
        return build_preview(self.league, self.dry_run(preview_start, self.league, player, rating), player)

    def act(self) -> dict[str, Any]:
        """Set the initial rating."""
        player, rating = resolve_player(self.request, self.league, self.form), self.form.cleaned_data["initial_rating"]
        set_initial_rating(self.league.pk, player, rating, username=self.by)
        message = _("{name} starts at {rating}.").format(name=player.name, rating=format_localized(rating))
        return {"said": message, "target": reverse("desk:starts", args=[self.league.slug])}

    def context(self) -> dict[str, Any]:
        """Return the initial ratings of the league."""
        ratings = self.league.initial_ratings.select_related("player").order_by("player__name", "player__handle")
        return {
            "starts": ratings[:MAX_STARTS],
            "count": ratings.count(),
            "system": load_system_in_force(self.league),
            "people": list_player_options(self.request, self.league),
        }


@organiser_page("organise")
def starts(request: HttpRequest, league: League) -> HttpResponse:
    """Show the initial ratings; preview and set a new one."""
    form = InitialRatingForm(request.POST if request.method == "POST" else None, initial=get_initial_player(request))
    return InitialRatingAction(request, league, form).answer()


def get_initial_player(request: HttpRequest) -> dict[str, str]:
    """Return the initial value of the player field from the address."""
    return {"player": request.GET.get("player", "").replace("\0", "")[:120]}


def list_player_options(request: HttpRequest, league: League) -> list[tuple[str, str]]:
    """Return the players to choose from, each by an unambiguous name or handle."""
    return build_player_choices(load_offered_players(league, viewer_of(request)), league, viewer_of(request))


def resolve_player(request: HttpRequest, league: League, form: forms.Form) -> Player:
    """Return the player of a valid form; raises Refused at the field."""
    viewer = viewer_of(request)
    try:
        return find_player(form.cleaned_data["player"], viewer, league)
    except Refused as error:
        message = error.detail
    except NotFound as error:
        message = f"{error.detail} {_(UNKNOWN_PLAYER_HINT)}"
    raise Refused.of([Problem("/player", "unknown", message)])
