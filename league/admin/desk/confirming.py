"""The confirming page: what a change of one game does, what becomes of closed periods, why, and yes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.admin.base import TROUBLES, by, warn_of_decisions
from league.admin.confirm import COMMIT, SEEN, Moved, allowed, carried, expectation
from league.admin.desk.difference import ONE_BY_ONE, Looked, shown_change
from league.admin.desk.frame import show
from league.admin.desk.previews import carry_notice, preview
from league.admin.once import CHANGED, done_before, key_for, once
from league.desk.viewer import viewer_of
from league.errors import Forbidden, KeyReused, RungsError
from league.models import Game, League
from league.selectors.games import ShownGame, shown
from league.selectors.leaderboard.compared import whole_board
from league.selectors.revision import books_revision
from league.selectors.rules import decimals_of
from league.services.dry_runs.diff import Diff
from league.services.recording.games import Expectation
from league.services.recording.with_decisions import PUBLISH, STAND, change_and_decide

#: Fields of the page itself; those of the sheet before it are carried along.
REASON, ASKED, BECOMES, ALL = "reason", "asked", "becomes", "all"
#: Why a change is taken back by one press.
UNDONE = "Undone."
UNSAID = gettext_noop("Say what becomes of each closed period.")
#: The act repeated, by the word for it.
KEYS = {
    "Correct": gettext_noop("Correct game {number}"),
    "Void": gettext_noop("Void game {number}"),
    "Restore": gettext_noop("Restore game {number}"),
}
#: What was done, by the word for it.
DONE = {
    "Correct": gettext_noop("Game {number} is corrected: game {new} counts now."),
    "Void": gettext_noop("Game {number} is void."),
    "Restore": gettext_noop("Game {number} counts again, as game {new}."),
}


@dataclass(frozen=True)
class Change:
    """What is done to a game: the word for it, how it is tried, how it is done, and where its form is.

    ``counts``: the game that counts now, None where none does. ``given``: what the preview gets after the league.
    ``act`` returns the game that was voided or written.
    """

    verb: str
    game: Game
    counts: Game | None
    preview: Callable[..., Diff]
    given: tuple[Any, ...]
    act: Callable[[str, Expectation], Game]
    back: str

    @property
    def key(self) -> str:
        """Return what the button says: the act, repeated."""
        return _(KEYS[self.verb]).format(number=self.game.number)


class YesForm(forms.Form):
    """Why, and what becomes of each closed period that was asked about."""

    reason = forms.CharField(
        label=gettext_lazy("Reason, which everybody can read"),
        max_length=500,
        error_messages={"required": gettext_lazy("Say why: the books keep the reason.")},
    )

    def __init__(self, data: QueryDict | None, reason: str = "") -> None:
        super().__init__(data, initial={REASON: reason})
        self.asked = [] if data is None else asked_in(data)

    def clean(self) -> dict[str, Any]:
        """Demand a choice for each period."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        self.choices = choices_in(self.data)
        if len(self.choices) < len(self.asked):
            self.add_error(None, _(UNSAID))
        return data


