"""The form of a score sheet, with the fields that the league's rating system needs."""

import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
from league.core.games.services.game_input import NewGame, NewResult, share_side_results
from league.core.permissions import Viewer
from league.core.players.selectors.search import build_player_choices
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, load_rule_in_force, load_rules
from league.core.text.names import NAME_LENGTH
from league.models import Game, League, Rule
from league.models.facts import MAX_SEATS, MAX_WEIGHT
from league.web.organiser.field_forms import DeclaredFields
from league.web.organiser.forms import add_form_error, parse_whole_number
from ratings.contract.set_scores import MAX_POINTS
from ratings.contract.system import RatingSystem
from ratings.contract.worksheet import Worksheet
from ratings.forms import NumberField, WholeField

#: Rows of a new sheet if the league's tables differ, and rows that "More seats" adds.
DEFAULT_ROWS, ADDED_ROWS = 4, 4
#: Fields that are offered before there is a result.
SEAT_FIELDS = ("player", "side")


#: The format of a browser's field for a time.
TIME_FORMAT = "%Y-%m-%dT%H:%M"


class LocalTimeField(forms.DateTimeField):
    """A time in the league's time zone; one that occurred twice stays without a zone until the user chooses."""

    def to_python(self, value: Any) -> datetime | None:
        """Parse the time in the current time zone, which is the league's."""
        try:
            return super().to_python(value)
        except ValidationError as error:
            if error.code != "ambiguous_timezone":
                raise
            with timezone.override(UTC):
                time = super().to_python(value)
            assert time is not None, "what has two meanings has one at least"
            local_time = time.replace(tzinfo=None)
        if _occurs_twice(local_time, timezone.get_current_timezone()):
            return local_time
        raise ValidationError(_("This time does not exist: the clocks went forward."), code="never")


