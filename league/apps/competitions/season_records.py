"""The records of seasons: what logs, exports, restores and verification contain of each table."""

from league.apps.competitions.edition_tables import EditionTable
from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import SEASON_VALUES, Season, SeasonEdition, SeasonEntry, SeasonPart
from league.core.log_tables import LogTable
from league.core.records import Record
from league.core.text.stored_messages import phrase

KINDS = [kind.value for kind in ChangeKind if kind.startswith("season.")]
SEASON_RECORD = Record(
    Season,
    f"season=slug {' '.join('previous=previous.slug' if name == 'previous' else name for name in SEASON_VALUES)}",
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
SEASON_EDITION_LOG = EditionTable(
    SeasonEdition,
    "editions of seasons",
    "season",
    kinds=KINDS,
    member="season_edition",
    name=lambda slug, number: phrase("Edition {number} of the season {slug}", number=number, slug=slug),
    counted=phrase("in editions of seasons, compared with the log"),
)
#: The tables with rows of a season, in the order of its export line.
SEASON_ROW_TABLES = (SEASON_ENTRY_LOG, PART_LOG, SEASON_EDITION_LOG)
#: The tables that verification compares with the log.
SEASON_TABLES = (SEASON_LOG, *SEASON_ROW_TABLES)
