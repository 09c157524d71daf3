"""The API reference: the OpenAPI document as a page, with an anchor for each operation and schema."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from league.web.api.openapi.document import METHODS, load_document

PREFIX = "/api/v1"
#: First path segment, or the one after a league -> the group of its operations.
GROUPS = {
    segment: title
    for title, segments in (
        ("Leagues", ("leagues", "members")),
        ("Rules", ("rules",)),
        ("Adjustments", ("adjustments",)),
        ("Fields", ("fields",)),
        ("Contexts", ("contexts",)),
        ("Players", ("players",)),
        ("Games", ("games", "preview")),
        ("Fair sides", ("balance",)),
        ("Board", ("leaderboard", "second-board", "health")),
        ("Ladders and periods", ("ladders", "decisions")),
        ("Log and export", ("changes", "heads", "export")),
        ("Webhooks", ("webhooks",)),
        ("Experiments", ("experiments",)),
        ("Rating systems", ("systems",)),
        ("Ladder methods", ("ladder-methods",)),
        ("Tokens", ("tokens",)),
        ("Jobs", ("jobs",)),
    )
    for segment in segments
}
#: Headers of all operations of a method, described once.
COMMON_HEADERS = ("Idempotency-Key", "If-None-Match")
#: From this number of operations on, a parameter that they have alike is described once.
MANY_OPERATIONS = 10
#: Keyword -> its words before the value.
LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "min. length",
    "maxLength": "max. length",
    "minItems": "min. items",
    "maxItems": "max. items",
    "default": "default",
}


@dataclass(frozen=True)
class TypePart:
    """A part of a type: a text, or the name of a schema."""

    text: str
    schema: str = ""


@dataclass(frozen=True)
class SchemaField:
    """A parameter or property: its name (dotted inside objects), place, type, limits and description."""

    name: str
    place: str
    required: bool
    type: list[TypePart]
    limits: str
    description: str

    @property
    def notes(self) -> str:
        """Return what follows the type: its place, unless that is the path, whether it is required, and its limits."""
        place = self.place if self.place not in ("", "path") else "required" if self.required else ""
        return "".join(f" · {note}" for note in (place, self.limits) if note)


@dataclass(frozen=True)
class Body:
    """A request or response body: its media type, type and example."""

    media: str
    type: list[TypePart]
    example: str


@dataclass(frozen=True)
class Response:
    """A response: its status, description and bodies."""

    status: str
    description: str
    bodies: list[Body]


@dataclass(frozen=True)
class Operation:
    """An operation; ``errors`` are the statuses with a problem document.

    ``names`` are those of all its parameters; ``parameters`` are without those that are described once for many.
    """

    key: str
    method: str
    path: str
    summary: str
    description: list[str]
    access: str
    names: list[str]
    parameters: list[SchemaField]
    request: list[Body]
    responses: list[Response]
    errors: list[str]


@dataclass(frozen=True)
class Group:
    """A titled list of operations."""

    key: str
    title: str
    operations: list[Operation] = field(default_factory=list)


@dataclass(frozen=True)
class NamedSchema:
    """A schema: its fields, or the type that it stands for."""

    name: str
    description: str
    fields: list[SchemaField]
    type: list[TypePart]
    limits: str


def build_groups(document: Mapping[str, Any]) -> list[Group]:
    """Return the operations of a document by group: in the order of GROUPS, then those of apps by their segment."""
    common = find_common_parameters(document)
    groups = {title: Group(title.lower().replace(" ", "-"), title) for title in GROUPS.values()}
    for path, item in document["paths"].items():
        segments = path.removeprefix(PREFIX).strip("/").split("/")
        segment = segments[2] if len(segments) > 2 and segments[0] == "leagues" else segments[0]
        for method in METHODS:
            if method in item:
                title = GROUPS.get(segment) or segment.replace("-", " ").capitalize()
                groups.setdefault(title, Group(segment, title))
                shown = build_operation(method, path.removeprefix(PREFIX), item[method], common)
                groups[title].operations.append(shown)
    return [group for group in groups.values() if group.operations]


def find_common_parameters(document: Mapping[str, Any]) -> list[SchemaField]:
    """Return the parameters that many operations have alike, the most frequent first."""
    counts = Counter(
        json.dumps(parameter, sort_keys=True)
        for item in document["paths"].values()
        for method in METHODS
        for parameter in item.get(method, {}).get("parameters", [])
        if parameter["name"] not in COMMON_HEADERS
    )
    return [build_parameter(json.loads(text)) for text, count in counts.most_common() if count >= MANY_OPERATIONS]


def build_operation(
    method: str, path: str, operation: Mapping[str, Any], common: Sequence[SchemaField] = ()
) -> Operation:
    """Return an operation as it is shown."""
    responses = operation["responses"]
    parameters = [
        build_parameter(parameter)
        for parameter in operation.get("parameters", [])
        if parameter["name"] not in COMMON_HEADERS
    ]
    return Operation(
        operation["operationId"],
        method.upper(),
        path,
        operation["summary"],
        split_paragraphs(operation["description"]),
        describe_access(operation.get("security", [])),
        [parameter.name for parameter in parameters],
        [parameter for parameter in parameters if parameter not in common],
        build_bodies(operation.get("requestBody", {})),
        [
            Response(status, response.get("description", ""), build_bodies(response))
            for status, response in sorted(responses.items())
            if status < "300"
        ],
        sorted(status for status in responses if status >= "300"),
    )


def describe_access(security: Sequence[Mapping[str, Any]]) -> str:
    """Return who may send a request."""
    if {} in security:
        return "Public data needs no token."
    return "Needs a token or a session." if {"token": []} in security else "Needs a session."


def build_bodies(holder: Mapping[str, Any]) -> list[Body]:
    """Return the bodies of a request or response, each with its first example."""
    bodies = []
    for media, content in holder.get("content", {}).items():
        examples = [example["value"] for example in content.get("examples", {}).values() if "value" in example]
        bodies.append(
            Body(media, list(describe_type(content.get("schema", {}))), format_example(examples[0]) if examples else "")
        )
    return bodies


def format_example(value: Any) -> str:
    """Return an example as indented JSON, or as it is if it is text."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


