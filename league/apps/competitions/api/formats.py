"""Pairing formats and tie-breaks: what a competition can choose from."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.web.api.core.base import Endpoint, parse_query
from league.web.api.core.responses import ApiProblem
from league.web.api.core.schemas import Shape
from league.web.api.ladders.render import RulingShape
from league.web.api.openapi.examples import LIST, READ, describe_list
from ratings.contract.pairing_format import PairingFormat
from ratings.contract.tie_break import TieBreak
from ratings.describe.describing import RULING, select_attributes
from ratings.registry import UnknownFormat, get_pairing_format, load_pairing_formats
from ratings.standings.tie_break_codes import MODIFIERS, all_tie_breaks


class PairingFormatShape(Shape):
    """A pairing format."""

    key = s.CharField()
    title = s.CharField()
    summary = s.CharField()
    predetermined = s.BooleanField(help_text="Whether all rounds are known at the start.")
    parameters = s.DictField(help_text="A JSON Schema.")
    rulings = RulingShape(many=True)


class ModifierShape(Shape):
    """A modifier of a tie-break."""

    example = s.CharField(help_text="As it is appended to the code.")
    meaning = s.CharField()


class TieBreakShape(Shape):
    """A tie-break."""

    code = s.CharField()
    title = s.CharField()
    meaning = s.CharField()
    article = s.CharField(help_text="The article of FIDE's regulations, if it is one of theirs.")
    for_tables = s.BooleanField(help_text="Whether it is also defined at tables of three or more.")
    needs_ratings = s.BooleanField()
    modifiers = ModifierShape(many=True)
    rulings = RulingShape(many=True)


def _describe_format(pairing_format: type[PairingFormat]) -> dict[str, Any]:
    return {
        **select_attributes(pairing_format, "key", "title", "summary", "predetermined"),
        "parameters": pairing_format.json_schema(),
        "rulings": [select_attributes(ruling, *RULING) for ruling in pairing_format.rulings],
    }


def _describe_tie_break(tie_break: TieBreak) -> dict[str, Any]:
    modifiers = [MODIFIERS[letter] for letter in tie_break.modifiers]
    return {
        **select_attributes(tie_break, "code", "title"),
        "meaning": tie_break.summary,
        **select_attributes(tie_break, "article", "for_tables", "needs_ratings"),
        "modifiers": [{"example": example, "meaning": meaning} for example, meaning in modifiers],
        "rulings": [select_attributes(ruling, *RULING) for ruling in tie_break.rulings],
    }


class PairingFormats(Endpoint):
    """All pairing formats."""

    open = True

    @describe_list("list_pairing_formats", PairingFormatShape, "PairingFormat", LIST)
    def get(self, request: Request) -> Response:
        """List the pairing formats of competitions with their parameters."""
        return self.paginate(list(load_pairing_formats().values()), _describe_format)


class OnePairingFormat(Endpoint):
    """One pairing format."""

    open = True

    @extend_schema(operation_id="get_pairing_format", responses={200: PairingFormatShape, **READ})
    def get(self, request: Request, key: str) -> Response:
        """Describe a pairing format: its parameters as JSON Schema, and its rulings."""
        parse_query(request, {})
        try:
            return Response(_describe_format(get_pairing_format(key)))
        except UnknownFormat as error:
            raise ApiProblem(404, str(error.args[0])) from None


class TieBreaks(Endpoint):
    """All tie-breaks."""

    open = True

    @describe_list("list_tie_breaks", TieBreakShape, "TieBreak", LIST)
    def get(self, request: Request) -> Response:
        """List the tie-breaks of competitions with the modifiers that each takes."""
        return self.paginate(list(all_tie_breaks().values()), _describe_tie_break)
