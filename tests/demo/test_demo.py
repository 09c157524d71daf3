"""The demo leagues."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from league.core.errors import Conflict
from league.core.games.services.game_files import ReadGame
from league.core.jobs.services.progress import ignore_progress
from league.demo.leagues import DEMOS, Demo, load_demo
from league.demo.simulator import iter_barbu_games, iter_preferans_games
from league.demo.sources import keep_games, read_demo_file
from league.models import Game, League, Player, Rating, RatingChange

#: Drawn once from the seeds and written down: another value here is another club.
BARBU = [("Tara Gruber", 175.0), ("Bruno Horvat", -75.0), ("Zoran Rossi", -40.0), ("Pavel Jansen", -60.0)]
PREFERANS = [("Hugo Gruber", -98.0), ("Olga Horvat", 122.0), ("Jonas Ulrich", 116.0)]
PREFERANS_BULA = 40


@pytest.mark.django_db
def test_the_demo_makes_five_leagues_once(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demo", "--games", "12")
    slugs = ["barbu", "boats", "football", "preferans", "rail18xx"]
    assert list(League.objects.order_by("slug").values_list("slug", flat=True)) == slugs
    told = capsys.readouterr()
    assert "Boat races, August 2025: 12 games, " in told.out
    assert "43 races left out in which several boats did not finish (99 of their 258 rows)." in told.out
    assert "Ignored columns: ground, neutral, tournament, shootout." in told.out
    assert "Barbu club (simulated) simulating …" in told.err
    assert Game.objects.count() == 60
    assert Rating.objects.filter(league__slug="barbu").count() > 10
    call_command("demo", "--if-empty")
    assert Game.objects.count() == 60
    with pytest.raises(CommandError, match="for an empty database only"):
        call_command("demo")


def demo_of(slug: str) -> Demo:
    """Return the demo league of a slug."""
    return next(demo for demo in DEMOS if demo.slug == slug)


def places(games: Iterable[ReadGame]) -> dict[str, list[int | None]]:
    """Return game_id -> places in seat order."""
    return {entry.game.external_id or "": [line.place for line in entry.game.results] for entry in games}


@pytest.mark.slow("The demo's data; tests/ratings holds the rule.")
def test_boats_that_did_not_finish_follow_the_stated_rule_and_the_page_says_how_many() -> None:
    boats = demo_of("boats")
    prepared = boats.source(ignore_progress)
    everything = places(
        read_demo_file("boatrace6_2025_08.csv.gz", "durak", "Asia/Tokyo", keep_games, ignore_progress).read.games
    )
    kept = places(prepared.read.games)
    assert (len(everything), len(kept)) == (5048, 5002)
    missing = [row.count(None) for row in everything.values()]
    assert (missing.count(0), missing.count(1), sum(count > 1 for count in missing)) == (4771, 234, 43)
    assert all(sorted(place or 0 for place in row) == [1, 2, 3, 4, 5, 6] for row in kept.values())
    assert all([place or 6 for place in everything[name]] == row for name, row in kept.items())
    assert prepared.notes == (
        "234 races in which one boat did not finish (234 rows): it is placed last.",
        "43 races left out in which several boats did not finish (99 of their 258 rows).",
        "3 races left out in which boats finished level (18 rows).",
        "Ignored columns: status, lane, start_timing.",
    )
    for words in ("placed last (234 races)", "several boats did not finish (43)", "level (3)", "5,002 of 5,048 races"):
        assert words in boats.description


def test_a_worth_below_zero_counts_as_nothing() -> None:
    prepared = demo_of("rail18xx").source(ignore_progress)
    scores = [line.score or 0.0 for entry in prepared.read.games for line in entry.game.results]
    assert min(scores) == 0.0
    assert len(scores) == 819
    assert prepared.notes[0] == "3 games with a final worth below zero (3 rows): it counts as 0."
    assert "counts as 0 (3 players in 3 games)" in demo_of("rail18xx").description


@pytest.mark.slow("Loads the demo once more.")
@pytest.mark.django_db
def test_a_demo_that_fails_on_the_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(demo: Demo, *more: object) -> object:
        if demo.slug == "rail18xx":
            raise Conflict("The disc is full of boats.")
        return load_demo(demo, ignore_progress, 10)

    monkeypatch.setattr("league.management.commands.demo.load_demo", fail)
    with pytest.raises(CommandError, match="full of boats"):
        call_command("demo")
    assert [model.objects.count() for model in (League, Game, Player, RatingChange)] == [0, 0, 0, 0]


def test_simulated_clubs_say_so_and_share_no_player() -> None:
    clubs = [
        {line.player for game in games(50) for line in game.results}
        for games in (iter_barbu_games, iter_preferans_games)
    ]
    assert [len(names) for names in clubs] == [24, 15]
    assert not clubs[0] & clubs[1]
    for slug in ("barbu", "preferans"):
        assert "simulated" in demo_of(slug).description
        assert "simulated" in demo_of(slug).title


def test_simulated_clubs_are_the_same_on_every_machine() -> None:
    first = next(iter_barbu_games(3))
    # Always 19:30 in Paris, summer and winter.
    assert first.played_at == datetime(2026, 7, 2, 17, 30, tzinfo=UTC)
    assert next(iter_barbu_games(25)).played_at == datetime(2026, 1, 29, 18, 30, tzinfo=UTC)
    assert [(line.player, line.score) for line in first.results] == BARBU
    assert all(sum(line.score or 0 for line in game.results) == 0 for game in iter_barbu_games(20))
    table = next(iter_preferans_games(3))
    assert [(line.player, line.score) for line in table.results] == PREFERANS
    assert table.details == {"bula": PREFERANS_BULA}
    assert {len(game.results) for game in iter_preferans_games(10)} == {3}
