"""Taking a split back, found on the players' pages by every organiser: what that changes, then yes."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.admin.base import by
from league.admin.confirm import COMMIT, SEEN, Moved, expectation
from league.admin.desk.confirming import came_twice, choices_in
from league.admin.desk.frame import at_desk, say_refusal, show
from league.admin.desk.previews import carry_notice, preview
from league.admin.desk.trial import allowed, shown_trial, unsaid
from league.admin.desk.trying import done_once
from league.admin.once import CHANGED, key_for
from league.desk.viewer import viewer_of
from league.errors import KeyReused, RungsError
from league.figures import number
from league.models import League
from league.selectors.rules import decimals_of
from league.selectors.splits import SplitGames, split_of
from league.services.dry_runs.run import preview_join
from league.services.recording.splitting import join_again
from league.services.recording.with_decisions import change_and_decide

#: Why each game counts again as it was.
REASON = "The split is taken back."


@at_desk("organise")
def join(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Show what taking back the split of a game would change; then do it: all of its games that stand, or none."""
    if again := came_twice(request):
        return again
    found = split_of(league, number)
    if found is None:
        messages.error(request, _("There is no split to take back: that was done, or its games were changed since."))
        return HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    notice = unsaid(request)
    try:
        if request.method == "POST" and COMMIT in request.POST and not notice:
            try:
                return taken_back(request, league, found)
            except (Moved, KeyReused) as error:
                notice = _(CHANGED) if isinstance(error, KeyReused) else error.detail
        with carry_notice(request, notice):
            page = page_of(request, league, found)
        return show(request, league, "desk/join.html", "people", notice=notice, **page)
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:person", args=[league.slug, found.player.handle]))


def page_of(request: HttpRequest, league: League, found: SplitGames) -> dict[str, Any]:
    """Return what the page is made of; raises what the dry run raises."""
    tried = preview(request, league, preview_join, league, found.numbers, REASON, viewer_of(request))
    numbers = [new for _, new in found.numbers]
    own = {"found": found, "once": key_for(request), "decimals": decimals_of(league)}
    return {**own, **shown_trial(request, league, numbers, tried)}


def taken_back(request: HttpRequest, league: League, found: SplitGames) -> HttpResponse:
    """Do it, once, with what was decided about closed periods."""
    expect = expectation(request.POST.get(SEEN, ""))

    def act() -> int:
        allow = allowed(request)
        return join_again(league.pk, found.numbers, reason=REASON, by=by(request), allow=allow, expect=expect)

    def take_back() -> tuple[str, str]:
        count, decided = change_and_decide(league.pk, act, choices_in(request.POST), reason=REASON, by=by(request))
        said = ngettext(
            "The split is taken back: {count} game was restored.",
            "The split is taken back: {count} games were restored.",
            count,
        ).format(count=number(count))
        return " ".join([said, *decided]), reverse("desk:person", args=[league.slug, found.player.handle])

    return done_once(request, league, take_back)
