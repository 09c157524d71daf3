"""Schemas of lines of the log, exports and batches, and of the bodies of events.

Members of records are described by their model fields (``league.core.records``); only the others are described here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import models
from django.utils.module_loading import import_string

from league.core.capabilities import list_capabilities, load_declared
from league.core.log_tables import LogTable
from league.core.records import Member, Record
from league.core.transfer.selectors import exports
from league.core.transfer.services.reading import find_shape
from league.models import Game, League, Player, Result
from league.models.contexts import CONTEXT_LOG
from league.models.facts import ADJUSTMENT_LOG, ADJUSTMENT_VOID_LOG, RESULT, RULE_LOG, SHEET, START_LOG, USUAL
from league.models.fields import FIELD_LOG, PLAYER_FIELDS_LOG
from league.models.ladders import LADDER_LOG, LADDER_RULE_LOG
from league.models.leagues import LEAGUE_RECORD, SETTINGS
from league.models.record import DECISION_LOG, EDITION_LOG, HEAD_LOG, REDACTION_LOG
from league.web.api.openapi.described import build_schema_reference

Schema = dict[str, Any]
Members = Mapping[str, Schema]
TEXT, WHOLE, NUMBER, FLAG = ({"type": kind} for kind in ("string", "integer", "number", "boolean"))
MOMENT, DAY = ({"type": "string", "format": kind} for kind in ("date-time", "date"))
UUID = {"type": "string", "format": "uuid"}
OBJECT: Schema = {"type": "object", "additionalProperties": {}}
TEXTS: Schema = {"type": "object", "additionalProperties": TEXT}
SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
KINDS: dict[type[Any], Schema] = {
    models.BooleanField: FLAG,
    models.IntegerField: WHOLE,
    models.FloatField: NUMBER,
    models.DateTimeField: MOMENT,
    models.DateField: DAY,
    models.JSONField: OBJECT,
    models.UUIDField: UUID,
}
#: Members of games and results that are omitted if they have their default, and the optional worksheet and sets.
LEFT_OUT = frozenset({*USUAL, "worksheet", "sets", "retired"})
FIGURES: Schema = {"type": "object", "additionalProperties": NUMBER}


def make_nullable(schema: Schema) -> Schema:
    """Return a schema that also accepts null."""
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def build_array_schema(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def build_constant_schema(value: str) -> Schema:
    """Return the schema of a constant."""
    return {"type": "string", "const": value}


def build_object_schema(members: Members, optional: Iterable[str] = (), text: str = "") -> Schema:
    """Return the schema of an object; all members but the optional ones are required."""
    required = [name for name in members if name not in optional]
    schema: Schema = {"type": "object", "properties": dict(members)}
    if required:
        schema["required"] = required
    return {**schema, "description": text} if text else schema


def _build_field_schemas(model: type[models.Model], names: Iterable[str]) -> dict[str, Schema]:
    """Return the schemas of a model's fields by name."""
    return {name: _build_field_schema(model._meta.get_field(name)) for name in names}


def _build_field_schema(field: Any, *, is_nullable: bool | None = None) -> Schema:
    """Return the schema of a model field."""
    if field.name == "metadata":
        return TEXTS
    schema = next((schema for kind, schema in KINDS.items() if isinstance(field, kind)), TEXT)
    if schema is OBJECT and field.default is list:
        schema = build_array_schema(OBJECT)
    return make_nullable(schema) if (field.null if is_nullable is None else is_nullable) else schema


def _build_member_schemas(members: Mapping[str, Member], omit: Mapping[str, Any]) -> dict[str, Schema]:
    """Return the schemas of members of a record; nothing is null that is left out then."""
    return {
        name: _build_field_schema(member.fields[-1], is_nullable=member.is_nullable and omit.get(name, "") is not None)
        for name, member in members.items()
    }


