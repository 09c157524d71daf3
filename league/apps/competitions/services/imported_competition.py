"""A competition as a file has it, before it is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from league.apps.competitions.files.fixture_plan import FixturePlan
from league.apps.competitions.models import Entry
from league.apps.competitions.services.import_people import NamedPerson
from ratings.contract.competition import FixtureKind, Seat
from ratings.trf.document import TrfPlayer

#: Why an arbiter added points, if a file says it.
FROM_FILE = "Line 299 of the imported file"


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
    """A fixture of a file. ``rated``: whether it counts for ratings if the competition does.

    ``boards``: of two teams. ``members``: the places in the squads of who sits there, 0 for nobody, None if unknown.
    """

    seats: tuple[Seat, ...]
    kind: FixtureKind
    rated: bool = True
    reason: str = ""
    played_at: datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    adjourned: bool = False
    reported: str = ""
    boards: "tuple[ImportedFixture, ...] | None" = None
    members: tuple[int | None, ...] = ()

    @property
    def has_game(self) -> bool:
        """Return whether a game is recorded for it."""
        return self.boards is None and self.kind in ("played", "forfeit")


@dataclass(frozen=True)
class ImportedRound:
    """A round of a file; ``day``: when it was played, if the file states it."""

    number: int
    fixtures: tuple[ImportedFixture, ...]
    day: date | None = None
    starts_at: datetime | None = None

    def list_fixtures(self) -> Iterator[ImportedFixture]:
        """Yield the fixtures, each match before its boards."""
        for fixture in self.fixtures:
            yield fixture
            yield from fixture.boards or ()


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


def name_person(player: TrfPlayer, line: int) -> NamedPerson:
    """Return whom a line of a tournament report names."""
    spellings = tuple(dict.fromkeys(name for name in (player.display_name, player.name) if name))
    return NamedPerson(spellings, player.fide_id.strip(), line)
