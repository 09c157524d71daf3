"""The page of one fixture: its result, a forfeit, and changes by hand."""

import zoneinfo
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.files.fixture_plan import read_plan
from league.apps.competitions.models import MAX_TABLE, MEETINGS, Fixture
from league.apps.competitions.organiser.competition_forms import build_time_field
from league.apps.competitions.organiser.confirmations import ask_confirmation, list_confirmed
from league.apps.competitions.organiser.correct_result import CorrectResult
from league.apps.competitions.organiser.fixture_rows import (
    ARBITER_RESULTS,
    QUICK_RESULTS,
    FixtureRow,
    build_fixture_rows,
    describe_entered,
    list_quick_results,
)
from league.apps.competitions.organiser.match import show_match
from league.apps.competitions.organiser.next_step import list_shown_fixtures
from league.apps.competitions.organiser.now import build_frame, build_now_address, load_for_viewer
from league.apps.competitions.organiser.result_sheet import ResultSheet
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.apps.competitions.selectors.exporting import REPORTED
from league.apps.competitions.selectors.game_points import takes_quick_results
from league.apps.competitions.selectors.playable_fixtures import find_playable_fixture
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.regulations import (
    ConfirmationNeeded,
    describe_fixed_results,
    find_last_fixed_round,
)
from league.apps.competitions.services.results import EnteredResult, enter_forfeit, enter_result, seat_players
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.core.errors import Refused, RungsError
from league.core.game_words import knows_draws
from league.core.games.selectors.games import find_game
from league.core.games.services.attaching import list_rejections
from league.core.games.services.game_input import NewGame, NewResult
from league.core.rules.selectors.rules import build_rule_system, load_rule_in_force
from league.core.text.labels import end_sentence
from league.models import Game, League
from league.models.recorded import MAX_REASON_LENGTH
from league.web.organiser.forms import (
    add_errors,
    find_stored_result,
    get_form_key,
    get_request_username,
    run_once,
)
from league.web.organiser.panels import load_attached_notes
from league.web.organiser.previewed_actions import redirect_with_message
from league.web.organiser.score_pad import list_game_fields
from league.web.organiser.site import add_error_message, organiser_page, redirect_to_first_rule, show
from league.web.sign_in.sessions import viewer_of
from ratings.forms import NumberField, WholeField


class PlanForm(forms.Form):
    """When and where a fixture is played."""

    starts_at = build_time_field(gettext_lazy("Begins"))
    deadline = build_time_field(gettext_lazy("Deadline"))
    venue = forms.CharField(
        label=gettext_lazy("Venue"), max_length=Fixture._meta.get_field("venue").max_length, required=False
    )


class FixtureForm(PlanForm):
    """A change of a fixture by hand."""

    table = WholeField(label=gettext_lazy("Table"), required=False, min_value=1, max_value=MAX_TABLE)
    adjourned = forms.BooleanField(
        label=gettext_lazy("Adjourned: it ends another day, and until then is a draw for the pairing"), required=False
    )
    cancelled = forms.BooleanField(label=gettext_lazy("Cancelled: it is not played"), required=False)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        required=False,
        help_text=gettext_lazy("Required if the round is published and other entries meet. The log shows it."),
    )

    def __init__(self, loaded: LoadedCompetition, row: FixtureRow, data: Any = None) -> None:
        state = row.state
        marks = {"cancelled": state.status == "cancelled", "adjourned": state.adjourned}
        super().__init__(data, initial={**read_plan(state), **marks})
        # A board is adjourned with its match.
        if loaded.competition.format in BRACKET_FORMATS or state.kind not in MEETINGS or state.match is not None:
            del self.fields["adjourned"]
        numbers = {entry for one in loaded.fixtures if one.round == state.round for entry in one.entries}
        if state.round is None:
            numbers = set(loaded.entries)
        choices = [(str(number), loaded.name(number)) for number in sorted(numbers)]
        self.seats = [f"seat_{index}" for index in range(1, len(row.seats) + 1)]
        for index, (name, seat) in enumerate(zip(self.seats, row.seats, strict=True), start=1):
            label = _("Seat {number}").format(number=index)
            self.fields[name] = forms.ChoiceField(label=label, choices=choices, initial=str(seat.entry))
        self.order_fields([*self.seats, "table"])

    def build_changes(self) -> dict[str, Any]:
        """Return the changed values."""
        changes = {name: self.cleaned_data[name] for name in self.changed_data if name not in (*self.seats, "reason")}
        if any(name in self.changed_data for name in self.seats):
            changes["entries"] = [int(self.cleaned_data[name]) for name in self.seats]
        return changes