def build_log_schema(table: LogTable, text: str = "", **others: Schema) -> tuple[Sequence[str], Schema]:
    """Return the kinds of the entries of a table, and the schema of their payload.

    ``others`` are of members that have a form of their own. A seal follows what names the row.
    """
    members = list(({**_build_member_schemas(table.payload, table.omit), **others}).items())
    if table.sealed:
        members.insert(len(table.key), ("seal", SHA256))
    return table.kinds, build_object_schema(dict(members), table.omit, text)


def build_record_schemas(record: Record, **others: Schema) -> dict[str, Schema]:
    """Return the schemas of the members of a record's lines; ``others`` have a form of their own."""
    children = {
        name: build_array_schema(build_object_schema(build_record_schemas(child), child.omit))
        for name, child in record.children.items()
    }
    columns = {name: member for name, member in record.line.items() if name not in others}
    return {**_build_member_schemas(columns, {}), **children, **others}


PERSON = {"player": TEXT}
LOGGED_RESULT = build_object_schema({**PERSON, **_build_field_schemas(Result, RESULT), "recorded_as": TEXT}, LEFT_OUT)
LOGGED_GAME = build_object_schema(
    {
        "number": WHOLE,
        **_build_field_schemas(Game, SHEET),
        "results": build_array_schema(build_schema_reference("LoggedResult")),
    },
    LEFT_OUT,
    "A game in the log.",
)
GIVEN_BACK = {
    "number": WHOLE,
    "reason": TEXT,
    "voided": make_nullable(WHOLE),
    "game": build_schema_reference("LoggedGame"),
}
LoggedPayload = tuple[Sequence[str], Schema]
"""The kinds of entries, and the schema of their payload."""
#: Name of a schema -> the payload.
FIRST_PAYLOADS: dict[str, LoggedPayload] = {
    "LeagueCreated": (
        ("league.created",),
        build_object_schema({"slug": TEXT, **_build_field_schemas(League, SETTINGS)}, LEAGUE_RECORD.omit),
    ),
    "LeagueChanged": (
        ("league.changed",),
        build_object_schema(_build_field_schemas(League, SETTINGS), SETTINGS, "What changed."),
    ),
    "LeagueRestored": (
        ("league.restored",),
        build_object_schema({"slug": TEXT, "entries": WHOLE, "sha256": SHA256, "public": FLAG}, ["public"]),
    ),
    "RuleAdopted": build_log_schema(
        RULE_LOG, season=build_schema_reference("SeasonShape"), sets=build_schema_reference("SetsShape")
    ),
    "RuleWithdrawn": (("rule.withdrawn",), build_object_schema({"from": DAY})),
    "InitialRatingSet": build_log_schema(START_LOG),
    "PlayerNamed": (("player.created", "player.erased"), build_object_schema(PERSON)),
    "PlayerChanged": (
        ("player.changed",),
        build_object_schema(
            {**PERSON, "given": build_array_schema(TEXT), "active": FLAG}, ["active"], "Changed fields without values."
        ),
    ),
    "PlayerMerged": (("player.merged", "player.unmerged"), build_object_schema({**PERSON, "into": TEXT})),
    "GameRecorded": (("game.recorded",), build_schema_reference("LoggedGame")),
    "GameCorrected": (
        ("game.corrected",),
        build_object_schema(
            {"number": WHOLE, "reason": TEXT, "game": build_schema_reference("LoggedGame")},
            text="`game` replaces `number`.",
        ),
    ),
    "GameVoided": (("game.voided",), build_object_schema({"number": WHOLE, "reason": TEXT})),
    "GameRestored": (
        ("game.restored",),
        build_object_schema(GIVEN_BACK, text="`game` is `number` again, in place of `voided`."),
    ),
    "GamesMoved": (("games.moved",), build_object_schema({"games": build_array_schema(WHOLE)})),
    "AdjustmentMade": build_log_schema(ADJUSTMENT_LOG),
    "AdjustmentVoided": build_log_schema(ADJUSTMENT_VOID_LOG),
    "ContextChanged": build_log_schema(CONTEXT_LOG),
    "ContextRemoved": (("context.removed",), build_object_schema({"context": TEXT})),
    "FieldDeclared": build_log_schema(FIELD_LOG, choices=build_array_schema(TEXT)),
    "PlayerFieldsSet": build_log_schema(PLAYER_FIELDS_LOG),
    "LadderChanged": build_log_schema(LADDER_LOG),
    "LadderRanked": build_log_schema(LADDER_RULE_LOG),
    "EditionPublished": build_log_schema(EDITION_LOG, sha256=SHA256),
    "EditionRedacted": build_log_schema(REDACTION_LOG, sha256=SHA256),
    "PeriodDecided": build_log_schema(DECISION_LOG, digest=SHA256),
    "HeadPublished": build_log_schema(HEAD_LOG, at=TEXT, sha256=SHA256),
}
#: Those after the payloads of apps.
LAST_PAYLOADS: dict[str, LoggedPayload] = {
    "TextErased": (("text.erased",), build_object_schema({"position": WHOLE})),
    "ClockAccepted": (("clock.accepted",), build_object_schema({"behind": MOMENT})),
}
MERGE = build_object_schema({"into": TEXT, "at": MOMENT, "by": TEXT})
#: Type of a line of an export -> its other members.
FIRST_EXPORTED: dict[str, Members] = {
    "header": {
        "format": build_constant_schema(exports.FORMAT),
        "version": WHOLE,
        "exported_at": MOMENT,
        "aliases": FLAG,
        "public": FLAG,
        "left_out": build_array_schema(TEXT),
    },
    "league": build_record_schemas(LEAGUE_RECORD),
    "rule": build_record_schemas(
        exports.RECORDS["rule"], season=build_schema_reference("SeasonShape"), sets=build_schema_reference("SetsShape")
    ),
    "player": {
        **_build_field_schemas(Player, ("handle", "name", "metadata")),
        "active": FLAG,
        **_build_field_schemas(Player, ("created_at", "erased_at")),
        "aliases": build_array_schema(TEXT),
        "external_ids": TEXTS,
        "merge": make_nullable(build_schema_reference("ExportedMerge")),
    },
    "field": build_record_schemas(exports.RECORDS["field"], choices=build_array_schema(TEXT)),
    **{kind: build_record_schemas(record) for kind, record in exports.RECORDS.items() if kind not in ("rule", "field")},
}
#: Those after the lines of apps.
LAST_EXPORTED: dict[str, Members] = {
    "entry": {"entry": build_schema_reference("LogEntry")},
    "end": {"lines": WHOLE, "sha256": SHA256},
}
REFUSALS = (400, 401, 403, 404, 409, 412, 413, 415, 422, 503, 507)
BATCHED = {
    "RecordedLine": build_object_schema(
        {"status": {"type": "integer", "const": 201}, "game": build_schema_reference("GameShape")}
    ),
    "KnownLine": build_object_schema(
        {"status": {"type": "integer", "const": 200}, "game": build_schema_reference("GameShape")}
    ),
    "RefusedLine": build_object_schema(
        {"status": {"type": "integer", "enum": list(REFUSALS)}, "problem": build_schema_reference("ProblemShape")}
    ),
}
#: A row of an export as CSV: a result of a game that is not void. The system's own columns follow.
ROW = build_object_schema(
    {
        "game_id": TEXT,
        "played_at": MOMENT,
        "player": TEXT,
        "score": make_nullable(NUMBER),
        "place": make_nullable(WHOLE),
        "kind": TEXT,
        "side": make_nullable(WHOLE),
        "weight": NUMBER,
    },
    ["side", "weight"],
    "A result of a game. Columns that the league does not use are omitted; the system's own columns follow.",
)


