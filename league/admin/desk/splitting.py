"""Splitting a player who was two: which games are another person's, what that changes, then yes; and taking it back."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.admin.base import by, last_part, put_errors, warn_of_decisions, whole_in
from league.admin.confirm import COMMIT, EDIT, SEEN, Moved, expectation
from league.admin.desk.confirming import UNSAID, asked_in, came_twice, choices_in, chosen_in
from league.admin.desk.difference import ONE_BY_ONE, Closed, closed_of
from league.admin.desk.frame import at_desk, say_refusal, show
from league.admin.desk.merging import allow
from league.admin.desk.previews import Previewed, carry_notice, done_once, preview
from league.admin.desk.would import movers_of
from league.admin.league_forms import day
from league.admin.once import CHANGED, key_for, once
from league.calendar import start_of_day
from league.desk.viewer import viewer_of
from league.errors import KeyReused, RungsError
from league.figures import number as in_figures
from league.models import Game, League, Player
from league.selectors.games import ShownGame, games_of, played_between, shown, with_player
from league.selectors.players.find import called, offered_players
from league.selectors.players.roster import players_of
from league.selectors.revision import books_revision
from league.selectors.rules import decimals_of
from league.selectors.splits import SplitGames, split_of
from league.services.dry_runs.diff import Diff, RatingDiff
from league.services.dry_runs.run import preview_join, preview_split
from league.services.recording.splitting import MOST, Parted, Split, join_again, split_player
from league.services.recording.with_decisions import change_and_decide

#: So many games are shown to be ticked; the days find all of them.
SHOWN = 60
#: So many games are shown as sheets, and so many of those who move are named.
NAMED = 12
#: Why each game counts again as it was.
REASON = "The split is taken back."


@dataclass(frozen=True)
class Trial:
    """Which games, the first of them as sheets, who moves most and how many more, and the closed periods."""

    diff: Diff
    later: bool
    games: list[Game]
    sheets: list[ShownGame]
    movers: list[RatingDiff]
    more: int
    closed: list[Closed]

    @property
    def first(self) -> Game:
        """Return the first of the games."""
        return self.games[-1]

    @property
    def last(self) -> Game:
        """Return the last of the games."""
        return self.games[0]

    @property
    def more_games(self) -> int:
        """Return how many games are not shown as sheets."""
        return len(self.games) - len(self.sheets)

    @property
    def more_closed(self) -> int:
        """Return how many closed periods are not shown."""
        return len(self.diff.closed) - len(self.closed)

    @property
    def decides(self) -> bool:
        """Tell whether it is asked what becomes of closed periods: of games that are rated later that is not known."""
        return bool(self.diff.closed) and not self.later


class SplitForm(forms.Form):
    """Whose games these are, and which: ticked, or all from one day to another."""

    who = forms.CharField(
        label=gettext_lazy("Who played them"),
        max_length=120,
        help_text=gettext_lazy("A player who did not sit in any of these games, or a new name."),
        widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Say who played these games.")},
    )
    new = forms.BooleanField(label=gettext_lazy("Add them as a new player"), required=False)
    first = day(gettext_lazy("All games from"))
    last = day(gettext_lazy("to, that day too"))
    reason = forms.CharField(
        label=gettext_lazy("Reason, which everybody can read"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("Empty: by whom they were played, by handles."),
    )

    def __init__(self, data: QueryDict | None) -> None:
        super().__init__(data)
        ticked = data.getlist("game")[: 2 * MOST] if data is not None else []
        self.ticked = {number for one in ticked if (number := whole_in(one, 9)) is not None}

    def clean(self) -> dict[str, Any]:
        """Demand days in their order."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = data.get("first"), data.get("last")
        if first and last and last < first:
            self.add_error("last", _("The last day is before the first one."))
        return data