def _occurs_twice(local_time: datetime, zone: tzinfo) -> bool:
    first, second = (local_time.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first is not None and second is not None and first > second


class NoteField(forms.CharField):
    """The note of a game, with normalised line breaks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=Game.note.field.max_length, **options)

    def to_python(self, value: Any) -> str:
        """Return the text with the line breaks that the user typed."""
        return str(super().to_python(value)).replace("\r\n", "\n")


class SheetForm(forms.Form):
    """Fields of the game; those of the rating system are added."""

    zone: tzinfo = UTC
    played_at = LocalTimeField(
        label=gettext_lazy("Played"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=TIME_FORMAT),
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
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=Game.Kind.choices,
        help_text=gettext_lazy("Only played games are rated. A friendly is listed; a bye has one player."),
    )
    note: forms.Field = NoteField(label=gettext_lazy("Note"), required=False)

    def clean(self) -> dict[str, Any]:
        """Require a choice if the time occurred twice."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        played_at = data.get("played_at")
        if played_at is not None and played_at.tzinfo is None:
            if data.get("turn"):
                # In UTC, because Python compares such times as unequal to any time in another zone.
                data["played_at"] = played_at.replace(tzinfo=self.zone, fold=int(data["turn"])).astimezone(UTC)
            else:
                self.add_error("turn", _("This time occurred twice because the clocks went back; choose which one."))
        return data


class SeatForm(forms.Form):
    """One player's line."""

    player = forms.CharField(
        label=gettext_lazy("Player"),
        max_length=NAME_LENGTH,
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
        """Refuse a result without a player; sides may be set before players."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        has_result = any(value not in (None, "") for name, value in data.items() if name not in SEAT_FIELDS)
        if has_result and not data.get("player") and "player" not in self.errors:
            self.add_error("player", _("Enter the player for this result, or clear the row."))
        return data


if TYPE_CHECKING:
    FormSet = BaseFormSet[SeatForm]
else:
    FormSet = BaseFormSet


class SeatFormSet(FormSet):
    """The seats of a sheet; lines that are empty or have only a side do not count."""

    @cached_property
    def taken(self) -> list[tuple[int, dict[str, Any]]]:
        """Row and data of each line with a player or a result."""
        # Cached, because ``add_error`` removes fields from a form's data later.
        filled = enumerate(dict(form.cleaned_data) for form in self.forms)
        return [
            (row, data) for row, data in filled if any(data[name] not in (None, "") for name in data.keys() - {"side"})
        ]


def _seat_form_class(worksheet: Worksheet | None, set_count: int, declared: Mapping[str, Any]) -> type[SeatForm]:
    """Return the form of a line, with the columns of a worksheet, or a field for each of at most ``set_count`` sets.

    ``declared``: the form fields of declared fields.
    """
    sets = {
        f"set_{number}": WholeField(
            label=_("Set {number}").format(number=number),
            required=False,
            min_value=0,
            max_value=MAX_POINTS,
            widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 3, "class": "set"}),
        )
        for number in range(1, set_count + 1)
    }
    fields: dict[str, Any] = {
        f"worksheet_{spec.key}": NumberField(
            label=spec.label,
            required=False,
            widget=forms.TextInput(attrs={"inputmode": "decimal", "size": 5, "title": spec.help}),
        )
        for spec in (worksheet.fields if worksheet else ())
    }
    return type("ThisSeat", (SeatForm,), {**fields, **sets, **declared})


def read_worksheet(line: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the worksheet on a line, None if it is empty."""
    row = {name.removeprefix("worksheet_"): value for name, value in line.items() if name.startswith("worksheet_")}
    return {key: value for key, value in row.items() if value is not None} or None


def read_sets(line: Mapping[str, Any]) -> list[int | None] | None:
    """Return the sets on a line up to the last one that was filled in, None if there are none."""
    points = [value for name, value in line.items() if name.startswith("set_")]
    while points and points[-1] is None:
        points.pop()
    return points or None


class IncomingSheet:
    """A submitted score sheet: the game's form and the formset of its seats.

    ``old`` is the game that the sheet corrects; values that the forms do not show are taken from it. ``sides`` is
    whether the sheet asks for teams, if the system has them; it always does if there are sides already.
    """

    def __init__(
        self,
        league: League,
        rule: Rule,
        data: Mapping[str, Any] | None = None,
        initial: Mapping[str, Any] | None = None,
        seats: list[dict[str, Any]] | None = None,
        *,
        old: Game | None = None,
        sides: bool = False,
    ) -> None:
        self.league, self.rule, self.old = league, rule, old
        self.declared = DeclaredFields(league, old)
        self.system = system = build_rule_system(rule)
        # Derived columns stay empty, so that they are computed again after a correction.
        derived = {f"worksheet_{key}" for key in (system.worksheet.derived if system.worksheet else ())}
        self.seats = [{name: seat[name] for name in seat if name not in derived} for seat in seats or []]
        initial = self.declared.fill_in(initial, self.seats)
        self.zone = zoneinfo.ZoneInfo(league.time_zone)
        self.kind = str((data or {}).get("kind") or (old.kind if old else Game.Kind.PLAYED))
        has_sides = data is not None and any(name.startswith("seats-") and name.endswith("-side") for name in data)
        self.sides = type(system).sides and (sides or has_sides or any(seat.get("side") for seat in self.seats))
        sets = rule.sets.get("best_of", 0)
        self.seat_form = _seat_form_class(system.worksheet, sets, self.declared.build_seat_fields())
        with timezone.override(self.zone):
            self.form: forms.Form = type("ThisSheet", (SheetForm,), self.fields())(data, initial=initial)
            self.arrange()
            self.formset = self.make_seats(data)

    def fields(self) -> dict[str, Any]:
        """Return the additional fields of this sheet."""
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
        if self.rule.sets.get("retired") == "allowed":
            choices = [("", _("nobody")), ("1", _("the first side")), ("2", _("the second side"))]
            text = _("The side that stopped during the match: the other side wins.")
            fields["retired"] = forms.ChoiceField(label=_("Retired"), required=False, choices=choices, help_text=text)
        if self.old is not None:
            # Keeps line breaks and spaces.
            widget = forms.Textarea(attrs={"rows": 3}) if "\n" in self.old.note else forms.TextInput()
            fields["note"] = NoteField(label=_("Note"), required=False, strip=False, widget=widget)
        return {**fields, **self.declared.build_game_fields(), "zone": self.zone}

    def arrange(self) -> None:
        """Order the fields, and remove unneeded ones."""
        fields = self.form.fields
        text = (
            _("In the league's time zone ({zone}). Empty: now.")
            if self.old is None
            else _("In the league's time zone ({zone}). Empty: unchanged.")
        )
        fields["played_at"].help_text = text.format(zone=self.league.time_zone)
        fields["kind"].initial = self.kind
        self.form.order_fields([name for name in fields if name != "note"])  # the note is the last one
        if not self.asks_for_turn():
            del self.form.fields["turn"]

    def asks_for_turn(self) -> bool:
        """Return whether the time on the sheet occurred twice."""
        value = self.form["played_at"].value()
        try:
            # Text from a browser, or a datetime.
            value = parse_datetime(value.strip()) if isinstance(value, str) else value
        except ValueError:
            return False
        return value is not None and value.tzinfo is None and _occurs_twice(value, self.zone)

    def make_seats(self, data: Mapping[str, Any] | None) -> SeatFormSet:
        """Return the formset of seats, with as many lines as the system needs."""
        offered = max(choose_seat_count(self.league, self.system), len(self.seats))
        formset_class = formset_factory(
            self.seat_form,
            formset=SeatFormSet,
            extra=max(offered - len(self.seats), 0),
            max_num=self.system.max_players,
        )
        formset = formset_class(self.arranged(data), initial=self.seats, prefix="seats")
        for form in formset.forms:
            if not self.sides:
                del form.fields["side"]
            for name, use in (("score", self.system.score), ("place", self.system.place)):
                spare = use == "unused" or (use == "optional" and name == "place" and self.system.score == "required")
                # Places of two follow from the scores that the game has.
                spare |= (
                    name == "place" and len(self.seats) == 2 and all(one.get("score") is not None for one in self.seats)
                )
                if spare and all(seat.get(name) is None for seat in self.seats):
                    del form.fields[name]
        assert isinstance(formset, SeatFormSet)
        return formset

    def arranged(self, data: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """Move empty lines to the end, and add lines if requested.

        So the number of a line is the seat number in error messages.
        """
        total = parse_whole_number(str(data.get("seats-TOTAL_FORMS", "")), 3) if data is not None else None
        if data is None or total is None:
            return data
        values = dict(data.items())
        names = list(self.seat_form.base_fields)
        lines = [[values.pop(f"seats-{row}-{name}", "") for name in names] for row in range(total)]
        relevant = [names.index(name) for name in names if name != "side"]
        lines.sort(key=lambda line: not any(str(line[index]).strip() for index in relevant))
        for row, line in enumerate(lines):
            values |= {f"seats-{row}-{name}": value for name, value in zip(names, line, strict=True)}
        if "_more" in data:
            values["seats-TOTAL_FORMS"] = str(min(total + ADDED_ROWS, MAX_SEATS))
        return values

    def valid(self) -> bool:
        """Return whether both forms are well-formed."""
        with timezone.override(self.zone):
            return self.form.is_valid() & self.formset.is_valid()

    def results(self) -> list[NewResult]:
        """Return the results in seat order."""
        filled_lines = self.formset.taken
        # For two players the default sides 1-1 do not apply.
        alone = len(filled_lines) == 2 and filled_lines[0][1].get("side") == filled_lines[1][1].get("side")
        results = [
            NewResult(
                line["player"],
                line.get("score"),
                line.get("place"),
                None if alone else line.get("side"),
                read_worksheet(line),
                read_sets(line),
                fields=self.declared.read_seat(line, row),
            )
            for row, (_, line) in enumerate(filled_lines)
        ]
        # An incomplete sheet has no valid form.
        retired = getattr(self.form, "cleaned_data", {}).get("retired")
        return share_side_results(_mark_retired(results, int(retired)) if retired else results)

    def game(self, viewer: Viewer) -> NewGame:
        """Return the game for the services."""
        data = self.form.cleaned_data
        return NewGame(
            self.results(),
            played_at=self.played_at(),
            details=self.details(),
            note=data["note"],
            weight=self.weight(),
            kind=self.kind,
            fields=self.declared.read_game(data),
            viewer=viewer,
        )

    def played_at(self) -> datetime | None:
        """Return the time of the game; None means now, or unchanged in a correction."""
        # The field shows no seconds, and an unchanged time must keep them.
        time: datetime | None = self.form.cleaned_data["played_at"]
        if time is not None and self.old is not None:
            old_time = self.old.played_at.astimezone(self.zone).replace(second=0, microsecond=0)
            return None if time.astimezone(UTC) == old_time.astimezone(UTC) else time
        return time

    def weight(self) -> float:
        """Return the weight of the game: from the sheet, else of the old game, else 1."""
        if "weight" not in self.form.fields:
            return self.old.weight if self.old else 1.0
        weight: float | None = self.form.cleaned_data["weight"]
        return 1.0 if weight is None else weight

    def details(self) -> dict[str, Any]:
        """Return the filled-in game fields, and those of the old game that the form does not show."""
        values = {spec.key: self.form.cleaned_data[f"details_{spec.key}"] for spec in self.system.game_fields}
        hidden = {key: value for key, value in self.old.fields.items() if key not in values} if self.old else {}
        return hidden | {key: value for key, value in values.items() if value is not None}

    def put(self, error: RungsError, problems: Iterable[Problem] | None = None) -> None:
        """Show an error, or only some of its problems, at the fields of their pointers or above the form."""
        for problem in error.problems if problems is None else problems:
            segments, form = problem.pointer.split("/")[1:], self.form
            is_named = segments[0] in ("details", "fields") and len(segments) > 1
            names = ["_".join(segments[:2]) if is_named else segments[0]]
            if segments[0] == "results" and len(segments) >= 3:
                form = self.formset.forms[self.formset.taken[int(segments[1])][0]]
                names = ["_".join(segments[2:]), segments[2]]
                if segments[2] == "sets":
                    names = [f"set_{int(segments[3]) + 1}" if len(segments) > 3 else "set_1"]
                elif segments[2] == "retired":
                    form = self.form
            form.add_error(next((name for name in names if name in form.fields), None), problem.detail)
        if not error.problems:
            add_form_error(self.form, error)


def _mark_retired(results: Sequence[NewResult], side: int) -> list[NewResult]:
    """Return the results, the first player of a side (1 or 2) marked as retired."""
    sides = list(dict.fromkeys(-seat if line.side is None else line.side for seat, line in enumerate(results)))
    retired = sides[side - 1] if side <= len(sides) else None
    seat = next((seat for seat, line in enumerate(results) if retired in (line.side, -seat)), None)
    return [replace(line, retired=True) if position == seat else line for position, line in enumerate(results)]


def find_retired_side(rows: Sequence[Mapping[str, Any]], sides: Sequence[int | None]) -> str:
    """Return which side retired as the form has it: "1", "2", or ""; ``rows``: the sets in seat order."""
    keys = [-seat if side is None else side for seat, side in enumerate(sides)]
    retired = next((key for key, row in zip(keys, rows, strict=False) if row.get("retired")), None)
    return "" if retired is None else str(list(dict.fromkeys(keys)).index(retired) + 1)


def fill_in_sets(seat: dict[str, Any], row: Mapping[str, Any]) -> None:
    """Fill sets into a line, instead of its result."""
    points = {f"set_{number}": value for number, value in enumerate(row["sets"], start=1)}
    seat.update({"score": None, "place": None}, **points)


def choose_seat_count(league: League, system: RatingSystem, latest_game: Game | None = None) -> int:
    """Return the number of seats of an empty sheet: the template's, else that of the latest game, else four."""
    seats = league.seats or (latest_game.results.count() if latest_game else DEFAULT_ROWS)
    return min(max(seats, system.min_players), system.max_players)


def load_seats(game: Game) -> list[dict[str, Any]]:
    """Return the lines of a recorded game for a sheet, with worksheets or sets in place of their results."""
    lines = list(game.results.select_related("player").order_by("seat"))
    seats = [
        {"player": line.player.handle, "score": format_single_line(line.score), "place": line.place, "side": line.side}
        for line in lines
    ]
    for seat, row in zip(seats, game.worksheets, strict=False):
        seat.update({"score": None}, **{f"worksheet_{key}": format_single_line(value) for key, value in row.items()})
    seen = set[int]()
    for index, (seat, row) in enumerate(zip(seats, game.set_rows, strict=False)):
        key = -index if seat["side"] is None else seat["side"]
        fill_in_sets(seat, row if key not in seen else {"sets": []})
        seen.add(key)
    return seats


def replace_handles_by_names(
    seats: list[dict[str, Any]], names: Mapping[str, str], league: League, viewer: Viewer
) -> list[dict[str, Any]]:
    """Replace handles by names, if these are unambiguous; ``names`` is handle -> name."""
    choices = build_player_choices(names.items(), league, viewer)
    values = {handle: value for handle, (value, _label) in zip(names, choices, strict=True)}
    return [{**seat, "player": values.get(seat["player"], seat["player"])} for seat in seats]


def format_single_line(score: float | None) -> Any:
    """Return a score without a trailing .0."""
    return int(score) if score is not None and score == int(score) else score


def convert_to_local(time: datetime, league: League) -> datetime:
    """Return a time in the league's time zone, without the zone."""
    return time.astimezone(zoneinfo.ZoneInfo(league.time_zone)).replace(tzinfo=None)


def rule_at(league: League, moment: datetime) -> Rule:
    """Return the rule in force at a time, else the present one."""
    rule = find_rule_at(load_rules(league), moment) or load_rule_in_force(league)
    assert rule is not None, "a league with a game, or one to be confirmed, has a rule"
    return rule