def asked_in(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return ladder and key of the closed periods that a form asked about."""
    asked = data.getlist(ASKED)[:500] if isinstance(data, QueryDict) else []
    parts = [one.partition("/") for one in asked]
    return list(dict.fromkeys((ladder, key) for ladder, sign, key in parts if sign))


def choices_in(data: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return what a form says of the closed periods that it asked about; those without a choice are left out."""
    choices = {}
    for ladder, key in asked_in(data):
        chosen = data.get(f"{BECOMES}-{ladder}/{key}") or data.get(f"{BECOMES}-{ALL}")
        if chosen in (PUBLISH, STAND):
            choices[ladder, key] = str(chosen)
    return choices


def chosen_in(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the choices of a form as it is to be shown again."""
    return {name: value for name, value in data.items() if name.startswith(BECOMES)}


def confirm(request: HttpRequest, league: League, change: Change) -> HttpResponse:
    """Show what a change does, or carry it out where that was seen; raises what the dry run raises."""
    said = request.method == "POST" and COMMIT in request.POST
    form = YesForm(request.POST if said else None, request.POST.get(REASON, ""))
    notice, taken = "", False
    if said and form.is_valid():
        try:
            return carry_out(request, league, change, form)
        except Moved as error:
            notice = error.detail
        except KeyReused:
            notice, taken = CHANGED, True
        except RungsError as error:
            if error.code in TROUBLES:
                raise
            notice = error.detail
    now, decimals = timezone.now(), decimals_of(league)
    old, looked = view_of(league, change.counts), Looked(league, now, whole_board(league, now))
    checks = {"expect": allowed(viewer_of(request)), "look": looked.look}
    with carry_notice(request, notice):
        tried = preview(request, league, change.preview, league, *change.given, **checks)
    what = shown_change(old, looked, tried.diff, decimals)
    decides = viewer_of(request).may("organise", league) and not what.later
    return show(
        request,
        league,
        "desk/confirm.html",
        "games",
        change=change,
        what=what,
        form=form,
        chosen=chosen_in(request.POST),
        notice=notice,
        decides=decides,
        together=decides and len(what.diff.closed) > ONE_BY_ONE,
        asked=[f"{one.ladder}/{one.key}" for one in what.diff.closed] if decides else [],
        seen=tried.seen,
        fields=of_the_sheet(request.POST),
        once=key_for(request, new=taken),
        decimals=decimals,
    )


def of_the_sheet(data: QueryDict) -> list[tuple[str, str]]:
    """Return the fields of the sheet before this page, to be sent again."""
    own = (REASON, ASKED)
    return [(name, value) for name, value in carried(data) if name not in own and not name.startswith(BECOMES)]


def view_of(league: League, game: Game | None) -> ShownGame | None:
    """Return a game as it is shown."""
    return None if game is None else shown(league, Game.objects.filter(pk=game.pk))[0]


def carry_out(request: HttpRequest, league: League, change: Change, form: YesForm) -> HttpResponse:
    """Carry a change out, once, with what was decided about closed periods; and offer its way back."""
    reason, seen = form.cleaned_data[REASON], request.POST.get(SEEN, "")
    missing = viewer_of(request).missing("organise", league) if form.choices else ""
    if missing:
        said = _("Closed periods are decided about by organisers: this needs {role}.")
        raise Forbidden(said.format(role=missing))

    def work() -> dict[str, Any]:
        def act() -> Game:
            return change.act(reason, allowed(viewer_of(request), expectation(seen)))

        game, decided = change_and_decide(league.pk, act, form.choices, reason=reason, by=by(request))
        address = reverse("desk:games", args=[league.slug])
        return {"game": game.number, "decided": decided, "target": f"{address}?q=game+{game.number}"}

    done = once(request, work)
    if done.again:
        return told_again(request, done.answer)
    new = done.answer["game"]
    words = _(DONE[change.verb]).format(number=change.game.number, new=new)
    messages.success(request, " ".join([words, *done.answer["decided"]]))
    warn_of_decisions(request, league)
    # What is void now is restored; a restored game that took nobody's place is void again.
    back = change.counts.number if change.counts is not None else new
    what = "desk:restore" if change.counts is not None else "desk:void"
    request.session["undo"] = {
        "league": league.slug,
        "address": reverse(what, args=[league.slug, back]),
        # Where closed periods are concerned somebody must decide again: then the press leads to this page.
        "seen": "" if form.asked else books_revision(league),
    }
    return HttpResponseRedirect(done.answer["target"])


def told_again(request: HttpRequest, answer: dict[str, Any]) -> HttpResponse:
    """Lead to what was done the first time."""
    messages.info(request, _("That was done already: it came twice, and was done once."))
    return HttpResponseRedirect(answer["target"])


def came_twice(request: HttpRequest) -> HttpResponse | None:
    """Lead to what a form did that came before; None where it did not."""
    done = done_before(request) if request.method == "POST" and COMMIT in request.POST else None
    return None if done is None else told_again(request, done.answer)


def undo_of(request: HttpRequest, league: League) -> dict[str, Any] | None:
    """Return the way back of what was done on the page before, once."""
    undo: dict[str, Any] | None = request.session.get("undo")
    if undo is None or undo["league"] != league.slug:
        return None
    del request.session["undo"]
    return {**undo, "reason": UNDONE, "once": key_for(request, new=True)}
