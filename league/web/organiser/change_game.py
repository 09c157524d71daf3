"""Correct, void or restore a game after a preview."""

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

from league.core.capabilities import load_declared
from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_correction, preview_restoration, preview_void
from league.core.errors import Refused, RungsError
from league.core.games.selectors.games import ShownGame, count_following, find_counting_game, find_game, load_games
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import Expectation, correct_game, restore_game, void_game
from league.core.ladders.selectors.closed_periods import refuse_closed
from league.core.leaderboard.selectors.compared import load_whole_board
from league.core.players.selectors.resolve import resolve_players
from league.core.rules.selectors.rules import load_decimals
from league.models import Game, League
from league.web.organiser.differences import (
    ChangedState,
    DifferencePage,
    build_difference_page,
    list_other_differences,
    pair_lines,
)
from league.web.organiser.forms import get_back_address
from league.web.organiser.panels import list_attached_to
from league.web.organiser.previewed_actions import (
    DRY_RUN_REASON,
    ConfirmedAction,
    check_closed_periods,
    list_form_fields,
    list_submitted_fields,
    stored_response,
)
from league.web.organiser.score_pad import build_table_context
from league.web.organiser.score_sheets import (
    IncomingSheet,
    convert_to_local,
    find_retired_side,
    format_single_line,
    load_seats,
    read_sets,
    read_worksheet,
    replace_handles_by_names,
    rule_at,
)
from league.web.organiser.selectors import load_evening_at
from league.web.organiser.site import add_error_message, organiser_page, show
from league.web.sign_in.sessions import viewer_of


@dataclass
class GameAction(ConfirmedAction):
    """A change of a game; ``counts`` is the version of it that counts now, or None."""

    game: Game
    counts: Game | None
    template, confirm_template, tab = "web/organiser/confirm_dry_run.html", "web/organiser/confirm_game.html", "games"
    verb: ClassVar[str]
    #: The label of the button and the message afterwards, with the numbers of the game and of the new one.
    label: ClassVar[str]
    done: ClassVar[str]

    @property
    def key(self) -> str:
        """The label of the button."""
        return _(self.label).format(number=self.game.number)

    @property
    def attached_to(self) -> list[str]:
        """What the game is attached to, as HTML."""
        return list_attached_to(self.league, self.game)

    @abstractmethod
    def find_replacement(self) -> NewGame | Game | None:
        """Return what counts after the change: the game as it is corrected, a void game again, or nothing."""

    def list_consequences(self) -> list[str]:
        """Return what follows from the change for what the game is attached to, as HTML."""
        new = self.find_replacement()
        described = load_declared(lambda app: app.pages.change_consequences)
        return [part for describe in described if (part := describe(self.league, self.game, new, self.viewer))]

    @abstractmethod
    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the dry run; raises its errors, and Instead."""

    def expect(self) -> Expectation:
        """Return the check under the lock: only organisers change closed periods."""
        return check_closed_periods(self.viewer, super().expect())

    def preview(self) -> DifferencePage:
        """Return the effects of the change."""
        now, old = timezone.now(), _load_game(self.league, self.counts)
        state = ChangedState(self.league, now, load_whole_board(self.league, now))
        diff = self.diff(expect=check_closed_periods(self.viewer), inspect=state.look)
        return build_difference_page(old, state, diff, load_decimals(self.league))

    def outcome(self, done: Game) -> dict[str, Any]:
        """Return the message and the undo address; ``done`` is the voided or new game."""
        slug, new = self.league.slug, done.number
        # Undo restores the game that counted before, or voids the restored game if none did.
        undo_url = reverse("desk:void", args=[slug, new])
        if self.counts is not None:
            undo_url = reverse("desk:restore", args=[slug, self.counts.number])
        message = _(self.done).format(number=self.game.number, new=new)
        target = self.back or f"{reverse('desk:games', args=[slug])}?q=game+{new}"
        return {"said": message, "target": target, "undo": undo_url, "back": self.back}

    @property
    def back(self) -> str:
        """The address on this site that the form leads back to, "" for the games."""
        return get_back_address(self.request)

    def way_back(self) -> tuple[str, str]:
        """Return the link back to where the form came from, otherwise to the games."""
        if self.back:
            return _("Back"), self.back
        return _("Back to the games"), reverse("desk:games", args=[self.league.slug])

    def context(self) -> dict[str, Any]:
        """Return the context of the page before the dry run.

        A GET runs no dry run, because it would take the league's lock.
        """
        return {
            "action": self,
            "many": _compute_background_limit(self.league, self.game),
            "fields": list_submitted_fields(self.request.POST),
            "rows": pair_lines(None, _load_game(self.league, self.game)),
            "decimals": load_decimals(self.league),
        }


@dataclass
class CorrectAction(GameAction):
    """A correction; the sheet is its form."""

    sheet: IncomingSheet
    verb, label = "Correct", gettext_noop("Correct game {number}")
    done = gettext_noop("Game {number} was corrected; game {new} now counts.")

    def is_valid(self) -> bool:
        """Return whether the complete sheet was sent and is well-formed."""
        return "_more" not in self.request.POST and self.form.is_bound and self.sheet.valid()

    def put(self, error: RungsError) -> None:
        """Show an error at the seat that it concerns."""
        self.sheet.put(error)

    def find_replacement(self) -> NewGame:
        """Return the game on the sheet; raises Refused if nothing changed."""
        new = self.sheet.game(self.viewer)
        if _is_unchanged(self.sheet, self.game, new):
            raise Refused(_("You have not changed anything in game {number}.").format(number=self.game.number))
        return new

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the correction."""
        return self.dry_run(
            preview_correction, self.league, self.game.number, self.find_replacement(), DRY_RUN_REASON, **checks
        )

    def change(self, reason: str) -> Game:
        """Correct the game."""
        number, new, check = self.game.number, self.find_replacement(), self.expect()
        return correct_game(self.league.pk, number, new, reason=reason, username=self.by, precondition=check).game

    def way_back(self) -> tuple[str, str]:
        """Return the link back to the sheet."""
        return _("Back to the form"), ""

    def page(self, tried: DifferencePage | None) -> HttpResponse:
        """Return the page with the effects of the correction, or with its sheet."""
        if tried is None:
            return _render_sheet(self.request, self.league, self.game, self.sheet)
        return super().page(tried)


