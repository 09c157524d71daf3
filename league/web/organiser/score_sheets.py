"""The score sheet as a form: made from what the league's rating system says it needs."""

import zoneinfo
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import BaseFormSet, formset_factory
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.errors import Problem, RungsError
from league.core.games.services.game_input import NewGame, NewResult, with_shared
from league.core.permissions import Viewer
from league.core.players.selectors.search import handles_by_text
from league.models import Game, League
from league.models.facts import MAX_SEATS, MAX_WEIGHT
from league.web.organiser.form_errors import put_above, whole_in
from ratings.contract.system import RatingSystem
from ratings.contract.worksheet import Worksheet
from ratings.forms import NumberField, WholeField

#: Rows that a new sheet offers where any number may play, and that "more seats" adds.
ROWS, MORE = 4, 4
#: What of a line says nothing of a result.
OFFERED = ("player", "side")


#: A time as a browser's field writes it.
MINUTES = "%Y-%m-%dT%H:%M"


class LocalTime(forms.DateTimeField):
    """A time by the league's clock. One that the clock showed twice stays without a zone: a user must say which."""

    def to_python(self, value: Any) -> datetime | None:
        """Return the time; the present time zone is the league's."""
        try:
            return super().to_python(value)
        except ValidationError as error:
            if error.code != "ambiguous_timezone":
                raise
            with timezone.override(UTC):
                moment = super().to_python(value)
            assert moment is not None, "what has two meanings has one at least"
            shown = moment.replace(tzinfo=None)
        if is_twice(shown, timezone.get_current_timezone()):
            return shown
        raise ValidationError(_("This time does not exist: the clocks went forward."), code="never")


def is_twice(shown: datetime, zone: tzinfo) -> bool:
    """Return whether a clock of a zone showed a time twice, because it was put back."""
    first, second = (shown.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first is not None and second is not None and first > second


class Note(forms.CharField):
    """A text whose line breaks come back from the browser as they were."""

    def to_python(self, value: Any) -> str:
        """Return the text; browsers send each line break as two signs."""
        return str(super().to_python(value)).replace("\r\n", "\n")


class SheetForm(forms.Form):
    """What concerns the whole game; game fields are added for the system."""

    zone: tzinfo = UTC
    played_at = LocalTime(
        label=gettext_lazy("Played"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=MINUTES),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=Game.Kind.choices,
        help_text=gettext_lazy("Only played games are rated. A friendly is listed; a bye has one player."),
    )
    turn = forms.ChoiceField(
        label=gettext_lazy("Which hour"),
        required=False,
        choices=[
            ("", "?"),
            ("0", gettext_lazy("before the clocks went back")),
            ("1", gettext_lazy("after the clocks went back")),
        ],
    )
    note: forms.Field = Note(label=gettext_lazy("Note"), max_length=500, required=False)

    def clean(self) -> dict[str, Any]:
        """Ask which of two hours is meant where the clock showed the time twice."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        moment = data.get("played_at")
        if moment is not None and moment.tzinfo is None:
            if data.get("turn"):
                # In UTC: Python holds times of such an hour for equal to none of another zone.
                data["played_at"] = moment.replace(tzinfo=self.zone, fold=int(data["turn"])).astimezone(UTC)
            else:
                self.add_error("turn", _("This time occurred twice because the clocks went back; choose which one."))
        return data


class SeatForm(forms.Form):
    """One player's line."""

    player = forms.CharField(
        label=gettext_lazy("Player"),
        max_length=120,
        required=False,
        widget=forms.TextInput(attrs={"list": "players", "autocomplete": "off"}),
    )
    score = NumberField(label=gettext_lazy("Score"), required=False)
    place = WholeField(
        label=gettext_lazy("Place"),
        required=False,
        min_value=1,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 4}),
    )

    side = WholeField(
        label=gettext_lazy("Team"),
        required=False,
        min_value=1,
        max_value=MAX_SEATS,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 2}),
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a result of no one; sides are offered before there are people for them."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        written = any(value is not None for name, value in data.items() if name not in OFFERED)
        if written and not data.get("player") and "player" not in self.errors:
            self.add_error("player", _("Enter the player for this result, or clear the row."))
        return data


if TYPE_CHECKING:
    FormSet = BaseFormSet[SeatForm]
else:
    FormSet = BaseFormSet


class Seats(FormSet):
    """The seats of a sheet; empty lines, and those that offer a side only, are no one."""

    @cached_property
    def taken(self) -> list[tuple[int, dict[str, Any]]]:
        """Return (row, data) of every line that says anything."""
        # Read once: a form that refuses a field afterwards drops it from its data.
        filled = enumerate(dict(form.cleaned_data) for form in self.forms)
        return [
            (row, data) for row, data in filled if any(data[name] not in (None, "") for name in data.keys() - {"side"})
        ]


