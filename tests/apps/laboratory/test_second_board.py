"""A second system's board: built by a worker, and rebuilt when the league changes."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league import tasks
from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.selectors.second_board import (
    SecondRow,
    build_system,
    find_second_board,
    find_second_score,
    is_behind,
    load_standings,
    rank_second_board,
)
from league.apps.laboratory.services import second_board
from league.apps.laboratory.services.second_board import (
    choose_second_board,
    drop_second_board,
    request_all_second_boards,
    request_due_second_boards,
)
from league.core.errors import NotFound, Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.jobs.services.cancel import cancel_job
from league.core.leaderboard.selectors.current_board import build_listing
from league.core.players.services.merges import merge_players
from league.core.players.services.players import set_active
from league.models import Game, Job, League, Player, Rating
from ratings.laboratory.board import compute_standings
from tests.helpers.builders import ELO, EVENING, FOUR, make_league, record, sheet
from tests.helpers.experiment_builders import MEETINGS, club
from tests.helpers.ladder_builders import tables, utc

pytestmark = pytest.mark.django_db


def build_board(league: League, system: str = "elo", **parameters: Any) -> SecondBoard:
    """Choose a second board and build it."""
    job = choose_second_board(league.pk, system, parameters, username="olga")
    assert tasks.job(str(job.pk))
    assert Job.objects.get(pk=job.pk).state == "done"
    return board_of(league)


def board_of(league: League) -> SecondBoard:
    return find_second_board(League.objects.get(pk=league.pk))


def rows(league: League) -> list[SecondRow]:
    board = board_of(league)
    return rank_second_board(board, build_listing(board.league, timezone.now())).rows(slice(None))


def league_standings(system: str, **parameters: Any) -> dict[str, tuple[float, float, int]]:
    """Return the standings of ``club``'s players in a league that rates the same games by another system."""
    league = make_league(system, slug="twin", parameters=parameters)
    for number in range(12):
        first, second = MEETINGS[number % len(MEETINGS)]
        won = number % 5 != 4
        at = utc("2024-01-01") + timedelta(days=number // 2, hours=19 + number % 2)
        record(league, sheet((FOUR[first], FOUR[second]), (int(won), int(not won)), played_at=at))
    found = Rating.objects.filter(league=league).values_list("player__handle", "rating", "score", "games")
    return {handle: (rating, score, count) for handle, rating, score, count in found}


@pytest.mark.parametrize(
    ("system", "parameters"),
    [("elo", {"k": 40}), ("glicko2", {}), ("weng_lin", {"model": "bradley_terry"})],
)
def test_the_board_equals_that_of_a_league_with_that_system(system: str, parameters: dict[str, Any]) -> None:
    league = club(12, system="glicko" if system == "elo" else "elo")
    build_board(league, system, **parameters)
    found = {row.player.handle: (row.rating, row.score, row.games) for row in rows(league)}
    assert found == league_standings(system, **parameters)
    best_first = sorted(found.values(), key=lambda line: -line[1])
    assert [(row.rating, row.score, row.games) for row in rows(league)] == best_first


def test_rows_have_both_ranks() -> None:
    league = make_league(min_games=1)
    # By Elo with K = 20 a first win moves 10 points, by K = 40 it moves 20: the order is the same but for who is level.
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0), minutes=1))
    build_board(league, "elo", k=40)
    assert [(row.player.handle, row.rank, row.official_rank, row.rating) for row in rows(league)] == [
        ("anna", 1, 1, 1520.0),
        ("cleo", 1, 1, 1520.0),
        ("ben", 3, 3, 1480.0),
        ("dan", 3, 3, 1480.0),
    ]
    board = board_of(league)
    assert (board.games, board.last_number, is_behind(board)) == (2, 2, False)
    assert rank_second_board(board, build_listing(league, timezone.now())).agreement == (4, 0)
    found = find_second_score(League.objects.get(), Player.objects.get(handle="anna"))
    assert found is not None
    assert (found[0].key, found[1]) == ("elo", 1520.0)


def test_the_leagues_data_are_unchanged() -> None:
    league = club(6)
    before = tables()
    build_board(league, "glicko2")
    drop_second_board(league.pk)
    Job.objects.all().delete()
    assert tables() == before
    with pytest.raises(NotFound, match="Club has no second board"):
        board_of(league)
    assert not SecondBoard.objects.exists()


