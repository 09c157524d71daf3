"""The rounds of an entry with its results, and what its games changed in the ratings."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.core.game_words import has_colours
from league.models import RatingChange
from ratings.contract.result_table import compute_fixture_points

#: The step of a rating change that is the game itself.
GAME_STEP = 1


class EntryRound(NamedTuple):
    """An entry's fixture: its seat from 1, its opponents in seat order, and its result, if it has one.

    ``colour``: white, black, or "" if it is not a game of White and Black.
    """

    fixture: FixtureState
    seat: int
    opponents: tuple[int, ...]
    colour: str
    points: Fraction | None
    place: int
    score: Fraction | None


class EntryRatingChange(NamedTuple):
    """The change of a player's rating by a game."""

    player: str
    rating_before: float
    rating_after: float
    change: float


def list_entry_rounds(loaded: LoadedCompetition) -> dict[int, list[EntryRound]]:
    """Return entry -> its fixtures in order, without cancelled ones and those of unpublished rounds."""
    coloured = has_colours(loaded.competition.league)
    rounds: dict[int, list[EntryRound]] = {entry: [] for entry in loaded.entries}
    for fixture in loaded.fixtures:
        hidden = fixture.round is not None and loaded.rounds[fixture.round].published_at is None
        if hidden or fixture.status == "cancelled":
            continue
        decided = fixture.status != "planned"
        for index, points in enumerate(compute_fixture_points(loaded.data, fixture.data)):
            seat = fixture.data.seats[index]
            opponents = fixture.entries[:index] + fixture.entries[index + 1 :]
            colour = ("white", "black")[index] if coloured and len(fixture.entries) == 2 else ""
            result = points if decided else None
            rounds[seat.entry].append(EntryRound(fixture, index + 1, opponents, colour, result, seat.place, seat.score))
    return rounds


def load_rating_changes(
    loaded: LoadedCompetition, entry: int, rounds: Sequence[EntryRound]
) -> dict[int, list[EntryRatingChange]]:
    """Return fixture -> the rating changes of an entry's players by its game."""
    fixtures = {one.fixture.game.number: one.fixture.number for one in rounds if one.fixture.game is not None}
    people = [pk for pk, number in loaded.people.items() if number == entry]
    changes: defaultdict[int, list[EntryRatingChange]] = defaultdict(list)
    rows = RatingChange.objects.filter(
        league=loaded.competition.league_id, player__in=people, number__in=fixtures, step=GAME_STEP
    )
    for row in rows.select_related("player").order_by("number", "seat"):
        changes[fixtures[row.number]].append(EntryRatingChange(row.player.handle, row.before, row.after, row.change))
    return changes