def _build_entry_schema(kinds: Sequence[str], payload: Schema) -> Schema:
    """Return the schema of a line of the log."""
    members = {
        "at": MOMENT,
        "by": TEXT,
        "kind": _build_choice_schema(kinds),
        "payload": payload,
        "position": WHOLE,
        "previous": SHA256,
        "sha256": SHA256,
        "sealed": OBJECT,
        "salts": TEXTS,
        "left_out": build_array_schema(TEXT),
    }
    return build_object_schema(members, ["sealed", "salts", "left_out"])


def _build_event_schema(kinds: Sequence[str], payload: Schema) -> Schema:
    """Return the schema of the event of a kind of log entry."""
    ids = {"type": "object", "additionalProperties": TEXTS, "description": "External ids of players, by handle."}
    data = {"league": TEXT, "position": WHOLE, "by": TEXT, "payload": payload, "sha256": SHA256, "external_ids": ids}
    event = {
        "type": _build_choice_schema(kinds),
        "timestamp": MOMENT,
        "data": build_object_schema(data, ["external_ids"]),
    }
    return build_object_schema(event)


def _build_choice_schema(kinds: Sequence[str]) -> Schema:
    """Return the schema of one of several kinds."""
    return build_constant_schema(kinds[0]) if len(kinds) == 1 else {"type": "string", "enum": list(kinds)}