class VoidAction(GameAction):
    """The voiding of a game."""

    verb, label = "Void", gettext_noop("Void game {number}")
    done = gettext_noop("Game {number} was voided.")

    def find_replacement(self) -> None:
        """Return that nothing counts instead."""

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the void."""
        return self.dry_run(preview_void, self.league, self.game.number, DRY_RUN_REASON, **checks)

    def change(self, reason: str) -> Game:
        """Void the game."""
        return void_game(self.league.pk, self.game.number, reason=reason, username=self.by, precondition=self.expect())


class RestoreAction(GameAction):
    """The restoration of a void game."""

    verb, label = "Restore", gettext_noop("Restore game {number}")
    done = gettext_noop("Game {number} counts again, as game {new}.")

    def find_replacement(self) -> Game:
        """Return the void game."""
        return self.game

    def diff(self, **checks: Any) -> Diff:
        """Return the diff of the restoration."""
        return self.dry_run(preview_restoration, self.league, self.game.number, DRY_RUN_REASON, **checks)

    def change(self, reason: str) -> Game:
        """Restore the game."""
        number, check = self.game.number, self.expect()
        return restore_game(self.league.pk, number, reason=reason, username=self.by, precondition=check).game


@organiser_page("record")
def correct(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Correct a game: show its sheet, preview the changes, then save them."""
    game = find_game(league, number)
    if instead := _unchangeable_response(request, league, game):
        return instead
    sheet = _build_sheet(request, league, game)
    return CorrectAction(request, league, sheet.form, game, game, sheet).answer()


def _unchangeable_response(request: HttpRequest, league: League, game: Game) -> HttpResponse | None:
    if response := stored_response(request, league) or _closed_period_response(request, league, game):
        return response
    return _render_conflict(request, league, game) if game.voided_at is not None else None


def _closed_period_response(request: HttpRequest, league: League, game: Game) -> HttpResponse | None:
    try:
        refuse_closed(viewer_of(request), league, game.played_at)
    except RungsError as error:
        add_error_message(request, error)
        return HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    return None


def _build_sheet(request: HttpRequest, league: League, game: Game) -> IncomingSheet:
    rule = rule_at(league, game.played_at)
    played_at = convert_to_local(game.played_at, league)
    details = {f"details_{key}": format_single_line(value) for key, value in game.fields.items()}
    initial = {
        "played_at": played_at,
        "turn": str(played_at.fold),
        "note": game.note,
        "weight": format_single_line(game.weight),
        "retired": find_retired_side(game.set_rows, [line.side for line in game.results.order_by("seat")]),
        **details,
    }
    data = request.POST if request.method == "POST" and "seats-TOTAL_FORMS" in request.POST else None
    sides = "sides" in request.GET
    return IncomingSheet(league, rule, data, initial, _build_named_seats(request, game), old=game, sides=sides)


