"""Splitting a player who was two: which games are another person's, what that changes, then yes; and one press back."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse

from league.admin.base import by, last_part, put_errors, warn_of_decisions
from league.admin.confirm import COMMIT, EDIT, SEEN, Moved, expectation
from league.admin.desk.frame import at_desk, say_refusal, show
from league.admin.once import CHANGED, done_before, key_for, once
from league.calendar import start_of_day
from league.desk.viewer import viewer_of
from league.errors import KeyReused, RungsError
from league.figures import counted, were
from league.models import Game, League, Player
from league.selectors.games import ShownGame, games_of, played_between, shown, with_player
from league.selectors.permissions import refuse_foreign
from league.selectors.players.find import called, offered_players
from league.selectors.players.roster import players_of
from league.selectors.revision import books_revision
from league.selectors.rules import decimals_of
from league.services.dry_runs.diff import Diff, RatingDiff
from league.services.dry_runs.run import preview_split
from league.services.players.affected_leagues import Permission
from league.services.recording.splitting import MOST, Split, join_again, split_player

#: So many games can be ticked; the days find all of them. And so many of those who move are named.
SHOWN, NAMED = 60, 12
#: Where a session keeps the way back, and why it is taken.
UNDO, UNDONE = "split", "The split is taken back."


class SplitForm(forms.Form):
    """Whose games these are, and which: ticked, or all from one day to another."""

    who = forms.CharField(
        label="Who played them",
        max_length=120,
        help_text="A player who did not sit in any of these games, or a new name.",
        widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
        error_messages={"required": "Say who played these games."},
    )
    new = forms.BooleanField(label="Add them as a new player", required=False)
    first = forms.DateField(label="All games from", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    last = forms.DateField(label="to, that day too", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    reason = forms.CharField(
        label="Reason, which everybody can read",
        max_length=500,
        required=False,
        help_text="Empty: by whom they were played, by handles.",
    )

    def __init__(self, data: QueryDict | None) -> None:
        super().__init__(data)
        ticked = data.getlist("game")[: 2 * MOST] if data is not None else []
        self.ticked = {int(one) for one in ticked if one.isascii() and one.isdigit() and len(one) < 10}

    def clean(self) -> dict[str, Any]:
        """Demand days in their order."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = data.get("first"), data.get("last")
        if first and last and last < first:
            self.add_error("last", "The last day is before the first one.")
        return data


@dataclass(frozen=True)
class Tried:
    """What a split would do: which games, the first of them as sheets, who moves most, and how many more."""

    diff: Diff
    games: list[Game]
    sheets: list[ShownGame]
    movers: list[RatingDiff]
    more: int

    @property
    def first(self) -> Game:
        """Return the first of the games."""
        return self.games[-1]

    @property
    def last(self) -> Game:
        """Return the last of the games."""
        return self.games[0]


