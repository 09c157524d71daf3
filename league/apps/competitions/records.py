"""The records of competitions: what logs, exports, restores and verification contain of each table."""

import json
from collections.abc import Iterator
from typing import Any

from league.apps.competitions.edition_tables import EditionTable
from league.apps.competitions.hall_records import HALL_LOG
from league.apps.competitions.log_kinds import OTHER_SUBJECTS, ChangeKind
from league.apps.competitions.models import (
    EXTRA_POINTS,
    FORBIDDEN,
    MARKS,
    RATINGS_OF_ENTRY,
    SETTINGS,
    Competition,
    Entry,
    EntryPlayer,
    FinalStandings,
    Fixture,
    FixtureSeat,
    Round,
    SourceFile,
)
from league.apps.competitions.season_records import SEASON_TABLES
from league.core.log.chain import compute_digest
from league.core.log_tables import FactTable, LogTable
from league.core.records import Record, Values
from league.core.text.stored_messages import phrase
from league.models import League

#: Each entry of a competition may have rows of all tables.
KINDS = [kind.value for kind in ChangeKind if not kind.startswith(OTHER_SUBJECTS)]
#: Settings that older logs and exports lack: they have their defaults then.
NEWER_SETTINGS = (*SETTINGS[SETTINGS.index("federation") : SETTINGS.index("status")], "regulations_left")
COMPETITION_RECORD = Record(
    Competition,
    f"competition=slug {' '.join(SETTINGS)}",
    omit={
        one.name: one.get_default()
        for one in Competition._meta.concrete_fields
        if one.name in (*NEWER_SETTINGS, "teams")
    },
)
COMPETITION_LOG = LogTable(
    COMPETITION_RECORD,
    "competitions",
    kinds=KINDS,
    member="settings",
    key="competition",
    name=lambda slug: phrase("The competition {slug}", slug=slug),
    counted=phrase("in competitions, compared with the log"),
)
ENTRY_PLAYER_RECORD = Record(
    EntryPlayer, "player=player.handle", parent="entry", within="competition", position="position", flat=True
)
ENTRY_RECORD = Record(
    Entry,
    "competition=competition.slug entry=number players seed rating title federation status withdrawn_after byes "
    "not_against apart virtual_points added_points about checked_in_at entered_at entered_by name rating_from "
    "pairing_number=moved_number "
    f"{' '.join(MARKS)} official_ratings by_hand later_ratings",
    parent="competition",
    order_by="number",
    omit={
        "about": {},
        **{name: [] for name in RATINGS_OF_ENTRY},
        **dict.fromkeys(MARKS, False),
        "by_hand": "",
        "pairing_number": None,
    },
    children={"players": ENTRY_PLAYER_RECORD},
)
ENTRY_LOG = LogTable(
    ENTRY_RECORD,
    "entries of competitions",
    kinds=KINDS,
    member="entries",
    key="competition entry",
    # Texts of people are sealed under these names.
    renamed="side_name=name metadata=about",
    # A public export lacks who must not meet whom, an older one the rest.
    defaults={
        **{name: [] for name in (*FORBIDDEN, *EXTRA_POINTS, *RATINGS_OF_ENTRY)},
        **dict.fromkeys(MARKS, False),
        **dict.fromkeys(["rating_from", "by_hand"], ""),
    },
    name=lambda slug, number: phrase("Entry {number} of {slug}", number=number, slug=slug),
    counted=phrase("in entries of competitions, compared with the log"),
)
ROUND_RECORD = Record(
    Round,
    "competition=competition.slug round=number starts_at deadline reasons basis made_at made_by published_at",
    parent="competition",
    order_by="number",
)
ROUND_LOG = LogTable(
    ROUND_RECORD,
    "rounds of competitions",
    kinds=KINDS,
    member="rounds",
    key="competition round",
    name=lambda slug, number: phrase("Round {number} of {slug}", number=number, slug=slug),
    counted=phrase("in rounds of competitions, compared with the log"),
)
SEAT_RECORD = Record(
    FixtureSeat, "entry=entry.number points member", parent="fixture", position="seat", omit={"member": None}
)
_FIXTURE_FIELDS = {one.name: one for one in Fixture._meta.concrete_fields}
#: What older logs and exports lack of a fixture, with its default.
NEWER_OF_FIXTURES = {
    name: _FIXTURE_FIELDS[name].get_default()
    for name in list(_FIXTURE_FIELDS)[list(_FIXTURE_FIELDS).index("reported") :]
    if name != "cancelled_at"
}
FIXTURE_RECORD = Record(
    Fixture,
    "competition=competition.slug fixture=number round=round.number seats game=game.number kind table starts_at "
    "deadline venue forfeit adjourned reported cancelled_at match board entered",
    parent="competition",
    order_by="number",
    omit=NEWER_OF_FIXTURES,
    children={"seats": SEAT_RECORD},
)
FIXTURE_LOG = LogTable(
    FIXTURE_RECORD,
    "fixtures",
    kinds=KINDS,
    member="fixtures",
    key="fixture",
    defaults={"adjourned": False, "reported": ""},
    name=lambda number: phrase("Fixture {number}", number=number),
    counted=phrase("in fixtures, compared with the log"),
)
STANDINGS_LOG = EditionTable(
    FinalStandings,
    "final standings",
    "competition",
    kinds=KINDS,
    member="standings",
    name=lambda slug, number: phrase("Final standings {number} of {slug}", number=number, slug=slug),
    counted=phrase("in final standings, compared with the log"),
)
FILE_RECORD = Record(
    SourceFile, "competition=competition.slug data encoding title place first_day", parent="competition"
)


def build_file_row(slug: str, source: SourceFile | None) -> Values:
    """Return the row of a file, which names people: the log has its hash only, "" if it was deleted."""
    digest = "" if source is None else compute_digest(json.dumps(FILE_RECORD.serialize(source), sort_keys=True))
    return {"competition": slug, "sha256": digest}


def _read_files(league: League, log: Any) -> Iterator[tuple[Any, Values]]:
    """Read the imported files, given the log without those that were deleted."""
    logged = log.tables[FILE_LOG.title]
    for slug in [slug for slug, row in logged.items() if not row.values["sha256"]]:
        del logged[slug]
    for source in SourceFile.objects.filter(league=league).select_related("competition").order_by("pk"):
        yield source.competition.slug, build_file_row(source.competition.slug, source)


FILE_LOG = FactTable(
    "files of competitions",
    _read_files,
    lambda slug: phrase("The imported file of {slug}", slug=slug),
    phrase("in imported files of competitions, compared with the log"),
    kinds=KINDS,
    member="file",
    key="competition",
)
#: The tables with rows of a competition: those before others that refer to them.
ROW_TABLES = (ENTRY_LOG, ROUND_LOG, FIXTURE_LOG, STANDINGS_LOG)
#: The tables that verification compares with the log.
LOG_TABLES = (COMPETITION_LOG, *ROW_TABLES, FILE_LOG, *SEASON_TABLES, HALL_LOG)
