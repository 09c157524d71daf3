"""Who won: one definition for pages, records, notices and the ladder by points (ruling R121), by hand-made games."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from league.apps.notices.selectors.facts import build_game_facts
from league.core.finish import Outcome, compute_outcome, list_finishers
from league.core.games.selectors.games import find_game, find_games, load_games
from league.core.players.selectors.head_to_head import load_rivals
from league.core.players.selectors.played_games import PlayerGames, build_player_games, load_history_lines
from league.core.players.selectors.profile import compute_profile
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.tables import load_tables
from league.core.players.selectors.versus import load_versus
from league.core.rules.selectors.rules import load_rules
from league.models import League, Rating, Result, Standing
from league.web.public.selectors.front import load_last_games
from ratings.contract.system import RatingSystem
from ratings.systems.durak import Durak
from ratings.systems.elo import Elo
from ratings.systems.preferans import Preferans
from ratings.systems.serpentine import Serpentine
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import make_ladder

pytestmark = pytest.mark.django_db

TWO, THREE, FOUR = ("anna", "ben"), ("anna", "ben", "cleo"), ("anna", "ben", "cleo", "dan")


def line(score: float | None = None, place: int | None = None) -> Result:
    """Return a line of a game."""
    return Result(score=score, place=place)


@pytest.mark.parametrize(
    ("lines", "system", "finishes"),
    [
        ([line(10), line(30), line(20)], Elo(), [(1, 30), (2, 20), (3, 10)]),
        ([line(10), line(30), line(20)], None, [(1, 30), (2, 20), (3, 10)]),
        ([line(10), line(30), line(20)], Preferans(winner="lowest"), [(1, 10), (2, 20), (3, 30)]),
        ([line(5), line(7), line(7)], Elo(), [(1, 7), (1, 7), (3, 5)]),
        # Where both stand at every seat, what the system rates by decides.
        ([line(9, 3), line(1, 1), line(5, 2)], Durak(), [(1, 1), (2, 5), (3, 9)]),
        ([line(9, 3), line(1, 1), line(5, 2)], Serpentine(), [(1, 9), (2, 5), (3, 1)]),
        ([line(9, 3), line(1, 1), line(5, 2)], None, [(1, 9), (2, 5), (3, 1)]),
        ([line(9, 1), line(1, 2), line(5, 3)], Preferans(winner="lowest"), [(1, 1), (2, 5), (3, 9)]),
        # Else whatever stands at every seat.
        ([line(9, 2), line(None, 1), line(5, 3)], Elo(), [(1, None), (2, 9), (3, 5)]),
        ([line(9, 2), line(4), line(5, 1)], Durak(), [(1, 9), (2, 5), (3, 4)]),
        ([line(9), line(place=2)], Elo(), [(None, 9), (None, None)]),
    ],
)
def test_lines_stand_in_finishing_order(
    lines: list[Result], system: RatingSystem | None, finishes: list[tuple[int | None, float | None]]
) -> None:
    found = list_finishers(lines, system)
    assert [(one.finish, one.result.score) for one in found] == finishes
    assert [one.winner for one in found] == [one.finish == 1 for one in found]


@pytest.mark.parametrize(
    ("scores", "winners", "won"),
    [
        ((4, 2), 1, 1),
        ((4, 4), 0, 0),
        ((4, 4, 1), 2, 0),
        ((4, 1, 1), 1, 1),
        ((4, 4, 4), 0, 0),
        ((4,), 0, 0),
        ((None, None), 0, 0),
    ],
)
def test_a_game_has_winners_and_one_alone_has_won(scores: tuple[float | None, ...], winners: int, won: int) -> None:
    found = list_finishers([line(score) for score in scores], Elo())
    assert (sum(one.winner for one in found), sum(one.won for one in found)) == (winners, won)
    assert all(one.winner for one in found if one.won)


@pytest.mark.parametrize(
    ("finish", "level", "went"),
    [(1, 0, "won"), (1, 1, "drawn"), (1, 3, "drawn"), (2, 0, "lost"), (2, 1, "lost"), (None, 0, None)],
)
def test_how_a_game_went_for_one(finish: int | None, level: int, went: Outcome | None) -> None:
    assert compute_outcome(finish, level) == went


def played_by(league: League, handle: str) -> PlayerGames:
    """Return all games of a player, the earliest first."""
    return build_player_games(load_tables(league, find_player(handle)), find_player(handle), load_rules(league))


def counted(league: League, handle: str) -> tuple[int, int, int]:
    """Return how many games a player's page says they won, drew and lost."""
    lines = load_history_lines(league, find_player(handle))
    found = compute_profile(played_by(league, handle), lines, lines)
    return found.won, found.drawn, found.lost


def on_the_ladder(league: League, handle: str) -> tuple[Any, ...]:
    """Return how many games the ladder by points says a player won, drew and lost."""
    rows = Standing.objects.filter(period__ladder__league=league, player__handle=handle)
    return tuple(rows.values_list("value_1", "value_2", "value_3").get())


