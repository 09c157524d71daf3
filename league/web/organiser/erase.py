"""Delete a player's personal data, or the text of a log entry; export a player's data."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.errors import KeyReused, RungsError
from league.core.log.selectors.log import find_entry
from league.core.log.services.erase_texts import erase_text
from league.core.permissions import refuse_foreign
from league.core.players.selectors.accounts import serialize_site_data
from league.core.players.selectors.aliases import load_with_merged
from league.core.players.selectors.erasure_preview import ErasurePreview, preview_erasure
from league.core.players.selectors.person import find_leagues_naming, serialize_person
from league.core.players.selectors.roster import find_players
from league.core.players.services.erase import erase_player
from league.core.text.names import HANDLE_LENGTH
from league.models import League, Player
from league.web.organiser.forms import add_errors, get_form_key, run_once
from league.web.organiser.log_sentences import build_log_rows
from league.web.organiser.merge_players import make_leagues_check
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of


class ErasePlayerForm(forms.Form):
    """The handle as a confirmation, and whether texts are erased too."""

    handle = forms.CharField(
        max_length=HANDLE_LENGTH,
        label=gettext_lazy("Enter the handle again"),
        help_text=gettext_lazy("This prevents deleting the wrong player."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        error_messages={"required": gettext_lazy("Enter the handle.")},
    )
    texts = forms.BooleanField(required=False, initial=True)
    parts = forms.BooleanField(required=False)

    def __init__(self, player: Player, data: Any = None) -> None:
        super().__init__(data)
        self.player = player

    def clean_handle(self) -> str:
        """Require the player's handle."""
        handle: str = self.cleaned_data["handle"].strip()
        if handle != self.player.handle:
            raise forms.ValidationError(_("This does not match the handle {handle}.").format(handle=self.player.handle))
        return handle


@organiser_page("organise")
def erase_personal_data(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Delete a player's personal data in all their leagues; requires organising all of them."""
    player = _get_player(league, handle)
    form = ErasePlayerForm(player, request.POST if request.method == "POST" else None)

    def forgotten() -> dict[str, Any]:
        texts, parts = form.cleaned_data["texts"], form.cleaned_data["parts"]
        outcome = erase_player(
            player, username=viewer_of(request).name, allow=make_leagues_check(request), texts=texts, parts=parts
        )
        return {"name": outcome.player.name}

    if form.is_bound and form.is_valid():
        try:
            outcome = run_once(request, forgotten)
        except KeyReused:
            form.add_error(None, _("This form has already been submitted. Reload the page."))
        except RungsError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("They are now called {name}.").format(name=outcome.answer["name"]))
            return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))
    context = {
        "player": player,
        "form": form,
        "once": get_form_key(request),
        "going": _preview_erasure(request, player),
    }
    return show(request, league, "web/organiser/erase_player.html", "people", **context)


def _preview_erasure(request: HttpRequest, player: Player) -> ErasurePreview | None:
    """Return what the erasure would delete; None unless the viewer organises all leagues of the player."""
    try:
        refuse_foreign(viewer_of(request), find_leagues_naming(load_with_merged(player)))
    except RungsError:
        return None
    return preview_erasure(player)


@organiser_page("organise")
def download_player_data(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Download all data about a player; requires organising all their leagues."""
    player = _get_player(league, handle)
    try:
        refuse_foreign(viewer_of(request), find_leagues_naming(load_with_merged(player)))
    except RungsError as error:
        add_error_message(request, error)
        return HttpResponseRedirect(reverse("desk:person", args=[league.slug, player.handle]))
    data = serialize_person(player)
    if request.user.is_superuser:
        data["site"] = serialize_site_data(player)
    response = JsonResponse(data, json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{player.handle}.json"'
    return response


def _get_player(league: League, handle: str) -> Player:
    player = find_players(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404(_("This player is not in this league."))
    return player


@organiser_page("organise")
def erase_log_text(request: HttpRequest, league: League, position: int) -> HttpResponse:
    """Erase the text of a log entry after a confirmation."""
    entry = find_entry(league, position)
    if entry is None:
        raise Http404
    if request.method == "POST":
        try:
            erase_text(league.pk, position, username=viewer_of(request).name)
        except RungsError as error:
            add_error_message(request, error)
        else:
            messages.success(request, _("The text in entry {position} was erased.").format(position=position))
        return HttpResponseRedirect(reverse("desk:log", args=[league.slug]))
    (line,) = build_log_rows(league, [entry], viewer=viewer_of(request))
    return show(request, league, "web/organiser/erase_log_text.html", "settings", line=line)
