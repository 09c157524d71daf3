"""The kinds of log entries: those of core facts, and those that apps declare."""

from league.core.capabilities import load_declared
from league.models import LogEntry

Kind = LogEntry.Kind
#: The kinds about the log itself and about erasures, which lists show last.
UPKEEP = (Kind.TEXT_ERASED, Kind.PLAYER_ERASED, Kind.EDITION_REDACTED, Kind.CLOCK_ACCEPTED)


def list_kinds() -> list[str]:
    """Return the kinds that entries on this site may have, in the order of lists."""
    declared = (kind for kinds in load_declared(lambda app: app.log.kinds) for kind in kinds.values)
    return [*(kind.value for kind in Kind if kind not in UPKEEP), *declared, *(kind.value for kind in UPKEEP)]
