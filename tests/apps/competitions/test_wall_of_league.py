"""The pages of competitions on a league's club screen: which one is shown, its pairings, and who leads."""

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.public.wall import split_in_pages
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.models import League
from tests.helpers.builders import league_of, make_league, record, sheet
from tests.helpers.ladder_builders import clock
from tests.helpers.running_competitions import play_round, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
SOON = datetime(2030, 3, 7, 19, 30, tzinfo=UTC)


def club() -> League:
    """Return a league in which all have played once."""
    players = [*SIX, *(f"guest{number}" for number in range(14))]
    league = make_league(players=players)
    for number, pair in enumerate(zip(players[::2], players[1::2], strict=True)):
        record(league, sheet(pair, (1, 0), minutes=number))
    return league


built = built_once(club)


def pages(**asked: str) -> dict[str, list[str]]:
    """Return the words of the competition's pages by kind."""
    found: dict[str, list[str]] = {}
    for part in Client().get("/leagues/club/wall/", asked).content.decode().split('<div class="turn" data-page="')[1:]:
        kind, _, rest = part.partition('">')
        found.setdefault(kind, []).append(" ".join(re.sub(r"<[^>]+>", " ", rest.partition("</main>")[0]).split()))
    return found


@pytest.mark.parametrize("status", [one for one in Competition.Status if one != Competition.Status.RUNNING])
def test_without_a_running_competition_there_is_no_page(status: str) -> None:
    league = league_of()
    run_competition(league, SIX, "round_robin")
    play_round(league, 1)
    Competition.objects.update(status=status)
    assert pages() == {}


@pytest.mark.parametrize("part", ["board", "race", "games"])
def test_a_part_alone_has_no_page_of_a_competition(part: str) -> None:
    league = league_of()
    run_competition(league, SIX, "round_robin")
    play_round(league, 1)
    assert (list(pages()), pages(only=part)) == (["pairings"], {})


@long_way
def test_the_pairings_of_the_round_and_then_the_standings_are_pages_in_turn() -> None:
    league = league_of()
    run_competition(league, SIX, "round_robin", title="Autumn cup")
    assert pages() == {}
    play_round(league, 1)
    shown = pages()
    assert list(shown) == ["pairings"]
    assert shown["pairings"][0].startswith("Autumn cup Round 1 of 5 · 0 of 3 results")
    assert len(re.findall(r"\d \w+ No. \d – \w+ No. \d", shown["pairings"][0])) == 3
    play_round(league, 2, (1, 0), (0, 1), (1, 0))
    shown = pages()
    assert list(shown) == ["pairings", "standings"]
    assert re.findall(r"(\d) \w+ No. \d (\d)(?= |$)", shown["standings"][0].partition("Points")[2]) == [
        *[("1", "1")] * 3,
        *[("4", "0")] * 3,
    ]


def test_a_knock_out_shows_its_bracket() -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout")
    play_round(league, 1, (1, 0), (0, 1))
    shown = pages()
    assert list(shown) == ["bracket", "pairings"]
    assert "Semi-finals" in shown["bracket"][0]
    assert "Final" in shown["bracket"][0]


def test_more_pairings_than_fit_take_a_page_more() -> None:
    league = league_of()
    guests = [f"guest{number}" for number in range(14)]
    run_competition(league, (*SIX, *guests), "round_robin")
    play_round(league, 1)
    assert [len(pairings) for pairings in split_in_pages(list(range(50)), 24)] == [24, 24, 2]
    # Ten pairings are one page.
    assert len(pages()["pairings"]) == 1


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ({"starts_at": SOON, "deadline": SOON + timedelta(days=2)}, "7 Mar 2030, 19:30 UTC"),
        ({"deadline": SOON}, "by 7 Mar 2030, 19:30 UTC"),
        ({}, "14 Apr 2054, 19:30 UTC"),
    ],
)
def test_it_is_said_when_the_next_game_is_played_or_due(times: dict[str, Any], shown: str) -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "free")
    later = datetime(2054, 4, 14, 19, 30, tzinfo=UTC)
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], starts_at=later), NewFixture([2, 1], **times)], by="olga")
    words = pages()["pairings"][0]
    assert words.startswith("Cup ")
    assert f" · {shown} " in words


def test_the_hour_of_what_has_begun_is_not_said() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], starts_at=SOON, deadline=SOON + timedelta(days=2))], by="olga")
    for ahead, shown in ((timedelta(minutes=1), True), (-timedelta(minutes=1), False)):
        with clock(SOON - ahead):
            assert ("19:30" in pages()["pairings"][0].partition("Table")[0]) is shown


@pytest.mark.parametrize("seed", range(3))
def test_of_several_the_three_that_are_played_or_due_next_take_turns(seed: int) -> None:
    league = league_of()
    random = Random(seed)
    days = random.sample(range(20), 4)
    for day in days:
        run_competition(league, ("anna", "ben"), "free", slug=f"cup-{day}", title=f"Cup {day}")
        at = SOON + timedelta(days=day)
        times: dict[str, Any] = random.choice([{"starts_at": at}, {"deadline": at}])
        add_fixtures(league.pk, f"cup-{day}", [NewFixture([1, 2], **times)], by="olga")
    run_competition(league, ("anna", "ben"), "free", slug="whenever")
    add_fixtures(league.pk, "whenever", [NewFixture([1, 2])], by="olga")
    shown = pages()["pairings"]
    assert [words.partition(" Round")[0].split(" ·")[0].split(" 0 of")[0] for words in shown] == [
        f"Cup {day}" for day in sorted(days)[:3]
    ]


def test_behind_the_first_one_a_competition_shows_only_how_it_stands() -> None:
    league = league_of()
    for number, title in enumerate(("Autumn", "Spring", "Winter")):
        run_competition(league, ("anna", "ben"), "free", slug=title.lower(), title=title)
        made = add_fixtures(league.pk, title.lower(), [NewFixture([1, 2])] * 2, by="olga")
        if number < 2:
            record_result(league.pk, made[0].number, scores(1, 0), by="olga")
    shown = {kind: [words.split()[0] for words in parts] for kind, parts in pages().items()}
    assert shown == {"pairings": ["Spring", "Winter"], "standings": ["Spring", "Autumn"]}
    html = Client().get("/leagues/club/wall/").content.decode()
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) and html.count("rungs/competitions.css") == 1
    assert set(re.findall(r'aria-labelledby="([^"]+)"', html)) <= set(ids)


def test_what_is_played_today_stands_before_what_is_overdue() -> None:
    league = league_of()
    for title, days in (("Late", -7), ("Tonight", 0), ("Later", 2)):
        run_competition(league, ("anna", "ben"), "free", slug=title.lower(), title=title)
        games = [NewFixture([1, 2], starts_at=SOON + timedelta(days=days)) for _ in range(2)]
        add_fixtures(league.pk, title.lower(), games, by="olga")
    with clock(SOON):
        assert [words.split()[0] for words in pages()["pairings"]] == ["Tonight", "Late", "Later"]
        # One is played before its day.
        first = Fixture.objects.filter(competition__slug="later").order_by("number")[0]
        record_result(league.pk, first.number, scores(1, 0), by="olga")
        assert pages()["pairings"][0].startswith("Later ")
