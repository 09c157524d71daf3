"""The order of games of one time on the desk: arranged by keys or by hand, shown, and then written in one act."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.dry_runs.services.run import preview_order
from league.core.games.selectors.games import find_game, games_of_same_time, sides_of
from league.core.games.services.game_order import order_games
from league.models import Game, League
from league.web.organiser.change_preview import ChangePreview, preview_of
from league.web.organiser.form_errors import whole_in
from league.web.organiser.page_frame import at_desk
from league.web.organiser.previewed_actions import COMMIT, SEEN, PreviewedAction, allowed, answer_again, expectation

#: Where the order is kept that was written over last in this browser.
BEFORE = "order_before"


@dataclass
class OrderAction(PreviewedAction):
    """Another order of the games of one time."""

    game: Game
    games: list[Game]
    numbers: list[int]
    template, tab = "web/organiser/order.html", "games"

    def mark(self) -> str:
        """Return the order: games that are new since the form was sent stand last in it."""
        return ",".join(map(str, self.numbers))

    def preview(self) -> ChangePreview:
        """Return what the order would change."""
        diff = self.dry_run(preview_order, self.league, self.numbers, expect=allowed(self.viewer))
        return preview_of(self.league, diff)

    def act(self) -> dict[str, Any]:
        """Write the order."""
        expect = allowed(self.viewer, expectation(self.request.POST.get(SEEN, "")))
        order_games(self.league.pk, self.numbers, by=self.by, expect=expect)
        # In the session: an address does not hold thousands of numbers.
        self.request.session[BEFORE] = ",".join(str(one.number) for one in self.games)
        count = len(self.numbers)
        said = ngettext("The {count} game is now in this order.", "The {count} games are now in this order.", count)
        address = reverse("desk:order", args=[self.league.slug, self.game.number])
        back = (f"{address}?before=1", _("the earlier order"))
        return {"said": said.format(count=count), "target": address, "link": back}

    def context(self) -> dict[str, Any]:
        """Return the games in the order that is previewed."""
        by_number = {one.number: one for one in self.games}
        places = enumerate(self.numbers, 1)
        return {
            "game": self.game,
            "lines": [(by_number[one], place, sides_of(by_number[one])) for place, one in places],
            "order": self.mark(),
            "same": self.numbers == [one.number for one in self.games],
        }


@at_desk("record")
def order(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Arrange the games of one time, show what their order changes, and write it."""
    game = find_game(league, number)
    games = games_of_same_time(game)
    if again := answer_again(request, league):
        return again
    if len(games) < 2 or game not in games:
        said = _("{game} is the only counted game at its time, so there is no order to choose.")
        messages.info(request, said.format(game=game))
        return HttpResponseRedirect(f"{reverse('desk:games', args=[league.slug])}?q=game+{number}")
    # The other buttons move a game, and nothing is previewed.
    form = forms.Form(request.POST if {"_try", COMMIT} & request.POST.keys() else None)
    return OrderAction(request, league, form, game, games, arranged(request, games)).answer()


def arranged(request: HttpRequest, games: list[Game]) -> list[int]:
    """Return the numbers in the order that was sent, one of them moved where a key said so; games that are new last."""
    there = dict.fromkeys(game.number for game in games)
    # One field, whatever the number of games: a form of more than a thousand fields is refused.
    given = ",".join(request.POST.getlist("order"))
    if request.method != "POST" and "before" in request.GET:
        given = request.session.get(BEFORE, "")
    sent = [number for one in given.split(",") if (number := whole_in(one, 15)) is not None]
    numbers = list(dict.fromkeys([*(one for one in sent if one in there), *there]))
    for word, step in (("_up", -1), ("_down", 1)):
        moved = whole_in(request.POST.get(word, ""), 15)
        if moved is not None and moved in numbers:
            place = numbers.index(moved)
            other = min(max(place + step, 0), len(numbers) - 1)
            numbers[place], numbers[other] = numbers[other], numbers[place]
    return numbers
