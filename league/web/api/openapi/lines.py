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
from league.web.api.openapi.described import schema_ref

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


def nullable(schema: Schema) -> Schema:
    """Return a schema that also accepts null."""
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def array_of(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def constant(word: str) -> Schema:
    """Return the schema of a constant."""
    return {"type": "string", "const": word}


def described(members: Members, optional: Iterable[str] = (), text: str = "") -> Schema:
    """Return the schema of an object; all members but the optional ones are required."""
    required = [name for name in members if name not in optional]
    schema: Schema = {"type": "object", "properties": dict(members)}
    if required:
        schema["required"] = required
    return {**schema, "description": text} if text else schema


def columns(model: type[models.Model], names: Iterable[str]) -> dict[str, Schema]:
    """Return the schemas of a model's fields by name."""
    return {name: column(model._meta.get_field(name)) for name in names}


def column(field: Any) -> Schema:
    """Return the schema of a model field."""
    if field.name == "metadata":
        return TEXTS
    schema = next((schema for kind, schema in KINDS.items() if isinstance(field, kind)), TEXT)
    if schema is OBJECT and field.default is list:
        schema = array_of(OBJECT)
    return nullable(schema) if field.null else schema


PERSON = {"player": TEXT}
WHO = {**PERSON, "recorded_as": nullable(TEXT)}
ABOUT_PERIOD = {"ladder": TEXT, "period": TEXT, "edition": WHOLE}
REPORT = {"report": UUID, "seal": SHA256, "game": WHOLE}
LOGGED_RESULT = described({**PERSON, **columns(Result, RESULT), "recorded_as": TEXT}, LEFT_OUT)
LOGGED_GAME = described(
    {"number": WHOLE, **columns(Game, SHEET), "results": array_of(schema_ref("LoggedResult"))},
    LEFT_OUT,
    "A game in the log.",
)
GIVEN_BACK = {"number": WHOLE, "reason": TEXT, "voided": nullable(WHOLE), "game": schema_ref("LoggedGame")}
#: Name -> the kinds of entries, and the schema of their payload.
PAYLOADS: dict[str, tuple[tuple[str, ...], Schema]] = {
    "LeagueCreated": (("league.created",), described({"slug": TEXT, **columns(League, SETTINGS)}, USUAL)),
    "LeagueChanged": (("league.changed",), described(columns(League, SETTINGS), SETTINGS, "What changed.")),
    "LeagueRestored": (("league.restored",), described({"slug": TEXT, "entries": WHOLE, "sha256": SHA256})),
    "RuleAdopted": (
        ("rule.adopted",),
        described(
            {
                "from": DAY, "system": TEXT, "parameters": OBJECT, "season": schema_ref("SeasonShape"),
                **columns(Rule, ["start"]),
            },
            ["season", "start"],
        ),
    ),
    "RuleWithdrawn": (("rule.withdrawn",), described({"from": DAY})),
    "InitialRatingSet": (("initial_rating.set",), described({**PERSON, "rating": NUMBER})),
    "PlayerNamed": (("player.created", "player.erased"), described(PERSON)),
    "PlayerChanged": (
        ("player.changed",),
        described({**PERSON, "given": array_of(TEXT), "active": FLAG}, ["active"], "Changed fields without values."),
    ),
    "PlayerMerged": (("player.merged", "player.unmerged"), described({**PERSON, "into": TEXT})),
    "GameRecorded": (("game.recorded",), schema_ref("LoggedGame")),
    "GameCorrected": (
        ("game.corrected",),
        described(
            {"number": WHOLE, "reason": TEXT, "game": schema_ref("LoggedGame")}, text="`game` replaces `number`."
        ),
    ),
    "GameVoided": (("game.voided",), described({"number": WHOLE, "reason": TEXT})),
    "GameRestored": (("game.restored",), described(GIVEN_BACK, text="`game` is `number` again, in place of `voided`.")),
    "GamesMoved": (("games.moved",), described({"games": array_of(WHOLE)})),
    "AdjustmentMade": (
        ("adjustment.made",),
        described({"number": WHOLE, **PERSON, "since": MOMENT, "amount": NUMBER, "reason": TEXT}),
    ),
    "AdjustmentVoided": (
        ("adjustment.voided",),
        described({"number": WHOLE, **PERSON, "since": MOMENT, "reason": TEXT}),
    ),
    "LadderChanged": (
        ("ladder.created", "ladder.changed"),
        described({"ladder": TEXT, "title": TEXT, "ended_on": nullable(DAY)}),
    ),
    "LadderRanked": (
        ("ladder.rule_adopted",),
        described({
            "ladder": TEXT, "from": DAY, "to": nullable(DAY), "method": TEXT, "cadence": TEXT, "parameters": OBJECT,
        }),
    ),
    "EditionPublished": (("edition.published",), described({**ABOUT_PERIOD, "reason": TEXT, "sha256": SHA256})),
    "EditionRedacted": (("edition.redacted",), described({**ABOUT_PERIOD, "sha256": SHA256})),
    "PeriodDecided": (
        ("period.reopened", "period.carried"),
        described({**ABOUT_PERIOD, "reason": TEXT, "digest": SHA256}, ["digest"]),
    ),
    "HeadPublished": (
        ("head.published",),
        described({"at": TEXT, "position": WHOLE, "sha256": SHA256, "key": TEXT, "signature": TEXT}),
    ),
    "LinkMade": (("link.made", "link.reworded"), described({"link": UUID, "seal": SHA256})),
    "LinkRevoked": (("link.revoked",), described({"link": UUID})),
    "ReportNoted": (
        (
            "report.entered", "report.answered", "report.disputed", "report.confirmed", "report.refused",
            "report.withdrawn", "report.overdue", "report.twin", "report.lapsed", "report.reworded",
        ),
        described(REPORT, ["game"], "A player's report; `game` is the recorded game."),
    ),
    "TextErased": (("text.erased",), described({"position": WHOLE})),
    "ClockAccepted": (("clock.accepted",), described({"behind": MOMENT})),
}  # fmt: skip
LADDER_RULE = described(columns(LadderRule, exports.LADDER_RULE))
SEAT = described({"seat": WHOLE, **WHO, **columns(Result, RESULT)}, LEFT_OUT - {"recorded_as"})
MERGE = described({"into": TEXT, "at": MOMENT, "by": TEXT})
ANSWER = described({**PERSON, "at": MOMENT, "right": FLAG, "reason": TEXT})
WAITING = {
    "state": TEXT, "sheet": OBJECT, "played_at": MOMENT, "entered_by": TEXT, "entered_at": MOMENT, "due_at": MOMENT,
    "answers": array_of(ANSWER), "reason": TEXT,
}  # fmt: skip
#: Type of a line of an export -> its other members.
EXPORTED: dict[str, dict[str, Schema]] = {
    "header": {"format": constant(exports.FORMAT), "version": WHOLE, "exported_at": MOMENT, "aliases": FLAG},
    "league": columns(League, exports.LEAGUE),
    "rule": {**columns(Rule, (*exports.RULE, "start")), "season": schema_ref("SeasonShape")},
    "player": {
        **columns(Player, ("handle", "name", "metadata")), "active": FLAG,
        **columns(Player, ("created_at", "erased_at")), "aliases": array_of(TEXT), "external_ids": TEXTS,
        "merge": nullable(schema_ref("ExportedMerge")),
    },
    "initial_rating": {**WHO, "rating": NUMBER},
    "adjustment": {**WHO, **columns(Adjustment, exports.ADJUSTMENT)},
    "ladder": {**columns(Ladder, exports.LADDER), "rules": array_of(LADDER_RULE)},
    "game": {**columns(Game, exports.GAME), "replaces": nullable(WHOLE), "results": array_of(SEAT)},
    "period": {"ladder": TEXT, "rule": DAY, **columns(Period, exports.PERIOD)},
    "edition": {"ladder": TEXT, **columns(Edition, exports.EDITION)},
    "decision": {"ladder": TEXT, **columns(Decision, exports.DECISION)},
    "report": WAITING,
    "entry": {"entry": schema_ref("LogEntry")},
    "end": {"lines": WHOLE, "sha256": SHA256},
}  # fmt: skip
#: Members of lines that are omitted if they have their default.
EXPORT_OPTIONAL = frozenset({*USUAL, "season", "start", "external_ids"}) - {"recorded_as"}
REFUSALS = (400, 401, 403, 404, 409, 412, 413, 415, 422, 503, 507)
BATCHED = {
    "RecordedLine": described({"status": {"type": "integer", "const": 201}, "game": schema_ref("GameShape")}),
    "KnownLine": described({"status": {"type": "integer", "const": 200}, "game": schema_ref("GameShape")}),
    "RefusedLine": described(
        {"status": {"type": "integer", "enum": list(REFUSALS)}, "problem": schema_ref("ProblemShape")}
    ),
}
#: A row of an export as CSV: a result of a game that is not void. The system's own columns follow.
ROW = described(
    {
        "game_id": TEXT, "played_at": MOMENT, "player": TEXT, "score": nullable(NUMBER), "place": nullable(WHOLE),
        "kind": TEXT, "side": nullable(WHOLE), "weight": NUMBER,
    },
    ["side", "weight"],
    "A result of a game. Columns that the league does not use are omitted; the system's own columns follow.",
)  # fmt: skip


def entry_of(kinds: tuple[str, ...], payload: Schema) -> Schema:
    """Return the schema of a line of the log."""
    members = {
        "at": MOMENT, "by": TEXT, "kind": one_of(kinds), "payload": payload, "position": WHOLE, "previous": SHA256,
        "sha256": SHA256, "sealed": OBJECT, "salts": TEXTS,
    }  # fmt: skip
    return described(members, ["sealed", "salts"])


def event_of(kinds: tuple[str, ...], payload: Schema) -> Schema:
    """Return the schema of the webhook body for a kind of log entry."""
    data = {"league": TEXT, "position": WHOLE, "by": TEXT, "payload": payload, "sha256": SHA256}
    return described({"type": one_of(kinds), "timestamp": MOMENT, "data": described(data)})


def one_of(kinds: tuple[str, ...]) -> Schema:
    """Return the schema of one of several kinds."""
    return constant(kinds[0]) if len(kinds) == 1 else {"type": "string", "enum": list(kinds)}


def union(kinds: Mapping[str, str], member: str) -> Schema:
    """Return the schema of one of several objects; ``kinds`` maps the values of ``member`` to schema names."""
    mapping = {kind: schema_ref(name)["$ref"] for kind, name in kinds.items()}
    refs = [schema_ref(name) for name in dict.fromkeys(kinds.values())]
    return {"oneOf": refs, "discriminator": {"propertyName": member, "mapping": mapping}}


def schemas_of_lines() -> dict[str, Schema]:
    """Return the schemas of all lines and their parts, by name."""
    found: dict[str, Schema] = {"LoggedResult": LOGGED_RESULT, "LoggedGame": LOGGED_GAME, "ExportedMerge": MERGE}
    entries, lines = dict[str, str](), dict[str, str]()
    for name, (kinds, held) in PAYLOADS.items():
        payload = held if "$ref" in held else schema_ref(f"{name}Payload")
        if payload is not held:
            found[f"{name}Payload"] = held
        found[f"{name}Entry"], found[f"{name}Event"] = entry_of(kinds, payload), event_of(kinds, payload)
        entries |= dict.fromkeys(kinds, f"{name}Entry")
    for kind, members in EXPORTED.items():
        lines[kind] = f"Exported{''.join(map(str.capitalize, kind.split('_')))}"
        found[lines[kind]] = described({"type": constant(kind), **members}, EXPORT_OPTIONAL & members.keys())
    page = {"results": array_of(schema_ref("LogEntry")), "next": {"type": "string", "format": "uri"}}
    return {
        **found,
        **BATCHED,
        "LogEntry": union(entries, "kind"),
        "LogPage": described(page, text="`next` is the URL for later entries; poll it again."),
        "ExportLine": union(lines, "type"),
        "ExportRow": ROW,
        "BatchLine": {"oneOf": [schema_ref(name) for name in BATCHED]},
    }
