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
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.core.calendar import start_of_day
from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_join, preview_split
from league.core.errors import RungsError
from league.core.games.selectors.games import ShownGame, games_of, load_games, played_between, with_player
from league.core.games.selectors.splits import SplitGames, split_of
from league.core.games.services.split_players import MAX_GAMES, Split, SplitResult, split_player, undo_split
from league.core.leagues.selectors.rules import decimals_of
from league.core.players.selectors.roster import players_of
from league.core.players.selectors.search import handles_by_text, offered_players
from league.core.text.numbers import number as in_figures
from league.models import Game, League, Player
from league.web.organiser.change_preview import ChangePreview, preview_of
from league.web.organiser.confirmed_actions import TRIAL, ConfirmedAction
from league.web.organiser.differences import ClosedPeriod, closed_of
from league.web.organiser.form_errors import last_part, put_errors, whole_in
from league.web.organiser.league_forms import day
from league.web.organiser.merge_players import allow, page_of
from league.web.organiser.page_frame import Instead, at_desk, say_refusal
from league.web.organiser.previewed_actions import answer_again

#: Maximum number of games listed for selection; a range of days finds all of them.
MAX_LISTED_GAMES = 60
#: Maximum number of games shown as sheets.
MAX_SHEETS = 12


@dataclass(frozen=True, kw_only=True)
class Trial(ChangePreview):
    """What a change of games would do: the newest games as sheets, and the closed periods that would differ."""

    later: bool
    games: list[Game]
    sheets: list[ShownGame]
    closed: list[ClosedPeriod]


def trial_of(league: League, numbers: Collection[int], diff: Diff, *, later: bool) -> Trial:
    """Return what the page shows of a change of games of these numbers."""
    found = games_of(league).filter(number__in=numbers)
    sheets = load_games(league, found[:MAX_SHEETS])
    own: dict[str, Any] = {"later": later, "games": list(found), "sheets": sheets, "closed": closed_of(league, diff)}
    return Trial(**vars(preview_of(league, diff)), **own)


