"""What the shapes of the API's answers share; the OpenAPI document shows them, ``render`` of a resource builds them."""

from typing import Any

from django.db import models
from rest_framework import serializers as s

Shape = s.Serializer[Any]

STATE = "Every field of the system's state by its key, the rating first; GET systems/ says what each is."
PROVISIONAL = "Whether the system does not yet rely on the rating."


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

    def get_fields(self) -> dict[str, Any]:
        """Call a field ``errors``, which serializers keep for themselves."""
        return {**super().get_fields(), "errors": ErrorShape(many=True)}


def page_of(shape: type[Shape], name: str) -> type[Shape]:
    """Return the shape of a page of things."""
    fields = {"results": shape(many=True), "next": s.URLField(allow_null=True)}
    return type(f"{name}Page", (s.Serializer,), {**fields, "__doc__": "A page; next is the address of the next one."})


def answered(field: Any) -> s.Field[Any, Any, Any, Any]:
    """Return how an answer gives a field of a table."""
    if field.choices:
        return s.ChoiceField(choices=field.choices, allow_null=field.null)
    kinds: dict[type[models.Field[Any, Any]], type[s.Field[Any, Any, Any, Any]]] = {
        models.BooleanField: s.BooleanField,
        models.IntegerField: s.IntegerField,
        models.FloatField: s.FloatField,
    }
    kind = next((kind for model, kind in kinds.items() if isinstance(field, model)), s.CharField)
    return kind(allow_null=field.null)
