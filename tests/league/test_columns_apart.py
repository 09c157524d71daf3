"""A long league's columns come from PostgreSQL one by one, for together they may be larger than it sends in a row."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from django.db import connection

from league.db import columns
from league.db.columns import Columns, read_apart, read_columns, read_statement
from league.db.times import micros
from league.models import Game, League, Period, Rating, RatingChange, Result
from league.services.imports.run import ImportOptions, import_games
from league.services.ladders.ladders import Ranking, create_ladder
from league.services.ladders.standings import stored_rows
from league.services.locking import with_league_lock
from league.services.recording.games import void_game
from league.services.replay import history
from league.services.replay.history import GameLog, Position, Stored, read_history, read_log, read_whole
from league.services.replay.inline import replay_from
from league.services.replay.ratings import stored_ratings
from league.services.verify.run import verify_league
from ratings.registry import get_system
from tests.helpers.builders import EVENING, FOUR, derived, make_league, record, sheet

pytestmark = [pytest.mark.engine, pytest.mark.django_db]
#: Systems that between them read all that a game and a result say.
SYSTEMS = [get_system("preferans")(), get_system("elo")()]
#: So many games make a league long in these tests.
BOUND = 7
#: What PostgreSQL's documentation says of a binary COPY: so many bytes before the first row.
HEADER = 19


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take leagues with more than a few games for long ones."""
    monkeypatch.setattr(history, "MANY", BOUND)
    monkeypatch.setattr(history, "SPAN", BOUND)


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return a list that fills with the numbers of cells of the rows that PostgreSQL sends, a list for each reading."""
    seen: list[list[int]] = []
    real = columns.cells_of

    def told(stream: Iterable[Any]) -> Iterator[tuple[Any, int, int]]:
        messages = [bytes(message) for message in stream]
        rows = [messages[0][HEADER:], *messages[1:]]
        seen.append([int.from_bytes(row[:2], "big", signed=True) for row in rows])
        return real(iter(messages))

    monkeypatch.setattr(columns, "cells_of", told)
    return seen


def long_league(slug: str = "club", games: int = BOUND + 1) -> League:
    """Make a league with a ladder in which three of four players meet again and again; its history moves the pool."""
    league = make_league("serpentine", FOUR, slug=slug)
    create_ladder(league.pk, "month", "Month", Ranking("points", "month", {"count": "scores"}), by="test")
    for number in range(games):
        turned = FOUR[number % 4 :] + FOUR[: number % 4]
        record(league, sheet(turned[:3], (3 + number, 2, 1), minutes=number))
    return league


def alike(one: Columns | GameLog, other: Columns | GameLog) -> bool:
    """Tell whether two tables have the same columns, bit for bit."""
    assert vars(one).keys() == vars(other).keys()
    pairs = [(value, vars(other)[name]) for name, value in vars(one).items()]
    return all(
        a == b
        if a is None or isinstance(a, list)
        else a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in pairs
    )


def position(league: League, number: int) -> Position:
    """Return the position of a game in its league's order."""
    return Game.objects.get(league=league, number=number).position


READINGS: dict[str, Callable[[League], Columns | GameLog]] = {
    "games": lambda league: read_log(league, None, SYSTEMS),
    "games from one on": lambda league: read_log(league, position(league, 1), []),
    "lines": lambda league: read_history(league, None),
    "lines from one on": lambda league: read_history(league, position(league, 4), plain=True),
    "verified lines": read_whole,
}