class SplitForm(forms.Form):
    """Whose games these are, and which: ticked, or all from one day to another."""

    who = forms.CharField(
        label=gettext_lazy("Correct player"),
        max_length=120,
        help_text=gettext_lazy("A player who took part in none of these games, or a new name."),
        widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Choose who played these games.")},
    )
    new = forms.BooleanField(label=gettext_lazy("Add them as a new player"), required=False)
    first = day(gettext_lazy("All games from"))
    last = day(gettext_lazy("to (inclusive)"))

    def __init__(self, data: QueryDict | None) -> None:
        super().__init__(data)
        ticked = data.getlist("game")[: 2 * MAX_GAMES] if data is not None else []
        self.ticked = {number for one in ticked if (number := whole_in(one, 9)) is not None}

    def clean(self) -> dict[str, Any]:
        """Demand days in their order."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = data.get("first"), data.get("last")
        if first and last and last < first:
            self.add_error("last", _("The last day is before the first day."))
        return data


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
    return set(played_between(found, start, end).values_list("number", flat=True)[: MAX_GAMES + 1])


@dataclass
class SplitAction(ConfirmedAction):
    """A split: some games of a player are another person's."""

    form: SplitForm
    player: Player
    template, confirm_template, tab = "web/organiser/split.html", "web/organiser/confirm_split.html", "people"

    @cached_property
    def wanted(self) -> Split:
        """Return the split that a valid form means."""
        data, player = self.form.cleaned_data, self.player
        numbers = sorted(self.form.ticked | in_days(self.league, player, data["first"], data["last"]))
        if data["new"]:
            return Split(player.handle, numbers, name=data["who"])
        handle = handles_by_text([data["who"]], self.league, self.viewer).get(data["who"], data["who"])
        return Split(player.handle, numbers, into=handle)

    @property
    def key(self) -> str:
        """Return what the button says."""
        count = len(self.wanted.numbers)
        return ngettext("Split off {count} game", "Split off {count} games", count).format(count=in_figures(count))

    def way_back(self) -> tuple[str, str]:
        """Return the way back to the form."""
        return _("Back to the games"), ""

    def usual_reason(self) -> str:
        """Return the reason by handles if none is given: the log can forget nothing, and holds no names."""
        return f"Played by {self.wanted.into or 'somebody else'}, not by {self.wanted.player}."

    def put(self, error: RungsError) -> None:
        """Show an error at its field."""
        put_errors(self.form, error, lambda pointer: "who" if last_part(pointer) in ("into", "name") else None)

    def preview(self) -> Trial:
        """Return what the split would change."""
        diff = self.dry_run(preview_split, self.league, self.wanted, TRIAL, self.viewer)
        return trial_of(self.league, self.wanted.numbers, diff, later=self.later)

    def change(self, reason: str) -> SplitResult:
        """Split the games off."""
        return split_player(
            self.league.pk,
            self.wanted,
            reason=reason,
            by=self.by,
            viewer=self.viewer,
            allow=allow(self.request),
            expect=self.expect(),
        )

    def outcome(self, done: SplitResult) -> dict[str, Any]:
        """Return what was split off, and its way back."""
        slug, number, count = self.league.slug, min(new for _, new in done.numbers), len(done.numbers)
        words = ngettext(
            "{count} game was split off to {name}.",
            "{count} games were split off to {name}.",
            count,
        )
        said = words.format(count=in_figures(count), name=done.into.name)
        return {
            "said": said,
            "target": page_of(self.league, done.into),
            "undo": reverse("desk:join", args=[slug, number]),
        }

    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of the form: games that were chosen by their days are ticked."""
        new = [("new", "on")] if self.wanted.name else []
        return [("who", self.form.cleaned_data["who"]), *new, *(("game", str(one)) for one in self.wanted.numbers)]

    def context(self) -> dict[str, Any]:
        """Return the newest games of the player, and those that were chosen, however old they are."""
        found = with_player(games_of(self.league).filter(voided_at__isnull=True), self.player.pk)
        newest = list(found.values_list("pk", flat=True)[:MAX_LISTED_GAMES])
        games = load_games(self.league, found.filter(Q(pk__in=newest) | Q(number__in=self.form.ticked)))
        people = offered_players(self.league, self.viewer)
        return {
            "player": self.player,
            "games": games,
            "more_games": found.count() - len(games),
            "people": [name for handle, name in people if handle != self.player.handle],
            "decimals": decimals_of(self.league),
        }


@dataclass
class JoinAction(ConfirmedAction):
    """The taking back of a split: all of its games that still stand, or none."""

    found: SplitGames
    confirm_template, tab, asks_reason = "web/organiser/confirm_join.html", "people", False

    @property
    def key(self) -> str:
        """Return what the button says."""
        count = len(self.found.numbers)
        words = ngettext("Give {count} game back to {name}", "Give {count} games back to {name}", count)
        return words.format(count=in_figures(count), name=self.found.player.name)

    def way_back(self) -> tuple[str, str]:
        """Return the way back to the player."""
        return _("Cancel"), page_of(self.league, self.found.player)

    def usual_reason(self) -> str:
        """Return why each game counts again as it was."""
        return "The split is taken back."

    def put(self, error: RungsError) -> None:
        """Show an error on the page of the player: there is no form."""
        say_refusal(self.request, error)
        raise Instead(HttpResponseRedirect(page_of(self.league, self.found.player)))

    def preview(self) -> Trial:
        """Return what that would change."""
        diff = self.dry_run(preview_join, self.league, self.found.numbers, TRIAL, self.viewer)
        return trial_of(self.league, [new for _, new in self.found.numbers], diff, later=self.later)

    def change(self, reason: str) -> int:
        """Restore the games."""
        numbers, allowed, expect = self.found.numbers, allow(self.request), self.expect()
        return undo_split(self.league.pk, numbers, reason=reason, by=self.by, allow=allowed, expect=expect)

    def outcome(self, done: int) -> dict[str, Any]:
        """Return what was restored."""
        said = ngettext(
            "The split was undone: {count} game was restored.",
            "The split was undone: {count} games were restored.",
            done,
        ).format(count=in_figures(done))
        return {"said": said, "target": page_of(self.league, self.found.player)}


@at_desk("organise")
def split(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Ask which games of a player another person played; then show what that changes; then do it."""
    player = players_of(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404
    form = SplitForm(request.POST if request.method == "POST" else None)
    return answer_again(request, league) or SplitAction(request, league, form, player).answer()


@at_desk("organise")
def join(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Show what taking back the split of a game would change; then do it."""
    if again := answer_again(request, league):
        return again
    found = split_of(league, number)
    if found is None:
        messages.error(request, _("There is no split to undo: it was undone already, or its games have changed."))
        return HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    return JoinAction(request, league, forms.Form(request.POST), found).answer()
