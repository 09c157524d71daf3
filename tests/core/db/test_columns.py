"""Rows as columns, of long leagues one by one, as PostgreSQL sends no row of any size; a replay writes what differs."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.db import columns
from league.core.db.bulk import write_columns
from league.core.db.columns import (
    MICROSECOND,
    Columns,
    build_timestamp_expression,
    convert_to_datetime,
    convert_to_micros,
    format_moment_column,
    read_apart,
    read_columns,
    read_statement,
)
from league.core.games.services.record import void_game
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.ladders.services.periods import load_stored_rows
from league.core.locking import run_with_league_lock
from league.core.replay.services import history
from league.core.replay.services.current_ratings import load_stored_ratings
from league.core.replay.services.history import (
    ComputedLines,
    GameLog,
    Position,
    StoredHistory,
    read_history,
    read_log,
    read_whole,
)
from league.core.replay.services.inline import replay_from
from league.core.verify.run import verify_league
from league.models import Game, League, Period, Rating, RatingChange, Result
from ratings.registry import get_system
from tests.helpers.builders import EVENING, FOUR, derived, make_league, record, sheet
from tests.helpers.tiers import long_way

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
        assert (convert_to_micros(moment), convert_to_datetime(count)) == (count, moment)


@pytest.mark.parametrize("fraction", [timedelta(0), timedelta(microseconds=1), timedelta(milliseconds=500)])
def test_moments_are_read_and_written_as_the_database_keeps_them(fraction: timedelta) -> None:
    league = make_league()
    moment = datetime(2024, 3, 5, 19, 30, tzinfo=UTC) + fraction
    record(league, sheet(("anna", "ben"), (1, 0), played_at=moment))
    games = Game.objects.values_list("pk", build_timestamp_expression("played_at"))
    found = read_columns(games, pk="key", at="moment")
    assert found["at"].tolist() == [convert_to_micros(moment)]
    assert Game.objects.values_list(format_moment_column("played_at"), flat=True).get() == (
        f"2024-03-05T19:30:00.{fraction // MICROSECOND:06}Z"
    )
    lines = RatingChange.objects.filter(seat=1, step=1)
    values: dict[str, Any] = {**lines.values().get()}
    lines.delete()
    kept = {
        name: (kind, np.array([values[name if name in values else f"{name}_id"]]))
        for name, kind in {"league": "key", **ComputedLines.kinds()}.items()
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
    void_game(league.pk, 1, reason="Not played.", username="a test")
    results = Result.objects.values_list("seat", "place")
    with pytest.raises((ValueError, TypeError)):
        read_columns(results, seat="small", place="small")
    with pytest.raises((ValueError, TypeError)):
        read_columns(
            Game.objects.values_list("number", build_timestamp_expression("voided_at")), number="key", at="moment"
        )


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
        run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None, compiled=compiled))
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
    void_game(league.pk, 1, reason="friendly", username="test")
    assert dict(RatingChange.objects.values_list("pk", "after")) == rows
    assert set(Rating.objects.values_list("pk", flat=True)) == ratings


def test_a_player_whose_only_game_is_void_has_no_rating_and_a_late_newcomer_has_one() -> None:
    league = make_league("elo", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=5))
    void_game(league.pk, 2, reason="friendly", username="test")
    assert set(Rating.objects.values_list("player__handle", flat=True)) == {"anna", "ben"}
    assert Rating.objects.get(player__handle="anna").last_at == EVENING
    record(league, sheet(("ben", "cleo"), (1, 0), minutes=-5))
    stood = derived(league)
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    assert derived(league) == stood
    assert Rating.objects.get(player__handle="cleo").last_at == EVENING - timedelta(minutes=5)


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
    real = columns.iter_cells

    def told(stream: Iterable[Any]) -> Iterator[tuple[Any, int, int]]:
        messages = [bytes(message) for message in stream]
        rows = [messages[0][HEADER:], *messages[1:]]
        seen.append([int.from_bytes(row[:2], "big", signed=True) for row in rows])
        return real(iter(messages))

    monkeypatch.setattr(columns, "iter_cells", told)
    return seen


def long_league(slug: str = "club", games: int = BOUND + 1) -> League:
    """Make a league with a ladder in which three of four players meet again and again; its history moves the pool."""
    league = make_league("serpentine", FOUR, slug=slug)
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month", {"count": "scores"}), username="test")
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


def test_what_is_read_apart_is_what_is_read_together(cells: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    league, usual = long_league(), history.MANY
    for reading in READINGS.values():
        cells.clear()  # of its ladder, which is read apart
        monkeypatch.setattr(history, "MANY", usual)
        together = reading(League.objects.get(pk=league.pk))
        assert connection.vendor != "postgresql" or all(row[0] > 1 for row in cells)
        cells.clear()
        monkeypatch.setattr(history, "MANY", BOUND)
        apart = reading(League.objects.get(pk=league.pk))
        assert alike(apart, together)
        assert connection.vendor != "postgresql" or cells
        # A cell in each row, and -1 for the end: no row holds two columns.
        assert all(set(rows[:-1]) == {1} and rows[-1] == -1 for rows in cells)


#: How often is read in spans of three games. Nine games: once, and three times their results. Lines: once where the
#: spans begin, and each of four; the void game is counted there, too. From the fourth game on there are six, in two.
SPANS = {"games": 4, "games from one on": 4, "lines": 5, "lines from one on": 3, "verified lines": 5}


def test_what_is_read_in_spans_is_what_is_read_at_once(cells: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    league = long_league()
    # The last game was played before all others, and a game is void.
    record(league, sheet(FOUR[:3], (5, 4, 1), minutes=-1))
    void_game(league.pk, 6, reason="friendly", username="test")
    record(league, sheet(FOUR[1:], (5, 4, 1), minutes=5))
    for name, reading in READINGS.items():
        monkeypatch.setattr(history, "SPAN", 10)
        at_once = reading(League.objects.get(pk=league.pk))
        monkeypatch.setattr(history, "SPAN", 3)
        cells.clear()
        in_spans = reading(League.objects.get(pk=league.pk))
        assert len(cells) == (SPANS[name] if connection.vendor == "postgresql" else 0)
        if isinstance(in_spans, StoredHistory) and isinstance(at_once, StoredHistory):  # lines, which come in no order
            in_spans, at_once = (lines.of(np.argsort(lines.pk)) for lines in (in_spans, at_once))
        assert alike(in_spans, at_once), name


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
    ratings = load_stored_ratings(league, np.empty(0, dtype=np.int64), None)
    assert ratings.player.tolist() == sorted(Rating.objects.values_list("player", flat=True))
    period = Period.objects.get(starts_at__lte=EVENING, ends_at__gt=EVENING)
    _, standings = load_stored_rows([period], [""])
    assert sorted(standings.figures["score"].tolist()) == [1, 2, 3]
    # 14 columns of ratings and 12 of standings, each in a row of its own.
    assert cells == ([[1] * 14 + [-1], [1] * 12 + [-1]] if connection.vendor == "postgresql" else [])


@long_way
@pytest.mark.parametrize("compiled", [False, True])
def test_a_long_league_is_replayed_and_verified_as_a_short_one(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    league, other = long_league(), long_league("other")
    for one, many in ((league, BOUND), (other, 10_000)):
        monkeypatch.setattr(history, "MANY", many)
        monkeypatch.setattr(history, "SPAN", many)
        void_game(one.pk, 3, reason="friendly", username="test")
        record(one, sheet(FOUR[:3], (5, 4, 1), minutes=-1))
        run_with_league_lock(one.pk, lambda locked, now: replay_from(locked, None, compiled=compiled))
        assert verify_league(one.pk).differences == []
    assert derived(league) == derived(other)
    RatingChange.objects.filter(league=league, number=5, seat=2).update(performance=0.25)
    monkeypatch.setattr(history, "SPAN", BOUND)
    (wrong, *_) = verify_league(league.pk).differences
    assert wrong.startswith("The rating change of ben in game 5 ")


@long_way
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
    voided = Game.objects.order_by("number").values_list("number", columns.build_timestamp_expression("voided_at"))
    with pytest.raises((ValueError, TypeError)):
        read(voided, number="key", at="moment")
