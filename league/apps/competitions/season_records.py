"""The records of seasons: what logs, exports, restores and verification contain of each table."""

from collections.abc import Iterator
from typing import Any

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Season, SeasonEdition, SeasonEntry, SeasonPart
from league.core.log.chain import compute_digest
from league.core.log_tables import LogTable
from league.core.records import Record, Values
from league.core.text.stored_messages import phrase
from league.models import League

KINDS = [kind.value for kind in ChangeKind if kind.startswith("season.")]
SEASON_RECORD = Record(
    Season,
    "season=slug title description starts ends entries_until previous=previous.slug rule blocked status created_at "
    "created_by",
)
SEASON_LOG = LogTable(
    SEASON_RECORD,
    "seasons",
    kinds=KINDS,
    member="season_settings",
    key="season",
    name=lambda slug: phrase("The season {slug}", slug=slug),
    counted=phrase("in seasons, compared with the log"),
)
SEASON_ENTRY_RECORD = Record(
    SeasonEntry,
    "season=season.slug entry=number player=player.handle rating status level letter reason entered_at entered_by",
    parent="season",
    order_by="number",
)
SEASON_ENTRY_LOG = LogTable(
    SEASON_ENTRY_RECORD,
    "entries of seasons",
    kinds=KINDS,
    member="season_entries",
    key="season entry",
    name=lambda slug, number: phrase("Entry {number} of the season {slug}", number=number, slug=slug),
    counted=phrase("in entries of seasons, compared with the log"),
)
PART_RECORD = Record(
    SeasonPart,
    "season=season.slug competition=competition.slug level letter stage event",
    parent="season",
)
PART_LOG = LogTable(
    PART_RECORD,
    "competitions of seasons",
    kinds=KINDS,
    member="season_parts",
    key="season competition",
    name=lambda season, slug: phrase("The competition {slug} of the season {season}", slug=slug, season=season),
    counted=phrase("in competitions of seasons, compared with the log"),
)
SEASON_EDITION_RECORD = Record(
    SeasonEdition,
    "season=season.slug edition=number sha256 published_at published_by reason document",
    parent="season",
    order_by="number",
)


def _read_editions(league: League, log: Any) -> Iterator[tuple[Any, Values]]:
    """Read the editions; the log has the SHA-256 of each document."""
    for row in log.tables[SEASON_EDITION_LOG.title].values():
        row.values["document"] = row.values.get("sha256")
    for key, row in SEASON_EDITION_LOG.read_stored(league):
        yield key, {**row, "document": compute_digest(row["document"])}


SEASON_EDITION_LOG = LogTable(
    SEASON_EDITION_RECORD,
    "editions of seasons",
    read=_read_editions,
    kinds=KINDS,
    member="season_edition",
    key="season edition",
    payload="season edition sha256 published_at published_by reason",
    stated="document",
    name=lambda slug, number: phrase("Edition {number} of the season {slug}", number=number, slug=slug),
    counted=phrase("in editions of seasons, compared with the log"),
)
#: The tables with rows of a season, in the order of its export line.
SEASON_ROW_TABLES = (SEASON_ENTRY_LOG, PART_LOG, SEASON_EDITION_LOG)
#: The tables that verification compares with the log.
SEASON_TABLES = (SEASON_LOG, *SEASON_ROW_TABLES)
