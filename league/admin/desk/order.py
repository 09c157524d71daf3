"""The order of games of one time on the desk: arranged by keys or by hand, shown, and then written in one act."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.admin.base import by, warn_of_decisions, whole_in
from league.admin.confirm import SEEN, allowed, expectation
from league.admin.desk.frame import at_desk, show
from league.admin.desk.previews import carry_notice, preview
from league.admin.desk.would import would
from league.admin.once import done_before, key_for, once
from league.desk.viewer import viewer_of
from league.errors import RungsError
from league.models import Game, League
from league.selectors.games import find_game, of_one_time, sides_of
from league.services.dry_runs.run import preview_order
from league.services.recording.game_order import order_games

#: Where the order is kept that was written over last in this browser.
BEFORE = "order_before"


@at_desk("record")
def order(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Arrange the games of one time, show what their order changes, and write it."""
    game = find_game(league, number)
    games = of_one_time(game)
    back = f"{reverse('desk:games', args=[league.slug])}?q=game+{number}"
    if "_write" in request.POST and (done := done_before(request)) is not None:
        messages.info(request, f"{done.answer['said']} {_('It came twice, and was done once.')}")
        return HttpResponseRedirect(back)
    if len(games) < 2 or game not in games:
        said = _("{game} is the only game of its time that counts: there is no order to choose.")
        messages.info(request, said.format(game=game))
        return HttpResponseRedirect(back)
    numbers = arranged(request, games)
    notice, tried, seen = "", None, ""
    try:
        if "_write" in request.POST:
            return written(request, league, game, games, numbers)
    except RungsError as error:
        notice = error.detail
    if request.method == "POST" and ("_write" in request.POST or "_try" in request.POST):
        try:
            with carry_notice(request, notice):
                shown = preview(request, league, preview_order, league, numbers, expect=allowed(viewer_of(request)))
            tried, seen = would(league, shown.diff), shown.seen
        except RungsError as error:
            notice = notice or error.detail
    by_number = {one.number: one for one in games}
    return show(
        request,
        league,
        "desk/order.html",
        "games",
        game=game,
        lines=[(by_number[one], place, sides_of(by_number[one])) for place, one in enumerate(numbers, 1)],
        order=",".join(map(str, numbers)),
        same=numbers == [one.number for one in games],
        tried=tried,
        notice=notice,
        seen=seen,
        once=key_for(request),
    )


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


def written(request: HttpRequest, league: League, game: Game, games: list[Game], numbers: list[int]) -> HttpResponse:
    """Write an order, once, where the books are as they were when it was shown; raises what refuses it."""
    expect = allowed(viewer_of(request), expectation(request.POST.get(SEEN, "")))

    def act() -> dict[str, Any]:
        order_games(league.pk, numbers, by=by(request), expect=expect)
        count = len(numbers)
        said = ngettext("The {count} game is in this order now.", "The {count} games are in this order now.", count)
        return {"said": said.format(count=count)}

    done = once(request, act)
    address = reverse("desk:order", args=[league.slug, game.number])
    # In the session: an address does not hold thousands of numbers.
    request.session[BEFORE] = ",".join(str(one.number) for one in games)
    messages.success(
        request,
        format_html('{} <a href="{}?before=1">{}</a>', done.answer["said"], address, _("The order before")),
    )
    warn_of_decisions(request, League.objects.get(pk=league.pk))
    return HttpResponseRedirect(address)
