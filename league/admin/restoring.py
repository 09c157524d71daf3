"""Undoing and ordering games: void ones count again, those of one time move up and down."""

from functools import partial
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import FORM_TEMPLATE, by, last_part, put_errors, viewer_of, warn_of_decisions
from league.admin.confirm import EDIT, ConfirmingAdmin, allowed
from league.errors import RungsError
from league.labels import inside
from league.models import Game
from league.selectors.games import counting_game
from league.selectors.rules import decimals_of
from league.services.dry_runs.run import preview_move, preview_restoration
from league.services.recording.game_order import move_game
from league.services.recording.games import Expectation, restore_game

#: Why a game is restored by that key; it is kept.
UNDO = "Undone."


class ReasonForm(forms.Form):
    """Why a game is void, or counts again."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        widget=forms.TextInput(attrs={"size": 60, "autofocus": True}),
    )


class RestoringAdmin(ConfirmingAdmin):
    """Pages on which a void game is restored, and a game moves past its neighbour of the same time."""

    def restoring_urls(self) -> list[URLPattern]:
        """Return the pages."""
        return [
            self.page("restore", self.restore_view, "restore"),
            self.page("earlier", partial(self.move_view, later=False), "earlier"),
            self.page("later", partial(self.move_view, later=True), "later"),
        ]

    def undo(self, sentence: str, game: Game) -> SafeString:
        """Return a sentence about a game that is void now, with the way to have it back."""
        address = f"{self.url('restore', game.pk)}?{urlencode({'reason': UNDO})}"
        return format_html('{} <a href="{}">{}</a>', sentence, address, _("Undo"))

    def allowed(self, request: HttpRequest, expect: Expectation | None = None) -> Expectation:
        """Return what must hold of a game under the lock: closed periods are the organiser's, and what is expected."""
        return allowed(viewer_of(request), expect)

    def restore_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Restore a void game with a reason, after a look at what that changes."""
        game: Game = self.found(request, pk)
        if game.voided_at is None:
            self.message_user(request, _("{game} is not void: it counts.").format(game=game))
            return HttpResponseRedirect(self.url("change", pk))
        title = _("Restore {game} of {league}").format(game=inside(game), league=game.league)
        form = ReasonForm(request.POST or None, initial={"reason": request.GET.get("reason", "")[:500]})
        if request.method == "POST" and EDIT not in request.POST and form.is_valid():
            try:
                return self.restore(request, game, form.cleaned_data["reason"], title)
            except RungsError as error:
                put_errors(form, error, last_part)
        instead = counting_game(game.league, game.order_key)
        intro = _("It counts again as a new game with the same sheet, in its old place.")
        if instead:
            intro += " " + _("{game}, which counts now, becomes void.").format(game=instead)
        return self.show(request, FORM_TEMPLATE, title, form=form, intro=intro, save=_("Show what it would change"))

    def restore(self, request: HttpRequest, game: Game, reason: str, title: str) -> HttpResponse:
        """Show what a restoration would change, or carry it out."""
        league = game.league

        def commit(expect: Expectation) -> str:
            instead = counting_game(league, game.order_key)
            done = restore_game(
                league.pk, game.number, reason=reason, by=by(request), expect=self.allowed(request, expect)
            )
            sentence = _("{game} counts again, as game {number}.").format(game=game, number=done.game.number)
            self.say(request, self.undo(sentence, instead) if instead else sentence)
            warn_of_decisions(request, league)
            return self.url("change", done.game.pk)

        return self.confirm(
            request,
            league,
            title,
            lambda: preview_restoration(league, game.number, reason, self.allowed(request)),
            commit,
            decimals=decimals_of(league),
            reason=reason,
            save=_("Restore {game}").format(game=inside(game)),
            back=_("Back to the reason"),
        )

    def move_view(self, request: HttpRequest, pk: int, *, later: bool) -> HttpResponse:
        """Move a game past its neighbour of the same time, after a look at what that changes."""
        game: Game = self.found(request, pk)
        if EDIT in request.POST:
            return HttpResponseRedirect(self.url("change", pk))
        try:
            return self.move(request, game, later=later)
        except RungsError as error:
            self.message_user(request, error.detail, messages.ERROR)
            return HttpResponseRedirect(self.url("change", pk))

    def move(self, request: HttpRequest, game: Game, *, later: bool) -> HttpResponse:
        """Show what a move would change, or carry it out."""
        league = game.league
        title = _("Move {game} of {league} later") if later else _("Move {game} of {league} earlier")

        def commit(expect: Expectation) -> str:
            other = move_game(league.pk, game.number, later=later, by=by(request), expect=self.allowed(request, expect))
            text = _("{game} comes after game {number} now.") if later else _("{game} comes before game {number} now.")
            sentence = text.format(game=game, number=other.number)
            back = self.url("earlier" if later else "later", game.pk)
            self.say(request, format_html('{} <a href="{}">{}</a>', sentence, back, _("Undo")))
            warn_of_decisions(request, league)
            return self.url("change", game.pk)

        return self.confirm(
            request,
            league,
            title.format(game=inside(game), league=league),
            lambda: preview_move(league, game.number, later=later, expect=self.allowed(request)),
            commit,
            decimals=decimals_of(league),
            save=_("Move it later") if later else _("Move it earlier"),
            back=_("Back to the game"),
        )
