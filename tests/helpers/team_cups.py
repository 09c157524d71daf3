"""A competition of teams on two boards, and its matches."""

from typing import Any

from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.team_matches import BoardResult, enter_match
from league.models import League
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition

SQUADS = {
    "Owls": ("anna", "ben", "cleo"),
    "Rooks": ("dan", "eva", "finn"),
    "Jays": ("gus", "hal"),
    "Kites": ("ian", "joy"),
}


def make_cup(format_key: str = "round_robin", squads: int = 4, **settings: Any) -> League:
    """Make a league in which teams meet on two boards, and start the competition."""
    league = make_league("elo", tuple(player for squad in SQUADS.values() for player in squad), slug="club")
    make_competition(league, format_key, sides_of=2, **{"teams": {"primary": "match"}, **settings})
    new = [NewEntry(squad, name=name, rating=2000 - at) for at, (name, squad) in enumerate(SQUADS.items())]
    add_entries(league.pk, "cup", new[:squads], by="test")
    start_competition(league.pk, "cup", by="test")
    return league


def load(league: League) -> Any:
    return load_competition(find_competition(league, "cup"))


def find_match(league: League, first: int, second: int) -> Any:
    return next(one for one in load(league).fixtures if set(one.entries) == {first, second})


def play(league: League, first: int, second: int, *scores: tuple[float, float], line_ups: Any = None) -> int:
    """Play a match of two teams with results in their order; return its number."""
    match = find_match(league, first, second)
    order = match.entries == (first, second)
    results = {at: BoardResult(pair if order else pair[::-1]) for at, pair in enumerate(scores, 1)}
    line_ups = line_ups or {first: [1, 2], second: [1, 2]}
    enter_match(league.pk, match.number, line_ups, results, by="test")
    return int(match.number)
