"""Correcting, voiding and restoring a game on its league's desk."""

import json
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_correction, preview_restoration, preview_void
from league.core.errors import Refused, RungsError
from league.core.games.selectors.games import ShownGame, count_following, counting_game, find_game, load_games
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import Expectation, correct_game, restore_game, void_game
from league.core.leaderboard.selectors.compared import whole_board
from league.core.leagues.selectors.rules import decimals_of
from league.core.permissions import refuse_closed
from league.models import Game, League
from league.web.organiser.confirmed_actions import TRIAL, ConfirmedAction, form_fields
from league.web.organiser.differences import ChangedState, DifferencePage, beside_of, rows_of, shown_change
from league.web.organiser.game_summaries import system_at
from league.web.organiser.page_frame import at_desk, say_refusal, show
from league.web.organiser.previewed_actions import allowed, answer_again, carried
from league.web.organiser.score_pad import at_the_table
from league.web.organiser.score_sheets import IncomingSheet, by_their_names, local, plain, seats_of, worksheet_of
from league.web.organiser.selectors import evening_at
from league.web.viewer import viewer_of


@dataclass
class GameAction(ConfirmedAction):
    """A change of one game; ``counts`` is the game that counts now, None if none does."""

    game: Game
    counts: Game | None
    template, confirm_template, tab = "web/organiser/wait.html", "web/organiser/confirm_game.html", "games"
    verb: ClassVar[str]
    #: What the button says, and what the next page says: messages with the numbers of the game and of the new one.
    label: ClassVar[str]
    done: ClassVar[str]

    @property
    def key(self) -> str:
        """Return what the button says."""
        return _(self.label).format(number=self.game.number)

    @abstractmethod
    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the dry run; raises what it raises, and Instead."""

    def expect(self) -> Expectation:
        """Return what must hold under the lock: closed periods are the organiser's, too."""
        return allowed(self.viewer, super().expect())

    def preview(self) -> DifferencePage:
        """Return what the change does."""
        now, old = timezone.now(), view_of(self.league, self.counts)
        looked = ChangedState(self.league, now, whole_board(self.league, now))
        diff = self.diff(expect=allowed(self.viewer), look=looked.look)
        return shown_change(old, looked, diff, decimals_of(self.league))

    def outcome(self, done: Game) -> dict[str, Any]:
        """Return what was done to the game, ``done`` being the one that was voided or written, and its way back."""
        slug, new = self.league.slug, done.number
        # What is void now is restored; a restored game that took no one's place is void again.
        back = reverse("desk:void", args=[slug, new])
        if self.counts is not None:
            back = reverse("desk:restore", args=[slug, self.counts.number])
        said = _(self.done).format(number=self.game.number, new=new)
        return {"said": said, "target": f"{reverse('desk:games', args=[slug])}?q=game+{new}", "undo": back}

    def way_back(self) -> tuple[str, str]:
        """Return the way back of a change without a sheet."""
        return _("Back to the games"), reverse("desk:games", args=[self.league.slug])

    def context(self) -> dict[str, Any]:
        """Return what the page says that asks first, if someone only looks at the address of a change without a sheet.

        A dry run takes the league's lock, and writers wait for it.
        """
        many = many_after(self.league, self.game)
        return {"action": self, "many": many, "fields": carried(self.request.POST)}


@dataclass
class CorrectAction(GameAction):
    """A correction: its sheet is the form."""

    sheet: IncomingSheet
    verb, label = "Correct", gettext_noop("Correct game {number}")
    done = gettext_noop("Game {number} was corrected; game {new} now counts.")

    def is_valid(self) -> bool:
        """Return whether the whole sheet was sent and is well-formed."""
        return "_more" not in self.request.POST and self.form.is_bound and self.sheet.valid()

    def put(self, error: RungsError) -> None:
        """Show an error at its seat."""
        self.sheet.put(error)

    def new(self) -> NewGame:
        """Return the game on the sheet; raises Refused if it is the game as it is."""
        new = self.sheet.game(self.viewer)
        if says_the_same(self.sheet, self.game, new):
            raise Refused(_("You have not changed anything in game {number}.").format(number=self.game.number))
        return new

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the correction."""
        return self.dry_run(preview_correction, self.league, self.game.number, self.new(), TRIAL, **checks)

    def change(self, reason: str) -> Game:
        """Correct the game."""
        number, new, expect = self.game.number, self.new(), self.expect()
        return correct_game(self.league.pk, number, new, reason=reason, by=self.by, expect=expect).game

    def way_back(self) -> tuple[str, str]:
        """Return the way back to the sheet."""
        return _("Back to the sheet"), ""

    def page(self, tried: DifferencePage | None) -> HttpResponse:
        """Return the page of what the correction does, or of its sheet."""
        if tried is None:
            return sheet_page(self.request, self.league, self.game, self.sheet)
        return super().page(tried)


class VoidAction(GameAction):
    """A void."""

    verb, label = "Void", gettext_noop("Void game {number}")
    done = gettext_noop("Game {number} was voided.")

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the void."""
        return self.dry_run(preview_void, self.league, self.game.number, TRIAL, **checks)

    def change(self, reason: str) -> Game:
        """Void the game."""
        return void_game(self.league.pk, self.game.number, reason=reason, by=self.by, expect=self.expect())