def test_pages_count_as_the_ladder_by_points() -> None:
    league = make_league(players=FOUR)
    make_ladder(league, cadence="all_time")
    record(league, sheet(TWO, (3, 3)))
    record(league, sheet(TWO, (2, 1), minutes=1))
    record(league, sheet(THREE, (5, 5, 1), minutes=2))
    record(league, sheet(FOUR, (7, 7, 7, 7), minutes=3))
    record(league, sheet(FOUR, places=(2, 1, 2, 4), minutes=4))
    record(league, sheet(TWO, (1, 0), minutes=5, kind="forfeit"))
    record(league, sheet(TWO, (0, 1), minutes=6, kind="friendly"))
    record(league, sheet(("ben",), (1,), minutes=7, kind="full_bye"))
    # anna: drawn, won, drawn (top with ben), drawn (all level), lost. ben: drawn, lost, drawn, drawn, won.
    told = {"anna": (1, 3, 1), "ben": (1, 3, 1), "cleo": (0, 1, 2), "dan": (0, 1, 1)}
    for handle, went in told.items():
        assert counted(league, handle) == on_the_ladder(league, handle) == went
    assert [one.winner for one in played_by(league, "anna")[:5]] == [False, True, True, False, False]


def test_the_lowest_score_wins_everywhere_where_the_rule_says_so() -> None:
    league = make_league("preferans", THREE, parameters={"winner": "lowest"})
    make_ladder(league, cadence="all_time")
    record(league, sheet(THREE, (-50, 100, -50), details={"bula": 30}))
    record(league, sheet(THREE, (-80, 100, -20), details={"bula": 30}, minutes=1))
    for handle, went in {"anna": (1, 1, 0), "ben": (0, 0, 2), "cleo": (0, 1, 1)}.items():
        assert counted(league, handle) == on_the_ladder(league, handle) == went


@pytest.mark.parametrize(
    ("system", "places", "first", "order"),
    [("serpentine", (3, 1, 2), "anna", ["anna", "cleo", "ben"]), ("durak", (3, 1, 2), "ben", ["ben", "cleo", "anna"])],
)
def test_what_a_system_rates_by_decides_everywhere(
    system: str, places: tuple[int, ...], first: str, order: list[str], client: Client
) -> None:
    # Serpentine rates by scores, Durak by places: what stands beside them contradicts them.
    league = make_league(system, THREE)
    make_ladder(league, cadence="all_time")
    record(league, sheet(THREE, (90, 10, 40), places))
    other = order[2]
    (game,) = load_last_games(league, load_rules(league), 1)
    assert [one.result.player.handle for one in game.lines] == order
    assert [one.result.player.handle for one in game.winners] == [first]
    for handle in order:
        assert [one.finish for one in played_by(league, handle)] == [order.index(handle) + 1]
        assert counted(league, handle) == on_the_ladder(league, handle) == ((1, 0, 0) if handle == first else (0, 0, 1))
    met = {
        one.handle: (one.ahead, one.behind) for one in load_rivals(league, find_player(first), load_rules(league), 5)
    }
    assert met == dict.fromkeys(order[1:], (1, 0))
    both = load_versus(league, find_player(other), find_player(first), load_rules(league))
    assert (both.ahead, both.level, both.behind) == (0, 0, 1)
    assert f"{first.title()} wins" in client.get("/leagues/club/games/1/").content.decode()


def test_what_was_not_rated_is_read_as_a_whole_too() -> None:
    # Only places stand at every seat: the scores beside some of them decide nothing.
    league = make_league(players=THREE)
    scores = (None, 1.0, 5.0)
    new = sheet(THREE, places=(1, 2, 3), kind="friendly")
    new = replace(new, results=[replace(one, score=score) for one, score in zip(new.results, scores, strict=True)])
    game = record(league, new)
    (view,) = load_games(league, find_games(league).filter(pk=game.pk))
    assert [one.finish for one in list_finishers([one.result for one in view.results], Elo())] == [1, 2, 3]
    assert [one.finish for handle in THREE for one in played_by(league, handle)] == [1, 2, 3]
    partly = sheet(TWO, (3, None), kind="friendly", minutes=1)  # type: ignore[arg-type]  # a score is missing
    record(league, partly)
    assert [played_by(league, handle)[1].finish for handle in TWO] == [None, None]
    assert [played_by(league, handle)[1].won for handle in TWO] == [False, False]


def test_who_shares_first_place_is_said_to(client: Client) -> None:
    league = make_league(players=THREE)
    record(league, sheet(THREE, (5, 5, 1)))
    (view,) = load_games(league, find_games(league).filter(pk=find_game(league, 1).pk))
    facts = build_game_facts(league, view)["lines"]
    assert [(one["won"], one["winner"]) for one in facts] == [(False, True), (False, True), (False, False)]
    page = client.get("/leagues/club/").content.decode()
    assert "Anna, Ben share first place" in page
    assert "0 won" in client.get("/leagues/club/players/anna/").content.decode()
    record(league, sheet(THREE, (5, 4, 1), minutes=1))
    assert "Anna wins" in client.get("/leagues/club/").content.decode()


def test_a_game_of_weight_0_is_played_and_won_and_moves_nobody() -> None:
    league = make_league()
    make_ladder(league, cadence="all_time")
    record(league, sheet(TWO, (2, 1)))
    before = dict(Rating.objects.values_list("player__handle", "rating"))
    record(league, sheet(TWO, (2, 1), minutes=1, weight=0.0))
    assert dict(Rating.objects.values_list("player__handle", "rating")) == before
    assert dict(Rating.objects.values_list("player__handle", "games")) == {"anna": 2, "ben": 2}
    # Won, drawn, lost; a friendly is none of it.
    record(league, sheet(TWO, (2, 1), minutes=2, kind="friendly"))
    for handle, went in {"anna": (2, 0, 0), "ben": (0, 0, 2)}.items():
        assert counted(league, handle) == on_the_ladder(league, handle) == went
