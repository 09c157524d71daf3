"""The demo leagues."""

import pytest
from django.core.management import CommandError, call_command

from league.demo.leagues import DEMOS, from_file
from league.demo.simulator import barbu_games, preferans_games
from league.models import Game, League, Rating
from league.services.imports import no_progress
from tests.league.builders import make_league

#: Drawn once from the seeds and written down: another value here is another club.
BARBU = [("Hugo Bosko", -35.0), ("Pavel Jansen", -55.0), ("Felix Lindqvist", 15.0), ("Ugo Novak", 75.0)]
PREFERANS = [("Greta Schmidt", 96.0), ("Nils Takács", -96.0), ("Clara Okafor", -220.0)]
PREFERANS_BULA = 40


@pytest.mark.django_db
def test_the_demo_makes_five_leagues_once(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demo", "--games", "60")
    assert list(League.objects.order_by("slug").values_list("slug", flat=True)) == [
        "barbu",
        "boats",
        "football",
        "preferans",
        "rail18xx",
    ]
    assert Game.objects.count() == 300
    assert Rating.objects.filter(league__slug="barbu").count() > 10
    call_command("demo", "--if-empty")
    assert Game.objects.count() == 300
    with pytest.raises(CommandError, match="for an empty database only"):
        call_command("demo")


@pytest.mark.django_db
def test_the_demo_never_mixes_with_real_books() -> None:
    make_league()
    call_command("demo", "--if-empty")
    assert League.objects.count() == 1


def test_boats_that_did_not_finish_follow_the_stated_rule() -> None:
    boats = next(demo for demo in DEMOS if demo.slug == "boats")
    read = boats.source(no_progress)
    assert len(read.games) == 5002
    everything = from_file("boatrace6_2025_08.csv.gz", "Asia/Tokyo", lambda entry: entry, no_progress)
    assert len(everything.games) == 5048
    missing = [sum(line.place is None for line in entry.game.results) for entry in everything.games]
    assert (missing.count(0), missing.count(1), sum(count > 1 for count in missing)) == (4771, 234, 43)
    assert all(sorted(line.place or 0 for line in entry.game.results) == [1, 2, 3, 4, 5, 6] for entry in read.games)


def test_a_worth_below_zero_counts_as_nothing() -> None:
    rails = next(demo for demo in DEMOS if demo.slug == "rail18xx")
    scores = [line.score or 0.0 for entry in rails.source(no_progress).games for line in entry.game.results]
    assert min(scores) == 0.0
    assert len(scores) == 819


def test_simulated_clubs_are_the_same_on_every_machine() -> None:
    first = next(barbu_games(3))
    assert [(line.player, line.score) for line in first.results] == BARBU
    assert all(sum(line.score or 0 for line in game.results) == 0 for game in barbu_games(20))
    table = next(preferans_games(3))
    assert [(line.player, line.score) for line in table.results] == PREFERANS
    assert table.details == {"bula": PREFERANS_BULA}
    assert {len(game.results) for game in preferans_games(10)} == {3}
