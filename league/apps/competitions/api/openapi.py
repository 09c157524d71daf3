"""Schemas of the log entries of competitions, and of competitions in exports."""

from league.apps.competitions.log_kinds import ChangeKind
from league.web.api.openapi.lines import (
    OBJECT,
    TEXT,
    WHOLE,
    LoggedPayload,
    build_array_schema,
    build_object_schema,
    make_nullable,
)

TABLES = {name: build_array_schema(OBJECT) for name in ("entries", "rounds", "fixtures")}
LOGGED = {
    "competition": TEXT,
    "settings": OBJECT,
    **TABLES,
    "standings": OBJECT,
    "file": OBJECT,
    "removed": OBJECT,
    "reason": TEXT,
    **dict.fromkeys(("round", "fixture", "game"), WHOLE),
    "salt": TEXT,
}
PAYLOADS: dict[str, LoggedPayload] = {
    "CompetitionNoted": (
        ChangeKind.values,
        build_object_schema(
            LOGGED,
            LOGGED,
            "A change of a competition: the changed rows whole, and the numbers of removed rows by table.",
        ),
    ),
}
EXPORTED = {
    "slug": TEXT,
    "settings": OBJECT,
    **TABLES,
    "standings": build_array_schema(OBJECT),
    "file": make_nullable(OBJECT),
}