class RestoreAction(GameAction):
    """A restoration."""

    verb, label = "Restore", gettext_noop("Restore game {number}")
    done = gettext_noop("Game {number} counts again, as game {new}.")

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the restoration."""
        return self.dry_run(preview_restoration, self.league, self.game.number, TRIAL, **checks)

    def change(self, reason: str) -> Game:
        """Restore the game."""
        number, expect = self.game.number, self.expect()
        return restore_game(self.league.pk, number, reason=reason, by=self.by, expect=expect).game


@at_desk("record")
def correct(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Correct a game: its sheet, then what that changes, then yes."""
    game = find_game(league, number)
    if instead := of_a_void_game(request, league, game):
        return instead
    sheet = sheet_of(request, league, game)
    return CorrectAction(request, league, sheet.form, game, game, sheet).answer()


def of_a_void_game(request: HttpRequest, league: League, game: Game) -> HttpResponse | None:
    """Return what is told of a game that cannot be changed (again); None if it can."""
    if again := answer_again(request, league) or refused(request, league, game):
        return again
    return done_already(request, league, game) if game.voided_at is not None else None


def refused(request: HttpRequest, league: League, game: Game) -> HttpResponse | None:
    """Lead back to the games where a user may not change this one, and say why."""
    try:
        refuse_closed(viewer_of(request), league, game.played_at)
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    return None


def sheet_of(request: HttpRequest, league: League, game: Game) -> IncomingSheet:
    """Return a game's sheet as a form: filled with what was recorded, or with what was typed."""
    system = system_at(league, game.played_at)
    played = local(game.played_at, league)
    details = {f"details_{key}": plain(value) for key, value in game.fields.items()}
    initial = {
        "played_at": played,
        "turn": str(played.fold),
        "note": game.note,
        "weight": plain(game.weight),
        **details,
    }
    data = request.POST if request.method == "POST" and "seats-TOTAL_FORMS" in request.POST else None
    sides = "sides" in request.GET
    return IncomingSheet(league, system, data, initial, by_name(request, game), old=game, sides=sides)


def by_name(request: HttpRequest, game: Game) -> list[dict[str, Any]]:
    """Return the lines of a game, people by their names where those mean no other user, else by handles."""
    names = {line.player.handle: line.player.name for line in game.results.select_related("player")}
    return by_their_names(seats_of(game), names, game.league, viewer_of(request))


def sheet_page(request: HttpRequest, league: League, game: Game, sheet: IncomingSheet) -> HttpResponse:
    """Show a sheet to be corrected."""
    context = {
        **at_the_table(request, sheet, evening_at(league, game.played_at)),
        "game": game,
        "called": json.dumps(
            {
                named["player"]: seat["player"]
                for named, seat in zip(by_name(request, game), seats_of(game), strict=True)
            }
        ),
        "usual": min(max(len(sheet.seats), sheet.system.fewest_players), sheet.system.most_players),
        "many": many_after(league, game),
    }
    return show(request, league, "web/organiser/correct.html", "games", **context)


def many_after(league: League, game: Game) -> int:
    """Return the limit of games that a request rates again where more follow a game than that, else 0."""
    most: int = settings.RUNGS_INLINE_GAMES
    return most if count_following(league, game, most + 1) > most else 0


def says_the_same(sheet: IncomingSheet, game: Game, new: NewGame) -> bool:
    """Return whether a sheet says what the game says already."""
    said = (new.played_at is None, new.kind, new.note, dict(new.details), new.weight)
    beside = said == (True, game.kind, game.note, game.fields, game.weight)
    if not beside or len(new.results) != len(sheet.seats):
        return False
    handles = [seat["player"] for seat in seats_of(game)]
    return all(
        (result.player, result.score, result.place, result.side, result.worksheet)
        == (handle, seat["score"], seat["place"], seat["side"], worksheet_of(seat))
        for result, handle, seat in zip(new.results, handles, sheet.seats, strict=True)
    )


@at_desk("record")
def void(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Void a game: what that changes, then yes."""
    game = find_game(league, number)
    if instead := of_a_void_game(request, league, game):
        return instead
    return VoidAction(request, league, sent_form(request), game, game).answer()


@at_desk("record")
def restore(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Let a void game count again: what that changes, then yes."""
    game = find_game(league, number)
    if again := answer_again(request, league) or refused(request, league, game):
        return again
    instead = counting_game(league, game.order_key)
    if game.voided_at is None:
        messages.info(request, _("{game} is not void.").format(game=game))
        return HttpResponseRedirect(f"{reverse('desk:games', args=[league.slug])}?q=game+{number}")
    return RestoreAction(request, league, sent_form(request), game, instead).answer()


def sent_form(request: HttpRequest) -> forms.Form:
    """Return the form of a change that has no sheet."""
    return forms.Form(request.POST if request.method == "POST" else None)


def view_of(league: League, game: Game | None) -> ShownGame | None:
    """Return a game as it is shown."""
    return None if game is None else load_games(league, Game.objects.filter(pk=game.pk))[0]


def done_already(request: HttpRequest, league: League, game: Game) -> HttpResponse:
    """Tell who comes second what the first one did to the game, and take what they typed to the one that counts."""
    instead = counting_game(league, game.order_key)
    old, new = view_of(league, game), view_of(league, instead)
    typed = form_fields(request.POST)
    return show(
        request,
        league,
        "web/organiser/done_already.html",
        "games",
        game=game,
        instead=instead,
        rows=rows_of(old, new),
        beside=beside_of(old, new, league),
        typed=typed if any(name == "seats-TOTAL_FORMS" for name, _ in typed) else [],
        decimals=decimals_of(league),
    )
