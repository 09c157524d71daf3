"""Split a player who stands for two people, or undo a split, after a preview."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.core.dry_runs.services.diff import Diff
from league.core.dry_runs.services.run import preview_join, preview_split
from league.core.errors import RungsError
from league.core.games.selectors.games import (
    ShownGame,
    build_evenings_condition,
    filter_by_player,
    find_games,
    load_games,
)
from league.core.games.selectors.splits import SplitGames, split_of
from league.core.games.services.split_players import MAX_GAMES, Split, SplitResult, split_player, undo_split
from league.core.players.selectors.roster import find_players
from league.core.players.selectors.search import load_offered_players
from league.core.rules.selectors.rules import load_decimals
from league.core.text.display_formats import format_number as in_figures
from league.core.text.names import NAME_LENGTH
from league.models import Game, League, Player
from league.web.organiser.differences import ChangePreview, ClosedPeriod, build_preview, load_closed_periods
from league.web.organiser.forms import add_errors, find_field, parse_whole_number
from league.web.organiser.league_forms import build_date_field
from league.web.organiser.merge_players import build_player_url, make_leagues_check
from league.web.organiser.previewed_actions import DRY_RUN_REASON, ConfirmedAction, stored_response
from league.web.organiser.site import OtherResponse, add_error_message, organiser_page

#: Maximum number of games listed for selection; a range of days selects any number.
MAX_LISTED_GAMES = 60
#: Maximum number of games shown as sheets.
MAX_SHEETS = 12


@dataclass(frozen=True, kw_only=True)
class SplitPreview(ChangePreview):
    """The preview of a split: the newest games as sheets, and the closed periods that would differ."""

    later: bool
    games: list[Game]
    sheets: list[ShownGame]
    closed: list[ClosedPeriod]


def _build_preview(league: League, numbers: Collection[int], diff: Diff, *, later: bool) -> SplitPreview:
    games = find_games(league).filter(number__in=numbers)
    sheets = load_games(league, games[:MAX_SHEETS])
    fields: dict[str, Any] = {
        "later": later,
        "games": list(games),
        "sheets": sheets,
        "closed": load_closed_periods(league, diff),
    }
    return SplitPreview(**vars(build_preview(league, diff)), **fields)


class SplitForm(forms.Form):
    """The correct player of some games: ticked ones, or all within a range of days."""

    who = forms.CharField(
        label=gettext_lazy("Correct player"),
        max_length=NAME_LENGTH,
        help_text=gettext_lazy("A player who took part in none of these games, or a new name."),
        widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
        error_messages={"required": gettext_lazy("Choose who played these games.")},
    )
    new = forms.BooleanField(label=gettext_lazy("Add them as a new player"), required=False)
    first = build_date_field(gettext_lazy("All games from"))
    last = build_date_field(gettext_lazy("to (inclusive)"))

    def __init__(self, data: QueryDict | None) -> None:
        super().__init__(data)
        ticked = data.getlist("game")[: 2 * MAX_GAMES] if data is not None else []
        self.ticked = {number for text in ticked if (number := parse_whole_number(text, 9)) is not None}

    def clean(self) -> dict[str, Any]:
        """Require the first day to be before the last."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = data.get("first"), data.get("last")
        if first and last and last < first:
            self.add_error("last", _("The last day is before the first day."))
        return data


def _find_games_in_days(league: League, player: Player, first: date | None, last: date | None) -> set[int]:
    if first is None and last is None:
        return set()
    try:
        inside = build_evenings_condition(league, first, last, "played_at")
    except (ValueError, OverflowError):  # outside the calendar
        return set()
    games = filter_by_player(league.games.counting(), player.pk).filter(inside)
    return set(games.values_list("number", flat=True)[: MAX_GAMES + 1])