def test_a_changed_league_gets_a_new_board_after_a_pause() -> None:
    league = club(6)
    build_board(league, k=40)
    assert request_due_second_boards() == []
    void_game(league.pk, Game.objects.earliest("played_at").number, username="test", reason="twice")
    board = board_of(league)
    assert (is_behind(board), board.games) == (True, 6)
    # It was made a moment ago.
    assert request_due_second_boards() == []
    (question,) = request_due_second_boards(timezone.now() + timedelta(minutes=11))
    assert request_due_second_boards(timezone.now() + timedelta(minutes=11)) == [], "one waits already"
    assert tasks.job(question)
    board = board_of(league)
    assert (is_behind(board), board.games) == (False, 5)


def test_long_builds_pause_longer_and_failed_ones_wait_for_changes() -> None:
    league = club(6)
    build_board(league, k=40)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-06-01")))
    job = Job.objects.get(kind="second")
    ended = timezone.now()
    Job.objects.filter(pk=job.pk).update(started_at=ended - timedelta(seconds=30), ended_at=ended)
    assert request_due_second_boards(ended + timedelta(seconds=2999)) == []
    later = ended + timedelta(seconds=3000)
    head = League.objects.get().log_sha256
    Job.objects.filter(pk=job.pk).update(state="failed", arguments={"log_sha256": head})
    assert request_due_second_boards(later) == []
    Job.objects.filter(pk=job.pk).update(arguments={"log_sha256": "0" * 64})
    assert len(request_due_second_boards(later)) == 1


def test_the_sweep_requests_a_board_without_a_job() -> None:
    league = club(6)
    build_board(league, k=40)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=utc("2024-06-01")))
    Job.objects.all().delete()
    found = tasks.sweep()
    job = Job.objects.get(kind="second")
    assert str(job.pk) in found
    assert job.asked_by == ""


def test_boards_are_rebuilt_every_night() -> None:
    league = make_league(min_games=1)
    record(league, sheet(("anna", "ben"), (1, 0)))
    board = build_board(league, k=40)
    # Another version of the program would have stored 79 points more; the data are the same.
    stored = load_standings(board)
    other = replace(stored, score=stored.score + 79.0, rating=stored.rating + 79.0)
    SecondBoard.objects.update(standings=other.to_npz(), made_at=timezone.now())
    assert [row.rating for row in rows(league)] == [1599.0, 1559.0]
    assert request_due_second_boards(timezone.now() + timedelta(days=1)) == [], "the data are unchanged"
    question = request_all_second_boards()
    job = Job.objects.get(kind="second", state="waiting")
    assert str(job.pk) in question
    assert str(job.pk) not in request_all_second_boards(), "one waits already"
    assert tasks.job(str(job.pk))
    # Half of K = 40 for a win against an equal.
    assert [row.rating for row in rows(league)] == [1520.0, 1480.0]
    # One that failed is tried again at night, too.
    Job.objects.update(state="failed", ended_at=timezone.now())
    tasks.every_night()
    assert Job.objects.filter(kind="second", state="waiting").count() == 1


def test_a_system_that_cannot_rate_the_games_says_why_and_recovers() -> None:
    league = make_league(min_games=1)
    other = record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(FOUR, places=(1, 2, 3, 4), minutes=1))
    board = build_board(league, "durak")
    assert board.why_not is not None
    assert board.why_not["sentence"] == "Durak needs a place for every seat; 1 game lacks one."
    assert (board.games, board.last_number, rows(league)) == (0, None, [])
    void_game(league.pk, other.number, username="test", reason="twice")
    (question,) = request_due_second_boards(timezone.now() + timedelta(minutes=11))
    assert tasks.job(question)
    board = board_of(league)
    assert (board.why_not, board.games, len(rows(league))) == (None, 1, 4)


def test_a_league_without_a_rule_has_no_second_board() -> None:
    with pytest.raises(Refused, match="has no rule yet"):
        choose_second_board(League.objects.create(slug="bare", title="Bare").pk, "elo", {})
    assert not SecondBoard.objects.exists()
    assert not Job.objects.exists()


def test_choosing_again_rebuilds_and_choosing_another_replaces() -> None:
    league = club(6)
    before = build_board(league, k=40)
    again = choose_second_board(league.pk, "elo", {"k": 40.0})
    assert choose_second_board(league.pk, "elo", {"k": 40}).pk == again.pk, "one waits already"
    assert board_of(league).chosen_at == before.chosen_at
    assert len(rows(league)) == 4, "shown meanwhile"
    # A worker that read the choice before another one came writes nothing of it.
    choose_second_board(league.pk, "glicko2", {})
    board = board_of(league)
    assert (board.system, board.made_at, rows(league)) == ("glicko2", None, [])
    assert tasks.job(str(again.pk))
    assert build_system(board_of(league)).key == "glicko2"
    assert "volatility" in rows(league)[0].state
    assert League.objects.get().also_rated_by == "glicko2"


