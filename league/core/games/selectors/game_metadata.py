"""Finds games by their metadata."""

from collections.abc import Mapping
from typing import Any

from django.db.models import BooleanField, F, Func, Value

from league.core.metadata import MAX_KEY_LENGTH
from league.core.text.names import is_storable

#: The beginning of the name of a key of metadata in addresses.
PREFIX = "metadata."


class HasMetadata(Func):
    """The condition for games whose metadata has a text under a key.

    Django's own lookups take keys such as ``0`` for places in lists, and SQLite's paths do not have every key. No index
    has the texts: the games of the league are read.
    """

    output_field = BooleanField()

    def __init__(self, key: str, text: str) -> None:
        super().__init__(F("metadata"), Value(key), Value(text))

    def as_postgresql(self, compiler: Any, connection: Any, **extra_context: Any) -> tuple[str, tuple[Any, ...]]:
        """Compare the text under the key."""
        return self._fill_in(compiler, "(jsonb_extract_path_text({}, {}::text) = {}::text)")

    def as_sqlite(self, compiler: Any, connection: Any, **extra_context: Any) -> tuple[str, tuple[Any, ...]]:
        """Look through the keys."""
        return self._fill_in(compiler, "EXISTS (SELECT 1 FROM json_each({}) WHERE key = {} AND value = {})")

    def _fill_in(self, compiler: Any, template: str) -> tuple[str, tuple[Any, ...]]:
        parts = [compiler.compile(expression) for expression in self.get_source_expressions()]
        return template.format(*(sql for sql, _values in parts)), tuple(
            value for _sql, values in parts for value in values
        )


def list_metadata_keys(names: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters that choose games by a key of their metadata."""
    return [
        name
        for name in names
        if name.startswith(PREFIX) and 0 < len(name) - len(PREFIX) <= MAX_KEY_LENGTH and is_storable(name)
    ]