@at_desk("organise")
def split(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Ask which games of a player another person played; then show what that changes; then do it."""
    player = players_of(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404
    again = done_before(request) if COMMIT in request.POST else None
    if again is not None:
        messages.info(request, "That was done already: it came twice, and was done once.")
        return HttpResponseRedirect(again.answer["target"])
    form = SplitForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {}
    if request.method == "POST" and EDIT not in request.POST and form.is_valid():
        try:
            wanted = wanted_of(request, league, player, form)
            notice = ""
            if COMMIT in request.POST:
                try:
                    return carried_out(request, league, wanted, form)
                except Moved as error:
                    notice = error.detail
            context = {**tried_out(request, league, wanted, form), "notice": notice}
        except KeyReused:
            form.add_error(None, CHANGED)
        except RungsError as error:
            put(form, error)
    return show(request, league, "desk/split.html", "people", **page_of(request, league, player, form), **context)


def page_of(request: HttpRequest, league: League, player: Player, form: SplitForm) -> dict[str, Any]:
    """Return what the page is made of."""
    found = with_player(games_of(league).filter(voided_at__isnull=True), player.pk)
    return {
        "player": player,
        "form": form,
        "games": shown(league, found[:SHOWN]),
        "more_games": max(found.count() - SHOWN, 0),
        "people": [name for handle, name in offered_players(league, viewer_of(request)) if handle != player.handle],
        "once": key_for(request),
        "decimals": decimals_of(league),
    }


def put(form: SplitForm, error: RungsError) -> None:
    """Put a refusal at its field; what is said of the other person stands at their name."""
    put_errors(form, error, lambda pointer: "who" if last_part(pointer) in ("into", "name") else None)


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


def allowed(request: HttpRequest) -> Permission:
    """Return what looks at the leagues whose books change."""
    return lambda leagues: refuse_foreign(viewer_of(request), leagues)


def reason_of(wanted: Split, form: SplitForm) -> str:
    """Return why, by handles where nobody says it otherwise: the log can forget nothing, and holds no names."""
    return form.cleaned_data["reason"] or f"Played by {wanted.into or 'somebody else'}, not by {wanted.player}."


def tried_out(request: HttpRequest, league: League, wanted: Split, form: SplitForm) -> dict[str, Any]:
    """Return what the page shows of a split that was tried; raises what it raises."""
    # Before the dry run: what changes in between is then refused, not overlooked.
    seen = books_revision(league)
    diff = preview_split(league, wanted, reason_of(wanted, form), viewer=viewer_of(request), allow=allowed(request))
    movers = sorted(diff.ratings, key=lambda one: -abs((one.after or 0.0) - (one.before or 0.0)))
    games = list(games_of(league).filter(number__in=wanted.numbers))
    sheets = shown(league, games_of(league).filter(number__in=wanted.numbers)[:NAMED])
    tried = Tried(diff, games, sheets, movers[:NAMED], max(len(movers) - NAMED, 0))
    return {"tried": tried, "seen": seen, "wanted": wanted, "reason": reason_of(wanted, form)}


def carried_out(request: HttpRequest, league: League, wanted: Split, form: SplitForm) -> HttpResponse:
    """Do it, once, and leave the way back in the session."""
    expect = expectation(request.POST.get(SEEN, ""))

    def work() -> dict[str, Any]:
        done = split_player(
            league.pk,
            wanted,
            reason=reason_of(wanted, form),
            by=by(request),
            viewer=viewer_of(request),
            allow=allowed(request),
            expect=expect,
        )
        target = reverse("desk:person", args=[league.slug, done.into.handle])
        return {"target": target, "numbers": done.numbers, "name": done.into.name}

    done = once(request, work).answer
    count = len(done["numbers"])
    messages.success(request, f"{counted(count, 'game')} {were(count)} split off: {done['name']} played them.")
    warn_of_decisions(request, league)
    request.session[UNDO] = {"league": league.slug, "numbers": done["numbers"]}
    return HttpResponseRedirect(done["target"])


def undo_of_split(request: HttpRequest, league: League) -> dict[str, Any] | None:
    """Return the way back of a split that was just done in a league."""
    kept = request.session.get(UNDO)
    if kept is None or kept["league"] != league.slug:
        return None
    return {"address": reverse("desk:join", args=[league.slug]), "reason": UNDONE, "seen": ""}


@at_desk("organise", posted=True)
def join(request: HttpRequest, league: League) -> HttpResponse:
    """Take back the split that was done last in this browser: all of it, or nothing."""
    kept = request.session.get(UNDO)
    target = HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    if kept is None or kept["league"] != league.slug:
        messages.error(request, "There is no split to take back: that was done, or in another browser.")
        return target
    try:
        count = join_again(league.pk, kept["numbers"], reason=UNDONE, by=by(request), allow=allowed(request))
    except RungsError as error:
        say_refusal(request, error)
        return target
    del request.session[UNDO]
    messages.success(request, f"The split is taken back: {counted(count, 'game')} {were(count)} restored.")
    warn_of_decisions(request, league)
    return target
