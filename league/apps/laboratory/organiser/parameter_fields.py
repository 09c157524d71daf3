"""Form fields for the parameters of the systems that a form names."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from ratings.forms import build_parameters_form
from ratings.registry import get_system, load_systems

#: The forms suggest the first that is not the league's own.
SUGGESTED_SYSTEMS = ("elo", "glicko2", "weng_lin")


def suggest_other_system(own: str) -> str:
    """Return the key of a system that a league could compare with its own."""
    return next(key for key in SUGGESTED_SYSTEMS if key in load_systems() and key != own)


def list_system_choices() -> list[tuple[str, str]]:
    """Return the systems' keys and titles in the reader's language."""
    return [(key, str(system.title)) for key, system in load_systems().items()]


def build_field_prefix(number: int, system: str) -> str:
    """Return the beginning of the names of a system's parameter fields."""
    return f"{number}-{system}-"


def list_parameter_values(number: int, system: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by the names of their fields."""
    return {f"{build_field_prefix(number, system)}{name}": value for name, value in parameters.items()}


class ParameterFieldsForm(forms.Form):
    """A form with numbered systems, and fields for the parameters of those that are chosen.

    A system whose fields were not sent, because it was chosen after they were shown, has its default parameters.
    """

    def add_parameter_fields(self, number: int, system_field: str) -> None:
        """Add the fields of the system that a field chooses, if it is one."""
        key = self.data.get(system_field) if self.is_bound else self.initial.get(system_field)
        if key not in load_systems():
            return
        prefix = build_field_prefix(number, key)
        if not self.is_bound or any(name.startswith(prefix) for name in self.data):
            fields = build_parameters_form(get_system(key)).base_fields
            self.fields |= {f"{prefix}{name}": field for name, field in fields.items()}

    def list_parameter_fields(self, number: int, system: str) -> list[Any]:
        """Return the parameter fields of a system."""
        prefix = build_field_prefix(number, system)
        return [self[name] for name in self.fields if name.startswith(prefix)]

    def collect_parameters(self, number: int, system: str) -> dict[str, Any]:
        """Return the parameters of a chosen system; the fields must be valid."""
        prefix = build_field_prefix(number, system)
        return {
            name.removeprefix(prefix): value for name, value in self.cleaned_data.items() if name.startswith(prefix)
        }


def keep_choices(data: QueryDict) -> dict[str, Any]:
    """Return a sent form's values as initial ones, so that a form can be shown again with other fields."""
    return {name: data.getlist(name) if len(data.getlist(name)) > 1 else data[name] for name in data}
