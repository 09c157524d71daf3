"""Base classes of response shapes: they describe the OpenAPI document; ``render_…`` functions build the responses."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from django.db import models
from rest_framework import serializers as s

STATE = "Every field of the system's state by its key, the rating first; GET systems/ describes them."
PROVISIONAL = "Whether the rating is still provisional."


METADATA_HELP = "Strings of your program under keys of your choice; they are never rated or interpreted."


class Shape(s.Serializer[Any]):
    """The fields of a response or request; a trailing underscore avoids reserved names and is removed."""

    def get_fields(self) -> dict[str, Any]:
        """Return the fields by their names in JSON."""
        return {name.removesuffix("_"): field for name, field in super().get_fields().items()}


def render_fields(shape: type[Shape], thing: Any, **overrides: Any) -> dict[str, Any]:
    """Return an object's attributes by the fields of a shape and their ``source``; keyword arguments override them."""
    return {
        key: overrides[name] if name in overrides else read(thing) for key, name, read in _list_rendered_fields(shape)
    }


@cache
def _list_rendered_fields(shape: type[Shape]) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Return (name in JSON, name, reader of an object) of each field of a shape."""
    return [
        (name.removesuffix("_"), name, attrgetter(field.source or name))
        for name, field in shape._declared_fields.items()
    ]


class PersonShape(Shape):
    """A player by handle and name."""

    player = s.CharField()
    name = s.CharField()


class PlayerNameShape(Shape):
    """A player whom a text may mean."""

    handle = s.CharField()
    name = s.CharField()


class ErrorShape(Shape):
    """One error; ``line`` if the body is a file, ``column`` if the file has fixed columns."""

    pointer = s.CharField()
    code = s.CharField()
    detail = s.CharField()
    line = s.IntegerField(required=False)
    column = s.IntegerField(required=False)
    candidates = PlayerNameShape(many=True, required=False, help_text="The players that an ambiguous name may mean.")
    similar = PlayerNameShape(many=True, required=False, help_text="Players with names like an unknown one.")


class ProblemShape(Shape):
    """A problem document (RFC 9457)."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    code = s.CharField()
    detail = s.CharField()
    replaced_by = s.IntegerField(required=False, help_text="409 of a void game: the game that replaced it.")
    errors_ = ErrorShape(many=True)


def build_page_shape(
    shape: type[Shape], name: str, total: s.Field[Any, Any, Any, Any] | None = None, **more: Any
) -> type[Shape]:
    """Return the shape of a page; ``total``: the field of the number of items, if there is one; ``more``: others."""
    fields = {"results": shape(many=True), "next": s.URLField(allow_null=True), **more}
    fields |= {} if total is None else {"total": total}
    return type(f"{name}Page", (s.Serializer,), {**fields, "__doc__": "A page; next is the address of the next one."})


def build_metadata_field(extra_description: str = "") -> s.DictField:
    """Return the response field of metadata; ``extra_description`` is added to its description."""
    return s.DictField(child=s.CharField(), help_text=f"{METADATA_HELP} {extra_description}".strip())


def build_output_field(field: Any) -> s.Field[Any, Any, Any, Any]:
    """Return the response field for a model field."""
    if field.choices:
        return s.ChoiceField(choices=field.choices, allow_null=field.null)
    if isinstance(field, models.JSONField):
        return build_metadata_field()
    kinds: dict[type[models.Field[Any, Any]], type[s.Field[Any, Any, Any, Any]]] = {
        models.BooleanField: s.BooleanField,
        models.IntegerField: s.IntegerField,
        models.FloatField: s.FloatField,
    }
    kind = next((kind for model, kind in kinds.items() if isinstance(field, model)), s.CharField)
    return kind(allow_null=field.null)
