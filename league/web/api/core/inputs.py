"""Serializers and fields of request bodies. They validate the format; the services validate the content."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db import models
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.parsers import BaseParser

from league.core import metadata
from league.core.calendar import explain_far_time
from league.core.db.field_bounds import get_bounds
from league.core.errors import MAX_MESSAGES
from league.core.games.services.game_input import MAX_DETAILS
from league.core.players import external_ids
from league.core.text.names import NAME_LENGTH
from league.core.text.strict_json import load
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import METADATA_HELP, Shape

#: Maximum length of a text without a limit of its own.
DEFAULT_MAX_LENGTH = 1000


class FieldCheck(NamedTuple):
    """How one field of a body is validated."""

    name: str
    source: str
    validate: Callable[[Any], Any]
    required: bool
    default: Any
    """Its value if the body has none, ``empty`` for none."""
    is_made: bool
    """Whether ``default`` makes a new value each time."""
    check: Callable[[Any], Any] | None
    """The serializer's ``validate_…`` method."""


class StrictSerializer(Shape):
    """A serializer that refuses unknown fields, so that typing errors are reported."""

    def run_validation(self, data: Any = empty) -> Any:
        """Refuse unknown fields before anything else."""
        is_missing = data is empty or (data is None and self.allow_null)
        if not is_missing and not isinstance(data, dict):
            raise serializers.ValidationError("must be an object.", code="not_an_object")
        if isinstance(data, dict) and not data.keys() <= self.fields.fields.keys():
            # A large body can have a hundred thousand of them, and each message lists all fields.
            unknown = [name for name in data if name not in self.fields][:MAX_MESSAGES]
            field_names = ", ".join(self.fields)
            raise serializers.ValidationError(
                {
                    name: [serializers.ErrorDetail(f"there is no such field; there are: {field_names}.", "unknown")]
                    for name in unknown
                }
            )
        return super().run_validation(data)

    def run_validators(self, value: Any) -> None:
        """Do nothing: no body has validators, and the framework would copy each body for them."""

    @cached_property
    def field_checks(self) -> list[FieldCheck]:
        """Return how each field is validated: a batch has thousands of them."""
        return [
            FieldCheck(
                name,
                str(field.source),
                field.run_validation,
                field.required,
                field.default,
                callable(field.default),
                getattr(self, f"validate_{name}", None),
            )
            for name, field in self.fields.items()
        ]

    def to_internal_value(self, data: dict[str, Any]) -> dict[str, Any]:
        """Validate the fields like the framework, in half the time because forms need no support.

        Values have the names of the fields' sources.
        """
        values, errors = dict[str, Any](), dict[str, Any]()
        for name, source, validate, required, default, is_made, check in self.field_checks:
            try:
                if name in data:
                    values[source] = validate(data[name])
                elif required:
                    values[source] = validate(empty)
                elif default is not empty:
                    values[source] = default() if is_made else default
                if check is not None and name in values:
                    values[name] = check(values[name])
            except serializers.ValidationError as error:
                errors[name] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return values


class JsonNumberField(serializers.FloatField):
    """A JSON number; strings and booleans are refused."""

    def run_validation(self, data: Any = empty) -> Any:
        """Return an ordinary number at once: a batch has thousands of them."""
        if data.__class__ in (float, int) and math.isfinite(data) and not self.validators:
            return float(data)
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> float:
        """Return the number as a float."""
        if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
            raise serializers.ValidationError("must be a number.", code="not_a_number")
        return float(data)


class WholeNumberField(serializers.IntegerField):
    """A JSON number that is an integer."""

    def to_internal_value(self, data: Any) -> int:
        """Return the integer."""
        if isinstance(data, bool) or not isinstance(data, int | float) or data != int(data):
            raise serializers.ValidationError("must be a whole number.", code="not_whole")
        return int(data)


class JsonTextField(serializers.CharField):
    """A JSON string; numbers are refused."""

    def run_validation(self, data: Any = empty) -> Any:
        """Return an ordinary text at once; NUL and lone surrogates are not printable."""
        if (
            data.__class__ is str
            and data.isprintable()
            and 0 < len(text := data.strip()) <= (self.max_length or DEFAULT_MAX_LENGTH)
        ):
            return text
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        """Return the text."""
        if not isinstance(data, str):
            raise serializers.ValidationError("must be a text.", code="not_a_text")
        return str(super().to_internal_value(data))


class Flag(serializers.BooleanField):
    """A JSON boolean; strings and numbers are refused."""

    def to_internal_value(self, data: Any) -> bool:
        """Return the flag."""
        if not isinstance(data, bool):
            raise serializers.ValidationError("must be true or false.", code="not_a_flag")
        return data


