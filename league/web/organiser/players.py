"""The players of a league: search, names, other names, and whether they are active."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.capabilities import load_declared
from league.core.errors import KeyReused, RungsError
from league.core.games.selectors.splits import load_splits
from league.core.permissions import refuse_foreign
from league.core.players.selectors.external_ids import load_external_ids
from league.core.players.selectors.roster import RosterPlayer, find_managed_players, load_roster, load_searched_roster
from league.core.players.selectors.visibility import find_visible_people
from league.core.players.services.affected_leagues import find_leagues_of
from league.core.players.services.players import change_player_and_status
from league.models import Inactive, League, Player
from league.web.organiser.forms import (
    add_errors,
    build_form_field,
    get_form_key,
    get_request_username,
    parse_whole_number,
    run_once,
)
from league.web.organiser.previewed_actions import pop_undo
from league.web.organiser.site import organiser_page, show
from league.web.sign_in.sessions import viewer_of

PAGE_SIZE = settings.RUNGS_PAGE_SIZES["organiser_players"]


@dataclass(frozen=True)
class Roster:
    """A page of players: the search text, the number found, and the queries for the previous and next page."""

    lines: list[RosterPlayer]
    search: str
    count: int
    before: str
    after: str


def load_roster_page(request: HttpRequest, league: League) -> Roster:
    """Return the requested page of players."""
    search = request.GET.get("q", "").replace("\0", "").strip()[:120]
    page = parse_whole_number(request.GET.get("page", ""), 6) or 1
    lines, count = load_searched_roster(league, search, viewer_of(request), page=page, size=PAGE_SIZE)

    def query(number: int) -> str:
        return urlencode({**({"q": search} if search else {}), "page": number})

    return Roster(
        lines, search, count, query(page - 1) if page > 1 else "", query(page + 1) if page * PAGE_SIZE < count else ""
    )


class PlayerDetailsForm(forms.Form):
    """Name, other names and activity of a player."""

    name = build_form_field(
        Player.name.field,
        label=pgettext_lazy("of a person", "Name"),
        help_text=gettext_lazy("The name shown in every league."),
    )
    aliases = forms.CharField(
        required=False,
        label=gettext_lazy("Other names"),
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("One per line. The score pad, files and the API also find the player by these names."),
    )
    active = forms.BooleanField(required=False)

    def clean_aliases(self) -> list[str]:
        """Return the non-empty lines."""
        return [line.strip() for line in self.cleaned_data["aliases"].splitlines() if line.strip()]


@organiser_page("organise")
def player_page(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Show and change a player of the league, or of no league yet."""
    player = find_managed_players(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404
    form = _build_form(request, league, player)
    if form.is_bound and form.is_valid():
        try:
            run_once(request, lambda: _change_player(request, league, player, form.cleaned_data))
        except KeyReused:
            message = _("This form has already been submitted with other contents. Reload the page.")
            form.add_error(None, message)
        except RungsError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("{name} was changed.").format(name=player.name))
            return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))
    viewer = viewer_of(request)
    return show(
        request,
        league,
        "web/organiser/person.html",
        "people",
        player=player,
        played=bool(find_leagues_of(player)),
        form=form,
        line=load_roster(league, [player], viewer)[0],
        merged=find_visible_people(viewer).filter(merged_into=player).order_by("name"),
        once=get_form_key(request),
        undo=pop_undo(request, league),
        splits=load_splits(league, player),
        panels=[build(request, league, player) for build in load_declared(lambda app: app.pages.person_panel)],
        ids=load_external_ids([player.pk]).get(player.pk, {}),
    )


def _build_form(request: HttpRequest, league: League, player: Player) -> PlayerDetailsForm:
    viewer = viewer_of(request)
    spellings = player.aliases.filter(recorded_as=None).exclude(text=player.handle).order_by("key")
    initial = {
        "name": player.name,
        "aliases": "\n".join(spellings.values_list("text", flat=True)),
        "active": not Inactive.objects.filter(league=league, player=player).exists(),
    }
    leagues = League.objects.filter(pk__in=find_leagues_of(player))
    if not leagues:
        initial["active"] = player.active
    form = PlayerDetailsForm(request.POST if request.method == "POST" else None, initial=initial)
    if not all(viewer.may("organise", member_league) for member_league in leagues):
        del form.fields["aliases"]
    if not all(viewer.may("record", member_league) for member_league in leagues):
        del form.fields["name"]
    return form


def _change_player(request: HttpRequest, league: League, player: Player, data: dict[str, Any]) -> dict[str, Any]:
    viewer = viewer_of(request)
    action = "organise" if "aliases" in data else "record"
    change_player_and_status(
        league.pk,
        player,
        name=data.get("name"),
        aliases=data.get("aliases"),
        active=data["active"],
        username=get_request_username(request),
        allow=lambda leagues: refuse_foreign(viewer, leagues, action),
        viewer=viewer,
    )
    return {}
