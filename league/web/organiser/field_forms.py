"""Form fields of declared fields: of games and seats on score sheets."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from league.core.fields.selectors.fields import collect_game_values, load_fields
from league.core.games.services.game_input import NewGame
from league.models import DeclaredField, Game, League
from league.models.fields import MAX_VALUE_LENGTH
from ratings.forms import NumberField

#: The beginning of the names of these form fields.
PREFIX = "fields_"
Of, Type = DeclaredField.Of, DeclaredField.Type


class GameFieldsForm(forms.Form):
    """The declared fields of games, for all games of a paste; those for organisers only are not on it."""

    def __init__(self, league: League, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.declared = DeclaredFields(league, None)
        self.fields.update(self.declared.build_game_fields())

    def read(self) -> dict[str, Any]:
        """Return the valid values by key."""
        self.full_clean()
        return read_values(self.cleaned_data, self.declared.of_game)


class DeclaredFields:
    """The declared fields of a league on a sheet; those for organisers only are not on it, but stay in corrections."""

    def __init__(self, league: League, old: Game | None) -> None:
        fields = load_fields(league)
        shown = [one for one in fields if one.is_asked_for and not one.retired]
        self.of_game = [declared for declared in shown if declared.of == Of.GAME]
        self.of_seats = [declared for declared in shown if declared.of == Of.SEAT]
        on_sheet = {declared.pk for declared in shown}
        others = [declared for declared in fields if declared.pk not in on_sheet and not declared.retired]
        self.filled = None if old is None else collect_game_values(old, shown)
        self.hidden = None if old is None else collect_game_values(old, others)

    def build_game_fields(self) -> dict[str, forms.Field]:
        """Return the form fields of the game."""
        return {f"{PREFIX}{declared.key}": build_form_field(declared) for declared in self.of_game}

    def build_seat_fields(self) -> dict[str, forms.Field]:
        """Return the form fields of a seat."""
        return {f"{PREFIX}{declared.key}": build_form_field(declared) for declared in self.of_seats}

    def fill_in(self, initial: Mapping[str, Any] | None, seats: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the initial values of a sheet with those of the corrected game; seats get theirs."""
        if self.filled is None:
            return dict(initial or {})
        for seat, values in zip(seats, self.filled.seats, strict=False):
            seat.update(name_form_fields(values))
        return {**(initial or {}), **name_form_fields(self.filled.game)}

    def read_game(self, data: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the values of a game from a form's data; None if there are no fields."""
        if not self.of_game and not self.of_seats:
            return None
        return {**(self.hidden.game if self.hidden else {}), **read_values(data, self.of_game)}

    def is_unchanged(self, new: NewGame) -> bool:
        """Return whether a correction has the values of the corrected game."""
        if self.filled is None or self.hidden is None or new.fields is None:
            return True
        parts = (self.filled, self.hidden)
        old_seats = [
            {key: value for part in parts if row < len(part.seats) for key, value in part.seats[row].items()}
            for row in range(len(new.results))
        ]
        return dict(new.fields) == {**self.filled.game, **self.hidden.game} and old_seats == [
            dict(result.fields or {}) for result in new.results
        ]

    def read_seat(self, data: Mapping[str, Any], row: int) -> dict[str, Any] | None:
        """Return the values of a seat from a line's data; None if there are no fields."""
        if not self.of_game and not self.of_seats:
            return None
        hidden = self.hidden.seats[row] if self.hidden and row < len(self.hidden.seats) else {}
        return {**hidden, **read_values(data, self.of_seats)}


def read_values(data: Mapping[str, Any], fields: Iterable[DeclaredField]) -> dict[str, Any]:
    """Return the filled-in values by key, as the API takes them."""
    values = {}
    for declared in fields:
        value = data.get(f"{PREFIX}{declared.key}")
        if value in (None, ""):
            continue
        if declared.type == Type.YES_NO:
            value = value == "true"
        values[declared.key] = str(value) if declared.type == Type.DATE else value
    return values


def name_form_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the names of their form fields."""
    return {f"{PREFIX}{key}": value for key, value in values.items()}


def build_form_field(declared: DeclaredField) -> forms.Field:
    """Return the form field of a declared field; whether it is required the service says, also for byes."""
    options: dict[str, Any] = {"label": declared.title, "required": False}
    if declared.type == Type.CHOICE:
        return forms.ChoiceField(choices=[("", "–"), *((one, one) for one in declared.choices)], **options)
    if declared.type == Type.YES_NO:
        choices = [("", "–"), ("true", _("Yes")), ("false", _("No"))]
        return _YesNoField(choices=choices, **options)
    if declared.type == Type.NUMBER:
        return NumberField(**options)
    if declared.type == Type.DATE:
        return forms.DateField(widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"), **options)
    return forms.CharField(max_length=MAX_VALUE_LENGTH, **options)


class _YesNoField(forms.ChoiceField):
    """Yes, no, or nothing; a stored value is true or false."""

    def prepare_value(self, value: Any) -> Any:
        """Return the choice of a value."""
        return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value
