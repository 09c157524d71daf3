"""What the shapes of answers share; the OpenAPI document shows them, ``render_…`` of a resource builds them."""

from typing import Any

from django.db import models
from rest_framework import serializers as s

STATE = "Every field of the system's state by its key, the rating first; GET systems/ says what each is."
PROVISIONAL = "Whether the system does not yet rely on the rating."


METADATA_HELP = "Texts of your program, by keys of your choice; nothing rates or interprets them."


class Shape(s.Serializer[Any]):
    """The fields of an answer, or of a body; one whose name Python or serializers need has a _ behind it here."""

    def get_fields(self) -> dict[str, Any]:
        """Return the fields by the names that clients see."""
        return {name.removesuffix("_"): field for name, field in super().get_fields().items()}


def rendered(shape: type[Shape], thing: Any, **beside: Any) -> dict[str, Any]:
    """Return what an answer of a shape says of a thing: its attributes, but for what is given beside."""
    return {
        name.removesuffix("_"): beside[name] if name in beside else getattr(thing, name)
        for name in shape._declared_fields
    }


class PersonShape(Shape):
    """A player by handle and name."""

    player = s.CharField()
    name = s.CharField()


class ErrorShape(Shape):
    """One thing that is wrong; ``line`` where the body is a file."""

    pointer = s.CharField()
    code = s.CharField()
    detail = s.CharField()
    line = s.IntegerField(required=False)


class ProblemShape(Shape):
    """A problem document (RFC 9457)."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    code = s.CharField()
    detail = s.CharField()
    replaced_by = s.IntegerField(required=False, help_text="409 of a void game: the game that replaced it.")
    errors_ = ErrorShape(many=True)


def page_of(shape: type[Shape], name: str, total: s.Field[Any, Any, Any, Any] | None = None) -> type[Shape]:
    """Return the shape of a page of things; ``total`` is how it says how many there are in all, if it does."""
    fields = {"results": shape(many=True), "next": s.URLField(allow_null=True)}
    fields |= {} if total is None else {"total": total}
    return type(f"{name}Page", (s.Serializer,), {**fields, "__doc__": "A page; next is the address of the next one."})


def metadata_shape(more: str = "") -> s.DictField:
    """Return how an answer gives metadata; ``more``: what else the document says of it."""
    return s.DictField(child=s.CharField(), help_text=f"{METADATA_HELP} {more}".strip())


def answered(field: Any) -> s.Field[Any, Any, Any, Any]:
    """Return how an answer gives a field of a table."""
    if field.choices:
        return s.ChoiceField(choices=field.choices, allow_null=field.null)
    if isinstance(field, models.JSONField):
        return metadata_shape()
    kinds: dict[type[models.Field[Any, Any]], type[s.Field[Any, Any, Any, Any]]] = {
        models.BooleanField: s.BooleanField,
        models.IntegerField: s.IntegerField,
        models.FloatField: s.FloatField,
    }
    kind = next((kind for model, kind in kinds.items() if isinstance(field, model)), s.CharField)
    return kind(allow_null=field.null)