@dataclass
class SplitAction(ConfirmedAction):
    """A split: some games of a player belong to another person."""

    form: SplitForm
    player: Player
    template, confirm_template, tab = "web/organiser/split.html", "web/organiser/confirm_split.html", "people"

    @cached_property
    def wanted(self) -> Split:
        """The split of a valid form."""
        data, player = self.form.cleaned_data, self.player
        numbers = sorted(self.form.ticked | _find_games_in_days(self.league, player, data["first"], data["last"]))
        if data["new"]:
            return Split(player.handle, numbers, name=data["who"])
        return Split(player.handle, numbers, into=data["who"])

    @property
    def key(self) -> str:
        """The label of the button."""
        count = len(self.wanted.numbers)
        return ngettext("Split off {count} game", "Split off {count} games", count).format(count=in_figures(count))

    def way_back(self) -> tuple[str, str]:
        """Return the link back to the form."""
        return _("Back to the games"), ""

    def usual_reason(self) -> str:
        """Return the default reason; it names handles, as the log must not contain names."""
        return f"Played by {self.wanted.into or 'somebody else'}, not by {self.wanted.player}."

    def put(self, error: RungsError) -> None:
        """Show an error at the field that it concerns."""
        add_errors(self.form, error, lambda pointer: "who" if find_field(pointer) in ("into", "name") else None)

    def preview(self) -> SplitPreview:
        """Return the changes by the split."""
        diff = self.dry_run(preview_split, self.league, self.wanted, DRY_RUN_REASON, self.viewer)
        return _build_preview(self.league, self.wanted.numbers, diff, later=self.later)

    def change(self, reason: str) -> SplitResult:
        """Split off the games."""
        return split_player(
            self.league.pk,
            self.wanted,
            reason=reason,
            username=self.by,
            viewer=self.viewer,
            allow=make_leagues_check(self.request),
            precondition=self.expect(),
        )

    def outcome(self, done: SplitResult) -> dict[str, Any]:
        """Return the message and the undo address."""
        slug, number, count = self.league.slug, min(new for _, new in done.numbers), len(done.numbers)
        text = ngettext(
            "{count} game was split off to {name}.",
            "{count} games were split off to {name}.",
            count,
        )
        message = text.format(count=in_figures(count), name=done.into.name)
        return {
            "said": message,
            "target": build_player_url(self.league, done.into),
            "undo": reverse("desk:join", args=[slug, number]),
        }

    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of the form, with games in the range of days ticked."""
        new = [("new", "on")] if self.wanted.name else []
        return [
            ("who", self.form.cleaned_data["who"]),
            *new,
            *(("game", str(number)) for number in self.wanted.numbers),
        ]

    def context(self) -> dict[str, Any]:
        """Return the newest games of the player, and all ticked ones."""
        all_games = filter_by_player(find_games(self.league).counting(), self.player.pk)
        newest_pks = list(all_games.values_list("pk", flat=True)[:MAX_LISTED_GAMES])
        games = load_games(self.league, all_games.filter(Q(pk__in=newest_pks) | Q(number__in=self.form.ticked)))
        players = load_offered_players(self.league, self.viewer)
        return {
            "player": self.player,
            "games": games,
            "more_games": all_games.count() - len(games),
            "people": [name for handle, name in players if handle != self.player.handle],
            "decimals": load_decimals(self.league),
        }


@dataclass
class UndoSplitAction(ConfirmedAction):
    """The undoing of a split, for all of its games or none."""

    found: SplitGames
    confirm_template, tab, asks_reason = "web/organiser/confirm_join.html", "people", False

    @property
    def key(self) -> str:
        """The label of the button."""
        count = len(self.found.numbers)
        text = ngettext("Give {count} game back to {name}", "Give {count} games back to {name}", count)
        return text.format(count=in_figures(count), name=self.found.player.name)

    def way_back(self) -> tuple[str, str]:
        """Return the link back to the player."""
        return _("Cancel"), build_player_url(self.league, self.found.player)

    def usual_reason(self) -> str:
        """Return the reason in the log."""
        return "The split is taken back."

    def put(self, error: RungsError) -> None:
        """Show an error on the player's page, as there is no form."""
        add_error_message(self.request, error)
        raise OtherResponse(HttpResponseRedirect(build_player_url(self.league, self.found.player)))

    def preview(self) -> SplitPreview:
        """Return the changes by the undoing."""
        diff = self.dry_run(preview_join, self.league, self.found.numbers, DRY_RUN_REASON, self.viewer)
        return _build_preview(self.league, [new for _, new in self.found.numbers], diff, later=self.later)

    def change(self, reason: str) -> int:
        """Restore the games."""
        numbers, allowed, check = self.found.numbers, make_leagues_check(self.request), self.expect()
        return undo_split(self.league.pk, numbers, reason=reason, username=self.by, allow=allowed, precondition=check)

    def outcome(self, done: int) -> dict[str, Any]:
        """Return the message."""
        message = ngettext(
            "The split was undone: {count} game was restored.",
            "The split was undone: {count} games were restored.",
            done,
        ).format(count=in_figures(done))
        return {"said": message, "target": build_player_url(self.league, self.found.player)}


@organiser_page("organise")
def split(request: HttpRequest, league: League, handle: str) -> HttpResponse:
    """Split a player after a preview."""
    player = find_players(league).filter(handle=handle.replace("\0", "")).first()
    if player is None:
        raise Http404
    form = SplitForm(request.POST if request.method == "POST" else None)
    return stored_response(request, league) or SplitAction(request, league, form, player).answer()


@organiser_page("organise")
def undo_split_page(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Undo the split of a game after a preview."""
    if response := stored_response(request, league):
        return response
    split = split_of(league, number)
    if split is None:
        messages.error(request, _("There is no split to undo: it was undone already, or its games have changed."))
        return HttpResponseRedirect(reverse("desk:games", args=[league.slug]))
    return UndoSplitAction(request, league, forms.Form(request.POST), split).answer()
