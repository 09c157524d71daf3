"""Correcting, voiding and restoring a game on its league's desk."""

import json
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from league.admin.base import TROUBLES, by
from league.admin.confirm import EDIT, carried
from league.admin.desk.confirming import (
    Change,
    came_twice,
    confirm,
    of_the_sheet,
    view_of,
)
from league.admin.desk.difference import beside_of, rows_of
from league.admin.desk.frame import at_desk, say_refusal, show
from league.admin.desk.pad import at_the_table
from league.admin.games import system_at
from league.admin.sheets import Sheet, by_their_names, local, plain, seats_of, worksheet_of
from league.desk.viewer import viewer_of
from league.errors import Refused, RungsError
from league.models import Game, League
from league.selectors.desk import evening_at
from league.selectors.games import counting_game, find_game, following
from league.selectors.permissions import refuse_closed
from league.selectors.rules import decimals_of
from league.services.dry_runs.run import preview_correction, preview_restoration, preview_void
from league.services.recording.game_input import NewGame
from league.services.recording.games import correct_game, restore_game, void_game

#: What a dry run gives as the reason, which is asked for on its page.
TRIAL = "A dry run."


@at_desk("record")
def correct(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Correct a game: its sheet, then what that changes, then yes."""
    game = find_game(league, number)
    if instead := of_a_void_game(request, league, game):
        return instead
    sheet = sheet_of(request, league, game)
    if request.method == "POST" and not {"_more", EDIT} & request.POST.keys() and sheet.valid():
        try:
            return confirm(request, league, correction(request, league, game, sheet))
        except RungsError as error:
            sheet.put(error)
    return sheet_page(request, league, game, sheet)


def of_a_void_game(request: HttpRequest, league: League, game: Game) -> HttpResponse | None:
    """Return what is told of a game that cannot be changed (again); None where it can."""
    if again := came_twice(request) or refused(request, league, game):
        return again
    return done_already(request, league, game) if game.voided_at is not None else None


def refused(request: HttpRequest, league: League, game: Game) -> HttpResponse | None:
    """Lead back to the games where somebody may not change this one, and say why."""
    try:
        refuse_closed(viewer_of(request), league, game.played_at)
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    return None


def sheet_of(request: HttpRequest, league: League, game: Game) -> Sheet:
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
    return Sheet(league, system, data, initial, by_name(request, game), old=game, sides=sides)


def by_name(request: HttpRequest, game: Game) -> list[dict[str, Any]]:
    """Return the lines of a game, people by their names where those mean nobody else, else by handles."""
    names = {line.player.handle: line.player.name for line in game.results.select_related("player")}
    return by_their_names(seats_of(game), names, game.league, viewer_of(request))


def sheet_page(request: HttpRequest, league: League, game: Game, sheet: Sheet) -> HttpResponse:
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
    return show(request, league, "desk/correct.html", "games", **context)


def many_after(league: League, game: Game) -> int:
    """Return the limit of games that a request rates again where more follow a game than that, else 0."""
    most: int = settings.RUNGS_INLINE_GAMES
    return most if following(league, game, most + 1) > most else 0


def correction(request: HttpRequest, league: League, game: Game, sheet: Sheet) -> Change:
    """Return the correction that a sheet says; raises Refused where it says nothing else than the game."""
    new = sheet.game(viewer_of(request))
    if says_the_same(sheet, game, new):
        raise Refused(_("Nothing is changed on the sheet of game {number}.").format(number=game.number))
    number = game.number
    return Change(
        "Correct",
        game,
        game,
        preview_correction,
        (number, new, TRIAL),
        lambda reason, expect: correct_game(league.pk, number, new, reason=reason, by=by(request), expect=expect).game,
        _("Back to the sheet"),
    )


def says_the_same(sheet: Sheet, game: Game, new: NewGame) -> bool:
    """Tell whether a sheet says what the game says already."""
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
    change = Change(
        "Void",
        game,
        game,
        preview_void,
        (number, TRIAL),
        lambda reason, expect: void_game(league.pk, number, reason=reason, by=by(request), expect=expect),
        _("Back to the games"),
    )
    return confirmed(request, league, change)


@at_desk("record")
def restore(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Let a void game count again: what that changes, then yes."""
    game = find_game(league, number)
    if again := came_twice(request) or refused(request, league, game):
        return again
    instead = counting_game(league, game.order_key)
    if game.voided_at is None:
        messages.info(request, _("{game} is not void: it counts.").format(game=game))
        return HttpResponseRedirect(f"{reverse('desk:games', args=[league.slug])}?q=game+{number}")
    change = Change(
        "Restore",
        game,
        instead,
        preview_restoration,
        (number, TRIAL),
        lambda reason, expect: restore_game(league.pk, number, reason=reason, by=by(request), expect=expect).game,
        _("Back to the games"),
    )
    return confirmed(request, league, change)


def confirmed(request: HttpRequest, league: League, change: Change) -> HttpResponse:
    """Show the confirming page of a change that has no sheet.

    Who only looks at the address is asked first: a dry run takes the league's lock, and writers wait for it.
    """
    games = reverse("desk:games", args=[league.slug])
    if EDIT in request.POST:
        return HttpResponseRedirect(games)
    if request.method != "POST":
        return show(request, league, "desk/wait.html", "games", change=change, many=many_after(league, change.game))
    try:
        return confirm(request, league, change)
    except RungsError as error:
        if error.code in TROUBLES:
            kept = {"fields": carried(request.POST), "why": error.detail}
            page = show(request, league, "desk/wait.html", "games", change=change, **kept)
            page.status_code, page["Retry-After"] = error.status, error.retry_after
            return page
        say_refusal(request, error)
        return HttpResponseRedirect(games)


def done_already(request: HttpRequest, league: League, game: Game) -> HttpResponse:
    """Tell who comes second what the first one did to the game, and take what they typed to the one that counts."""
    instead = counting_game(league, game.order_key)
    old, new = view_of(league, game), view_of(league, instead)
    typed = of_the_sheet(request.POST)
    return show(
        request,
        league,
        "desk/done_already.html",
        "games",
        game=game,
        instead=instead,
        rows=rows_of(old, new),
        beside=beside_of(old, new, league),
        typed=typed if any(name == "seats-TOTAL_FORMS" for name, _ in typed) else [],
        decimals=decimals_of(league),
    )