@at_desk("organise")
def split(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Ask which games of a player another person played; then show what that changes; then do it."""
    player = players_of(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404
    if again := came_twice(request):
        return again
    form = SplitForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {}
    if request.method == "POST" and EDIT not in request.POST and form.is_valid():
        try:
            wanted = wanted_of(request, league, player, form)
            notice = unsaid(request)
            if COMMIT in request.POST and not notice:
                try:
                    return carried_out(request, league, wanted, form)
                except Moved as error:
                    notice = error.detail
            reason = reason_of(wanted, form)
            with carry_notice(request, notice):
                tried = preview(request, league, preview_split, league, wanted, reason, viewer_of(request))
            context = shown_trial(request, league, wanted.numbers, tried)
            context |= {"wanted": wanted, "reason": reason, "notice": notice}
        except KeyReused:
            form.add_error(None, CHANGED)
        except RungsError as error:
            put_errors(form, error, lambda pointer: "who" if last_part(pointer) in ("into", "name") else None)
    return show(request, league, "desk/split.html", "people", **{**page_of(request, league, player, form), **context})


def page_of(request: HttpRequest, league: League, player: Player, form: SplitForm) -> dict[str, Any]:
    """Return what the page is made of: the newest games, and those that were chosen, however old they are."""
    found = with_player(games_of(league).filter(voided_at__isnull=True), player.pk)
    newest = list(found.values_list("pk", flat=True)[:SHOWN])
    games = shown(league, found.filter(Q(pk__in=newest) | Q(number__in=form.ticked)))
    return {
        "player": player,
        "form": form,
        "games": games,
        "more_games": found.count() - len(games),
        "people": [name for handle, name in offered_players(league, viewer_of(request)) if handle != player.handle],
        "once": key_for(request),
        "decimals": decimals_of(league),
    }


def wanted_of(request: HttpRequest, league: League, player: Player, form: SplitForm) -> Split:
    """Return the split that a valid form means."""
    data = form.cleaned_data
    numbers = sorted(form.ticked | in_days(league, player, data["first"], data["last"]))
    if data["new"]:
        return Split(player.handle, numbers, name=data["who"])
    handle = called([data["who"]], league, viewer_of(request)).get(data["who"], data["who"])
    return Split(player.handle, numbers, into=handle)


def in_days(league: League, player: Player, first: date | None, last: date | None) -> set[int]:
    """Return the numbers of a player's games from one day to another by the league's clock; none without days."""
    if first is None and last is None:
        return set()
    try:
        start = None if first is None else start_of_day(first, league.time_zone)
        end = None if last is None else start_of_day(last + timedelta(days=1), league.time_zone)
    except (ValueError, OverflowError):  # at the ends of the calendar
        return set()
    found = with_player(league.games.filter(voided_at__isnull=True), player.pk)
    return set(played_between(found, start, end).values_list("number", flat=True)[: MOST + 1])


def reason_of(wanted: Split, form: SplitForm) -> str:
    """Return why, by handles where nobody says it otherwise: the log can forget nothing, and holds no names."""
    return form.cleaned_data["reason"] or f"Played by {wanted.into or 'somebody else'}, not by {wanted.player}."


def carried_out(request: HttpRequest, league: League, wanted: Split, form: SplitForm) -> HttpResponse:
    """Do it, once, with what was decided about closed periods, and leave the way back on the next page."""
    expect, reason = expectation(request.POST.get(SEEN, "")), reason_of(wanted, form)
    choices = choices_in(request.POST)

    def act() -> Parted:
        who, allowed = viewer_of(request), allow(request)
        return split_player(league.pk, wanted, reason=reason, by=by(request), viewer=who, allow=allowed, expect=expect)

    def work() -> dict[str, Any]:
        done, decided = change_and_decide(league.pk, act, choices, reason=reason, by=by(request))
        number, count = min(new for _, new in done.numbers), len(done.numbers)
        words = ngettext(
            "{count} game was split off: {name} played them.",
            "{count} games were split off: {name} played them.",
            count,
        )
        said = words.format(count=in_figures(count), name=done.into.name)
        target = reverse("desk:person", args=[league.slug, done.into.handle])
        return {"target": target, "said": " ".join([said, *decided]), "number": number}

    done = once(request, work).answer
    messages.success(request, done["said"])
    warn_of_decisions(request, league)
    request.session["undo"] = {
        "league": league.slug,
        "address": reverse("desk:join", args=[league.slug, done["number"]]),
        # Where closed periods are concerned somebody must decide again: then the press leads to the page.
        "seen": "" if choices else books_revision(league),
    }
    return HttpResponseRedirect(done["target"])


def shown_trial(
    request: HttpRequest, league: League, numbers: Collection[int], tried: Previewed[Diff]
) -> dict[str, Any]:
    """Return what the page shows of a change of games of these numbers."""
    found = games_of(league).filter(number__in=numbers)
    sheets, closed = shown(league, found[:NAMED]), closed_of(league, tried.diff)
    trial = Trial(tried.diff, tried.later, list(found), sheets, *movers_of(tried.diff.ratings, NAMED), closed)
    return {
        "tried": trial,
        "asked": [f"{one.ladder}/{one.key}" for one in tried.diff.closed] if trial.decides else [],
        "together": len(tried.diff.closed) > ONE_BY_ONE,
        "chosen": chosen_in(request.POST),
        "seen": tried.seen,
        "decimals": decimals_of(league),
        "once": key_for(request),
    }


def unsaid(request: HttpRequest) -> str:
    """Return what a yes leaves open, "" where it says all that it was asked."""
    open_ = COMMIT in request.POST and len(choices_in(request.POST)) < len(asked_in(request.POST))
    return _(UNSAID) if open_ else ""


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
            tried = preview(request, league, preview_join, league, found.numbers, REASON, viewer_of(request))
        page = shown_trial(request, league, [new for _, new in found.numbers], tried)
        return show(request, league, "desk/join.html", "people", notice=notice, found=found, **page)
    except RungsError as error:
        say_refusal(request, error)
        return HttpResponseRedirect(reverse("desk:person", args=[league.slug, found.player.handle]))


def taken_back(request: HttpRequest, league: League, found: SplitGames) -> HttpResponse:
    """Do it, once, with what was decided about closed periods."""
    expect = expectation(request.POST.get(SEEN, ""))

    def act() -> int:
        allowed = allow(request)
        return join_again(league.pk, found.numbers, reason=REASON, by=by(request), allow=allowed, expect=expect)

    def take_back() -> tuple[str, str]:
        count, decided = change_and_decide(league.pk, act, choices_in(request.POST), reason=REASON, by=by(request))
        said = ngettext(
            "The split is taken back: {count} game was restored.",
            "The split is taken back: {count} games were restored.",
            count,
        ).format(count=in_figures(count))
        return " ".join([said, *decided]), reverse("desk:person", args=[league.slug, found.player.handle])

    return done_once(request, league, take_back)