@pytest.mark.parametrize("reading", READINGS)
def test_what_is_read_apart_is_what_is_read_together(
    reading: str, cells: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    league = long_league()
    cells.clear()  # of its ladder, which is read apart
    together = READINGS[reading](League.objects.get(pk=league.pk))
    assert connection.vendor != "postgresql" or all(row[0] > 1 for row in cells)
    cells.clear()
    monkeypatch.setattr(history, "MANY", BOUND)
    apart = READINGS[reading](League.objects.get(pk=league.pk))
    assert alike(apart, together)
    assert connection.vendor != "postgresql" or cells
    # A cell in each row, and -1 for the end: no row holds two columns.
    assert all(set(rows[:-1]) == {1} and rows[-1] == -1 for rows in cells)


#: How often is read in spans of three games. Nine games: once, and three times their results. Lines: once where the
#: spans begin, and each of four; the void game is counted there, too. From the fourth game on there are six, in two.
SPANS = {"games": 4, "games from one on": 4, "lines": 5, "lines from one on": 3, "verified lines": 5}


@pytest.mark.parametrize("reading", READINGS)
def test_what_is_read_in_spans_is_what_is_read_at_once(
    reading: str, cells: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    league = long_league()
    # The last game was played before all others, and a game is void.
    record(league, sheet(FOUR[:3], (5, 4, 1), minutes=-1))
    void_game(league.pk, 6, reason="friendly", by="test")
    record(league, sheet(FOUR[1:], (5, 4, 1), minutes=5))
    monkeypatch.setattr(history, "SPAN", 10)
    at_once = READINGS[reading](League.objects.get(pk=league.pk))
    monkeypatch.setattr(history, "SPAN", 3)
    cells.clear()
    in_spans = READINGS[reading](League.objects.get(pk=league.pk))
    assert len(cells) == (SPANS[reading] if connection.vendor == "postgresql" else 0)
    if isinstance(in_spans, Stored) and isinstance(at_once, Stored):  # lines, which come in no order
        in_spans, at_once = (lines.of(np.argsort(lines.pk)) for lines in (in_spans, at_once))
    assert alike(in_spans, at_once)


@pytest.mark.usefixtures("bound")
def test_a_league_of_as_many_games_as_the_bound_is_read_in_one_row(cells: list[list[int]]) -> None:
    league = long_league(games=BOUND)
    cells.clear()
    read_log(League.objects.get(pk=league.pk), None, [])
    read_whole(League.objects.get(pk=league.pk))
    # Four columns of games, four of results, two names of a line and 14 figures of it.
    assert cells == ([[4, -1], [4, -1], [15, -1]] if connection.vendor == "postgresql" else [])


def test_ratings_and_standings_of_a_whole_league_are_read_apart(cells: list[list[int]]) -> None:
    league = long_league(games=1)
    cells.clear()
    ratings = stored_ratings(league, np.empty(0, dtype=np.int64), None)
    assert ratings.player.tolist() == sorted(Rating.objects.values_list("player", flat=True))
    period = Period.objects.get(starts_at__lte=EVENING, ends_at__gt=EVENING)
    _, standings = stored_rows([period], [""])
    assert sorted(standings.figures["score"].tolist()) == [1, 2, 3]
    # 14 columns of ratings and 12 of standings, each in a row of its own.
    assert cells == ([[1] * 14 + [-1], [1] * 12 + [-1]] if connection.vendor == "postgresql" else [])


@pytest.mark.usefixtures("bound")
def test_lines_of_a_long_league_are_those_of_its_table() -> None:
    league = long_league()
    read = read_whole(League.objects.get(pk=league.pk))
    names = ("pk", "number", "seat", "step", "player_id", "games", "before", "change", "after", "shift")
    rows = RatingChange.objects.filter(league=league).order_by("pk").values_list(*names, "at")
    order = np.argsort(read.pk)
    for place, name in enumerate(names):
        assert getattr(read, name.removesuffix("_id"))[order].tolist() == [row[place] for row in rows]
    assert read.at[order].tolist() == [micros(row[-1].astimezone(UTC)) for row in rows]
    assert read.sound.all()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_long_league_is_replayed_and_verified_as_a_short_one(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    league, other = long_league(), long_league("other")
    for one, many in ((league, BOUND), (other, 10_000)):
        monkeypatch.setattr(history, "MANY", many)
        monkeypatch.setattr(history, "SPAN", many)
        void_game(one.pk, 3, reason="friendly", by="test")
        record(one, sheet(FOUR[:3], (5, 4, 1), minutes=-1))
        with_league_lock(one.pk, lambda locked, now: replay_from(locked, None, compiled=compiled))
        assert verify_league(one.pk).differences == []
    assert derived(league) == derived(other)
    RatingChange.objects.filter(league=league, number=5, seat=2).update(performance=0.25)
    monkeypatch.setattr(history, "SPAN", BOUND)
    (wrong, *_) = verify_league(league.pk).differences
    assert wrong.startswith("The rating change of ben in game 5 ")


def test_a_file_brings_into_a_long_league_what_it_brings_into_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    results = [{"player": handle, "score": score} for handle, score in zip(FOUR, (9, 5, 3, 1), strict=True)]
    lines = [json.dumps({"played_at": f"2024-03-0{day}T19:35:30Z", "results": results}) for day in (7, 4, 5)]
    leagues = [long_league(slug) for slug in ("club", "other")]
    for league, many in zip(leagues, (BOUND, 10_000), strict=True):
        monkeypatch.setattr(history, "MANY", many)
        monkeypatch.setattr(history, "SPAN", many)
        import_games(league.pk, BytesIO("\n".join(lines).encode()), ImportOptions(by="test", media="ndjson"))
        assert verify_league(league.pk).differences == []
    one, other = map(derived, leagues)
    assert one == other
    assert len({row[1] for row in one[0]}) == BOUND + 4


@pytest.mark.parametrize("apart", [False, True])
def test_no_rows_are_empty_columns_and_absent_ones_are_missed_apart_too(apart: bool) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=1))
    results = Result.objects.order_by("game", "seat")
    read = read_apart if apart else read_columns
    found = read(results.values_list("seat", "place"), seat="small", place="float")
    assert found["seat"].tolist() == [1, 2, 1, 2]
    assert np.isnan(found["place"]).all()
    none = read(results.filter(seat=9).values_list("seat", "score"), seat="small", score="float")
    assert (len(none["seat"]), len(none["score"])) == (0, 0)
    one = read_statement("SELECT count(*) FROM league_result WHERE seat = %s", [2], {"count": "key"}, apart=apart)
    assert one["count"].tolist() == [2]
    Game.objects.filter(number=1).update(voided_at=EVENING)
    voided = Game.objects.order_by("number").values_list("number", columns.moment_column("voided_at"))
    with pytest.raises((ValueError, TypeError)):
        read(voided, number="key", at="moment")
