"""The seats of a stage's bracket that winners and losers of its matches take."""

from dataclasses import dataclass

from league.apps.competitions.models import Competition, SeasonPart
from league.apps.competitions.selectors.brackets import AwaitedSeat, list_bracket_matches
from league.apps.competitions.selectors.competition_data import load_competitions
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.apps.competitions.selectors.season_standings import SeasonReader, StageTree
from league.models import Player

BEGUN = (Competition.Status.RUNNING, Competition.Status.FINISHED)


@dataclass(frozen=True)
class BracketSeat:
    """A seat of a later match of a bracket, and whose winner or loser takes it; ``player``: None before it is known."""

    part: SeasonPart
    source: AwaitedSeat
    player: Player | None


def read_bracket_seats(reader: SeasonReader, tree: StageTree) -> list[BracketSeat]:
    """Return the seats of a stage's brackets that have begun, in the order of their matches, as everyone sees them."""
    parts = [
        part for part in tree.parts if part.competition.format in BRACKET_FORMATS and part.competition.status in BEGUN
    ]
    loaded = [one.hide_unpublished() for one in load_competitions([part.competition for part in parts])]
    return [
        BracketSeat(part, source, None if entry is None else reader.find_player(one, entry))
        for part, one in zip(parts, loaded, strict=True)
        for listed in list_bracket_matches(one)
        for entry, source in zip(listed.match.entries, listed.sources, strict=True)
        if source is not None and listed.number
    ]
