"""Add a player before their first game; players with a similar name are shown first."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.errors import RungsError
from league.core.players.selectors.duplicates import find_players_with_similar_names
from league.core.players.selectors.roster import RosterPlayer, load_roster
from league.core.players.services.players import add_to_league
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.names import HANDLE_LENGTH
from league.models import League, Player
from league.web.organiser.forms import add_errors, build_form_field, get_form_key, run_once, warn_of_decisions
from league.web.organiser.site import organiser_page, show
from league.web.sign_in.sessions import viewer_of
from ratings.contract.parameters import format_localized
from ratings.contract.system import RatingSystem
from ratings.forms import NumberField

#: The button that adds a player despite similar names.
CONFIRM_BUTTON = "_sure"


class NewcomerForm(forms.Form):
    """Where new players start."""

    initial_rating = NumberField(label=gettext_lazy("Starts at"), required=False)
    start_help = gettext_lazy("For a player who already has a rating elsewhere. Empty: {system}'s starting rating.")

    def __init__(self, system: RatingSystem | None, data: Any = None) -> None:
        super().__init__(data)
        if system is None:
            del self.fields["initial_rating"]
            return
        text = self.start_help.format(system=system.title, start=format_localized(system.start()[0]))
        self.fields["initial_rating"].help_text = text


class NewPlayerForm(NewcomerForm):
    """A player who has not played yet."""

    name = build_form_field(
        Player.name.field,
        label=pgettext_lazy("of a person", "Name"),
        help_text=gettext_lazy("The name shown on pages."),
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Enter a name.")},
    )
    handle = forms.CharField(
        label=gettext_lazy("Handle"),
        max_length=HANDLE_LENGTH,
        required=False,
        help_text=gettext_lazy(
            "Used in addresses and files: letters, digits, . _ - If empty, it is derived from "
            "the name. It cannot be changed later."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    field_order = ("name", "handle", "initial_rating")


@organiser_page("organise")
def add(request: HttpRequest, league: League) -> HttpResponse:
    """Ask for a new player, show similar names, then add the player."""
    form = NewPlayerForm(load_system_in_force(league), request.POST if request.method == "POST" else None)
    similar: list[tuple[RosterPlayer, str]] = []
    if form.is_bound:
        form.fields["name"].widget.attrs.pop("autofocus")
    if form.is_bound and form.is_valid():
        name = form.cleaned_data["name"]
        similar = [] if CONFIRM_BUTTON in request.POST else find_similar_players(request, league, [name])[name]
        try:
            if not similar:
                return _add_player(request, league, form.cleaned_data)
        except RungsError as error:
            add_errors(form, error)
    return show(
        request, league, "web/organiser/add_player.html", "people", form=form, near=similar, once=get_form_key(request)
    )


def find_similar_players(
    request: HttpRequest, league: League, names: Sequence[str]
) -> dict[str, list[tuple[RosterPlayer, str]]]:
    """Return name -> players with a similar name, each with the reason."""
    similar = find_players_with_similar_names(names, league, viewer_of(request))
    players = {player.pk: player for candidates in similar.values() for player, __ in candidates}
    lines = {line.player.pk: line for line in load_roster(league, list(players.values()), viewer_of(request))}
    return {name: [(lines[player.pk], reason) for player, reason in candidates] for name, candidates in similar.items()}


def _add_player(request: HttpRequest, league: League, data: dict[str, Any]) -> HttpResponse:
    start = data.get("initial_rating")

    def act() -> dict[str, Any]:
        player = add_to_league(
            league.pk, data["name"], handle=data["handle"], initial_rating=start, viewer=viewer_of(request)
        )
        return {"player": player.pk}

    player = Player.objects.get(pk=run_once(request, act).answer["player"])
    text = _("{name} ({handle}) was added and can be chosen on the score pad.").format(
        name=player.name, handle=player.handle
    )
    messages.success(request, f"{text} {describe_start(start)}")
    warn_of_decisions(request, League.objects.get(pk=league.pk))
    return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))


def describe_start(start: float | None) -> str:
    """Return the message about the starting rating of new players, or about when they are listed."""
    if start is None:
        return _("They appear in the list below after their first game.")
    return _("They start at {rating}.").format(rating=format_localized(start))
