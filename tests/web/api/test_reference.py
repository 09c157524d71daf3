"""The API reference: every operation and schema of the document, in our own design, without an outside host."""

import gzip
import re
from functools import cache
from typing import Any

from django.test import Client

from league.web.api.openapi.reference import (
    NamedSchema,
    SchemaField,
    TypePart,
    build_groups,
    build_schemas,
    describe_type,
    find_common_parameters,
)
from tests.helpers.openapi_document import read_document
from tests.helpers.tiers import long_way
from tests.helpers.whitespace import strip_white_space

METHODS = ("get", "put", "post", "patch", "delete")
REF = {"$ref": "#/components/schemas/Game"}


@cache
def get_compressed() -> Any:
    """Return the page as it is sent."""
    return Client().get("/api/v1/docs/", headers={"Accept-Encoding": "gzip"})


@cache
def page() -> str:
    """Return the page."""
    return strip_white_space(gzip.decompress(get_compressed().content).decode())


@long_way
def test_every_operation_and_schema_has_its_anchor() -> None:
    document = read_document()
    operations = [
        item[method]["operationId"] for item in document["paths"].values() for method in METHODS & item.keys()
    ]
    assert sorted(re.findall(r'<article id="(\w+)"', page())) == sorted(operations)
    schemas = re.findall(r'<div id="schema-(\w+)"', page())
    assert schemas == sorted(document["components"]["schemas"])
    ids = re.findall(r' id="([^"]+)"', page())
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page())) <= set(ids)
    assert all(f"<code>{name}</code>" in page() for name in document["webhooks"])


def test_operations_are_in_the_groups_of_what_they_are_about() -> None:
    """Only leagues themselves and their members are among the leagues."""
    groups = {group.title: {one.path for one in group.operations} for group in build_groups(read_document())}
    assert groups["Leagues"] == {
        "/leagues/", "/leagues/{league}/", "/leagues/{league}/members/", "/leagues/{league}/members/{user}/",
    }  # fmt: skip
    assert groups["Fair sides"] == {"/leagues/{league}/balance/", "/leagues/{league}/balance/tables/"}
    assert len(groups["Contexts"]) == 6 and len(groups["Fields"]) == 2 and len(groups["Competitions"]) > 20


def test_it_names_no_outside_host() -> None:
    assert re.findall(r'\b(?:src|href|action)="(?:https?:)?//[^"]*"', page()) == []
    assert '<link rel="stylesheet" href="/static/rungs/look' in page()


@long_way
def test_it_is_sent_compressed() -> None:
    assert get_compressed()["Content-Encoding"] == "gzip"
    assert len(get_compressed().content) < 115_000


def test_an_operation_is_shown_with_its_parameters_bodies_and_errors() -> None:
    parameter = {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}, "description": "A\npage."}
    common = {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}, "description": "Yours."}
    content = {"application/json": {"schema": REF, "examples": {"One": {"value": {"number": 1}}}}}
    operation = {
        "operationId": "list_games",
        "summary": "List games",
        "description": "List games.\nAll.\n\nNewest first.",
        "parameters": [parameter, common],
        "security": [{"token": []}, {}],
        "responses": {"404": {}, "200": {"content": content}, "304": {}},
    }
    (group,) = build_groups({"paths": {"/api/v1/leagues/{league}/games/": {"get": operation}}})
    (shown,) = group.operations
    assert (group.title, shown.method, shown.path) == ("Games", "GET", "/leagues/{league}/games/")
    assert shown.description == ["List games. All.", "Newest first."]
    assert shown.access == "Public data needs no token."
    assert shown.parameters == [SchemaField("page", "query", False, [TypePart("integer")], "at least 1", "A page.")]
    assert [(one.status, one.bodies[0].example) for one in shown.responses] == [("200", '{\n "number": 1\n}')]
    assert shown.errors == ["304", "404"]


def test_a_parameter_that_many_operations_have_alike_is_described_once() -> None:
    """Ten lists have the same parameter in the path; one has its own of that name, and one of its own."""
    slug = {"name": "league", "in": "path", "required": True, "schema": {"type": "string"}, "description": "Its slug."}
    other = {**slug, "description": "The slug of another league."}
    own = {"name": "page", "in": "query", "schema": {"type": "integer"}}
    paths: dict[str, Any] = {
        f"/api/v1/leagues/{{league}}/games/{number}/": {
            "get": {
                "operationId": f"list_{number}",
                "summary": "List",
                "description": "List.",
                "parameters": [other if number == 10 else slug, own] if number >= 9 else [slug],
                "responses": {},
            }
        }
        for number in range(11)
    }
    (common,) = find_common_parameters({"paths": paths})
    assert common == SchemaField("league", "path", True, [TypePart("string")], "", "Its slug.")
    assert common.notes == " · required"
    (group,) = build_groups({"paths": paths})
    shown = {one.key: ([parameter.description for parameter in one.parameters], one.names) for one in group.operations}
    assert shown["list_0"] == ([], ["league"])
    assert shown["list_9"] == ([""], ["league", "page"])
    assert shown["list_10"] == (["The slug of another league.", ""], ["league", "page"])


def test_types_are_told_in_words_and_links() -> None:
    game, text = TypePart("", "Game"), TypePart("string (date)")
    assert list(describe_type(REF)) == [game]
    assert list(describe_type({"type": "array", "items": REF})) == [TypePart("array of "), game]
    assert list(describe_type({"anyOf": [{"type": "string", "format": "date"}, REF]})) == [text, TypePart(" or "), game]
    assert list(describe_type({"type": ["integer", "null"]})) == [TypePart("integer or null")]
    assert list(describe_type({"const": "rated"})) == [TypePart('"rated"')]
    assert list(describe_type({})) == [TypePart("any value")]


def test_properties_of_objects_inside_have_dotted_names() -> None:
    seat = {"type": "object", "properties": {"score": {"type": "number", "maximum": 9}}, "required": ["score"]}
    schema = {"type": "object", "properties": {"seats": {"type": "array", "items": seat}}, "description": "A game."}
    kind = {"type": "string", "enum": ["win", "loss"]}
    game, outcome = build_schemas({"components": {"schemas": {"Outcome": kind, "Game": schema}}})
    assert (game.name, game.description, game.type) == ("Game", "A game.", [])
    assert game.fields == [
        SchemaField("seats", "", False, [TypePart("array of "), TypePart("object")], "", ""),
        SchemaField("seats[].score", "", True, [TypePart("number")], "at most 9", ""),
    ]
    assert outcome == NamedSchema("Outcome", "", [], [TypePart("string")], '"win", "loss"')
