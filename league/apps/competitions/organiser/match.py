"""The page of a match of teams: who sits on which board, and the results of all boards in one sheet."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition
from league.apps.competitions.organiser.fixture_rows import (
    ARBITER_RESULTS,
    QUICK_RESULTS,
    FixtureRow,
    build_fixture_rows,
)
from league.apps.competitions.organiser.now import build_frame, build_now_address
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.result_texts import format_result
from league.apps.competitions.selectors.team_matches import order_seats
from league.apps.competitions.services.team_matches import BoardResult, enter_match
from league.core.errors import Problem, RungsError
from league.core.game_words import has_colours, knows_draws, list_colours
from league.models import League
from league.web.organiser.forms import add_form_error, find_stored_result, get_form_key, get_request_username, run_once
from league.web.organiser.previewed_actions import redirect_with_message
from league.web.organiser.site import show
from league.web.sign_in.sessions import viewer_of

#: Results without play: key -> label, and the seats of the match that lose.
FORFEITS = {"+-": ("+–−", (1,)), "-+": ("−–+", (0,)), "--": ("−–−", (0, 1))}


@dataclass(frozen=True)
class MatchBoardRow:
    """A board of the sheet. ``white``: the seat of the match that has White; ``state``: None before it is made.

    ``names``: who sits there, which does not change once there is a ``result`` to be corrected only.
    """

    number: int
    white: int
    members: tuple[forms.BoundField, forms.BoundField]
    names: tuple[str, str]
    result: forms.BoundField | None
    state: FixtureState | None
    shown: str


class MatchForm(forms.Form):
    """Line-ups and results of a match; results that are recorded are corrected on the page of their board."""

    def __init__(self, loaded: LoadedCompetition, match: FixtureState, data: Any = None) -> None:
        super().__init__(data)
        self.loaded, self.match = loaded, match
        self.states = {board.board: board for board in match.boards}
        self.boards = range(1, loaded.competition.sides_of + 1)
        for board in self.boards:
            state = self.states.get(board)
            for seat, team in enumerate(match.entries):
                self.fields[f"member_{board}_{seat}"] = self._build_member_field(team, board, state)
            if state is None or state.game is None:
                label = _("Result of board {number}").format(number=board)
                choices = self._list_results()
                self.fields[f"result_{board}"] = forms.ChoiceField(label=label, choices=choices, required=False)

    def _build_member_field(self, team: int, board: int, state: FixtureState | None) -> forms.ChoiceField:
        squad = self.loaded.entries[team].survivors
        choices = [(str(place), f"{place} {player.name}") for place, player in enumerate(squad, 1)]
        label = _("{team}, board {number}").format(team=self.loaded.name(team), number=board)
        member = None if state is None else dict(zip(state.entries, state.members, strict=True))[team]
        # Usually the squad sits in its order.
        initial = (board if board <= len(squad) else 0) if member is None else member
        return forms.ChoiceField(
            label=label,
            choices=[*choices, ("0", _("– nobody –"))],
            initial=str(initial),
            disabled=state is not None and state.game is not None,
        )

    def _list_results(self) -> list[tuple[str, str]]:
        known = {key: label for key, (label, _scores) in QUICK_RESULTS.items()}
        if not knows_draws(self.loaded.competition.league):
            del known["draw"]
        if self.loaded.scores_are_points:
            known |= {key: label for key, (label, _scores) in ARBITER_RESULTS.items()}
        known |= {key: label for key, (label, _seats) in FORFEITS.items()}
        return [("", "–"), *known.items()]

    def list_rows(self) -> Iterator[MatchBoardRow]:
        """Yield the boards."""
        for board in self.boards:
            state, name = self.states.get(board), f"result_{board}"
            first, second = self.match.entries
            # An imported match may have its colours in another order.
            seats = order_seats(first, second, board) if state is None else state.entries
            white = self.match.entries.index(seats[0])
            shown = "" if state is None else format_result(state, own_seat=state.entries.index(self.match.entries[0]))
            members = (self[f"member_{board}_0"], self[f"member_{board}_1"])
            choices: list[Any] = [self.fields[member.name] for member in members]
            names = [dict(field.choices).get(field.initial, "") for field in choices]
            result = self[name] if name in self.fields else None
            yield MatchBoardRow(board, white, members, (names[0], names[1]), result, state, shown)

    def build_line_ups(self) -> dict[int, list[int]]:
        """Return who sits on the boards."""
        data = self.cleaned_data
        return {
            team: [int(data[f"member_{board}_{seat}"]) for board in self.boards]
            for seat, team in enumerate(self.match.entries)
        }

    def build_results(self) -> dict[int, BoardResult]:
        """Return the new results by board, in the order of the teams."""
        results = {}
        for board in self.boards:
            key = self.cleaned_data.get(f"result_{board}", "")
            if key in FORFEITS:
                losers = tuple(self.match.entries[seat] for seat in FORFEITS[key][1])
                results[board] = BoardResult(losers=losers)
            elif key:
                scores = (QUICK_RESULTS | ARBITER_RESULTS)[key][1]
                results[board] = BoardResult((scores[0], scores[1]))
        return results

    def add_problems(self, error: RungsError) -> None:
        """Show each problem at its field, and the rest above the form."""
        for problem in error.problems:
            self.add_error(self._find_field(problem), problem.detail)
        if not error.problems:
            add_form_error(self, error)

    def _find_field(self, problem: Problem) -> str | None:
        parts = problem.pointer.strip("/").split("/")
        if parts[0] == "line_ups" and len(parts) == 3:
            return f"member_{int(parts[2]) + 1}_{parts[1]}"
        name = f"result_{int(parts[1]) + 1}" if parts[0] == "results" and len(parts) > 1 else ""
        return name if name in self.fields else None


def show_match(request: HttpRequest, league: League, loaded: LoadedCompetition, match: FixtureState) -> HttpResponse:
    """Show the boards of a match, or enter line-ups and results."""
    (row,) = build_fixture_rows(loaded, [match])
    form = MatchForm(loaded, match, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not viewer_of(request).may("arbitrate", league):
            raise PermissionDenied
        stored = find_stored_result(request)
        if stored is not None:
            return redirect_with_message(request, league, stored)
        if form.is_valid():
            try:
                return _save(request, league, loaded, form, row)
            except RungsError as error:
                form.add_problems(error)
    return show(
        request,
        league,
        "apps/competitions/organiser/match.html",
        "competitions",
        **build_frame(request, loaded),
        row=row,
        form=form,
        boards=list(form.list_rows()),
        board_colours=list_colours() if has_colours(league) else (),
        takes_entries=loaded.competition.status == Competition.Status.RUNNING
        and match.status != "cancelled"
        and any(name.startswith("result_") for name in form.fields)
        and viewer_of(request).may("arbitrate", league),
        once=get_form_key(request),
    )


def _save(
    request: HttpRequest, league: League, loaded: LoadedCompetition, form: MatchForm, row: FixtureRow
) -> HttpResponse:
    line_ups, results, username = form.build_line_ups(), form.build_results(), get_request_username(request)

    def act() -> dict[str, Any]:
        enter_match(league.pk, row.state.number, line_ups, results, by=username)
        target = build_now_address(league, loaded.competition.slug, row.state)
        return {
            "said": _("{fixture}: the boards were saved.").format(fixture=row.label),
            "target": target,
            "back": target,
        }

    return redirect_with_message(request, league, run_once(request, act))