class ForfeitForm(forms.Form):
    """A forfeit: who loses, and why."""

    forfeit_reason = forms.ChoiceField(label=gettext_lazy("Reason"), choices=Fixture.Reason.choices)

    def __init__(self, row: FixtureRow, data: Any = None) -> None:
        super().__init__(data)
        self.fields["losers"] = forms.MultipleChoiceField(
            label=_("Who loses"),
            choices=[(str(seat.entry), seat.name) for seat in row.seats],
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": _("Tick who loses.")},
        )
        self.order_fields(["losers", "forfeit_reason"])


class PointsForm(forms.Form):
    """The points of each entry by decision of the arbiter."""

    points_reason = forms.CharField(label=gettext_lazy("Reason"), max_length=MAX_REASON_LENGTH)

    def __init__(self, row: FixtureRow, data: Any = None) -> None:
        super().__init__(data)
        self.seats = [f"points_{index}" for index in range(1, len(row.seats) + 1)]
        for name, seat, state in zip(self.seats, row.seats, row.state.data.seats, strict=True):
            points = None if state.points is None else float(state.points)
            self.fields[name] = NumberField(label=seat.name, required=False, initial=points)
        self.order_fields([*self.seats, "points_reason"])


class ReportForm(forms.Form):
    """Another result in the tournament report alone."""

    reported = forms.ChoiceField(
        label=gettext_lazy("Result in the report"),
        choices=[("", gettext_lazy("as it was")), *((one, one.replace("=", "½")) for one in REPORTED)],
        required=False,
    )
    report_reason = forms.CharField(label=gettext_lazy("Reason"), max_length=MAX_REASON_LENGTH)


@organiser_page("record")
def show_fixture(request: HttpRequest, league: League, competition: str, number: int) -> HttpResponse:
    """Show a fixture, record its result or change it."""
    loaded = load_for_viewer(request, league, competition)
    with timezone.override(zoneinfo.ZoneInfo(loaded.competition.time_zone or league.time_zone)):
        state = loaded.find_fixture(number)
        if state is not None and state.kind == Fixture.Kind.MATCH:
            return show_match(request, league, loaded, state)
        if state is not None and state.lacks_player and state.game is None:
            # Without a line-up a board has no result of its own; its match has the line-up.
            return HttpResponseRedirect(reverse("desk:fixture", args=[league.slug, competition, state.match]))
        return _FixturePage(request, league, loaded, number).answer()


