"""The fields that a league declares for its games, seats and players, and their values in requests and responses."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.fields.selectors.fields import (
    PREFIX,
    Of,
    ValueFilter,
    find_field,
    load_readable_fields,
    may_read,
    parse_filter,
)
from league.core.fields.services.fields import MAX_CHOICES, MAX_FIELDS, NewField, change_field, declare_field
from league.core.text.names import shorten_name
from league.models import DeclaredField, League
from league.models.fields import KEY_PATTERN, MAX_VALUE_LENGTH
from league.web.api.core.base import Endpoint
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import Flag, JsonTextField, StrictSerializer, build_input_field
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.openapi.examples import READ, describe_list, describe_write, request_example

VALUES_HELP = "The values of the league's declared fields, by key."
#: The values of declared fields, as JSON Schema.
VALUES_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {
        "type": ["string", "number", "boolean", "null"],
    },
    "maxProperties": MAX_FIELDS,
}


@extend_schema_field(VALUES_SCHEMA)
class FieldValues(s.Field[Any, Any, Any, Any]):
    """Values of declared fields by key; the service checks them."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the object; a value is a text, a number, true, false, or null for none."""
        if not isinstance(data, dict):
            raise s.ValidationError("must be an object.", code="not_an_object")
        if len(data) > MAX_FIELDS:
            raise s.ValidationError(f"has at most {MAX_FIELDS} entries.", code="too_many")
        wrong = {
            key: [s.ErrorDetail("must be a text, a number, true or false.", "invalid")]
            for key, value in data.items()
            if not isinstance(value, str | int | float | None)
        }
        if wrong:
            raise s.ValidationError(wrong)
        return dict(data)

    def to_representation(self, value: Any) -> Any:
        """Return the object."""
        return value


class ChoicesField(s.ListField):
    """The choices of a field; the service checks their texts."""

    child = JsonTextField(max_length=MAX_VALUE_LENGTH)

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_CHOICES, **options)


class FieldChange(StrictSerializer):
    """The changeable members of a field."""

    title = build_input_field(DeclaredField.title.field)
    choices = ChoicesField(required=False, help_text="All choices; new ones can be added, none removed.")
    required_ = Flag(required=False, help_text="Whether new games need a value.")
    retired = Flag(required=False, help_text="A retired field takes no new values; stored ones stay.")


class FieldInput(StrictSerializer):
    """A field to declare. Key, type and visibility never change."""

    key = build_input_field(DeclaredField.key.field, required=True, help_text="Small letters, digits and _.")
    title = build_input_field(DeclaredField.title.field, required=True)
    of = s.ChoiceField(choices=Of.choices, help_text="What has a value: a game, a seat of a game, or a player.")
    type = s.ChoiceField(choices=DeclaredField.Type.choices)
    choices = ChoicesField(required=False, default=list, help_text="Of the type choice: its choices, in order.")
    required_ = Flag(required=False, default=False, help_text="Whether new games need a value.")
    visible = s.ChoiceField(
        choices=DeclaredField.Visible.choices,
        required=False,
        default=DeclaredField.Visible.ALL,
        help_text="Who may read the values; only values for all are in public logs and exports.",
    )
    from_ = s.DateField(
        required=False, allow_null=True, default=None, help_text="The first day with values; all days without it."
    )

    @staticmethod
    def new(data: dict[str, Any]) -> NewField:
        """Return the field for the service."""
        return NewField(**{name: value for name, value in data.items() if name != "from"}, from_date=data["from"])


class FieldShape(Shape):
    """A field that the league declares."""

    key = s.CharField()
    title = s.CharField()
    of = s.ChoiceField(choices=Of.choices)
    type = s.ChoiceField(choices=DeclaredField.Type.choices)
    choices = s.ListField(child=s.CharField())
    required_ = s.BooleanField()
    visible = s.ChoiceField(choices=DeclaredField.Visible.choices)
    from_ = s.DateField(source="from_date", allow_null=True)
    retired = s.BooleanField()


