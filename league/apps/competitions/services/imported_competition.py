"""A competition as a file has it, before it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from league.apps.competitions.files.fixture_plan import FixturePlan
from league.apps.competitions.models import Entry
from league.apps.competitions.services.import_people import NamedPerson
from ratings.contract.competition import FixtureKind, Seat


@dataclass(frozen=True)
class ImportedEntry:
    """An entry of a file. ``people``: a side has several; ``row``: what else is stored of it.

    ``kept_apart``: whom it must not meet in some rounds, with the first and the last one.
    """

    number: int
    people: tuple[NamedPerson, ...]
    row: Entry = field(default_factory=Entry)
    byes: tuple[tuple[int, str], ...] = ()
    not_against: tuple[int, ...] = ()
    kept_apart: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class ImportedFixture(FixturePlan):
    """A fixture of a file. ``rated``: whether its game counts for ratings if the competition is rated."""

    seats: tuple[Seat, ...]
    kind: FixtureKind
    rated: bool = True
    reason: str = ""
    played_at: datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    adjourned: bool = False
    reported: str = ""


@dataclass(frozen=True)
class ImportedRound:
    """A round of a file; ``day``: when it was played, if the file states it."""

    number: int
    fixtures: tuple[ImportedFixture, ...]
    day: date | None = None
    starts_at: datetime | None = None


class ImportWarning(NamedTuple):
    """A sentence about a line that was imported nevertheless."""

    line: int
    column: int
    code: str
    detail: str


@dataclass(frozen=True)
class ImportedCompetition:
    """A competition as a file has it. ``settings``: as for ``create_competition``."""

    settings: Mapping[str, Any]
    entries: Sequence[ImportedEntry]
    rounds: Sequence[ImportedRound]
    warnings: Sequence[ImportWarning] = field(default_factory=tuple)
    starts_on: date | None = None
    slug: str = ""
    seed: int | None = None
    """What lots are drawn from; None: the file does not state it."""
    source: bytes = b""
    """The file, if an export must keep what it has."""
    encoding: str = ""
    lists_entries: bool = True
    """Whether the file has a list of entries; otherwise these are the names in its fixtures, in any spelling."""

    def with_title(self, title: str) -> "ImportedCompetition":
        """Return the competition under another title."""
        return replace(self, settings={**self.settings, "title": title})
