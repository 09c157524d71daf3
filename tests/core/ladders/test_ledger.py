"""Ladders by columns: what is read in pieces is the whole, and every way to the standings gives the same bits."""

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.db.columns import convert_to_micros
from league.core.games.services.record import void_game
from league.core.ladders.selectors import tallies
from league.core.ladders.selectors.tallies import RatedLines, build_method, build_rated_games, compute_tallies_between
from league.core.ladders.services.periods import refresh_ladders
from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import replay_from
from league.models import InitialRating, League, Period, Player, RatingChange, Result, Standing
from ratings.contract.method import RatedLine, Tally, build_records, build_tallies
from tests.helpers.builders import FOUR, make_league, record, sheet
from tests.helpers.ladder_builders import duel, keys, make_ladder, standings
from tests.helpers.tiers import long_way, mark_slow

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.uncounted("The sums of ladders and standings have tests of their own, game by game."),
]
#: Each ladder: slug, method, cadence, parameters.
LADDERS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("erf", "erf_mean", "month", {}),
    ("erf-all", "erf_mean", "all_time", {"factor": "sqrt_2005"}),
    ("best", "best_scores", "year", {"best": 2, "minimum": 3}),
    ("adjusted", "best_scores", "week", {"of": "performance", "best": 3}),
    ("points", "points", "all_time", {}),
    ("scores", "points", "month", {"count": "scores", "minimum": 4}),
    ("rating", "rating_score", "quarter", {"minimum": 2}),
]


def season(league: League, games: int = 24, days: int = 9, **more: Any) -> None:
    """Record games of four over months, some of them out of order."""
    for number in range(games):
        turned = FOUR[number % 4 :] + FOUR[: number % 4]
        scores = (12.5, -7.5 + number, 3 * number % 7, -5.0)
        minutes = 60 * 24 * days * (number - (3 if number % 5 == 4 else 0))
        record(league, sheet(turned, scores, minutes=minutes, **more))


def by_objects(league: League, of: Period) -> dict[str, Tally]:
    """Return the tallies of a period as the facts and the history say, one record after the other."""
    method = build_method(of.rule)
    lines = RatingChange.objects.filter(league=league, step=1, at__gte=of.starts_at, at__lt=of.ends_at)
    tables: dict[int, list[RatedLine]] = {}
    shifts: dict[int, float] = {}
    for change in lines.order_by("at", "number", "seat").select_related("player"):
        result = Result.objects.get(game=change.game_id, player=change.player_id)
        figures = (result.score, result.place, change.performance, change.after, change.games)
        tables.setdefault(change.number, []).append(RatedLine(change.player_id, *figures))
        shifts[change.player_id], until = change.shift, change.shift
    rating = {line.player: line.after for table in tables.values() for line in table}
    rating = {player: after + (until - shifts[player]) for player, after in rating.items()}
    names = dict(Player.objects.values_list("pk", "handle"))
    tallies = build_tallies(method, build_records(list(tables.values()), rating=rating))
    return {names[player]: tally for player, tally in tallies.items()}


def stored(of: Period) -> dict[str, Tally]:
    """Return the stored standings of a period."""
    width = len(build_method(of.rule).columns)
    return {
        row.player.handle: Tally(
            row.score, tuple(getattr(row, f"value_{index + 1}") for index in range(width)), row.games, row.why_not
        )
        for row in Standing.objects.filter(period=of).select_related("player")
    }


def assert_standings_are_right(league: League) -> None:
    """Compare the standings of every period with the objects, and with the tallies that the past is shown by."""
    names = dict(Player.objects.values_list("pk", "handle"))
    periods = list(Period.objects.filter(ladder__league=league).select_related("rule"))
    assert periods
    for one in periods:
        expected = by_objects(league, one)
        assert repr(sorted(stored(one).items())) == repr(sorted(expected.items()))
        past = compute_tallies_between(league, build_method(one.rule), one.starts_at, one.ends_at)
        assert {names[player]: tally for player, tally in past.items()} == expected


