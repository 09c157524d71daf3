"""The contexts of a league: ratings of their own for the games that match a filter."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.contexts.scopes import load_contexts
from league.core.db.isolation import postgresql_snapshot
from league.core.leagues.services.contexts import (
    NewContext,
    change_context,
    create_context,
    find_context,
    remove_context,
)
from league.models import Context
from league.models.facts import MAX_SEATS
from league.web.api.core.base import Endpoint
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import JsonTextField, StrictSerializer, build_input_field, read_whole_numbers
from league.web.api.core.schemas import Shape
from league.web.api.openapi.examples import READ, describe_list, describe_write, request_example

NUMBERS = {"type": "integer", "minimum": 1, "maximum": MAX_SEATS}
VALUE = {"type": ["string", "number", "boolean"]}
#: The filter of a context, as JSON Schema.
FILTER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sides": {"oneOf": [NUMBERS, {"type": "array", "items": NUMBERS, "minItems": 1}]},
        "sizes": {"oneOf": [NUMBERS, {"type": "array", "items": NUMBERS, "minItems": 1}]},
    },
    "patternProperties": {r"^field\.": {"oneOf": [VALUE, {"type": "array", "items": VALUE, "minItems": 1}]}},
    "additionalProperties": False,
}
FILTER_HELP = (
    "Which games count; all without it. `field.mode`: values of a declared field of games or seats, one of which the "
    "game has; `sides`: how many sides; `sizes`: how many players on every side, or a list of the sizes of all sides."
)


@extend_schema_field(FILTER_SCHEMA)
class FilterField(s.Field[Any, Any, Any, Any]):
    """The filter of a context; the service checks it."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the object."""
        if not isinstance(data, dict):
            raise s.ValidationError("must be an object.", code="not_an_object")
        return dict(read_whole_numbers(data))

    def to_representation(self, value: Any) -> Any:
        """Return the object."""
        return value


class ContextChangeInput(StrictSerializer):
    """The changeable members of a context."""

    title = build_input_field(Context.title.field)
    filter = FilterField(required=False, help_text=FILTER_HELP)
    start = s.ChoiceField(
        choices=Context.Start.choices,
        required=False,
        help_text="Where a player begins: own: as a newcomer; from_main: at the league's own rating then.",
    )
    system = JsonTextField(
        required=False, allow_null=True, help_text="A rating system of its own; null: the league's own rules."
    )
    parameters = s.DictField(required=False, help_text="Of the system of its own.")


class ContextInput(ContextChangeInput):
    """A context to create."""

    slug = build_input_field(Context.slug.field, required=True)
    title = build_input_field(Context.title.field, required=True)

    @staticmethod
    def new(data: dict[str, Any]) -> NewContext:
        """Return the context for the service."""
        return NewContext(**{**data, "system": data.get("system") or ""})


class ContextShape(Shape):
    """A context of a league."""

    slug = s.CharField()
    title = s.CharField()
    filter = FilterField()
    start = s.ChoiceField(choices=Context.Start.choices)
    system = s.CharField(allow_null=True)
    parameters = s.DictField()
    status = s.ChoiceField(choices=["current", "pending"], help_text="pending: a worker is about to compute it.")


def render_context(context: Context) -> dict[str, Any]:
    """Return a context."""
    names = ("slug", "title", "filter", "start", "parameters")
    return {
        **{name: getattr(context, name) for name in names},
        "system": context.system or None,
        "status": "pending" if context.pending else "current",
    }


class Contexts(Endpoint):
    """The contexts of a league."""

    @describe_list("list_contexts", ContextShape, "Context")
    def get(self, request: Request, league: str) -> Response:
        """List the contexts of a league in the order of their creation."""
        the_league = self.league(league)
        with postgresql_snapshot():
            return self.paginate(load_contexts(the_league), render_context)

    @describe_write(
        "create_context",
        ContextInput,
        {201: ContextShape},
        request_example("Duels", {"slug": "duels", "title": "Duels", "filter": {"sides": 2}, "start": "own"}),
    )
    @idempotent()
    def post(self, request: Request, league: str) -> Response:
        """Create a context, of at most 8; its ratings are computed from all games.

        With many games a worker does so: `status` is `pending` until then.
        """
        the_league = self.bare_league(league, "organise")
        context = create_context(the_league.pk, ContextInput.new(self.body(ContextInput)), username=self.viewer.name)
        return Response(render_context(context), status=201)


class OneContext(Endpoint):
    """A context."""

    @extend_schema(operation_id="get_context", responses={200: ContextShape, **READ})
    def get(self, request: Request, league: str, context: str) -> Response:
        """Read a context."""
        return Response(render_context(find_context(self.bare_league(league), context)))

    @describe_write(
        "change_context", ContextChangeInput, {200: ContextShape}, request_example("Title", {"title": "One to one"})
    )
    def patch(self, request: Request, league: str, context: str) -> Response:
        """Change a context; a change of what counts replays it alone."""
        the_league = self.bare_league(league, "organise")
        data = self.body(ContextChangeInput)
        if "system" in data:
            data = {**data, "system": data["system"] or ""}
        return Response(render_context(change_context(the_league.pk, context, data, username=self.viewer.name)))

    @describe_write("remove_context", None, {204: None})
    def delete(self, request: Request, league: str, context: str) -> Response:
        """Remove a context and its ratings; the games stay."""
        the_league = self.bare_league(league, "organise")
        remove_context(the_league.pk, context, username=self.viewer.name)
        return Response(status=204)
