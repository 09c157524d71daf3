"""Rows as columns, and that a replay writes only what differs."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.db.columns import moment_column, read_columns
from league.db.times import MICROSECOND, micros, moment_of, written_moment
from league.db.write_columns import write_columns
from league.models import Game, League, Rating, RatingChange, Result
from league.services.locking import with_league_lock
from league.services.recording.games import void_game
from league.services.replay.history import Lines
from league.services.replay.inline import replay_from
from tests.helpers.builders import EVENING, FOUR, derived, make_league, record, sheet

pytestmark = [pytest.mark.engine, pytest.mark.django_db]


def evening(system: str, games: int, **settings: Any) -> League:
    """Make a league in which four players meet again and again, in places that shift."""
    league = make_league(system, **settings)
    for number in range(games):
        turned = FOUR[number % 4 :] + FOUR[: number % 4]
        record(league, sheet(turned, places=(1, 2, 3, 4), minutes=number))
    return league


def test_what_is_written_as_columns_is_read_back_to_the_last_bit() -> None:
    league = evening("durak", 2)
    game = Game.objects.get(number=1)
    Result.objects.filter(game=game).delete()
    players = np.array(sorted(Rating.objects.values_list("player", flat=True)))
    scores = np.array([0.1 + 0.2, -1e9, 5e-324, 0.0])
    columns = {
        "league": ("key", np.full(4, league.pk)),
        "game": ("key", np.full(4, game.pk)),
        "seat": ("small", np.arange(1, 5)),
        "player": ("key", players),
        "score": ("float", scores),
        "place": ("small", np.array([4, 3, 2, 1])),
    }
    write_columns(Result, columns)
    rows = Result.objects.filter(game=game).order_by("seat").values_list("seat", "player_id", "score", "place")
    found = read_columns(rows, seat="small", player="key", score="float", place="small")
    assert found["score"].tolist() == scores.tolist()
    assert found["player"].tolist() == players.tolist()
    assert (found["seat"].tolist(), found["place"].tolist()) == ([1, 2, 3, 4], [4, 3, 2, 1])
    assert list(rows) == list(zip([1, 2, 3, 4], players.tolist(), scores.tolist(), [4, 3, 2, 1], strict=True))
    write_columns(Result, {name: (kind, values[:0]) for name, (kind, values) in columns.items()})
    assert Result.objects.count() == 8
    assert league.games.count() == 2


def test_no_rows_are_empty_columns_and_what_is_absent_is_nan() -> None:
    evening("durak", 1)
    rows = Result.objects.order_by("seat")
    found = read_columns(rows.values_list("seat", "score"), seat="small", score="float")
    assert found["seat"].tolist() == [1, 2, 3, 4]
    assert np.isnan(found["score"]).all()
    none = read_columns(rows.filter(seat=9).values_list("seat", "score"), seat="small", score="float")
    assert (len(none["seat"]), len(none["score"])) == (0, 0)


def test_moments_are_whole_numbers_from_1970_on() -> None:
    for text, count in (
        ("1970-01-01T00:00:00", 0),
        ("1970-01-01T00:00:00.000001", 1),
        ("1969-12-31T23:59:59.999999", -1),
        ("2024-03-05T19:30:00", 1_709_667_000_000_000),
        ("1801-01-01T00:00:00", -5_333_126_400_000_000),
        ("2199-12-31T23:59:59.999999", 7_258_118_399_999_999),
    ):
        moment = datetime.fromisoformat(f"{text}+00:00")
        assert (micros(moment), moment_of(count)) == (count, moment)


@pytest.mark.parametrize("fraction", [timedelta(0), timedelta(microseconds=1), timedelta(milliseconds=500)])
def test_moments_are_read_and_written_as_the_database_keeps_them(fraction: timedelta) -> None:
    league = make_league()
    moment = datetime(2024, 3, 5, 19, 30, tzinfo=UTC) + fraction
    record(league, sheet(("anna", "ben"), (1, 0), played_at=moment))
    games = Game.objects.values_list("pk", moment_column("played_at"))
    found = read_columns(games, pk="key", at="moment")
    assert found["at"].tolist() == [micros(moment)]
    assert Game.objects.values_list(written_moment("played_at"), flat=True).get() == (
        f"2024-03-05T19:30:00.{fraction // MICROSECOND:06}Z"
    )
    lines = RatingChange.objects.filter(seat=1, step=1)
    values: dict[str, Any] = {**lines.values().get()}
    lines.delete()
    kept = {
        name: (kind, np.array([values[name if name in values else f"{name}_id"]]))
        for name, kind in {"league": "key", **Lines.kinds()}.items()
        if name != "at"
    }
    cause = ("text", np.zeros(1, dtype=np.int64))
    write_columns(RatingChange, {**kept, "at": ("moment", found["at"]), "cause": cause}, {"cause": ["game"]})
    assert lines.values().get() == {**values, "id": lines.get().pk}
    assert lines.filter(at=moment).exists()


def test_what_must_not_be_absent_is_missed_where_it_is() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=1))
    void_game(league.pk, 1, reason="Not played.", by="a test")
    results = Result.objects.values_list("seat", "place")
    with pytest.raises((ValueError, TypeError)):
        read_columns(results, seat="small", place="small")
    with pytest.raises((ValueError, TypeError)):
        read_columns(Game.objects.values_list("number", moment_column("voided_at")), number="key", at="moment")


def writes(queries: CaptureQueriesContext) -> list[str]:
    """Return the statements that write into the derived tables."""
    words = ("INSERT INTO", "COPY", "DELETE FROM", "UPDATE")
    tables = ("league_ratingchange", "league_rating")
    found = [query["sql"] for query in queries.captured_queries]
    writing = [sql for sql in found if sql.startswith(words) and any(f'"{table}"' in sql for table in tables)]
    return [sql for sql in writing if "TO STDOUT" not in sql]


@pytest.mark.parametrize("compiled", [False, True])
def test_a_replay_that_says_what_stands_there_writes_nothing(compiled: bool) -> None:
    league = evening("durak", 30)
    before = derived(league)
    with CaptureQueriesContext(connection) as queries:
        with_league_lock(league.pk, lambda locked, now: replay_from(locked, None, compiled=compiled))
    assert writes(queries) == []
    assert derived(league) == before


def test_a_correction_leaves_the_lines_that_say_the_same() -> None:
    """Whole ratings forget: after voiding the first game of two strangers, others' lines stand as rows."""
    league = make_league("durak", (*FOUR, "eva", "fay"))
    record(league, sheet(("eva", "fay"), places=(1, 2)))
    for number in range(1, 30):
        turned = FOUR[number % 4 :] + FOUR[: number % 4]
        record(league, sheet(turned, places=(1, 2, 3, 4), minutes=number))
    rows = dict(RatingChange.objects.exclude(number=1).values_list("pk", "after"))
    ratings = set(Rating.objects.filter(player__handle__in=FOUR).values_list("pk", flat=True))
    void_game(league.pk, 1, reason="friendly", by="test")
    assert dict(RatingChange.objects.values_list("pk", "after")) == rows
    assert set(Rating.objects.values_list("pk", flat=True)) == ratings


def test_a_player_whose_only_game_is_void_has_no_rating_and_a_late_newcomer_has_one() -> None:
    league = make_league("elo", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=5))
    void_game(league.pk, 2, reason="friendly", by="test")
    assert set(Rating.objects.values_list("player__handle", flat=True)) == {"anna", "ben"}
    assert Rating.objects.get(player__handle="anna").last_at == EVENING
    record(league, sheet(("ben", "cleo"), (1, 0), minutes=-5))
    stood = derived(league)
    with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    assert derived(league) == stood
    assert Rating.objects.get(player__handle="cleo").last_at == EVENING - timedelta(minutes=5)
