"""Schemas of the log entries of links and reports, and of reports in exports."""

from league.apps.reports.records import LINK_LOG, REPORT_LINE, REPORT_LOG, REPORT_RECORD, REVOCATION_LOG
from league.web.api.openapi.lines import (
    FLAG,
    MOMENT,
    TEXT,
    LoggedPayload,
    build_array_schema,
    build_log_schema,
    build_object_schema,
    build_record_schemas,
)

PAYLOADS: dict[str, LoggedPayload] = {
    "LinkMade": build_log_schema(LINK_LOG),
    "LinkRevoked": build_log_schema(REVOCATION_LOG),
    "ReportNoted": build_log_schema(REPORT_LOG, "A player's report; `game` is the recorded game."),
}
ANSWER = build_object_schema({"player": TEXT, "at": MOMENT, "right": FLAG, "reason": TEXT})
SCHEMAS = build_record_schemas(REPORT_RECORD) | {"answers": build_array_schema(ANSWER)}
EXPORTED = {name: SCHEMAS[name] for name in REPORT_LINE}
FAULTS = {
    "not_there": "The reporting player did not take part in the game.",
}