def build_parameter(parameter: Mapping[str, Any]) -> SchemaField:
    """Return a parameter as it is shown."""
    return build_field(parameter["name"], parameter["in"], parameter, required=parameter.get("required", False))


def build_field(name: str, place: str, holder: Mapping[str, Any], *, required: bool) -> SchemaField:
    """Return a parameter or property as it is shown; a parameter's type is in ``schema``."""
    schema = holder.get("schema", holder)
    return SchemaField(
        name,
        place,
        required,
        list(describe_type(schema)),
        describe_limits(schema),
        " ".join(holder.get("description", "").split()),
    )


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each in one line."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]


def describe_type(schema: Mapping[str, Any]) -> Iterator[TypePart]:
    """Yield the parts of a type."""
    if "$ref" in schema:
        yield TypePart("", schema["$ref"].rpartition("/")[2])
    elif choices := schema.get("allOf") or schema.get("oneOf") or schema.get("anyOf"):
        for index, choice in enumerate(choices):
            if index:
                yield TypePart(" or ")
            yield from describe_type(choice)
    elif schema.get("type") == "array" or "items" in schema:
        yield TypePart("array of ")
        yield from describe_type(schema.get("items", {}))
    elif "const" in schema:
        yield TypePart(json.dumps(schema["const"]))
    else:
        kinds = schema.get("type", "any value")
        text = " or ".join(kinds) if isinstance(kinds, list) else kinds
        yield TypePart(f"{text} ({schema['format']})" if "format" in schema else text)


def describe_limits(schema: Mapping[str, Any]) -> str:
    """Return the allowed values of a type in words."""
    limits = [", ".join(json.dumps(value) for value in schema["enum"])] if "enum" in schema else []
    limits += [f"{words} {json.dumps(schema[key])}" for key, words in LIMITS.items() if key in schema]
    return "; ".join(limits)


def build_schemas(document: Mapping[str, Any]) -> list[NamedSchema]:
    """Return all schemas by name."""
    return [
        NamedSchema(
            name,
            " ".join(schema.get("description", "").split()),
            list(iter_fields(schema)),
            [] if "properties" in schema else list(describe_type(schema)),
            describe_limits(schema),
        )
        for name, schema in sorted(document["components"]["schemas"].items())
    ]


def iter_fields(schema: Mapping[str, Any], before: str = "") -> Iterator[SchemaField]:
    """Yield the properties of an object; those of objects inside it have dotted names."""
    required = schema.get("required", ())
    for name, prop in schema.get("properties", {}).items():
        yield build_field(f"{before}{name}", "", prop, required=name in required)
        inner = prop.get("items", prop)
        yield from iter_fields(inner, f"{before}{name}{'[]' if 'items' in prop else ''}.")


def build_events(document: Mapping[str, Any]) -> list[SchemaField]:
    """Return the events that webhooks send, with their bodies."""
    events = []
    for name, item in document.get("webhooks", {}).items():
        operation = item["post"]
        content = next(iter(operation["requestBody"]["content"].values()))
        events.append(build_field(name, "", {**content, "description": operation.get("summary", "")}, required=False))
    return events


@cache
def render_reference() -> SafeString:
    """Return the page's contents as HTML, which are constant while the process runs."""
    document = load_document()
    parameters = [
        parameter
        for item in document["paths"].values()
        for method in METHODS
        for parameter in item.get(method, {}).get("parameters", [])
    ]
    common = {parameter["name"]: parameter for parameter in parameters if parameter["name"] in COMMON_HEADERS}
    context = {
        "info": document["info"],
        "groups": build_groups(document),
        "schemas": build_schemas(document),
        "events": build_events(document),
        "common": find_common_parameters(document),
        "headers": [build_field(name, "header", common[name], required=False) for name in COMMON_HEADERS],
        "token": document["components"]["securitySchemes"]["token"]["description"],
    }
    return render_to_string("web/api/operations.html", context)
