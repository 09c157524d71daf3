"""Splitting a player who was two: which games are another person's, what that changes, then yes; and one press back."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.admin.base import by, last_part, put_errors, warn_of_decisions
from league.admin.confirm import COMMIT, EDIT, SEEN, Moved, expectation
from league.admin.desk.confirming import came_twice, choices_in
from league.admin.desk.frame import at_desk, show
from league.admin.desk.previews import carry_notice, preview
from league.admin.desk.trial import allowed, shown_trial, unsaid
from league.admin.once import CHANGED, key_for, once
from league.calendar import start_of_day
from league.desk.viewer import viewer_of
from league.errors import KeyReused, RungsError
from league.figures import number as in_figures
from league.models import League, Player
from league.selectors.games import games_of, played_between, shown, with_player
from league.selectors.players.find import called, offered_players
from league.selectors.players.roster import players_of
from league.selectors.revision import books_revision
from league.selectors.rules import decimals_of
from league.services.dry_runs.run import preview_split
from league.services.recording.splitting import MOST, Parted, Split, split_player
from league.services.recording.with_decisions import change_and_decide

#: So many games are shown to be ticked; the days find all of them.
SHOWN = 60


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
    first = forms.DateField(
        label=gettext_lazy("All games from"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    last = forms.DateField(
        label=gettext_lazy("to, that day too"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason, which everybody can read"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("Empty: by whom they were played, by handles."),
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
            with carry_notice(request, notice):
                context = {**tried_out(request, league, wanted, form), "notice": notice}
        except KeyReused:
            form.add_error(None, CHANGED)
        except RungsError as error:
            put(form, error)
    return show(request, league, "desk/split.html", "people", **page_of(request, league, player, form), **context)


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


def reason_of(wanted: Split, form: SplitForm) -> str:
    """Return why, by handles where nobody says it otherwise: the log can forget nothing, and holds no names."""
    return form.cleaned_data["reason"] or f"Played by {wanted.into or 'somebody else'}, not by {wanted.player}."


def tried_out(request: HttpRequest, league: League, wanted: Split, form: SplitForm) -> dict[str, Any]:
    """Return what the page shows of a split that was tried; raises what it raises."""
    reason = reason_of(wanted, form)
    tried = preview(request, league, preview_split, league, wanted, reason, viewer_of(request))
    return {**shown_trial(request, league, wanted.numbers, tried), "wanted": wanted, "reason": reason}


def carried_out(request: HttpRequest, league: League, wanted: Split, form: SplitForm) -> HttpResponse:
    """Do it, once, with what was decided about closed periods, and leave the way back on the next page."""
    expect, reason = expectation(request.POST.get(SEEN, "")), reason_of(wanted, form)
    choices = choices_in(request.POST)

    def act() -> Parted:
        viewer, allow = viewer_of(request), allowed(request)
        return split_player(league.pk, wanted, reason=reason, by=by(request), viewer=viewer, allow=allow, expect=expect)

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