@pytest.fixture(
    params=mark_slow(["barbu", "barbu, everybody pays", "elo"], "Other shifts.", but=["barbu, everybody pays"])
)
def club(request: pytest.FixtureRequest) -> League:
    """Make a league with ladders of every method that sums."""
    system, _, pays = request.param.partition(", ")
    league = make_league(system, FOUR, parameters={"zero_sum": "league"} if pays else None)
    for slug, method, cadence, parameters in LADDERS:
        make_ladder(league, slug, method, cadence, **parameters)
    return league


@long_way
def test_standings_after_each_game_are_those_of_the_objects(club: League) -> None:
    season(club)
    assert_standings_are_right(club)
    void_game(club.pk, 7, reason="friendly", username="test")
    assert_standings_are_right(club)


def refreshing(since: datetime | None, lines: Any = None) -> Callable[[League, datetime], object]:
    """Return what counts a league's ladders anew."""
    return lambda league, now: refresh_ladders(league, since, lines=lines)


@pytest.mark.parametrize("bound", [5, 9, 1000])
@pytest.mark.slow("Many ways to one end.")
def test_pieces_groups_and_given_columns_make_no_difference(club: League, bound: int, monkeypatch: Any) -> None:
    season(club)
    before = standings(club)
    monkeypatch.setattr(tallies, "FEW_LINES", bound - 5)
    monkeypatch.setattr(tallies, "TOGETHER", bound)
    for lines in (None, lines_of(club)):
        Standing.objects.all().delete()
        Period.objects.all().delete()
        run_with_league_lock(club.pk, refreshing(None, lines))
        assert standings(club) == before


def lines_of(league: League) -> RatedLines:
    """Return the history as a replay holds it: the lines of the games, and the results."""
    changes = RatingChange.objects.filter(league=league, step=1).order_by("at", "number", "seat")
    results = [
        Result.objects.get(game=game, player=player) for game, player in changes.values_list("game_id", "player_id")
    ]
    nan = float("nan")
    return RatedLines(
        at=np.array([convert_to_micros(line.at) for line in changes]),
        number=np.array([line.number for line in changes]),
        player=np.array([line.player_id for line in changes]),
        games=np.array([line.games for line in changes]),
        after=np.array([line.after for line in changes]),
        performance=np.array([nan if line.performance is None else line.performance for line in changes]),
        shift=np.array([line.shift for line in changes]),
        state_1=np.array([line.state_1 for line in changes]),
        score=np.array([nan if one.score is None else one.score for one in results]),
        place=np.array([nan if one.place is None else float(one.place) for one in results]),
        side=np.array([nan if one.side is None else float(one.side) for one in results]),
    )


def test_columns_that_do_not_fit_are_refused() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-05"))
    lines = lines_of(league)
    with pytest.raises(ValueError, match="2 rated lines, but 1 scores and 2 places"):
        build_rated_games(league, replace(lines, score=lines.score[:1]))


def written(queries: CaptureQueriesContext) -> list[str]:
    """Return the statements that write standings."""
    words = ("INSERT INTO", "COPY", "DELETE FROM", "UPDATE")
    found = [query["sql"] for query in queries.captured_queries]
    return [sql for sql in found if sql.startswith(words) and '"league_standing"' in sql and "TO STDOUT" not in sql]


@long_way
def test_a_refresh_that_says_what_stands_there_writes_nothing(club: League) -> None:
    season(club)
    keys_before = sorted(Standing.objects.values_list("pk", flat=True))
    with CaptureQueriesContext(connection) as queries:
        run_with_league_lock(club.pk, lambda locked, now: replay_from(locked, None))
    assert written(queries) == []
    assert sorted(Standing.objects.values_list("pk", flat=True)) == keys_before