def _build_named_seats(request: HttpRequest, game: Game) -> list[dict[str, Any]]:
    names = {line.player.handle: line.player.name for line in game.results.select_related("player")}
    return replace_handles_by_names(load_seats(game), names, game.league, viewer_of(request))


def _render_sheet(request: HttpRequest, league: League, game: Game, sheet: IncomingSheet) -> HttpResponse:
    usual = min(max(len(sheet.seats), sheet.system.min_players), sheet.system.max_players)
    context = {
        **build_table_context(request, sheet, load_evening_at(league, game.played_at), usual),
        "game": game,
        "attached_to": list_attached_to(league, game),
        "called": json.dumps(
            {
                named_seat["player"]: seat["player"]
                for named_seat, seat in zip(_build_named_seats(request, game), load_seats(game), strict=True)
            }
        ),
        "many": _compute_background_limit(league, game),
    }
    return show(request, league, "web/organiser/correct.html", "games", **context)


def _compute_background_limit(league: League, game: Game) -> int:
    limit: int = settings.RUNGS_INLINE_GAMES
    return limit if count_following(league, game, limit + 1) > limit else 0


def _is_unchanged(sheet: IncomingSheet, game: Game, new: NewGame) -> bool:
    sent = (new.played_at is None, new.kind, new.note, dict(new.details), new.weight)
    same_facts = sent == (True, game.kind, game.note, game.fields, game.weight)
    retired = [
        find_retired_side(rows, [line.side for line in new.results]) for rows in (game.set_rows, _list_rows(new))
    ]
    if not same_facts or retired[0] != retired[1] or not sheet.declared.is_unchanged(new):
        return False
    if len(new.results) != len(sheet.seats):
        return False
    handles = [seat["player"] for seat in load_seats(game)]
    named = resolve_players([result.player for result in new.results], game.league, new.viewer)
    players = [(one := named[result.player].one) and one.original.handle for result in new.results]
    return players == handles and all(
        (result.score, result.place, result.side, result.worksheet, result.sets)
        == (seat["score"], seat["place"], seat["side"], read_worksheet(seat), read_sets(seat))
        for result, seat in zip(new.results, sheet.seats, strict=True)
    )


def _list_rows(new: NewGame) -> list[dict[str, Any]]:
    return [{"retired": line.retired} for line in new.results]


@organiser_page("record")
def void(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Void a game after a preview."""
    game = find_game(league, number)
    if instead := _unchangeable_response(request, league, game):
        return instead
    return VoidAction(request, league, _bound_form(request), game, game).answer()


@organiser_page("record")
def restore(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Restore a void game after a preview."""
    game = find_game(league, number)
    if response := stored_response(request, league) or _closed_period_response(request, league, game):
        return response
    instead = find_counting_game(league, game.order_key)
    if game.voided_at is None:
        messages.info(request, _("{game} is not void.").format(game=game))
        return HttpResponseRedirect(f"{reverse('desk:games', args=[league.slug])}?q=game+{number}")
    return RestoreAction(request, league, _bound_form(request), game, instead).answer()


def _bound_form(request: HttpRequest) -> forms.Form:
    return forms.Form(request.POST if request.method == "POST" else None)


def _load_game(league: League, game: Game | None) -> ShownGame | None:
    return None if game is None else load_games(league, Game.objects.filter(pk=game.pk))[0]


def _render_conflict(request: HttpRequest, league: League, game: Game) -> HttpResponse:
    """Show that someone else changed the game first, and offer the typed sheet for the version that counts."""
    instead = find_counting_game(league, game.order_key)
    old, new = _load_game(league, game), _load_game(league, instead)
    typed = list_form_fields(request.POST)
    return show(
        request,
        league,
        "web/organiser/edit_conflict.html",
        "games",
        game=game,
        instead=instead,
        rows=pair_lines(old, new),
        other_changes=list_other_differences(old, new, league),
        typed=typed if any(name == "seats-TOTAL_FORMS" for name, _ in typed) else [],
        decimals=load_decimals(league),
    )