def test_a_job_of_a_dropped_board_succeeds() -> None:
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40})
    drop_second_board(league.pk)
    assert tasks.job(str(job.pk))
    assert Job.objects.get().result == {"games": 0, "players": 0}


def test_builds_can_be_cancelled_and_old_jobs_are_deleted() -> None:
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")
    assert cancel_job(job, username="olga")
    Job.objects.update(ended_at=timezone.now() - timedelta(hours=2))
    other = choose_second_board(league.pk, "elo", {"k": 41}, username="olga")
    assert list(Job.objects.values_list("pk", flat=True)) == [other.pk]


def test_a_league_without_games_has_an_empty_board() -> None:
    league = make_league()
    board = build_board(league, k=40)
    assert (board.games, board.last_number, rows(league)) == (0, None, [])
    assert not is_behind(board)
    page = Client().get("/leagues/club/second/")
    assert "The board is empty." in page.content.decode()


def test_both_boards_list_the_same_players() -> None:
    league = club(12)
    build_board(league, k=40)
    assert {row.player.handle for row in rows(league)} == set(FOUR)
    set_active(league.pk, Player.objects.get(handle="anna"), False)
    assert {row.player.handle for row in rows(league)} == set(FOUR[1:])
    record(league, sheet(("eva", "ben"), (1, 0), played_at=utc("2024-06-01"), create_players=True))
    # Missing on the second board until it is rebuilt.
    assert {row.player.handle for row in rows(league)} == set(FOUR[1:])
    assert find_second_score(League.objects.get(), Player.objects.get(handle="eva")) is None
    (question,) = request_due_second_boards(timezone.now() + timedelta(minutes=11))
    tasks.job(question)
    assert {row.player.handle for row in rows(league)} == {*FOUR[1:], "eva"}
    merge_players(Player.objects.get(handle="eva"), Player.objects.get(handle="cleo"), username="test")
    assert {row.player.handle for row in rows(league)} == set(FOUR[1:])


def test_sides_and_weights_are_rated() -> None:
    league = make_league(parameters={"k": 32}, min_games=1)
    results = [NewResult(player, None, 1 + number // 2, 1 + number // 2) for number, player in enumerate(FOUR)]
    record(league, NewGame(results, played_at=EVENING, weight=0.5))
    # K = 20: the side wins 10 points, half of them with a weight of one half.
    build_board(league, k=20)
    assert {row.player.handle: row.rating for row in rows(league)} == {
        "anna": 1505.0, "ben": 1505.0, "cleo": 1495.0, "dan": 1495.0,
    }  # fmt: skip


def test_a_replaced_choice_is_rebuilt_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40})

    def overtaken(*args: Any, **options: Any) -> Any:
        # Another choice saw this job waiting, and made no other one; it is committed now.
        SecondBoard.objects.update(chosen_at=timezone.now(), parameters={**ELO, "k": 41})
        return compute_standings(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(second_board, "compute_standings", overtaken)
        assert tasks.job(str(job.pk))
    assert board_of(league).made_at is None
    (question,) = request_due_second_boards()
    assert tasks.job(question)
    assert (board_of(league).made_at is None, len(rows(league))) == (False, 4)


def test_a_board_dropped_or_replaced_while_it_is_read_is_empty() -> None:
    league = club(6)
    before = build_board(league, k=40)
    build_board(league, "glicko2")
    assert len(load_standings(before)) == 0, "Glicko-2's states are not Elo's"
    now = board_of(league)
    drop_second_board(league.pk)
    assert len(load_standings(now)) == 0


def test_a_late_cancellation_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    league = club(6)
    job = choose_second_board(league.pk, "elo", {"k": 40}, username="olga")

    def cancelled(*args: Any, **options: Any) -> Any:
        found = compute_standings(*args, **options)
        assert not cancel_job(Job.objects.get(pk=job.pk), username="olga")
        return found

    monkeypatch.setattr(second_board, "compute_standings", cancelled)
    assert tasks.job(str(job.pk))
    assert Job.objects.get().failure == "Cancelled by olga. Nothing was saved."
    assert board_of(league).made_at is None
