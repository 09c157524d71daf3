"""Forgetting, on the desk: a person, after their handle was written once more; the words of an entry of the log."""

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
from league.core.players.selectors.accounts import of_the_site
from league.core.players.selectors.aliases import with_merged
from league.core.players.selectors.person import all_of, leagues_of
from league.core.players.selectors.roster import players_of
from league.core.players.selectors.streaks import ErasurePreview, preview_erasure
from league.core.players.services.erase import erase_player
from league.models import League, Player
from league.web.organiser.form_errors import put_errors
from league.web.organiser.log_sentences import lines_of
from league.web.organiser.merge_players import allow
from league.web.organiser.page_frame import at_desk, say_refusal, show
from league.web.organiser.submit_once import key_for, once
from league.web.viewer import viewer_of


class ForgetForm(forms.Form):
    """The handle once more, and what becomes of what was written."""

    handle = forms.CharField(
        max_length=64,
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
        """Return the handle, which must be theirs."""
        handle: str = self.cleaned_data["handle"].strip()
        if handle != self.player.handle:
            raise forms.ValidationError(_("This does not match the handle {handle}.").format(handle=self.player.handle))
        return handle


@at_desk("organise")
def forget(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Forget who a player is, in every league of theirs, by whoever organises all of them."""
    player = get_player(league, handle)
    form = ForgetForm(player, request.POST if request.method == "POST" else None)

    def forgotten() -> dict[str, Any]:
        texts, parts = form.cleaned_data["texts"], form.cleaned_data["parts"]
        done = erase_player(player, by=viewer_of(request).name, allow=allow(request), texts=texts, parts=parts)
        return {"name": done.player.name}

    if form.is_bound and form.is_valid():
        try:
            done = once(request, forgotten)
        except KeyReused:
            form.add_error(None, _("This form has already been submitted. Reload the page."))
        except RungsError as error:
            put_errors(form, error)
        else:
            messages.success(request, _("They are now called {name}.").format(name=done.answer["name"]))
            return HttpResponseRedirect(reverse("desk:people", args=[league.slug]))
    context = {"player": player, "form": form, "once": key_for(request), "going": shown_of(request, player)}
    return show(request, league, "web/organiser/forget.html", "people", **context)


def shown_of(request: HttpRequest, player: Player) -> ErasurePreview | None:
    """Return what would go, to whoever organises all leagues of the player: what it says is of all of them."""
    try:
        refuse_foreign(viewer_of(request), leagues_of(with_merged(player)))
    except RungsError:
        return None
    return preview_erasure(player)


@at_desk("organise")
def known(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Send all that is known of a player as a file, to whoever organises all of their leagues."""
    player = get_player(league, handle)
    try:
        refuse_foreign(viewer_of(request), leagues_of(with_merged(player)))
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:person", args=[league.slug, player.handle]))
    told = all_of(player)
    if request.user.is_superuser:
        told["site"] = of_the_site(player)
    answer = JsonResponse(told, json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer["Content-Disposition"] = f'attachment; filename="{player.handle}.json"'
    return answer


def get_player(league: League, handle: str) -> Player:
    """Return a player of the league; raises 404."""
    player = players_of(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404(_("This player is not in this league."))
    return player


@at_desk("organise")
def erase(request: HttpRequest, league: League, position: int) -> HttpResponse:
    """Erase what was written in an entry of the log, after it was shown once more."""
    entry = find_entry(league, position)
    if entry is None:
        raise Http404
    if request.method == "POST":
        try:
            erase_text(league.pk, position, by=viewer_of(request).name)
        except RungsError as error:
            say_refusal(request, error)
        else:
            messages.success(request, _("The text in entry {position} was erased.").format(position=position))
        return HttpResponseRedirect(reverse("desk:log", args=[league.slug]))
    (line,) = lines_of(league, [entry])
    return show(request, league, "web/organiser/erase.html", "log", line=line)
