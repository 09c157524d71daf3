"""Order games with the same time: move them, preview the changes, then save the order."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.dry_runs.services.run import preview_order
from league.core.games.selectors.games import build_shown_sides, find_game, load_games_of_same_time
from league.core.games.services.game_order import order_games
from league.models import Game, League
from league.web.organiser.differences import ChangePreview, build_preview
from league.web.organiser.forms import parse_whole_number
from league.web.organiser.previewed_actions import (
    CONFIRM_BUTTON,
    REVISION_FIELD,
    PreviewedAction,
    check_closed_periods,
    make_unchanged_check,
    stored_response,
)
from league.web.organiser.site import organiser_page

#: The session key of the order before the last change.
PREVIOUS_ORDER_KEY = "order_before"


@dataclass
class OrderAction(PreviewedAction):
    """A new order of games with the same time."""

    game: Game
    games: list[Game]
    numbers: list[int]
    template, tab = "web/organiser/order.html", "games"

    def mark(self) -> str:
        """Return the order; games recorded since the form was sent come last."""
        return ",".join(map(str, self.numbers))

    def preview(self) -> ChangePreview:
        """Return the changes by the new order."""
        diff = self.dry_run(preview_order, self.league, self.numbers, expect=check_closed_periods(self.viewer))
        return build_preview(self.league, diff)

    def act(self) -> dict[str, Any]:
        """Save the order."""
        check = check_closed_periods(self.viewer, make_unchanged_check(self.request.POST.get(REVISION_FIELD, "")))
        order_games(self.league.pk, self.numbers, username=self.by, precondition=check)
        # In the session, as thousands of numbers are too long for an address.
        self.request.session[PREVIOUS_ORDER_KEY] = ",".join(str(game.number) for game in self.games)
        count = len(self.numbers)
        message = ngettext("The {count} game is now in this order.", "The {count} games are now in this order.", count)
        address = reverse("desk:order", args=[self.league.slug, self.game.number])
        undo_link = (f"{address}?before=1", _("the earlier order"))
        return {"said": message.format(count=count), "target": address, "link": undo_link}

    def context(self) -> dict[str, Any]:
        """Return the games in the order that is previewed."""
        by_number = {game.number: game for game in self.games}
        places = enumerate(self.numbers, 1)
        return {
            "game": self.game,
            "lines": [(by_number[number], place, build_shown_sides(by_number[number])) for place, number in places],
            "order": self.mark(),
            "same": self.numbers == [game.number for game in self.games],
        }


@organiser_page("record")
def order(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Order the games with the same time as this one."""
    game = find_game(league, number)
    games = load_games_of_same_time(game)
    if response := stored_response(request, league):
        return response
    if len(games) < 2 or game not in games:
        message = _("{game} is the only counted game at its time, so there is no order to choose.")
        messages.info(request, message.format(game=game))
        return HttpResponseRedirect(f"{reverse('desk:games', args=[league.slug])}?q=game+{number}")
    # The other buttons only move a game.
    form = forms.Form(request.POST if {"_try", CONFIRM_BUTTON} & request.POST.keys() else None)
    return OrderAction(request, league, form, game, games, _parse_requested_order(request, games)).answer()


def _parse_requested_order(request: HttpRequest, games: list[Game]) -> list[int]:
    present = dict.fromkeys(game.number for game in games)
    # One field for all games: Django refuses forms with more than a thousand fields.
    order_text = ",".join(request.POST.getlist("order"))
    if request.method != "POST" and "before" in request.GET:
        order_text = request.session.get(PREVIOUS_ORDER_KEY, "")
    sent = [number for text in order_text.split(",") if (number := parse_whole_number(text, 15)) is not None]
    numbers = list(dict.fromkeys([*(number for number in sent if number in present), *present]))
    for button, step in (("_up", -1), ("_down", 1)):
        game_number = parse_whole_number(request.POST.get(button, ""), 15)
        if game_number is not None and game_number in numbers:
            place = numbers.index(game_number)
            other = min(max(place + step, 0), len(numbers) - 1)
            numbers[place], numbers[other] = numbers[other], numbers[place]
    return numbers
