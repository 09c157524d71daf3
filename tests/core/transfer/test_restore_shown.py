"""A real file of a league with seasons, adjustments, experiments and a second board: what comes back, what does not."""

import gzip
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from league import tasks
from league.apps.laboratory.selectors.second_board import find_second_board, rank_second_board
from league.apps.laboratory.services.request_experiments import request_experiment
from league.apps.laboratory.services.second_board import choose_second_board
from league.core.dispatch.sweep import run_requested_job
from league.core.errors import NotFound
from league.core.games.services.record import void_game
from league.core.leaderboard.selectors.current_board import build_listing
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.leagues import adopt_rule
from league.models import Adjustment, Game, GamelessChange, Job, League, Rating, Rule
from tests.helpers.builders import player_of
from tests.helpers.experiment_builders import club, question
from tests.helpers.ladder_builders import utc

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    """Return a league with a season, points given and taken back, an experiment and a second board."""
    league = club(40, min_games=1)
    season = {"days": ["01-08"], "pull": 0.25}
    adopt_rule(league.pk, "elo", {"k": 32}, date(2024, 1, 5), season=season, username="olga")
    adjust(
        league.pk,
        player_of("anna"),
        AdjustmentData(-40.0, "Came late three times.", utc("2024-01-09")),
        username="olga",
    )
    adjust(league.pk, player_of("ben"), AdjustmentData(25.0, "A prize.", utc("2024-01-10")), username="olga")
    void_adjustment(league.pk, 2, reason="It was no prize.", username="olga")
    void_game(league.pk, 3, username="olga", reason="twice")
    assert run_requested_job(request_experiment(league, question("elo", "glicko2"), username="olga").pk)
    assert tasks.job(str(choose_second_board(league.pk, "glicko2", {}, username="olga").pk))
    return League.objects.get(pk=league.pk)


def books(league: League) -> list[list[tuple[object, ...]]]:
    """Return what a league has decided and what follows from it."""
    by = {"league": league}
    games = Game.objects.filter(**by).order_by("number")
    rules = Rule.objects.filter(**by).order_by("from_date")
    return [
        list(games.values_list("number", "played_at", "voided_at", "void_reason")),
        list(rules.values_list("from_date", "system", "parameters", "season")),
        list(Adjustment.objects.filter(**by).order_by("number").values_list(
            "number", "player__handle", "at", "amount", "reason", "recorded_at", "voided_at", "void_reason",
        )),
        list(GamelessChange.objects.filter(**by).order_by("at", "number", "player").values_list(
            "player__handle", "at", "number", "games", "before", "change", "after",
        )),
        list(Rating.objects.filter(**by).order_by("player").values_list("player__handle", "rating", "score", "games")),
    ]  # fmt: skip


def second_rows(league: League) -> list[tuple[str, float]]:
    """Return who stands where by the second system."""
    board = find_second_board(league)
    return [
        (row.player.handle, row.score)
        for row in rank_second_board(board, build_listing(league, timezone.now())).rows(slice(None))
    ]


def test_the_books_come_back_of_a_file_and_what_is_for_looking_does_not(league: League, tmp_path: Path) -> None:
    out, path = StringIO(), tmp_path / "club.ndjson.gz"
    call_command("export", "club", stdout=out)
    path.write_bytes(gzip.compress(out.getvalue().encode()))
    assert "glicko2" not in out.getvalue()
    call_command("restore", str(path), "--slug", "copy", "--known-players", stdout=StringIO())
    copy = League.objects.get(slug="copy")
    assert books(copy) == books(league)
    # The turn of a season for four, and the adjustment that stands.
    assert GamelessChange.objects.filter(league=copy).count() == 5
    said = StringIO()  # one of 40 is void
    call_command("verify", "copy", stdout=said)
    assert " is right: 39 games" in said.getvalue()
    # What is for looking: neither the choice nor what was made of it, and no job.
    assert not Job.objects.filter(league=copy, kind__in=["second", "compare"]).exists()
    assert copy.also_rated_by == ""
    with pytest.raises(NotFound, match="has no second board"):
        find_second_board(copy)
    # Chosen again it is the same; the experiment tells the same, too.
    assert tasks.job(str(choose_second_board(copy.pk, "glicko2", {}, username="olga").pk))
    copy.refresh_from_db()
    assert second_rows(copy) == second_rows(league)
    assert len(second_rows(copy)) == 4
    again = request_experiment(copy, question("elo", "glicko2"), username="olga")
    assert run_requested_job(again.pk)
    first, last = Job.objects.filter(kind="compare").order_by("asked_at")
    assert last.result is not None, last.problem
    assert last.result == first.result