class _FixturePage:
    """One request for the page of a fixture."""

    def __init__(self, request: HttpRequest, league: League, loaded: LoadedCompetition, number: int) -> None:
        self.request, self.league, self.competition, self.loaded = request, league, loaded.competition, loaded
        state = self.loaded.find_fixture(number)
        if state is None:
            raise Http404
        self.number, self.state = number, state
        (self.row,) = build_fixture_rows(self.loaded, [state], reported=load_attached_notes(request, league))
        self.arbitrates = viewer_of(request).may("arbitrate", league)
        self.rule = load_rule_in_force(league)
        self.system = None if self.rule is None else build_rule_system(self.rule)
        data = request.POST if request.method == "POST" else None
        buttons = ("quick", "_forfeit", "_change", "_points", "_reported", "_again")
        self.button = next((name for name in buttons if name in (data or {})), "")
        self.forfeit = ForfeitForm(self.row, data if self.button == "_forfeit" else None)
        self.change = FixtureForm(self.loaded, self.row, data if self.button == "_change" else None)
        self.points = PointsForm(self.row, data if self.button == "_points" else None)
        reported = {"reported": self.state.reported}
        self.report = ReportForm(data if self.button == "_reported" else None, initial=reported)
        self.game = None if state.game is None else find_game(league, state.game.number)

    def answer(self) -> HttpResponse:
        """Return the page, or the redirect after a step."""
        if self.rule is None or self.system is None:
            return redirect_to_first_rule(self.request, self.league)
        posted = self.request.method == "POST"
        by_place = len(self.row.seats) > 2 and self.system.place in ("either", "required")
        asked = self.request.POST.get("by", self.request.GET.get("by", "place" if by_place else ""))
        data = self.request.POST if posted and not self.button else None
        sheet = ResultSheet(self.league, self.rule, self.row, data, asked, self.game)
        if posted:
            try:
                response = self._carry_out(sheet)
            except ConfirmationNeeded as needed:
                response = ask_confirmation(self.request, self.competition, needed)
            if response is not None:
                return response
        return self._render(sheet, asked)

    def _carry_out(self, sheet: ResultSheet) -> HttpResponse | None:
        if self.button in ("_change", "_points", "_reported", "_again") and not self.arbitrates:
            raise PermissionDenied
        stored = find_stored_result(self.request)
        if stored is not None:
            return redirect_with_message(self.request, self.league, stored)
        if self.button in ("quick", "_again"):
            try:
                return self._record_quickly() if self.button == "quick" else self._finish(self._add_game)
            except ConfirmationNeeded:
                raise
            except RungsError as error:
                add_error_message(self.request, error)
                # A key says only who won; what else the league wants to know is asked on the page of the fixture.
                asks = any("/fields/" in problem.pointer for problem in error.problems)
                return HttpResponseRedirect(self.request.path if asks else self._build_round_address())
        form = {"_forfeit": self.forfeit, "_change": self.change, "_points": self.points, "_reported": self.report}.get(
            self.button
        )
        try:
            if form is None and sheet.is_valid():
                return self._record_or_correct(sheet.build_game(viewer_of(self.request)))
            if form is not None and form.is_valid():
                acts = {"_forfeit": self._record_forfeit, "_change": self._change, "_points": self._award}
                acts["_reported"] = self._report
                return self._finish(acts[self.button])
        except ConfirmationNeeded:
            raise
        except RungsError as error:
            if form is None:
                sheet.add_problems(error, self.competition.players_of_seat)
            else:
                add_errors(form, error, lambda pointer: pointer.strip("/").split("/")[0])
        return None

    def _build_round_address(self) -> str:
        return build_now_address(self.league, self.competition.slug, self.state)

    def _build_next_address(self) -> str:
        """Return where the next game of the round waits for its result, or this one if none does."""
        rows = build_fixture_rows(self.loaded, list_shown_fixtures(self.loaded, self.state.round))
        waiting = [row.state for row in rows if row.is_open and row.state.number != self.number]
        at = [row.state.number for row in rows].index(self.number)
        after = {row.state.number for row in rows[at:]}
        following = next((state for state in waiting if state.number in after), next(iter(waiting), self.state))
        return build_now_address(self.league, self.competition.slug, following)

    def _finish(self, act: Callable[[], tuple[str, Game | None]]) -> HttpResponse:
        """Carry out a step once, and return to the round with a message; a recorded game can be undone."""

        def carry_out() -> dict[str, Any]:
            message, game = act()
            rejections = list_rejections(self.league, {self.number: game.number}) if game is not None else []
            # A result of two has its full stop only where a sentence follows.
            message = " ".join([end_sentence(message) if rejections else message, *rejections])
            back = self._build_round_address()
            # A key of a list goes on in the list: what is recorded moves to its end.
            goes_on = game is not None and self.button == "quick"
            answer = {"said": message, "target": self._build_next_address() if goes_on else back}
            undo = {} if game is None else {"undo": reverse("desk:void", args=[self.league.slug, game.number])}
            return {**answer, **undo, "back": back}

        return redirect_with_message(self.request, self.league, run_once(self.request, carry_out))

    def _record_or_correct(self, new: NewGame, message: str = "") -> HttpResponse:
        """Record a result, or preview the correction of the recorded one."""
        if "correct" in self.request.POST and self.game is not None:
            return self._correct(self.game, new)

        def record() -> tuple[str, Game | None]:
            by, confirmed = viewer_of(self.request), list_confirmed(self.request)
            outcome = enter_result(self.league.pk, self.number, new, by=by, confirmed=confirmed)
            if isinstance(outcome, EnteredResult):
                return describe_entered(outcome.fixture.entered), None
            game = outcome.game
            recorded = _("{fixture}: game {number} was recorded.").format(fixture=self.row.label, number=game.number)
            return message or recorded, game

        return self._finish(record)

    def _correct(self, game: Game, new: NewGame) -> HttpResponse:
        fixture = find_playable_fixture(self.league, self.number)
        new = replace(new, results=seat_players(fixture, new.results), note=new.note or game.note, weight=game.weight)
        form = forms.Form(self.request.POST)
        return CorrectResult(self.request, self.league, form, game, game, self.loaded, self.state, new).answer()

    def _record_quickly(self) -> HttpResponse:
        quick = self.request.POST["quick"]
        found = QUICK_RESULTS.get(quick) or (ARBITER_RESULTS.get(quick) if self.loaded.scores_are_points else None)
        if found is None or not self.row.is_pair:
            raise Refused(_("Nothing was done; press a button of this page."))
        label, scores = found
        if quick in ARBITER_RESULTS and not self.arbitrates:
            raise PermissionDenied
        results = [NewResult("", score, None) for score in scores]
        if quick in QUICK_RESULTS and not (self.loaded.scores_are_points and self.league.game):
            results = [NewResult("", place=1 + (score < max(scores))) for score in scores]
        first, second = self.row.seats[0].name, self.row.seats[-1].name
        return self._record_or_correct(NewGame(results), f"{first} {label} {second}")

    def _record_forfeit(self) -> tuple[str, Game | None]:
        data = self.forfeit.cleaned_data
        losers, by = [int(number) for number in data["losers"]], viewer_of(self.request)
        outcome = enter_forfeit(self.league.pk, self.number, losers, data["forfeit_reason"], by=by)
        if isinstance(outcome, EnteredResult):
            return describe_entered(outcome.fixture.entered), None
        return _("{fixture}: the forfeit was recorded.").format(fixture=self.row.label), outcome.game

    def _award(self) -> tuple[str, None]:
        data = self.points.cleaned_data
        changes = {"points": [data[name] for name in self.points.seats]}
        change_fixture(
            self.league.pk, self.number, changes, by=get_request_username(self.request), reason=data["points_reason"]
        )
        return _("{fixture}: the points were decided.").format(fixture=self.row.label), None

    def _report(self) -> tuple[str, None]:
        data, by = self.report.cleaned_data, get_request_username(self.request)
        changes, confirmed = {"reported": data["reported"]}, list_confirmed(self.request)
        change_fixture(self.league.pk, self.number, changes, by=by, reason=data["report_reason"], confirmed=confirmed)
        return _("{fixture}: the report has another result.").format(fixture=self.row.label), None

    def _change(self) -> tuple[str, None]:
        changes = self.change.build_changes()
        if not changes:
            return _("Nothing was changed."), None
        username, reason = get_request_username(self.request), self.change.cleaned_data["reason"]
        confirmed = list_confirmed(self.request)
        change_fixture(self.league.pk, self.number, changes, by=username, reason=reason, confirmed=confirmed)
        return _("{fixture} was changed.").format(fixture=self.row.label), None

    def _add_game(self) -> tuple[str, None]:
        entries = tuple(reversed(self.state.entries))
        new = NewFixture(entries, round=self.state.round, table=self.state.table)
        add_fixtures(self.league.pk, self.competition.slug, [new], by=get_request_username(self.request))
        return _("Another game of this match was added, with colours reversed."), None

    def _takes_keys(self) -> bool:
        return self.row.is_pair and takes_quick_results(self.system, self.competition.players_of_seat)

    def _is_proposal(self) -> bool:
        return self.state.round is not None and self.loaded.rounds[self.state.round].published_at is None

    def _describe_fixed(self) -> str:
        """Return why the result is no longer corrected, "" if it may be."""
        number = self.state.round
        is_fixed = self.game is not None and number is not None and number <= find_last_fixed_round(self.competition)
        return describe_fixed_results(number) if is_fixed and number else ""

    def _render(self, sheet: ResultSheet, asked: str) -> HttpResponse:
        return show(
            self.request,
            self.league,
            "apps/competitions/organiser/fixture.html",
            "competitions",
            **build_frame(self.request, self.loaded),
            row=self.row,
            is_proposal=self._is_proposal(),
            result=sheet,
            sheet=sheet.sheet,
            form=sheet.sheet.form,
            game_fields=list_game_fields(sheet.sheet.form),
            asked=asked,
            confirm=self.forfeit,
            own=self.change,
            award=self.points,
            report=self.report,
            game=self.game,
            fixed=self._describe_fixed(),
            quick_results=[]
            if not self._takes_keys()
            else list_quick_results(
                self.row,
                with_draw=knows_draws(self.league),
                with_decisions=self.arbitrates and self.loaded.scores_are_points,
            ),
            once=get_form_key(self.request),
            key=get_form_key(self.request, new=True),
            other_key=get_form_key(self.request, new=True),
        )
