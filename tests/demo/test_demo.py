"""The demo leagues."""

import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from league.core.errors import Conflict
from league.core.games.services.game_files import ReadGame
from league.core.jobs.demo_load import DemoLoad, expect_demo_load, find_demo_load, hold_demo_load
from league.core.jobs.services.progress import ignore_progress
from league.core.leagues.services.leagues import create_league
from league.demo.leagues import DEMOS, Demo, LoadResult, load_demo
from league.demo.simulator import iter_barbu_games, iter_club_games, iter_preferans_games
from league.demo.sources import keep_games, read_demo_file
from league.models import Game, League, Rating

#: Drawn once from the seeds and written down: another value here is another club.
BARBU = [("Tara Gruber", 175.0), ("Bruno Horvat", -75.0), ("Zoran Rossi", -40.0), ("Pavel Jansen", -60.0)]
PREFERANS = [("Hugo Gruber", -98.0), ("Olga Horvat", 122.0), ("Jonas Ulrich", 116.0)]
PREFERANS_BULA = 40
FIRST_YEAR = 2006
#: The morning after an evening of the Barbu club.
NOW = datetime(2026, 7, 17, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_folder(settings: LazySettings, tmp_path: Path) -> None:
    """Let the pages that other processes test say nothing of these loads."""
    settings.VAR = tmp_path


@pytest.mark.slow("Makes every league of the demo; tests/pinned makes them smaller.")
@pytest.mark.django_db
def test_the_demo_makes_its_leagues_once(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demo", "--games", "12")
    slugs = ["barbu", "boats", "football", "games-club", "preferans", "rail18xx"]
    assert list(League.objects.order_by("slug").values_list("slug", flat=True)) == slugs
    told = capsys.readouterr()
    assert "Boat races, August 2025: 12 games, " in told.out
    assert "43 races left out in which several boats did not finish (99 of their 258 rows)." in told.out
    assert "Ignored columns: ground, tournament, shootout." in told.out
    assert "Barbu club (simulated) simulating …" in told.err
    # 12 of each league, and those of the club's competitions: 59 of evenings and cups, 51 of seasons.
    assert Game.objects.count() == 6 * 12 + 59 + 51
    assert Game.objects.filter(league__slug="football").earliest("played_at").played_at.year == FIRST_YEAR
    assert Rating.objects.filter(league__slug="barbu").count() > 10
    call_command("demo", "--if-empty")
    assert capsys.readouterr().out == ""
    call_command("demo")
    assert capsys.readouterr().out == "The demo leagues are complete.\n"
    assert Game.objects.count() == 6 * 12 + 59 + 51


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["club-of-mine", "barbu"])
def test_a_site_with_another_league_gets_no_demo(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    create_league(slug, "Our club", by="anna")
    call_command("demo", "--if-empty")
    with pytest.raises(CommandError, match="for an empty database only"):
        call_command("demo")
    assert list(League.objects.values_list("title", flat=True)) == ["Our club"]
    assert capsys.readouterr().out == ""


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


@pytest.mark.slow("Makes leagues of the demo; they change seldom.")
@pytest.mark.django_db
def test_a_load_that_ended_on_the_way_is_continued(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: dict[str, str] = {}

    def load(demo: Demo, *more: object) -> LoadResult:
        pages[demo.slug] = client.get("/?all").content.decode()
        result = load_demo(demo, ignore_progress, 2)
        if demo.slug == "preferans":
            raise Conflict("The disc is full of boats.")
        return result

    # Without the club, whose competitions take the longest.
    leagues = DEMOS[1:]
    monkeypatch.setattr("league.demo.leagues.DEMOS", leagues)
    monkeypatch.setattr("league.management.commands.demo.DEMOS", leagues)
    with monkeypatch.context() as patch:
        patch.setattr("league.management.commands.demo.load_demo", load)
        with pytest.raises(CommandError, match="full of boats"):
            call_command("demo")
    assert list(League.objects.values_list("slug", flat=True)) == ["barbu"]
    assert (Game.objects.count(), list(pages)) == (2, ["barbu", "preferans"])
    assert "The demo leagues are being loaded: 0 of 5 are complete." in pages["barbu"]
    assert "There is no league yet" not in pages["barbu"]
    assert "1 of 5 are complete" in pages["preferans"]
    assert "Now: Preferans club (simulated)." in pages["preferans"]
    assert "being loaded" not in client.get("/?all").content.decode()
    call_command("demo", "--games", "2")
    assert (League.objects.count(), Game.objects.count()) == (5, 10)


@pytest.mark.django_db
def test_the_first_page_waits_for_the_demo_and_fills_itself(client: Client) -> None:
    User.objects.create_user("olga")
    assert "There is no league yet" in client.get("/").content.decode()
    expect_demo_load(5)
    page = client.get("/").content.decode()
    assert "The demo leagues are being loaded: 0 of 5 are complete." in page
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page
    assert 'data-from="/?all&amp;part=1"' in page
    load_demo(demo_of("rail18xx"), ignore_progress, 1)
    # Not the league's own page: others are to come.
    assert client.get("/").status_code == 200
    part = client.get("/?all&part=1").content.decode()
    assert "18xx online" in part
    assert "<html" not in part
    with hold_demo_load() as sign:
        sign.show("Boats", 4, 5)
        assert find_demo_load() == DemoLoad("Boats", 4, 5)
    assert find_demo_load() is None
    assert client.get("/").status_code == 302


@pytest.mark.parametrize("at", [0, 32_503_680_000], ids=["past", "a clock that was set back since"])
def test_a_load_that_never_began_is_not_awaited_for_ever(at: int, settings: LazySettings) -> None:
    expect_demo_load(5)
    os.utime(Path(settings.VAR) / "demo-load.json", (at, at))
    assert find_demo_load() is None


@pytest.mark.django_db
@pytest.mark.parametrize("left_out", ["competitions", "reports"])
def test_a_site_without_what_competitions_need_has_the_club_without_them(left_out: str, settings: LazySettings) -> None:
    settings.LEFT_OUT = [left_out]
    with patch.dict(sys.modules, {"league.demo.club": None}):  # importing it would register models of the app
        loaded = load_demo(demo_of("games-club"), ignore_progress, 3)
    assert loaded.report.games == 3


def test_simulated_clubs_say_so_and_share_no_player() -> None:
    clubs = [
        {line.player for game in games(50, NOW) for line in game.results}
        for games in (iter_barbu_games, iter_preferans_games, iter_club_games)
    ]
    assert [len(names) for names in clubs] == [24, 15, 20]
    assert len(set().union(*clubs)) == 24 + 15 + 20
    for slug in ("barbu", "preferans", "games-club"):
        assert "simulated" in demo_of(slug).description
        assert "simulated" in demo_of(slug).title


def test_simulated_clubs_are_the_same_on_every_machine() -> None:
    first = next(iter_barbu_games(3, NOW))
    # Always 19:30 in Paris, summer and winter.
    assert first.played_at == datetime(2026, 7, 2, 17, 30, tzinfo=UTC)
    assert next(iter_barbu_games(25, NOW)).played_at == datetime(2026, 1, 29, 18, 30, tzinfo=UTC)
    assert [(line.player, line.score) for line in first.results] == BARBU
    assert all(sum(line.score or 0 for line in game.results) == 0 for game in iter_barbu_games(20, NOW))
    table = next(iter_preferans_games(3, NOW))
    assert [(line.player, line.score) for line in table.results] == PREFERANS
    assert table.details == {"bula": PREFERANS_BULA}
    assert {len(game.results) for game in iter_preferans_games(10, NOW)} == {3}


@pytest.mark.parametrize(
    ("now", "last"),
    [
        # An evening of four hours from 19:30 in Paris, where it is summer: until 21:30 in UTC.
        (datetime(2026, 7, 16, 21, 29, tzinfo=UTC), datetime(2026, 7, 9, 17, 30, tzinfo=UTC)),
        (datetime(2026, 7, 16, 21, 30, tzinfo=UTC), datetime(2026, 7, 16, 17, 30, tzinfo=UTC)),
        # In winter; the clocks changed on 25 October.
        (datetime(2026, 10, 29, 22, 30, tzinfo=UTC), datetime(2026, 10, 29, 18, 30, tzinfo=UTC)),
        (datetime(2026, 10, 29, 22, 0, tzinfo=UTC), datetime(2026, 10, 22, 17, 30, tzinfo=UTC)),
    ],
)
def test_a_simulated_club_ends_on_the_last_evening_that_is_over(now: datetime, last: datetime) -> None:
    assert {game.played_at for game in iter_barbu_games(1, now)} == {last, last + timedelta(minutes=95)}