EXAMPLE = {
    "key": "mode", "title": "Mode", "of": "game", "type": "choice", "choices": ["duel", "teams"], "required": True,
    "visible": "all", "from": "2024-01-01",
}  # fmt: skip


def render_field(declared: DeclaredField) -> dict[str, Any]:
    """Return a declared field."""
    return render_fields(FieldShape, declared, required_=declared.required)


class Fields(Endpoint):
    """The fields that a league declares."""

    @describe_list("list_fields", FieldShape, "Field")
    def get(self, request: Request, league: str) -> Response:
        """List the fields whose values you may read, also retired ones, in the order of their declaration."""
        the_league = self.league(league)
        with postgresql_snapshot():
            return self.paginate(read_fields(self, the_league), render_field)

    @describe_write("declare_field", FieldInput, {201: FieldShape}, request_example("Mode", EXAMPLE))
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Declare a field of games, seats or players."""
        the_league = self.bare_league(league, "organise")
        declared = declare_field(the_league.pk, FieldInput.new(self.body(FieldInput)), username=self.viewer.name)
        return Response(render_field(declared), status=201)


class OneField(Endpoint):
    """A declared field."""

    @extend_schema(operation_id="get_field", responses={200: FieldShape, **READ})
    def get(self, request: Request, league: str, field: str) -> Response:
        """Read a field."""
        the_league = self.bare_league(league)
        declared = find_field(the_league, field)
        if not may_read(self.viewer, the_league, declared):
            raise ApiProblem(404, f"The league declares no field “{shorten_name(field)}”.")
        self.closed = declared.visible != DeclaredField.Visible.ALL
        return Response(render_field(declared))

    @describe_write("change_field", FieldChange, {200: FieldShape}, request_example("Retire", {"retired": True}))
    def patch(self, request: Request, league: str, field: str) -> Response:
        """Change the title, add choices, or retire the field."""
        the_league = self.bare_league(league, "organise")
        changed = change_field(the_league.pk, field, self.body(FieldChange), username=self.viewer.name)
        return Response(render_field(changed))


def read_fields(endpoint: Endpoint, league: League) -> list[DeclaredField]:
    """Return the fields that the viewer of a request may read; the response is private if others may read less."""
    fields = load_readable_fields(league, endpoint.viewer)
    if any(declared.visible != DeclaredField.Visible.ALL for declared in fields):
        endpoint.closed = True
    return fields


def build_field_filters(more: str = "", other_names: str = "") -> OpenApiParameter:
    """Return the filters by declared fields: free parameters, whose names begin with ``field.``.

    ``other_names``: the pattern of names with another meaning.
    """
    names = f"{re.escape(PREFIX)}{KEY_PATTERN}{'|' if other_names else ''}{other_names}"
    return OpenApiParameter(
        "fields",
        {
            "type": "object",
            "propertyNames": {"pattern": f"^({names})$"},
            "additionalProperties": {"type": "string", "minLength": 1},
            "maxProperties": MAX_FIELDS,
        },
        OpenApiParameter.QUERY,
        description="Only what has this value of a declared field: `field.map=dust`. Each key is `field.` and the "
        f"field's{', ' if more else '.'}{more}",
        style="form",
        explode=True,
    )


FIELD_FILTERS = build_field_filters()


def build_field_parsers(fields: Sequence[DeclaredField]) -> dict[str, Callable[[str], ValueFilter]]:
    """Return the parsers of the parameters ``field.key`` by name."""
    return {f"{PREFIX}{declared.key}": partial(parse_filter, declared) for declared in fields}


def list_filters(query: Mapping[str, Any]) -> list[ValueFilter]:
    """Return the filters by declared fields of a parsed query."""
    return [value for name, value in query.items() if name.startswith(PREFIX)]
