"""What an import writes: facts that name what is there; the first games of a league rated as a replay does."""

import json
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Prefetch
from django.test.utils import CaptureQueriesContext

from league.apps.imports.services import run
from league.apps.imports.services.run import ImportOptions, import_games
from league.core.games.services import game_columns
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.locking import run_with_league_lock
from league.core.log.chain import serialize_canonically
from league.core.log.selectors.log_decode import open_payloads
from league.core.log.services.entries import build_game_payload, serialize_lines
from league.core.replay.services.inline import replay_from
from league.core.verify.log import LogComparison
from league.models import Result
from tests.helpers.builders import all_said, derived, make_league

pytestmark = pytest.mark.django_db


def line(when: str, scores: dict[str, float], key: str = "score", **more: Any) -> bytes:
    """Return a game as a line of a file."""
    results = [{"player": player, key: value} for player, value in scores.items()]
    return json.dumps({"played_at": when, "results": results, **more}).encode()


#: Out of order, two at one instant, a forfeit, seats of two and three, a tie.
GAMES = [
    line("2024-03-07", {"anna": 3, "ben": 1}),
    line("2024-03-05T10:00:00+02:00", {"cleo": 3, "ben": 3}),
    line("2024-03-05T08:00:00Z", {"anna": 2, "ben": 1, "cleo": 3}, "place"),
    line("2024-03-06", {"anna": 1, "ben": 0}, kind="forfeit"),
    line("2024-02-01T23:59:59.999999Z", {"ben": 0, "anna": 7.5}),
]


def test_the_first_games_are_rated_as_a_replay_rates_them() -> None:
    league = make_league(players=("anna", "ben", "cleo"))
    create_ladder(league.pk, "month", "Month", RankingRule("rating_score", "month", {}), username="test")
    assert import_games(league.pk, BytesIO(b"\n".join(GAMES)), ImportOptions(by="test", media="ndjson")).replayed == 4
    imported = derived(league)
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    assert derived(league) == imported


@pytest.mark.engine
def test_a_result_of_nobody_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league(slug="one")
    nobody = [game_columns.NamedPlayer(2**40, "~one"), game_columns.NamedPlayer(2**40 + 1, "~other")]
    monkeypatch.setattr(run.ImportRun, "find_players", lambda *arguments: (nobody, 0))
    find: Callable[[], Any] = partial(
        import_games, league.pk, BytesIO(GAMES[0]), ImportOptions(by="test", media="ndjson")
    )
    with transaction.atomic():
        if connection.vendor == "sqlite":  # where it is the commit that finds it
            find()
            find = connection.check_constraints
        with pytest.raises(IntegrityError, match="league_player"):
            find()
        transaction.set_rollback(True)


def test_many_groups_of_games_are_written_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    league, other = make_league(slug="one"), make_league(slug="other")
    file = b"\n".join(line("2024-03-05", {"anna": number % 3, "ben": 1}, note="tab\t\\ \n") for number in range(11))
    import_games(other.pk, BytesIO(file), ImportOptions(by="test", media="ndjson"))
    monkeypatch.setattr(game_columns, "GAMES_PER_WRITE", 3)
    import_games(league.pk, BytesIO(file), ImportOptions(by="test", media="ndjson"))
    assert derived(league) == derived(other)
    told = [all_said(one)[2:] for one in (league, other)]
    assert told[0] == told[1]
    assert set(league.games.values_list("note", flat=True)) == {"tab\t\\"}
    results = Prefetch("results", Result.objects.order_by("seat").select_related("player", "recorded_as"))
    games = league.games.order_by("number").prefetch_related(results)
    held = open_payloads(
        league, [serialize_canonically(build_game_payload(game, serialize_lines(game.results.all()))) for game in games]
    )
    assert [payload for _, payload in told[0]] == [one.payload for one in held]
    league.refresh_from_db()
    comparison = LogComparison(league)
    comparison.run()
    assert list(comparison.messages()) == []


@pytest.mark.parametrize("written", [game_columns.GAMES_PER_WRITE, 1])
def test_known_games_between_new_ones_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch, written: int) -> None:
    league = make_league()
    # Of three, two and four people: nobody else's results fit a game.
    first, known, last = (
        line(f"2024-03-0{day}", dict.fromkeys(people, 1), external_id=f"game {day}")
        for day, people in ((5, ("anna", "ben", "cleo")), (6, ("dan", "eva")), (7, ("anna", "ben", "dan", "eva")))
    )
    options = ImportOptions(by="test", media="ndjson", create_players=True)
    import_games(league.pk, BytesIO(known), options)
    monkeypatch.setattr(game_columns, "GAMES_PER_WRITE", written)
    done = import_games(league.pk, BytesIO(b"\n".join((first, known, last))), options)
    assert (done.games, done.known) == (2, 1)
    lines = Result.objects.order_by("game__played_at", "seat").values_list("game__external_id", "player__name")
    assert list(lines) == [
        ("game 5", "Anna"), ("game 5", "Ben"), ("game 5", "Cleo"),
        ("game 6", "Dan"), ("game 6", "eva"),
        ("game 7", "Anna"), ("game 7", "Ben"), ("game 7", "Dan"), ("game 7", "eva"),
    ]  # fmt: skip
    assert Result.objects.count() == 9


@pytest.mark.parametrize(("growth", "told"), [(6, []), (5, ["game", "result", "ratingchange", "standing"])])
@pytest.mark.engine
def test_the_planner_is_told_what_a_large_file_wrote(
    monkeypatch: pytest.MonkeyPatch, growth: int, told: list[str]
) -> None:
    league = make_league(slug="one")
    monkeypatch.setattr(run, "MIN_ROWS_FOR_STATISTICS", growth)
    with CaptureQueriesContext(connection) as queries:
        import_games(league.pk, BytesIO(b"\n".join(GAMES)), ImportOptions(by="test", media="ndjson"))
    tables = [query["sql"] for query in queries if query["sql"].startswith("ANALYZE")]
    expected = told if connection.vendor == "postgresql" else []
    assert tables == [f'ANALYZE (SKIP_LOCKED) "league_{table}"' for table in expected]
