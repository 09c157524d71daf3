"""Schemas of lines of the log, exports and batches, and of webhook bodies.

Model fields are described by their columns, under the names in ``league.models`` and ``selectors.exports``; only the
other members are described here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import models

from league.core.transfer.selectors import exports
from league.models import Adjustment, Decision, Edition, Game, Ladder, LadderRule, League, Period, Player, Result, Rule
from league.models.facts import RESULT, SHEET, USUAL
from league.models.leagues import SETTINGS
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
}
#: Members of games and results that are omitted if they have their default, and the optional worksheet.
LEFT_OUT = frozenset({*USUAL, "worksheet"})
FIGURES: Schema = {"type": "object", "additionalProperties": NUMBER}


def _make_nullable(schema: Schema) -> Schema:
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


def _build_field_schema(field: Any) -> Schema:
    """Return the schema of a model field."""
    if field.name == "metadata":
        return TEXTS
    schema = next((schema for kind, schema in KINDS.items() if isinstance(field, kind)), TEXT)
    if schema is OBJECT and field.default is list:
        schema = build_array_schema(OBJECT)
    return _make_nullable(schema) if field.null else schema


PERSON = {"player": TEXT}
WHO = {**PERSON, "recorded_as": _make_nullable(TEXT)}
ABOUT_PERIOD = {"ladder": TEXT, "period": TEXT, "edition": WHOLE}
REPORT = {"report": UUID, "seal": SHA256, "game": WHOLE}
ROWS_OF_COMPETITION = {
    "entries": build_array_schema(OBJECT),
    "rounds": build_array_schema(OBJECT),
    "fixtures": build_array_schema(OBJECT),
}
COMPETITION = {
    "competition": TEXT,
    "settings": OBJECT,
    **ROWS_OF_COMPETITION,
    "standings": OBJECT,
    "file": OBJECT,
    "removed": OBJECT,
    "reason": TEXT,
    "round": WHOLE,
    "fixture": WHOLE,
    "game": WHOLE,
    "salt": TEXT,
}
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
    "voided": _make_nullable(WHOLE),
    "game": build_schema_reference("LoggedGame"),
}
#: Name -> the kinds of entries, and the schema of their payload.
PAYLOADS: dict[str, tuple[tuple[str, ...], Schema]] = {
    "LeagueCreated": (
        ("league.created",),
        build_object_schema({"slug": TEXT, **_build_field_schemas(League, SETTINGS)}, USUAL),
    ),
    "LeagueChanged": (
        ("league.changed",),
        build_object_schema(_build_field_schemas(League, SETTINGS), SETTINGS, "What changed."),
    ),
    "LeagueRestored": (
        ("league.restored",),
        build_object_schema({"slug": TEXT, "entries": WHOLE, "sha256": SHA256, "public": FLAG}, ["public"]),
    ),
    "RuleAdopted": (
        ("rule.adopted",),
        build_object_schema(
            {
                "from": DAY,
                "system": TEXT,
                "parameters": OBJECT,
                "season": build_schema_reference("SeasonShape"),
                **_build_field_schemas(Rule, ["start"]),
            },
            ["season", "start"],
        ),
    ),
    "RuleWithdrawn": (("rule.withdrawn",), build_object_schema({"from": DAY})),
    "InitialRatingSet": (("initial_rating.set",), build_object_schema({**PERSON, "rating": NUMBER})),
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
    "AdjustmentMade": (
        ("adjustment.made",),
        build_object_schema({"number": WHOLE, **PERSON, "since": MOMENT, "amount": NUMBER, "reason": TEXT}),
    ),
    "AdjustmentVoided": (
        ("adjustment.voided",),
        build_object_schema({"number": WHOLE, **PERSON, "since": MOMENT, "reason": TEXT}),
    ),
    "LadderChanged": (
        ("ladder.created", "ladder.changed"),
        build_object_schema({"ladder": TEXT, "title": TEXT, "ended_on": _make_nullable(DAY)}),
    ),
    "LadderRanked": (
        ("ladder.rule_adopted",),
        build_object_schema(
            {
                "ladder": TEXT,
                "from": DAY,
                "to": _make_nullable(DAY),
                "method": TEXT,
                "cadence": TEXT,
                "parameters": OBJECT,
            }
        ),
    ),
    "EditionPublished": (
        ("edition.published",),
        build_object_schema({**ABOUT_PERIOD, "reason": TEXT, "sha256": SHA256}),
    ),
    "EditionRedacted": (("edition.redacted",), build_object_schema({**ABOUT_PERIOD, "sha256": SHA256})),
    "PeriodDecided": (
        ("period.reopened", "period.carried"),
        build_object_schema({**ABOUT_PERIOD, "reason": TEXT, "digest": SHA256}, ["digest"]),
    ),
    "HeadPublished": (
        ("head.published",),
        build_object_schema({"at": TEXT, "position": WHOLE, "sha256": SHA256, "key": TEXT, "signature": TEXT}),
    ),
    "LinkMade": (("link.made", "link.reworded"), build_object_schema({"link": UUID, "seal": SHA256})),
    "LinkRevoked": (("link.revoked",), build_object_schema({"link": UUID})),
    "ReportNoted": (
        (
            "report.entered",
            "report.answered",
            "report.disputed",
            "report.confirmed",
            "report.refused",
            "report.withdrawn",
            "report.overdue",
            "report.twin",
            "report.lapsed",
            "report.reworded",
        ),
        build_object_schema(REPORT, ["game"], "A player's report; `game` is the recorded game."),
    ),
    "CompetitionNoted": (
        (
            "competition.created",
            "competition.changed",
            "competition.started",
            "competition.finished",
            "competition.cancelled",
            "competition.revised",
            "entry.added",
            "entry.changed",
            "round.made",
            "round.published",
            "round.undone",
            "fixture.added",
            "fixture.changed",
            "fixture.played",
            "fixture.forfeited",
        ),
        build_object_schema(
            COMPETITION,
            COMPETITION,
            "A change of a competition: the changed rows whole, and the numbers of removed rows by table.",
        ),
    ),
    "TextErased": (("text.erased",), build_object_schema({"position": WHOLE})),
    "ClockAccepted": (("clock.accepted",), build_object_schema({"behind": MOMENT})),
}
LADDER_RULE = build_object_schema(_build_field_schemas(LadderRule, exports.LADDER_RULE))
SEAT = build_object_schema({"seat": WHOLE, **WHO, **_build_field_schemas(Result, RESULT)}, LEFT_OUT - {"recorded_as"})
MERGE = build_object_schema({"into": TEXT, "at": MOMENT, "by": TEXT})
ANSWER = build_object_schema({**PERSON, "at": MOMENT, "right": FLAG, "reason": TEXT})
WAITING = {
    "state": TEXT,
    "sheet": OBJECT,
    "played_at": MOMENT,
    "entered_by": TEXT,
    "entered_at": MOMENT,
    "due_at": MOMENT,
    "answers": build_array_schema(ANSWER),
    "reason": TEXT,
}
#: Type of a line of an export -> its other members.
EXPORTED: dict[str, dict[str, Schema]] = {
    "header": {
        "format": build_constant_schema(exports.FORMAT),
        "version": WHOLE,
        "exported_at": MOMENT,
        "aliases": FLAG,
        "public": FLAG,
        "left_out": build_array_schema(TEXT),
    },
    "league": _build_field_schemas(League, exports.LEAGUE),
    "rule": {**_build_field_schemas(Rule, (*exports.RULE, "start")), "season": build_schema_reference("SeasonShape")},
    "player": {
        **_build_field_schemas(Player, ("handle", "name", "metadata")),
        "active": FLAG,
        **_build_field_schemas(Player, ("created_at", "erased_at")),
        "aliases": build_array_schema(TEXT),
        "external_ids": TEXTS,
        "merge": _make_nullable(build_schema_reference("ExportedMerge")),
    },
    "initial_rating": {**WHO, "rating": NUMBER},
    "adjustment": {**WHO, **_build_field_schemas(Adjustment, exports.ADJUSTMENT)},
    "ladder": {**_build_field_schemas(Ladder, exports.LADDER), "rules": build_array_schema(LADDER_RULE)},
    "game": {
        **_build_field_schemas(Game, exports.GAME),
        "replaces": _make_nullable(WHOLE),
        "results": build_array_schema(SEAT),
    },
    "period": {"ladder": TEXT, "rule": DAY, **_build_field_schemas(Period, exports.PERIOD)},
    "edition": {"ladder": TEXT, **_build_field_schemas(Edition, exports.EDITION)},
    "decision": {"ladder": TEXT, **_build_field_schemas(Decision, exports.DECISION)},
    "report": WAITING,
    "competition": {
        "slug": TEXT,
        "settings": OBJECT,
        **ROWS_OF_COMPETITION,
        "standings": build_array_schema(OBJECT),
        "file": _make_nullable(OBJECT),
    },
    "entry": {"entry": build_schema_reference("LogEntry")},
    "end": {"lines": WHOLE, "sha256": SHA256},
}
#: Members of lines that are omitted if they have their default.
EXPORT_OPTIONAL = frozenset({*USUAL, "season", "start", "external_ids", "public", "left_out", "file"}) - {"recorded_as"}
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
        "score": _make_nullable(NUMBER),
        "place": _make_nullable(WHOLE),
        "kind": TEXT,
        "side": _make_nullable(WHOLE),
        "weight": NUMBER,
    },
    ["side", "weight"],
    "A result of a game. Columns that the league does not use are omitted; the system's own columns follow.",
)


def _build_entry_schema(kinds: tuple[str, ...], payload: Schema) -> Schema:
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


def _build_event_schema(kinds: tuple[str, ...], payload: Schema) -> Schema:
    """Return the schema of the webhook body for a kind of log entry."""
    data = {"league": TEXT, "position": WHOLE, "by": TEXT, "payload": payload, "sha256": SHA256}
    return build_object_schema(
        {"type": _build_choice_schema(kinds), "timestamp": MOMENT, "data": build_object_schema(data)}
    )


def _build_choice_schema(kinds: tuple[str, ...]) -> Schema:
    """Return the schema of one of several kinds."""
    return build_constant_schema(kinds[0]) if len(kinds) == 1 else {"type": "string", "enum": list(kinds)}


def _build_union_schema(kinds: Mapping[str, str], member: str) -> Schema:
    """Return the schema of one of several objects; ``kinds`` maps the values of ``member`` to schema names."""
    mapping = {kind: build_schema_reference(name)["$ref"] for kind, name in kinds.items()}
    refs = [build_schema_reference(name) for name in dict.fromkeys(kinds.values())]
    return {"oneOf": refs, "discriminator": {"propertyName": member, "mapping": mapping}}


def build_line_schemas() -> dict[str, Schema]:
    """Return the schemas of all lines and their parts, by name."""
    schemas: dict[str, Schema] = {"LoggedResult": LOGGED_RESULT, "LoggedGame": LOGGED_GAME, "ExportedMerge": MERGE}
    entries, lines = dict[str, str](), dict[str, str]()
    for name, (kinds, payload_schema) in PAYLOADS.items():
        payload = payload_schema if "$ref" in payload_schema else build_schema_reference(f"{name}Payload")
        if payload is not payload_schema:
            schemas[f"{name}Payload"] = payload_schema
        schemas[f"{name}Entry"], schemas[f"{name}Event"] = (
            _build_entry_schema(kinds, payload),
            _build_event_schema(kinds, payload),
        )
        entries |= dict.fromkeys(kinds, f"{name}Entry")
    for kind, members in EXPORTED.items():
        lines[kind] = f"Exported{''.join(map(str.capitalize, kind.split('_')))}"
        schemas[lines[kind]] = build_object_schema(
            {"type": build_constant_schema(kind), **members}, EXPORT_OPTIONAL & members.keys()
        )
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
