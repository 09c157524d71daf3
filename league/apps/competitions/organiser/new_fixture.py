"""Add a fixture by hand: a free one, or a pairing of a round that is still a proposal."""

import zoneinfo
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.organiser.confirmations import ask_confirmation, list_confirmed
from league.apps.competitions.organiser.fixture import PlanForm
from league.apps.competitions.organiser.now import build_frame, build_now_address
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.pairing_checks import list_unpaired
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.core.errors import RungsError
from league.core.rules.selectors.rules import load_system_in_force
from league.models import League
from league.web.organiser.forms import add_errors, get_form_key, get_request_username, parse_whole_number, run_once
from league.web.organiser.site import organiser_page, redirect_to_first_rule, show
from ratings.forms import WholeField

#: Kinds of fixtures of one entry, with that of several first.
KINDS = (Fixture.Kind.GAME, Fixture.Kind.PAIRING_BYE, Fixture.Kind.HALF_BYE, Fixture.Kind.ZERO_BYE)


def _build_choices(loaded: LoadedCompetition, numbers: Sequence[int]) -> list[tuple[str, str]]:
    return [("", "–"), *((str(number), loaded.name(number)) for number in numbers)]


class NewFixtureForm(PlanForm):
    """A fixture that the organiser enters."""

    round = WholeField(
        label=gettext_lazy("Round"),
        required=False,
        min_value=1,
        max_value=100,
        help_text=gettext_lazy("Empty: a fixture without a round."),
    )

    def __init__(self, loaded: LoadedCompetition, seats: int, data: Any = None) -> None:
        super().__init__(data)
        choices = _build_choices(loaded, list(loaded.entries))
        self.seats = [f"seat_{index}" for index in range(1, seats + 1)]
        for index, name in enumerate(self.seats, start=1):
            label = _("Seat {number}").format(number=index)
            self.fields[name] = forms.ChoiceField(label=label, choices=choices, required=index <= 2)
        self.order_fields([*self.seats, "round"])

    def build_fixture(self) -> NewFixture:
        """Return the fixture."""
        data = self.cleaned_data
        entries = [int(data[name]) for name in self.seats if data[name]]
        return NewFixture(entries, data["round"], **{name: data[name] for name in PlanForm.base_fields})


class NewPairingForm(forms.Form):
    """A pairing of a round that is paired by hand: two or more entries that have none, or the bye of one."""

    kind = forms.ChoiceField(
        label=gettext_lazy("What is it"), choices=[(kind.value, kind.label) for kind in KINDS], required=False
    )

    def __init__(self, loaded: LoadedCompetition, number: int, seats: int, data: Any = None) -> None:
        super().__init__(data)
        self.loaded, self.number = loaded, number
        choices = _build_choices(loaded, list_unpaired(loaded, number))
        self.seats = [f"seat_{index}" for index in range(1, seats + 1)]
        for index, name in enumerate(self.seats, start=1):
            label = _("Seat {number}").format(number=index)
            self.fields[name] = forms.ChoiceField(label=label, choices=choices, required=index == 1)
        self.order_fields([*self.seats, "kind"])

    def build_fixture(self) -> NewFixture:
        """Return the fixture, at the next table."""
        data = self.cleaned_data
        entries = [int(data[name]) for name in self.seats if data[name]]
        kind = data["kind"] or Fixture.Kind.GAME.value
        tables = [fixture.table or 0 for fixture in self.loaded.list_fixtures(self.number)]
        table = 1 + max(tables, default=0) if kind == Fixture.Kind.GAME else None
        return NewFixture(entries, self.number, kind, table=table)


def _find_hand_round(loaded: LoadedCompetition) -> int | None:
    """Return the round that is a proposal and lacks pairings, None if there is none."""
    number = max(loaded.rounds, default=0)
    if not number or loaded.rounds[number].published_at is not None or not list_unpaired(loaded, number):
        return None
    return number


@organiser_page("arbitrate")
def new_fixture(request: HttpRequest, league: League, competition: str) -> HttpResponse:
    """Add a fixture to a competition."""
    found = find_competition(league, competition, for_organisers=True)
    system = load_system_in_force(league)
    if system is None:
        return redirect_to_first_rule(request, league)
    seats = parse_whole_number(request.GET.get("seats", ""), 1) or max(2, min(system.min_players, 7))
    loaded = load_competition(found)
    by_hand = _find_hand_round(loaded)
    data = request.POST if request.method == "POST" else None
    with timezone.override(zoneinfo.ZoneInfo(found.time_zone or league.time_zone)):
        form: Any = NewFixtureForm(loaded, seats, data)
        if by_hand is not None:
            form = NewPairingForm(loaded, by_hand, 7 if found.format == "tables" else 2, data)
        if form.is_bound and form.is_valid():
            try:
                _add_fixture(request, league, found, form.build_fixture())
            except ConfirmationNeeded as needed:
                return ask_confirmation(request, found, needed)
            except RungsError as error:
                add_errors(form, error, lambda pointer: pointer.strip("/").split("/")[-1])
            else:
                return HttpResponseRedirect(build_now_address(league, found.slug))
        return show(
            request,
            league,
            "apps/competitions/organiser/new_fixture.html",
            "competitions",
            **build_frame(request, loaded),
            form=form,
            by_hand=by_hand,
            once=get_form_key(request),
        )


def _add_fixture(request: HttpRequest, league: League, competition: Competition, new: NewFixture) -> None:
    def act() -> dict[str, Any]:
        by, confirmed = get_request_username(request), list_confirmed(request)
        add_fixtures(league.pk, competition.slug, [new], by=by, confirmed=confirmed)
        return {}

    run_once(request, act)
    messages.success(request, _("The fixture was added."))
