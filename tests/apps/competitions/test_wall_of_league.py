"""The section of competitions on a league's club screen: which one is shown, when it is played, and who leads."""

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from league.apps.competitions.models import Competition
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.models import League
from tests.helpers.builders import league_of, make_league, record, sheet
from tests.helpers.running_competitions import play_round, run_competition
from tests.helpers.shared import built_once

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


def section(**asked: str) -> str:
    """Return the words of the section, "" if the screen has none."""
    page = Client().get("/leagues/club/wall/", asked).content.decode()
    found = page.partition('aria-labelledby="competition">')[2].partition("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


@pytest.mark.parametrize("status", [one for one in Competition.Status if one != Competition.Status.RUNNING])
def test_without_a_running_competition_there_is_no_section(status: str) -> None:
    run_competition(league_of(), SIX, "round_robin", status=status)
    assert section() == ""


@pytest.mark.parametrize("part", ["board", "race", "games"])
def test_a_part_alone_has_no_section(part: str) -> None:
    run_competition(league_of(), SIX, "round_robin")
    assert (section(), section(only=part)) == ("Cup", "")


def test_the_first_five_are_shown_with_their_points_once_something_is_played() -> None:
    league = league_of()
    run_competition(league, SIX, "round_robin", title="Autumn cup")
    assert section() == "Autumn cup"
    play_round(league, 1)
    assert section() == "Autumn cup Round 1 of 5"
    play_round(league, 2, (1, 0), (0, 1), (1, 0))
    words = section()
    assert words.startswith("Autumn cup Round 1 of 5 1. ")
    assert re.findall(r"(\d)\. \w+ (\d)", words) == [("1", "1"), ("1", "1"), ("1", "1"), ("4", "0"), ("4", "0")]


def test_a_knock_out_shows_no_points() -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout")
    play_round(league, 1, (1, 0), (0, 1))
    assert re.fullmatch(r"Cup Round 1 of 2 1\. \w+ 1\. \w+ 3\. \w+ 3\. \w+", section())


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
    assert section() == f"Cup {shown}"


@pytest.mark.parametrize("seed", range(3))
def test_of_several_the_one_that_is_played_or_due_next_is_shown(seed: int) -> None:
    league = league_of()
    random = Random(seed)
    days = random.sample(range(20), 3)
    for day in days:
        run_competition(league, ("anna", "ben"), "free", slug=f"cup-{day}", title=f"Cup {day}")
        at = SOON + timedelta(days=day)
        times: dict[str, Any] = random.choice([{"starts_at": at}, {"deadline": at}])
        add_fixtures(league.pk, f"cup-{day}", [NewFixture([1, 2], **times)], by="olga")
    run_competition(league, ("anna", "ben"), "free", slug="whenever")
    add_fixtures(league.pk, "whenever", [NewFixture([1, 2])], by="olga")
    assert section().startswith(f"Cup {min(days)} ")


def test_the_board_gives_the_section_room() -> None:
    league = league_of()

    def rows() -> int:
        return Client().get("/leagues/club/wall/").content.decode().count('<th scope="row">')

    before = rows()
    run_competition(league, SIX, "round_robin")
    # Two lines less in each of two columns.
    assert (before, rows()) == (16, 12)