@long_way
def test_only_rows_that_differ_are_written() -> None:
    """Where most differ, ``test_make_equal.py`` says what is done."""
    league = make_league("barbu", FOUR)
    for slug, method, cadence, parameters in LADDERS:
        make_ladder(league, slug, method, cadence, **parameters)
    season(league)
    before = standings(league)
    rows = set(Standing.objects.values_list("pk", flat=True))
    damages: list[dict[str, Any]] = [
        {"score": 1.5}, {"score": None}, {"games": 77}, {"why_not": "Because."}, {"value_1": 0.1}, {"value_6": 1.0},
    ]  # fmt: skip
    broken = list(Standing.objects.filter(period__ladder__slug="scores").order_by("pk")[: len(damages)])
    for one, damage in zip(broken, damages, strict=True):
        assert Standing.objects.filter(pk=one.pk).exclude(**damage).update(**damage) == 1
    stranger = Player.objects.create(handle="zoe", name="Zoe")
    extra = Standing.objects.create(league=league, period_id=broken[0].period_id, player=stranger, score=1.0, games=1)
    run_with_league_lock(league.pk, lambda locked, now: refresh_ladders(locked, None))
    assert standings(league) == before
    left = set(Standing.objects.values_list("pk", flat=True))
    assert rows - left == {one.pk for one in broken}
    assert extra.pk not in left


@long_way
def test_performances_start_from_where_the_ratings_stood() -> None:
    """Elo moves nobody who does not play: before a month stands what the last game before it left."""
    league = make_league("elo", FOUR)
    InitialRating.objects.create(league=league, player=Player.objects.get(handle="dan"), rating=1850.0)
    make_ladder(league, "fide", "fide_performance", "month", unrated=1400)
    for number in range(20):
        pair = FOUR[number % 4], FOUR[(number + 1 + number // 4 % 3) % 4]
        record(league, sheet(pair, (1, number % 2), minutes=60 * 24 * 5 * number))
    expected = {(one.key, player): aro for one in Period.objects.all() for player, aro in averages(league, one).items()}
    assert len({key for key, _ in expected}) > 3
    late = RatingChange.objects.order_by("-at").values_list("at", flat=True)[2]
    for since in (None, late, None):
        if since is not None:
            Standing.objects.filter(period__ends_at__gt=since).delete()
        run_with_league_lock(league.pk, refreshing(since))
        rows = Standing.objects.values_list("period__key", "player__handle", "value_2")
        assert {(key, player): aro for key, player, aro in rows} == expected


def averages(league: League, of: Period) -> dict[str, float]:
    """Return the average rating of everybody's opponents, as it stood when a period began."""
    met: dict[str, list[float]] = {}
    for change in RatingChange.objects.filter(league=league, at__gte=of.starts_at, at__lt=of.ends_at):
        other = Result.objects.filter(game=change.game_id).exclude(player=change.player_id).get().player
        earlier = (
            RatingChange.objects.filter(league=league, player=other, at__lt=of.starts_at).order_by("-games").first()
        )
        initial = InitialRating.objects.filter(player=other).first()
        rating = earlier.after if earlier else initial.rating if initial else 1400.0
        met.setdefault(change.player.handle, []).append(math.floor(rating + 0.5))
    return {player: math.floor(sum(ratings) / len(ratings) + 0.5) for player, ratings in met.items()}


def test_a_period_that_is_missing_is_made_with_the_games_before_the_instant() -> None:
    league = make_league("barbu", FOUR)
    make_ladder(league, "year", "points", "year")
    season(league)
    before = standings(league)
    Period.objects.filter(ladder__league=league).delete()
    late = RatingChange.objects.filter(league=league).order_by("-at").values_list("at", flat=True)[0]
    run_with_league_lock(league.pk, lambda locked, now: refresh_ladders(locked, late))
    latest = keys(league, "year")
    assert latest
    assert standings(league) == [row for row in before if row[1] in latest]
