"""Schemas of the log entries of links and reports, and of reports in exports."""

from league.apps.reports.log_entries import ReportLogKind
from league.web.api.openapi.lines import (
    FLAG,
    MOMENT,
    OBJECT,
    SHA256,
    TEXT,
    UUID,
    WHOLE,
    LoggedPayload,
    build_array_schema,
    build_object_schema,
)

PAYLOADS: dict[str, LoggedPayload] = {
    "LinkMade": (
        [ReportLogKind.LINK_MADE.value, ReportLogKind.LINK_REWORDED.value],
        build_object_schema({"link": UUID, "seal": SHA256}),
    ),
    "LinkRevoked": ([ReportLogKind.LINK_REVOKED.value], build_object_schema({"link": UUID})),
    "ReportNoted": (
        [kind for kind in ReportLogKind.values if kind.startswith("report.")],
        build_object_schema(
            {"report": UUID, "seal": SHA256, "game": WHOLE},
            ["game"],
            "A player's report; `game` is the recorded game.",
        ),
    ),
}
ANSWER = build_object_schema({"player": TEXT, "at": MOMENT, "right": FLAG, "reason": TEXT})
EXPORTED = {
    "state": TEXT,
    "sheet": OBJECT,
    "played_at": MOMENT,
    "entered_by": TEXT,
    "entered_at": MOMENT,
    "due_at": MOMENT,
    "answers": build_array_schema(ANSWER),
    "reason": TEXT,
}
