"""Competitions of teams on two or three boards, and their matches."""

from typing import Any

from league.apps.competitions.selectors.competition_data import load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.rounds import make_round, publish_round
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


#: Line-ups and results of the matches of a round, in their order: somebody misses board 2, a team does not come.
ROUNDS: list[list[tuple[list[int], list[int], dict[int, BoardResult]]]] = [
    [
        ([1, 2, 4], [1, 2, 3], {1: BoardResult((1, 0)), 2: BoardResult((0.5, 0.5)), 3: BoardResult((0, 1))}),
        ([1, 0, 3], [1, 2, 3], {1: BoardResult((1, 0)), 3: BoardResult((0.5, 0.5))}),
    ],
    [
        ([1, 2, 3], [2, 3, 4], {1: BoardResult((0, 1)), 2: BoardResult(losers=(0,)), 3: BoardResult((1, 0))}),
        ([0, 0, 0], [1, 2, 3], {}),
    ],
]


def make_swiss_cup(**settings: Any) -> League:
    """Make a league in which five teams have played two rounds on three boards."""
    names = [f"{team}{place}" for team in "abcde" for place in range(1, 5)]
    league = make_league("elo", names, slug="club", game="Chess")
    teams: Any = {"sides_of": 3, "rounds": 2, "tie_breaks": ["MPVGP", "EDE", "EMGSB", "BC"], **settings}
    make_competition(league, "swiss", **teams)
    new = [NewEntry(names[4 * at : 4 * at + 4], name=f"Team {at + 1}", rating=2000 - at) for at in range(5)]
    add_entries(league.pk, "cup", new, by="test")
    start_competition(league.pk, "cup", by="test")
    for number, played in enumerate(ROUNDS, 1):
        make_round(league.pk, "cup", by="test")
        publish_round(league.pk, "cup", number, by="test")
        matches = [
            one
            for one in load_competition(find_competition(league, "cup")).list_fixtures(number)
            if one.kind == "match"
        ]
        for match, (first, second, results) in zip(matches, played, strict=True):
            line_ups = dict(zip(match.entries, (first, second), strict=True))
            own = {
                board: BoardResult(one.scores, tuple(match.entries[seat] for seat in one.losers))
                for board, one in results.items()
            }
            enter_match(league.pk, match.number, line_ups, own, by="test")
    return league