def _build_union_schema(kinds: Mapping[str, str], member: str) -> Schema:
    """Return the schema of one of several objects; ``kinds`` maps the values of ``member`` to schema names."""
    mapping = {kind: build_schema_reference(name)["$ref"] for kind, name in kinds.items()}
    refs = [build_schema_reference(name) for name in dict.fromkeys(kinds.values())]
    return {"oneOf": refs, "discriminator": {"propertyName": member, "mapping": mapping}}


def list_payloads() -> dict[str, LoggedPayload]:
    """Return the payloads of the core and of the installed apps."""
    payloads = dict(FIRST_PAYLOADS)
    for declared in load_declared(lambda app: app.log.payloads):
        payloads |= declared
    return payloads | LAST_PAYLOADS


def list_exported() -> dict[str, Members]:
    """Return the lines of the core and of the installed apps, each with its members."""
    of_apps = {lines.kind: import_string(lines.schema) for app in list_capabilities() for lines in app.exports}
    return FIRST_EXPORTED | of_apps | LAST_EXPORTED


def build_line_schemas() -> dict[str, Schema]:
    """Return the schemas of all lines and their parts, by name."""
    schemas: dict[str, Schema] = {"LoggedResult": LOGGED_RESULT, "LoggedGame": LOGGED_GAME, "ExportedMerge": MERGE}
    entries, lines = dict[str, str](), dict[str, str]()
    for name, (kinds, payload_schema) in list_payloads().items():
        payload = payload_schema if "$ref" in payload_schema else build_schema_reference(f"{name}Payload")
        if payload is not payload_schema:
            schemas[f"{name}Payload"] = payload_schema
        schemas[f"{name}Entry"], schemas[f"{name}Event"] = (
            _build_entry_schema(kinds, payload),
            _build_event_schema(kinds, payload),
        )
        entries |= dict.fromkeys(kinds, f"{name}Entry")
    for kind, members in list_exported().items():
        _shape, defaults = find_shape(kind) or ({}, {})
        lines[kind] = f"Exported{''.join(map(str.capitalize, kind.split('_')))}"
        schemas[lines[kind]] = build_object_schema({"type": build_constant_schema(kind), **members}, defaults)
    page = {
        "results": build_array_schema(build_schema_reference("LogEntry")),
        "next": {"type": "string", "format": "uri"},
    }
    return {
        **schemas,
        **BATCHED,
        "LogEntry": _build_union_schema(entries, "kind"),
        "LogPage": build_object_schema(page, text="`next` is the URL for later entries; poll it again."),
        "ExportLine": _build_union_schema(lines, "type"),
        "ExportRow": ROW,
        "BatchLine": {"oneOf": [build_schema_reference(name) for name in BATCHED]},
    }
