"""The wall: what stands on it, and that a wall on which nothing changes costs next to nothing."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from league.core.games.services.record import void_game
from league.models import League
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, utc

pytestmark = pytest.mark.django_db
WALL = "/leagues/club/wall/"


def text(client: Client, **asked: str | int) -> str:
    """Return the wall's page."""
    return client.get(WALL, asked).content.decode()


def test_the_wall_shows_race_board_and_evening(client: Client) -> None:
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("cleo", "anna", "2024-03-06"))
    with clock(EVENING + timedelta(days=2)):
        page = text(client)
    assert page.count('<table class="board">') == 1
    assert 'class="full"' not in page
    assert "March 2024" in page
    assert "24 days left" in page  # the 7th of March
    assert "Last played Wednesday 6 March" in page
    assert '<bdi class="strong">Cleo</bdi> <b class="nowrap">1–0</b> <bdi>Anna</bdi>' in page
    # By hand: Ben stands at 1484; Cleo beats Anna, who had 1516, and Anna's loss is Cleo's gain.
    gain = 32 * (1 - 1 / (1 + 10 ** ((1516 - 1500) / 400)))
    assert f"+{gain:.1f}" in page
    assert f"−{gain:.1f}" in page
    assert page.count('<th scope="row">') == 3


@pytest.mark.parametrize(("part", "there"), [("board", (1, 0)), ("games", (0, 1)), ("race", (0, 0)), ("else", (1, 1))])
def test_a_part_stands_alone_for_a_stream(client: Client, part: str, there: tuple[int, int]) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = text(client, only=part)
    assert (page.count('id="board"'), page.count('id="games"')) == there
    assert ('class="wall over"' in page) == (part != "else")
    assert ("<header>" in page) == (part == "else")


def test_an_empty_wall_says_so(client: Client) -> None:
    make_league()
    page = text(client)
    for words in ("No game yet", "The board is empty.", "No game has been recorded yet."):
        assert words in page
    assert client.get("/leagues/none/wall/").status_code == 404


def test_without_a_period_in_play_the_board_has_the_whole_width(client: Client) -> None:
    league = make_league(players=[f"{letter}{number}" for letter in "ab" for number in range(13)])
    for number in range(13):
        record(league, sheet((f"a{number}", f"b{number}"), (1, 0), minutes=number))

    def boards(**asked: str | int) -> list[int]:
        return [one.count('<th scope="row">') for one in text(client, **asked).split('<table class="board">')[1:]]

    # Twice the twelve rows that stand beside a race have room, in two columns: 26 are shared by two pages.
    assert (boards(), boards(rows=7), boards(rows=3)) == ([7, 6, 7, 6], [4, 3], [3])
    assert boards(only="board") == [12]
    page = text(client)
    assert (page.count('class="turn"'), page.count('<section class="full')) == (2, 2)
    assert "14 to 26 of 26" in " ".join(page.split())
    # Each table has a head over its changes; the shorter column has a row more, as high as the other's.
    assert page.count('<th scope="col" class="num"><span>Last day of play</span></th>') == 4
    assert page.count('<tr aria-hidden="true">') == 2


def test_the_rows_behind_the_first_ones_are_spread_evenly(client: Client) -> None:
    league = make_league(players=[f"p{number:02}" for number in range(74)])
    for number in range(0, 74, 2):
        record(league, sheet((f"p{number:02}", f"p{number + 1:02}"), (1, 0), minutes=number))
    page = " ".join(text(client).split())
    # Fifty need three pages, each of two full columns: 16, 16 and 18.
    assert re.findall(r"\d+ to \d+ of 74", page) == ["25 to 40 of 74", "41 to 56 of 74", "57 to 74 of 74"]


def test_columns_of_dashes_alone_are_left_out(client: Client) -> None:
    league = make_league(players=[f"p{number:02}" for number in range(46)])
    for number in range(0, 46, 2):
        record(league, sheet((f"p{number:02}", f"p{number + 1:02}"), (1, 0), minutes=number))

    def heads(*, pair: tuple[str, str], score: tuple[float, float], days: int) -> tuple[bool, int]:
        """Record the one game of a day; return whether the later page has changes of ranks, and how many of ratings."""
        record(league, sheet(pair, score, minutes=days * 24 * 60))
        (later,) = text(client).split('<div class="turn">')[2:]
        assert later.count('<th scope="row">') == 23
        return 'class="move"' in later, later.count("Last day of play</span></th>")

    # Two of the first: behind them nothing changes. Then one of the last beats another.
    assert heads(pair=("p00", "p02"), score=(0.5, 0.5), days=3) == (False, 0)
    assert heads(pair=("p45", "p43"), score=(1, 0), days=6) == (True, 2)
    # The first page has no such column either, until one of its own rises above the others.
    assert 'class="move"' not in text(client).split('<div class="turn">')[1]
    heads(pair=("p04", "p00"), score=(1, 0), days=9)
    assert 'class="move"' in text(client).split('<div class="turn">')[1]


def test_a_provisional_rating_has_its_sign(client: Client) -> None:
    league = make_league("glicko2")
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = " ".join(text(client).split())
    assert len(re.findall(r'<td class="num score">≈ \d', page)) == 2
    assert page.count("≈ provisional") == 1


