"""Strict JSON: ambiguous or dangerous input is refused with a message."""

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from league.core.text.strict_json import load
from league.web.api.core.problems import ApiProblem


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
            sentence = f"This is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
            raise ApiProblem(400, sentence) from None

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
