"""Schemas of path parameters, query parameters and bodies that are more precise than those of the serializers."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from league.core.capabilities import load_declared
from league.core.fields.selectors.board_filters import MAX_YEAR, MIN_YEAR
from league.core.games.services.batches import MAX_GAMES
from league.core.games.services.game_input import MAX_DETAILS
from league.core.players.external_ids import ID_PATTERN, PROVIDER
from league.core.text.names import HANDLE_LENGTH, VISIBLE
from league.models.facts import MAX_SEATS
from league.models.fields import KEY_PATTERN, DeclaredField

#: Excludes the first and last years of the calendar, which do not exist in every time zone.
INSIDE_CALENDAR = "^(?!000[01]|999[89])"
#: Rules and ladders start and end between 1800 and 2200.
DAY = "^(1[89][0-9]{2}|2[01][0-9]{2}|2200)-"
LIMIT = {"type": "integer", "minimum": 1, "maximum": 1000}
POSITION = {"type": "integer", "minimum": 0, "maximum": 1_000_000_000}
CURSOR = {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 499}
MOMENT = {
    "anyOf": [
        {"type": "string", "format": "date", "pattern": INSIDE_CALENDAR},
        {"type": "string", "format": "date-time", "pattern": INSIDE_CALENDAR},
    ]
}
EDITION = {"type": "string", "pattern": "^(live|[1-9][0-9]{0,5})$"}
TEXT = {"type": "string", "minLength": 1}
EXTERNAL_ID = {"type": "string", "pattern": f"^{PROVIDER.pattern}:{ID_PATTERN}$"}
PLAYERS = {"type": "string", "pattern": r"^[^,\s][^,]*(,[^,\s][^,]*){0,199}$"}
UUID = {"type": "string", "format": "uuid"}
NUMBER = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}
YEAR = {"type": "integer", "minimum": MIN_YEAR, "maximum": MAX_YEAR}

Parameter = tuple[str, Any, dict[str, Any]]
"""The description of a path parameter, an example consistent with the other examples, and its schema."""


@dataclasses.dataclass(frozen=True)
class Descriptions:
    """What the core, or an app, describes in the document."""

    addressed: Mapping[str, Parameter] = dataclasses.field(default_factory=dict)
    """Path parameter -> its description."""
    addressed_below: Mapping[str, Mapping[str, Parameter]] = dataclasses.field(default_factory=dict)
    """Part of a path -> path parameters with another meaning there."""
    other_bodies: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Operation -> description of other media types of its body. They are not in ``content`` because
    openapi-python-client warns about every type but JSON, forms and octet streams."""
    fields: Mapping[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """Field of any body, or ``Body.field`` of one -> its constraints."""
    one_of: Sequence[str] = ()
    """Bodies that are one of several."""
    together: Mapping[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """Body -> conditions between its fields, in keywords that type generators ignore: unions would make the generated
    types hard to use."""


ADDRESSED: dict[str, Parameter] = {
    "league": ("The league's slug.", "preferans", TEXT),
    "ladder": ("The ladder's slug.", "month", TEXT),
    "period": ("2024-03, 2024-W10, 2024-Q1, 2024, all, or the first day of a dated one.", "2024-03", TEXT),
    "player": ("Handle or alias of a player.", "pedja", TEXT),
    "other": ("Handle or alias of another player.", "marko", TEXT),
    "user": ("The username.", "olga", TEXT),
    "token": ("The id of a token: the public part of its text.", "9f2c1a7b3e", TEXT),
    "job": ("The id of a job.", "0e3f7a52-6f0d-4f1c-9d3b-5b8d2f6f9a10", UUID),
    "number": ("The number of a game in its league.", 1, NUMBER),
    "context": ("The slug of a context.", "tables", TEXT),
    "field": ("The key of a declared field.", "map", TEXT),
}
ADDRESSED_BELOW: dict[str, dict[str, Parameter]] = {
    "/editions/": {"number": ("The number of the edition.", 1, NUMBER)},
    "/systems/": {"key": ("The key of a rating system.", "preferans", TEXT)},
    "/ladder-methods/": {"key": ("The key of a method.", "points", TEXT)},
}
#: The two formats of the log and of batches. Generated clients send the default; a request without ``format`` and
#: ``Accept`` gets NDJSON, the original format of v1.
LINES_FORMAT = {"type": "string", "enum": ["json", "ndjson"], "default": "json"}
LINES_HELP = (
    "json: one document; ndjson: one line per item. Clients generated from this document send json. Without `format` "
    "the `Accept` header decides; if it names neither format, the response is NDJSON."
)
#: Media types that JSON Schema describes as strings.
TEXTS = ("text/csv", "application/x-ndjson", "text/event-stream")
#: Schema name -> the kinds of jobs, and the schemas of their results.
JOBS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "DryRunJob": (("dry_run",), ("LeagueDiffsShape", "DiffShape")),
    "ImportJob": (("import",), ("ImportDiffShape", "ReportShape")),
    "OtherJob": (("replay", "verify", "compare", "second", "pair"), ("JobResult",)),
}
OUTCOME = "The result of the job; for an experiment, its report."
OTHER_BODIES = {
    "record_batch": "The body can also be NDJSON (application/x-ndjson), each line a `GameInputRequest`.",
}
FIELDS: dict[str, dict[str, Any]] = {
    "slug": {"pattern": "^[a-z0-9][a-z0-9_-]*$"},
    "handle": {"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$", "maxLength": HANDLE_LENGTH},
    "results": {"minItems": 1, "maxItems": MAX_SEATS},
    "details": {"maxProperties": MAX_DETAILS},
    "played_at": {"pattern": INSIDE_CALENDAR},
    "expires_at": {"pattern": INSIDE_CALENDAR},
    "from": {"pattern": DAY},
    "to": {"pattern": DAY},
    "ended_on": {"pattern": DAY},
    "best_of": {"not": {"multipleOf": 2}},
    "FieldInputRequest.key": {"pattern": f"^{KEY_PATTERN}$"},
}
#: A ladder of the cadence dated needs both days; others have no last day.
DATED: dict[str, Any] = {
    "if": {"properties": {"cadence": {"const": "dated"}}, "required": ["cadence"]},
    "then": {"required": ["from", "to"]},
    "else": {"not": {"required": ["to"]}},
}
#: Only a declared field of the type choice has choices.
CHOSEN: dict[str, Any] = {
    "if": {"properties": {"type": {"const": DeclaredField.Type.CHOICE.value}}, "required": ["type"]},
    "then": {"required": ["choices"], "properties": {"choices": {"minItems": 1}}},
    "else": {"properties": {"choices": {"maxItems": 0}}},
}
#: Bodies that need at least one field.
NONEMPTY = ("LeaguePlayerInputRequest", "PatchedLeaguePlayerInputRequest")
TOGETHER: dict[str, dict[str, Any]] = {
    **{name: {"minProperties": 1} for name in NONEMPTY},
    "RankingInputRequest": DATED,
    "LadderInputRequest": DATED,
    "FieldInputRequest": CHOSEN,
}
OF_CORE = Descriptions(ADDRESSED, ADDRESSED_BELOW, OTHER_BODIES, FIELDS, (), TOGETHER)


def load_descriptions() -> Descriptions:
    """Return what the core and the installed apps describe."""
    parts: list[Descriptions] = [OF_CORE, *load_declared(lambda app: app.api.descriptions)]
    return Descriptions(
        addressed={key: value for part in parts for key, value in part.addressed.items()},
        addressed_below={key: value for part in parts for key, value in part.addressed_below.items()},
        other_bodies={key: value for part in parts for key, value in part.other_bodies.items()},
        fields={key: value for part in parts for key, value in part.fields.items()},
        one_of=[name for part in parts for name in part.one_of],
        together={key: value for part in parts for key, value in part.together.items()},
    )


def add_descriptions(result: dict[str, Any]) -> None:
    """Add the descriptions of the core and of the installed apps to the document."""
    described = load_descriptions()
    for address, path in result["paths"].items():
        descriptions = dict(described.addressed)
        for segment, other in described.addressed_below.items():
            if segment in address:
                descriptions |= other
        for operation in path.values():
            describe_texts(operation)
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    text, example, schema = descriptions[parameter["name"]]
                    parameter |= {"description": text, "schema": dict(schema), "example": example}
            if operation.get("operationId") in described.other_bodies:
                operation["requestBody"]["description"] = described.other_bodies[operation["operationId"]]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                if content["schema"].get("$ref", "").rpartition("/")[2] in (*NONEMPTY, *described.one_of):
                    operation["requestBody"]["required"] = True
    batch = result["paths"]["/api/v1/leagues/{league}/games/batch/"]["post"]["requestBody"]["content"]
    batch["application/json"]["schema"] |= {"minItems": 1, "maxItems": MAX_GAMES}
    schemas = result["components"]["schemas"]
    describe_jobs(schemas)
    for name, schema in schemas.items():
        if name.endswith("Request") and "properties" in schema:  # others refer to one of several bodies
            describe_body(name, schema, described.fields)
            schema.update(_add_all_fields(described.together.get(name, {}), list(schema["properties"])))


def describe_jobs(schemas: dict[str, Any]) -> None:
    """Split the schema of jobs by kind, each with its own result."""
    schemas["JobResult"] = {"type": "object", "additionalProperties": {}, "description": OUTCOME}
    job, mapping = schemas["JobShape"], dict[str, str]()
    schemas.pop(job["properties"]["kind"]["$ref"].rpartition("/")[2])
    for name, (kinds, results) in JOBS.items():
        kind = {"type": "string", "enum": list(kinds)}
        # An app that is not installed has no schemas.
        result_refs = [build_schema_reference(schema) for schema in results if schema in schemas]
        result = {"anyOf": [*result_refs, {"type": "null"}]}
        schemas[name] = {**job, "properties": {**job["properties"], "kind": kind, "result": result}}
        mapping |= {kind: build_schema_reference(name)["$ref"] for kind in kinds}
    schemas["JobShape"] = {
        "oneOf": [build_schema_reference(name) for name in JOBS],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
        "description": job["description"],
    }


def build_schema_reference(component: str) -> dict[str, Any]:
    """Return a reference to a schema."""
    return {"$ref": f"#/components/schemas/{component}"}


def describe_texts(operation: dict[str, Any]) -> None:
    """Describe CSV and NDJSON as strings; the view's schema is that of a line."""
    for response in operation["responses"].values():
        for kind, content in response.get("content", {}).items():
            if kind in TEXTS:
                lines = {"type": "array", "items": content["schema"]}
                content["schema"] = {"type": "string", "contentMediaType": kind, "contentSchema": lines}


def _add_all_fields(conditions: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return conditions in which each part lists every field of the body, as some tools require."""
    result = dict(conditions)
    for keyword in {"if", "then", "else"} & conditions.keys():
        negation = {"not": _add_fields(result[keyword]["not"], names)} if "not" in result[keyword] else {}
        result[keyword] = _add_fields({**result[keyword], **negation}, names)
    return result


def _add_fields(schema: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return a schema that also lists the other fields, without constraints."""
    return {**schema, "properties": {**{name: {} for name in names}, **schema.get("properties", {})}}


def describe_default(field: dict[str, Any]) -> None:
    """Move a field's default into its description: generators treat fields with a default as always present."""
    if "default" in field:
        text = f"Default: {json.dumps(field.pop('default'))}."
        field["description"] = f"{field.get('description', '')}\n\n{text}".strip()


def describe_body(body: str, schema: dict[str, Any], constraints: Mapping[str, dict[str, Any]]) -> None:
    """Add constraints to a body's fields, and forbid other fields."""
    schema["additionalProperties"] = False
    for name, field in schema["properties"].items():
        describe_default(field)
        field.update({**constraints.get(name, {}), **constraints.get(f"{body}.{name}", {})})
        for text in (field, field.get("items", {})):
            kind = text.get("type")
            if "string" in ([kind] if isinstance(kind, str) else kind or []) and text.get("minLength"):
                text.setdefault("pattern", VISIBLE)