def test_the_rows_behind_the_first_ones_have_their_turns_and_not_without_end(client: Client) -> None:
    league = make_league(players=[f"p{number:03}" for number in range(130)])
    for number in range(0, 130, 2):
        record(league, sheet((f"p{number:03}", f"p{number + 1:03}"), (1, 0), minutes=number))
    page = " ".join(text(client).split())
    # 24 rows, and four pages of as many.
    assert page.count('<th scope="row">') == 120
    assert re.findall(r"\d+ to \d+ of 130", page) == [
        "25 to 48 of 130",
        "49 to 72 of 130",
        "73 to 96 of 130",
        "97 to 120 of 130",
    ]


@pytest.mark.parametrize(("games", "rows"), [(2, 12), (3, 8)])
def test_beside_a_race_and_few_games_the_board_is_higher(client: Client, games: int, rows: int) -> None:
    league = make_league(players=[f"{letter}{number}" for letter in "ab" for number in range(17)])
    make_ladder(league)
    for number in range(17):
        record(league, duel(f"a{number}", f"b{number}", "2024-03-05"))
    for number in range(games):
        record(league, duel(f"a{number}", f"b{number}", "2024-03-06"))
    with clock(EVENING + timedelta(days=2)):
        _head, first, *_later = text(client).split('<div class="turn">')
    assert first.count('<th scope="row">') == rows


def test_under_the_race_stands_what_the_second_needs(client: Client) -> None:
    league = make_league()
    make_ladder(league)
    for winner, loser, day in (("anna", "cleo", 4), ("anna", "cleo", 5), ("ben", "cleo", 5)):
        record(league, duel(winner, loser, f"2024-03-0{day}"))
    with clock(EVENING + timedelta(days=2)):
        # Anna has two points, Ben one.
        assert "Ben needs 2 wins to lead" in text(client)
        assert "to lead" not in text(client, only="board")


def test_without_a_period_in_play_the_last_one_stands_there_with_its_champions_and_the_race_behind_them(
    client: Client,
) -> None:
    league = make_league(close_after_hours=0, players=["anna", "ben", "cleo", "dan", "eva", "finn"])
    make_ladder(league)
    make_ladder(league, "ten", minimum=10)
    # Points for wins: Anna has three, Ben two, Cleo one; Dan, Eva and Finn have none and share the fourth rank.
    games = [("anna", "dan", 5), ("anna", "eva", 6), ("anna", "finn", 7), ("ben", "dan", 6), ("ben", "eva", 7)]
    for winner, loser, day in (*games, ("cleo", "finn", 6)):
        record(league, duel(winner, loser, f"2024-03-0{day}"))
    close(league, "2024-03")
    with clock(EVENING + timedelta(days=90)):
        page = text(client)
    plate = page.partition('<div class="plate">')[2].partition("</ol>")[0]
    assert re.findall(r">(\w+)</a>", plate) == ["Anna", "Ben", "Cleo"]
    summary = re.search(r'aria-label="March 2024 day by day: ([^"]*)"', page)
    assert summary
    assert sorted(re.findall(r"(\w+): first", summary[1])) == ["Dan", "Eva", "Finn"]
    assert "Behind them, day by day" in page
    assert page.count('<table class="board">') == 1
    close(league, "2024-03", "ten")
    void_game(league.pk, 1, reason="A friendly.", username="test")
    with clock(EVENING + timedelta(days=90)):
        page = text(client)
    # The games give another ranking now: champions without a race.
    assert ('<div class="plate">' in page, "day by day" in page) == (True, False)


def test_a_race_of_none_but_champions_is_not_shown_beside_them(client: Client) -> None:
    league = make_league(close_after_hours=0)
    make_ladder(league)
    for winner, loser, day in (("anna", "ben", 5), ("cleo", "anna", 6), ("anna", "ben", 7)):
        record(league, duel(winner, loser, f"2024-03-0{day}"))
    close(league, "2024-03")
    with clock(EVENING + timedelta(days=90)):
        page = text(client)
    assert ('<div class="plate">' in page, "day by day" in page) == (True, False)


# The game is of 19:30 UTC, and an evening ends at six in the morning.
@pytest.mark.parametrize(("hours", "tonight"), [(1, True), (10, True), (11, False), (48, False)])
def test_only_on_the_evening_itself_changes_are_larger_than_totals(client: Client, hours: int, tonight: bool) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    with clock(EVENING + timedelta(hours=hours)):
        assert ('class="boards tonight"' in text(client)) == tonight


def test_until_a_player_is_ranked_the_last_period_stands_there(client: Client) -> None:
    league = make_league(close_after_hours=0)
    make_ladder(league, minimum=2)
    for day in ("2024-03-05", "2024-03-06", "2024-04-02"):
        record(league, duel("anna", "ben", day))
    with clock(utc("2024-04-03")):
        page = text(client)
    assert "April 2024: nobody is ranked yet." in page
    assert 'class="plate"' not in page
    close(league, "2024-03")
    with clock(utc("2024-04-03")):
        page = text(client)
    assert "April 2024: nobody is ranked yet." in page
    assert '<div class="plate">' in page


def test_what_is_asked_for_is_bounded(client: Client) -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    for asked, every, rows in (
        ("7", 7, 2), ("1", 5, 1), ("9999", 600, 2), ("x", 20, 2), ("²", 20, 2), ("-5", 20, 2),
    ):  # fmt: skip
        page = text(client, every=asked, rows=asked)
        assert (f'data-every="{every}"' in page, page.count('<th scope="row">')) == (True, rows), asked
    assert "theme-light" in text(client, theme="light")
    assert "theme-dark" in text(client, theme="x")


def test_a_wall_of_a_zone_that_is_gone_is_one_of_utc(client: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    League.objects.update(time_zone="Mars/Olympus")
    assert 'data-zone="UTC"' in text(client)