def seat_form(worksheet: Worksheet | None) -> type[SeatForm]:
    """Return the form of one player's line, with the columns of a worksheet where the system has one."""
    fields: dict[str, Any] = {
        f"worksheet_{spec.key}": NumberField(
            label=spec.label,
            required=False,
            widget=forms.TextInput(attrs={"inputmode": "decimal", "size": 5, "title": spec.help}),
        )
        for spec in (worksheet.fields if worksheet else ())
    }
    return type("ThisSeat", (SeatForm,), fields)


def worksheet_of(line: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the worksheet on a line of the sheet, None if it is empty."""
    row = {name.removeprefix("worksheet_"): value for name, value in line.items() if name.startswith("worksheet_")}
    return {key: value for key, value in row.items() if value is not None} or None


class IncomingSheet:
    """A score sheet on its way in: two forms, the league, its system.

    ``old`` is the game that the sheet corrects: what its forms do not show stays as it is there. ``sides``: whether it
    asks who played together, if the system knows that; what has sides already always does.
    """

    def __init__(
        self,
        league: League,
        system: RatingSystem,
        data: Mapping[str, Any] | None = None,
        initial: Mapping[str, Any] | None = None,
        seats: list[dict[str, Any]] | None = None,
        *,
        old: Game | None = None,
        sides: bool = False,
    ) -> None:
        self.league, self.system, self.old = league, system, old
        # What the other columns give is left empty: it follows them where they are corrected.
        derived = {f"worksheet_{key}" for key in (system.worksheet.derived if system.worksheet else ())}
        self.seats = [{name: seat[name] for name in seat if name not in derived} for seat in seats or []]
        self.zone = zoneinfo.ZoneInfo(league.time_zone)
        self.kind = str((data or {}).get("kind") or (old.kind if old else Game.Kind.PLAYED))
        given = data is not None and any(name.startswith("seats-") and name.endswith("-side") for name in data)
        self.sides = type(system).sides and (sides or given or any(seat.get("side") for seat in self.seats))
        self.seat_form = seat_form(system.worksheet)
        with timezone.override(self.zone):
            self.form: forms.Form = type("ThisSheet", (SheetForm,), self.fields())(data, initial=initial)
            self.arrange()
            self.formset = self.make_seats(data)

    def fields(self) -> dict[str, Any]:
        """Return what this sheet asks for beside what every sheet does."""
        rated = self.kind == Game.Kind.PLAYED
        fields: dict[str, Any] = {
            f"details_{spec.key}": NumberField(label=spec.label, required=rated, help_text=spec.help)
            for spec in self.system.game_fields
        }
        if type(self.system).weights:
            fields["weight"] = NumberField(
                label=_("Weight"),
                required=False,
                min_value=0,
                max_value=MAX_WEIGHT,
                help_text=_("How much the game counts: 1 is normal, 0 has no effect, 2 counts double. Empty means 1."),
                widget=forms.TextInput(attrs={"inputmode": "decimal", "size": 5}),
            )
        if self.old is not None:
            # A field of one line would lose line breaks, one that strips would lose spaces.
            widget = forms.Textarea(attrs={"rows": 3}) if "\n" in self.old.note else forms.TextInput()
            fields["note"] = Note(label=_("Note"), max_length=500, required=False, strip=False, widget=widget)
        return {**fields, "zone": self.zone}

    def arrange(self) -> None:
        """Put the fields in order, and leave out what this game needs not."""
        fields = self.form.fields
        said = (
            _("In the league's time zone ({zone}). Empty: now.")
            if self.old is None
            else _("In the league's time zone ({zone}). Empty: unchanged.")
        )
        fields["played_at"].help_text = said.format(zone=self.league.time_zone)
        fields["kind"].initial = self.kind
        self.form.order_fields(
            ["played_at", "turn", "kind", *(name for name in fields if name.startswith("details_")), "weight", "note"]
        )
        if not self.asks_for_turn():
            del self.form.fields["turn"]

    def asks_for_turn(self) -> bool:
        """Return whether the time on the sheet is one that the clock showed twice."""
        shown = self.form["played_at"].value()
        try:
            # A browser's text, or a moment.
            shown = parse_datetime(shown.strip()) if isinstance(shown, str) else shown
        except ValueError:
            return False
        return shown is not None and shown.tzinfo is None and is_twice(shown, self.zone)

    def make_seats(self, data: Mapping[str, Any] | None) -> Seats:
        """Return the seats: as many lines as the system needs, filled with what is known."""
        offered = max(self.system.fewest_players, min(ROWS, self.system.most_players), len(self.seats))
        made = formset_factory(
            self.seat_form, formset=Seats, extra=max(offered - len(self.seats), 0), max_num=self.system.most_players
        )
        formset = made(self.arranged(data), initial=self.seats, prefix="seats")
        for form in formset.forms:
            if not self.sides:
                del form.fields["side"]
            for name, use in (("score", self.system.score), ("place", self.system.place)):
                spare = use == "unused" or (use == "optional" and name == "place" and self.system.score == "required")
                if spare and all(seat.get(name) is None for seat in self.seats):
                    del form.fields[name]
        assert isinstance(formset, Seats)
        return formset

    def arranged(self, data: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Return the data with empty lines at the end, and with more lines where they were asked for.

        So each line is at the number of its seat, which sentences name.
        """
        total = whole_in(str(data.get("seats-TOTAL_FORMS", "")), 3) if data is not None else None
        if data is None or total is None:
            return data
        given = dict(data.items())
        names = list(self.seat_form.base_fields)
        lines = [[given.pop(f"seats-{row}-{name}", "") for name in names] for row in range(total)]
        said = [names.index(name) for name in names if name != "side"]
        lines.sort(key=lambda line: not any(str(line[index]).strip() for index in said))
        for row, line in enumerate(lines):
            given |= {f"seats-{row}-{name}": value for name, value in zip(names, line, strict=True)}
        if "_more" in data:
            given["seats-TOTAL_FORMS"] = str(min(total + MORE, MAX_SEATS))
        return given

    def valid(self) -> bool:
        """Return whether both forms are well-formed."""
        with timezone.override(self.zone):
            return self.form.is_valid() & self.formset.is_valid()

    def game(self, viewer: Viewer) -> NewGame:
        """Return the game as services take it; names that ``viewer`` may know are looked up, others stay as written."""
        data = self.form.cleaned_data
        taken = self.formset.taken
        # Two people on one side are no game: the sheet offered those sides before it was known how many sit down.
        alone = len(taken) == 2 and taken[0][1].get("side") == taken[1][1].get("side")
        known = handles_by_text([line["player"] for _, line in taken], self.league, viewer)
        results = [
            NewResult(
                known.get(line["player"], line["player"]),
                line.get("score"),
                line.get("place"),
                None if alone else line.get("side"),
                worksheet_of(line),
            )
            for _, line in taken
        ]
        return NewGame(
            with_shared(results),
            played_at=self.played_at(),
            details=self.details(),
            note=data["note"],
            weight=self.weight(),
            kind=self.kind,
            viewer=viewer,
        )

    def played_at(self) -> datetime | None:
        """Return when the game was played; None leaves it to the service (now, or as it was)."""
        # The field shows no seconds: a time that no one touched must not lose them.
        moment: datetime | None = self.form.cleaned_data["played_at"]
        if moment is not None and self.old is not None:
            was = self.old.played_at.astimezone(self.zone).replace(second=0, microsecond=0)
            return None if moment.astimezone(UTC) == was.astimezone(UTC) else moment
        return moment

    def weight(self) -> float:
        """Return how much the game counts: what the sheet says, else what the old game says, else as usual."""
        if "weight" not in self.form.fields:
            return self.old.weight if self.old else 1.0
        found: float | None = self.form.cleaned_data["weight"]
        return 1.0 if found is None else found

    def details(self) -> dict[str, Any]:
        """Return the game fields that are filled in, and those of the old game that no field shows."""
        shown = {spec.key: self.form.cleaned_data[f"details_{spec.key}"] for spec in self.system.game_fields}
        hidden = {key: value for key, value in self.old.fields.items() if key not in shown} if self.old else {}
        return hidden | {key: value for key, value in shown.items() if value is not None}

    def put(self, error: RungsError, problems: Iterable[Problem] | None = None) -> None:
        """Put what is wrong, all of it or some problems only, at the fields that their pointers mean, or above."""
        for problem in error.problems if problems is None else problems:
            parts, form = problem.pointer.split("/")[1:], self.form
            names = [f"details_{parts[1]}" if parts[0] == "details" and len(parts) > 1 else parts[0]]
            if parts[0] == "results" and len(parts) >= 3:
                form = self.formset.forms[self.formset.taken[int(parts[1])][0]]
                names = ["_".join(parts[2:]), parts[2]]
            form.add_error(next((name for name in names if name in form.fields), None), problem.detail)
        if not error.problems:
            put_above(self.form, error)


def seats_of(game: Game) -> list[dict[str, Any]]:
    """Return the lines of a recorded game as they are on a sheet; a worksheet is there for the score it made."""
    lines = list(game.results.select_related("player").order_by("seat"))
    seats = [
        {"player": line.player.handle, "score": plain(line.score), "place": line.place, "side": line.side}
        for line in lines
    ]
    for seat, row in zip(seats, game.worksheets, strict=False):
        seat.update({"score": None}, **{f"worksheet_{key}": plain(value) for key, value in row.items()})
    return seats


def by_their_names(
    seats: list[dict[str, Any]], names: Mapping[str, str], league: League, viewer: Viewer
) -> list[dict[str, Any]]:
    """Return lines with people by their names, given by handle, where those mean no other user; else by handles."""
    known = handles_by_text(names.values(), league, viewer)
    means = {handle: name for handle, name in names.items() if known.get(name) == handle}
    return [{**seat, "player": means.get(seat["player"], seat["player"])} for seat in seats]


def plain(score: float | None) -> Any:
    """Return a score as a user writes it: no .0."""
    return int(score) if score is not None and score == int(score) else score


def local(moment: datetime, league: League) -> datetime:
    """Return a moment in the league's time, for a field."""
    return moment.astimezone(zoneinfo.ZoneInfo(league.time_zone)).replace(tzinfo=None)
