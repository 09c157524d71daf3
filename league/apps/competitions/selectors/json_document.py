"""A competition as one JSON document, which ``services.read_json`` reads."""

from typing import Any

from league.apps.competitions.files.fixture_plan import WHEN, WHICH, read_for_file
from league.apps.competitions.models import (
    DETAILS,
    EXTRA_POINTS,
    GIVEN_SETTINGS,
    HIDDEN,
    MARKS,
    RATINGS_OF_ENTRY,
    Competition,
    Fixture,
)
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import get_zone
from league.models import Game

KIND, VERSION = "rungs-competition", 1
#: Settings that say how entries come in, which a document does not need: it has the entries.
ENTERING = ("max_entries", "seeding", "players_enter")
#: Settings in a document, apart from times.
DOCUMENT_SETTINGS = [name for name in GIVEN_SETTINGS if name not in (*ENTERING, "starts_at", "ends_at", "time_zone")]
#: What a document has of an entry, apart from its numbers, its players, and those whom it must not meet: the numbers
#: have been given, so no seed.
DOCUMENT_ENTRY = [
    *(name for name in DETAILS if name != "seed"), "byes", "withdrawn_after", *MARKS, *EXTRA_POINTS, *RATINGS_OF_ENTRY,
]  # fmt: skip


def build_json_document(loaded: LoadedCompetition, *, for_organisers: bool) -> dict[str, Any]:
    """Return a competition with its entries, published rounds and fixtures.

    ``for_organisers``: with who must not meet, what is known of people, and what lots are drawn from.
    """
    competition: Competition = loaded.competition
    return {
        "document": KIND,
        "version": VERSION,
        "competition": {
            "slug": competition.slug,
            # Who knows it foresees the lots.
            **({"seed": competition.seed} if for_organisers else {}),
            **{name: getattr(competition, name) for name in DOCUMENT_SETTINGS},
            "starts": competition.starts_at,
            "ends": competition.ends_at,
            "time_zone": str(get_zone(competition)),
            "status": competition.status,
        },
        "entries": [
            {
                "number": number,
                "pairing_number": entry.pairing_number,
                "players": [{"handle": player.handle, "name": player.name} for player in entry.survivors],
                **{name: getattr(entry, name) for name in DOCUMENT_ENTRY},
                **({name: getattr(entry, name) for name in HIDDEN} if for_organisers else {}),
            }
            for number, entry in loaded.entries.items()
        ],
        "rounds": [
            {"number": one.number, "starts": one.starts_at, "deadline": one.deadline} for one in loaded.published_rounds
        ],
        "fixtures": [
            _build_fixture(fixture)
            for fixture in loaded.fixtures
            if fixture.status != "cancelled" and loaded.is_published(fixture)
        ],
    }


def _build_fixture(fixture: FixtureState) -> dict[str, Any]:
    game = fixture.game if fixture.status in ("played", "forfeited") else None
    is_match = fixture.kind == Fixture.Kind.MATCH
    # A board with an empty seat has no result of its own: it follows from who sits there.
    members = fixture.members if fixture.match else (None,) * len(fixture.data.seats)
    return {
        **read_for_file(fixture, (*WHICH, *WHEN)),
        "status": "planned" if fixture.is_decided_by_deadline or 0 in members else fixture.status,
        "reason": fixture.forfeit or None,
        "adjourned": fixture.data.adjourned,
        "reported": fixture.reported,
        "played_at": None if game is None else game.played_at,
        "rated": game is None or game.kind != Game.Kind.FRIENDLY,
        "seats": [
            {
                "entry": seat.entry,
                "place": (seat.place or None) if game is not None else None,
                "score": None if seat.score is None else float(seat.score),
                "points": None if seat.points is None or fixture.is_decided_by_deadline else str(seat.points),
                **({"member": member} if fixture.match else {}),
            }
            for seat, member in zip(fixture.data.seats, members, strict=True)
        ],
        **({"boards": [_build_fixture(board) for board in fixture.boards]} if is_match else {}),
    }