class Moment(serializers.DateTimeField):
    """A time with offset."""

    def to_internal_value(self, value: Any) -> datetime:
        """Return the time; one without an offset is ambiguous and refused."""
        if not isinstance(value, str) or not value.isascii():
            raise serializers.ValidationError("must be a time such as 2024-03-05T19:30:00Z.", code="not_a_time")
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            raise serializers.ValidationError(
                "must be a time such as 2024-03-05T19:30:00Z.", code="not_a_time"
            ) from None
        if explain_far_time(time):
            raise serializers.ValidationError("must be a time between the years 2 and 9998.", code="not_a_time")
        if time.tzinfo is None:
            raise serializers.ValidationError("needs an offset, such as 2024-03-05T19:30:00Z.", code="no_offset")
        return time


class TextListField(serializers.ListField):
    """A short list of texts; its length is checked before its items."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(child=JsonTextField(max_length=NAME_LENGTH), max_length=most, **options)
        self.most = most

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the texts."""
        if isinstance(data, list) and len(data) > self.most:
            raise serializers.ValidationError(f"has at most {self.most} entries.", code="max_length")
        return list(super().to_internal_value(data))


def read_whole_numbers(value: Any) -> Any:
    """Return a JSON value whose whole numbers are ints: JSON has one kind of numbers, and 2.0 is whole."""
    if isinstance(value, dict):
        return {name: read_whole_numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [read_whole_numbers(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Figures(serializers.DictField):
    """A small object of numbers and strings, which the rating system interprets."""

    def to_internal_value(self, data: Any) -> dict[Any, Any]:
        """Return the object."""
        if isinstance(data, dict) and len(data) > MAX_DETAILS:
            raise serializers.ValidationError(f"has at most {MAX_DETAILS} entries.", code="too_many")
        return dict(super().to_internal_value(data))


class Texts(serializers.Field[Any, Any, Any, Any]):
    """An object of texts, checked by ``find_faults``."""

    find_faults: Callable[[Any], Iterable[tuple[str | None, str, str]]]

    def to_internal_value(self, data: Any) -> dict[str, str]:
        """Return the object; each error is reported at its key."""
        faults: dict[str, list[serializers.ErrorDetail]] = {}
        for key, code, message in type(self).find_faults(data):
            faults.setdefault("non_field_errors" if key is None else key, []).append(
                serializers.ErrorDetail(message, code)
            )
        if faults:
            raise serializers.ValidationError(faults)
        return dict(data)


@extend_schema_field(metadata.SCHEMA)
class Metadata(Texts):
    """An object of texts that are not interpreted."""

    find_faults = staticmethod(metadata.find_faults)


@extend_schema_field(external_ids.SCHEMA)
class ExternalIds(Texts):
    """An object from providers to the player's ID there."""

    find_faults = staticmethod(external_ids.find_faults)


#: The input fields of model fields without bounds of their own.
SIMPLE_KINDS: dict[type[Any], type[Any]] = {
    models.BooleanField: Flag,
    models.DateTimeField: Moment,
    models.FloatField: JsonNumberField,
}


def build_input_field(field: Any, **more: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the input field for a model field, with its type and bounds."""
    options: dict[str, Any] = {"required": False, "allow_null": field.null, **more}
    if field.choices:
        return serializers.ChoiceField(choices=field.choices, **options)
    if isinstance(field, models.JSONField):
        return Metadata(**{"help_text": METADATA_HELP, **options})
    if kind := next((kind for model, kind in SIMPLE_KINDS.items() if isinstance(field, model)), None):
        simple: serializers.Field[Any, Any, Any, Any] = kind(**options)
        return simple
    if isinstance(field, models.IntegerField):
        low, high = get_bounds(field)
        return WholeNumberField(min_value=low, max_value=high, **options)
    # A text that may be null is null instead of empty.
    return JsonTextField(allow_blank=field.blank and not field.null, max_length=field.max_length, **options)


class StrictJSONParser(BaseParser):
    """UTF-8 JSON without NaN, infinities, duplicate keys, endless numbers or deep nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the value of the body; raises ApiProblem (400, 413)."""
        try:
            return load(self.text(stream))
        except json.JSONDecodeError as error:
            message = f"This is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
            raise ApiProblem(400, message) from None

    def text(self, stream: IO[Any]) -> str:
        """Return the text of the body; raises ApiProblem (400, 413)."""
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise ApiProblem(413, f"The request is larger than {limit:,} bytes; send less at once.")
        try:
            return str(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise ApiProblem(400, "The request is not UTF-8 text.") from None
