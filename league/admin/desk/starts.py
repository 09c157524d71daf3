"""Where players start in a league on its desk: those who do not start where the system says, and another one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from league.admin.base import by, put_errors, warn_of_decisions
from league.admin.desk.frame import at_desk, show
from league.admin.desk.ladders import KEPT
from league.admin.desk.would import Would, would
from league.admin.once import DIFFERS, as_shown, digest_of, key_for, once
from league.desk.viewer import viewer_of
from league.errors import KeyReused, NotFound, RungsError
from league.models import League
from league.selectors.players.find import called, find_player, offered_players
from league.selectors.rules import rules_of, system_of
from league.services.dry_runs.run import preview_start
from league.services.players.players import set_initial_rating
from ratings.contract.parameters import in_full
from ratings.forms import NumberField

#: So many starts are shown.
SHOWN = 500


class StartForm(forms.Form):
    """Who starts where."""

    player = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
        error_messages={"required": "Say who."},
    )
    initial_rating = NumberField(label="Starts at", error_messages={"required": "Say where they start."})


def at_field(pointer: str) -> str:
    """Return the field that a problem is about."""
    return pointer.removeprefix("/")


@at_desk("organise")
def starts(request: HttpRequest, league: League) -> HttpResponse:
    """Show who starts elsewhere; try another start, and set it."""
    posted = request.method == "POST"
    asked = request.GET.get("player", "").replace("\0", "")[:120]
    form = StartForm(request.POST if posted else None, initial={"player": asked})
    tried: Would | None = None
    if form.is_bound and form.is_valid():
        try:
            if "_set" in request.POST and as_shown(request):
                return started(request, league, form.cleaned_data)
            player = meant(request, league, form.cleaned_data["player"])
            tried = would(league, preview_start(league, player, form.cleaned_data["initial_rating"]))
            if "_set" in request.POST:
                form.add_error(None, DIFFERS)
        except NotFound as error:
            form.add_error("player", f"{error.detail} A new player comes with their first game; set the start then.")
        except RungsError as error:
            put_errors(form, KEPT if isinstance(error, KeyReused) else error, at_field)
    rules = rules_of(league)
    found = league.initial_ratings.select_related("player").order_by("player__name", "player__handle")
    return show(
        request,
        league,
        "desk/starts.html",
        "settings",
        form=form,
        tried=tried,
        starts=found[:SHOWN],
        count=found.count(),
        system=system_of(rules[0]) if rules else None,
        people=offered_players(league, viewer_of(request)),
        once=key_for(request),
        mark=digest_of(request),
    )


def meant(request: HttpRequest, league: League, text: str) -> Any:
    """Return the player whom a name means in a league; raises NotFound."""
    viewer = viewer_of(request)
    return find_player(called([text], league, viewer).get(text, text), viewer)


def started(request: HttpRequest, league: League, data: dict[str, Any]) -> HttpResponse:
    """Set the start of a valid form, once; raises what refuses it."""

    def act() -> dict[str, Any]:
        player = meant(request, league, data["player"])
        set_initial_rating(league.pk, player, data["initial_rating"], by=by(request))
        return {"name": player.name}

    done = once(request, act)
    messages.success(request, f"{done.answer['name']} starts at {in_full(data['initial_rating'])}.")
    warn_of_decisions(request, League.objects.get(pk=league.pk))
    return HttpResponseRedirect(reverse("desk:starts", args=[league.slug]))
