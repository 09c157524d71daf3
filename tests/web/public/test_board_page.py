"""What a league's first page shows beside its board, and what it leaves out."""

import re

import pytest
from django.test import Client

from league.web.public.views.board import _count_whole_years
from tests.helpers.builders import EVENING, FOUR, make_league, record, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, utc

pytestmark = pytest.mark.django_db


def read(when: str = "2024-05-20", path: str = "") -> str:
    """Return the league's first page at a time, without line breaks."""
    with clock(utc(when)):
        return " ".join(Client().get(f"/leagues/club/{path}").content.decode().split())


def test_without_a_period_in_play_the_last_one_that_was_won_is_beside_the_board() -> None:
    league = make_league(close_after_hours=0)
    make_ladder(league, minimum=2)
    for winner, loser, day in (("anna", "ben", "03-05"), ("cleo", "anna", "03-06"), ("anna", "cleo", "03-07")):
        record(league, duel(winner, loser, f"2024-{day}"))
    close(league, "2024-03")
    record(league, duel("ben", "cleo", "2024-04-02"))
    assert "March 2024</a> champion: <strong>Anna</strong> (Points 2.0)" in read("2024-04-20")
    close(league, "2024-04")  # nobody has two games
    page = read()
    assert "no one qualified" not in page
    assert "March 2024</a> champion: <strong>Anna</strong> (Points 2.0)" in page.partition("<aside>")[0]
    rail = page.partition("<aside>")[2]
    assert "March 2024</a>" in rail
    assert rail.index("Anna</a>") < rail.index("Cleo</a>")
    assert "March 2024 day by day: Anna: first 0.0" in rail
    assert "Last day of play" in rail


def test_the_rail_says_what_the_second_needs_to_lead() -> None:
    league = make_league(players=("anna", "ben", "cleo", "dan", "eva", "finn"))
    make_ladder(league, minimum=1)
    for winner, loser, day in (("anna", "cleo", 4), ("anna", "cleo", 5), ("ben", "cleo", 5)):
        record(league, duel(winner, loser, f"2024-03-0{day}"))
    assert "Ben needs 2 wins to lead" in read("2024-03-07").partition("<aside>")[2]
    # Who is behind and needs as much is named too; of many, the first.
    record(league, duel("dan", "cleo", "2024-03-05"))
    assert "Ben and Dan need 2 wins to lead" in read("2024-03-08").partition("<aside>")[2]
    for name in ("eva", "finn"):
        record(league, duel(name, "cleo", "2024-03-05"))
    assert "Ben and 3 more need 2 wins to lead" in read("2024-03-08").partition("<aside>")[2]


def test_a_part_of_the_board_has_the_whole_width_and_says_what_it_is() -> None:
    league = make_league(players=("anna", "ben", "cleo"))
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("anna", "cleo", "2024-05-19"))
    page = read(path="?only=month&games=2")
    assert "<aside>" not in page
    assert "<b>1 player</b> · This month · at least 2 games" in page
    assert "Show all</a>" in page
    assert "<aside>" in read()
    assert "Show all</a>" not in read()


@pytest.mark.parametrize(("people", "shown"), [(16, 3), (17, 5)])
def test_a_long_board_has_more_games_beside_it(people: int, shown: int) -> None:
    names = [f"p{number:02}" for number in range(people)]
    league = make_league(players=names)
    for number, name in enumerate(names):
        record(league, sheet((name, names[number - 1]), (1, 0), minutes=number))
    page = read("2024-03-06").partition("<aside>")[2]
    games = page.partition('<ol class="sheets">')[2].partition("</ol>")[0]
    assert games.count("<li>") == shown
    # Both players and the result are the title.
    last = re.sub(r"<[^>]+>", "", games.partition("</a>")[0]).split()
    assert last == [names[-1].title(), "1–0", names[-2].title()]


@pytest.mark.parametrize(("people", "more"), [(25, None), (26, "Show 1 more player"), (28, "Show 3 more players")])
def test_a_phone_folds_a_board_after_25_rows(people: int, more: str | None) -> None:
    names = [f"p{number:02}" for number in range(people)]
    league = make_league(players=names)
    for number in range(0, people, 2):
        record(league, sheet((names[number], names[number - 1]), (1, 0), minutes=number))
        record(league, sheet((names[number], names[(number + 1) % people]), (1, 0), minutes=number + 1))
    page = read("2024-03-06")
    first, _, rest = page.partition('<tbody id="rest">')
    assert first.count('<td class="num rank">') == min(people, 25)
    assert rest.partition("</table>")[0].count('<td class="num rank">') == people - min(people, 25)
    link = re.search(r'<a class="btn" href="#rest" ?> ?([^<]+?) ?</a>', page)
    assert (link.group(1) if link else None) == more


def test_a_column_that_says_the_same_of_all_is_omitted() -> None:
    league = make_league("glicko2", ("anna", "ben", "cleo"))
    record(league, sheet(("anna", "ben"), (1, 0), played_at=EVENING))
    # Of two who began alike, one game lowers both deviations alike.
    assert "Deviation" not in read("2024-03-06").partition("</table>")[0]
    assert "Deviation" in read("2024-03-06", "?q=ann").partition("</table>")[0]
    record(league, sheet(("cleo", "ben"), (1, 0), minutes=1))
    assert "Deviation" in read("2024-03-06").partition("</table>")[0]


def test_a_game_without_a_winner_lists_all_of_its_players() -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 1), played_at=EVENING))
    page = read("2024-03-06").partition("<aside>")[2]
    assert re.sub(r"<[^>]+>", "", page.partition('<ol class="sheets">')[2].partition("</a>")[0]).split() == [
        "Anna", "1–1", "Ben",
    ]  # fmt: skip
    assert ("<bdi>Anna</bdi>" in page, "<bdi>Ben</bdi>" in page) == (True, True)


def test_an_empty_league_offers_no_search_and_a_long_description_is_folded() -> None:
    league = make_league(description="We meet on Thursdays. Newcomers are welcome.\n\nBring a pen.")
    page = read()
    assert "No game has been recorded yet." in page
    assert page.count("0 players") == 1
    assert ('type="search"' in page, "Filter" in page) == (False, False)
    assert '<div class="about"><p>We meet on Thursdays. Newcomers' in page
    assert 'aria-hidden="true"' in page.partition("An example of a board")[0].rpartition("<table")[2]
    record(league, sheet(FOUR, (4, 3, 2, 1)))
    assert "<summary>About this league</summary><p>We meet on Thursdays. Newcomers" in read()
    record(make_league(slug="line", description="We meet on Thursdays."), sheet(FOUR, (4, 3, 2, 1)))
    assert '<p class="about">We meet on Thursdays.</p>' in Client().get("/leagues/line/").content.decode()


@pytest.mark.parametrize(
    ("days", "years"),
    [(0, 0), (90, 0), (364, 0), (365, 1), (366, 1), (367, 0), (730, 2), (731, 2), (1095, 3), (1461, 4), (1826, 5)],
)
def test_days_that_are_years_are_called_so(days: int, years: int) -> None:
    assert _count_whole_years(days) == years


def test_the_board_says_who_is_listed() -> None:
    league = make_league(min_games=2, inactive_after_days=1461)
    for minute in range(2):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minute))
    assert "Listed after 2 games and with one in the last 4 years." in read()
    assert "Listed after" not in read(path="?q=zoe")


@pytest.mark.parametrize(("text", "target"), [("ann", "anna"), ("a", ""), ("nobody", "")])
def test_a_search_that_finds_one_player_opens_the_page(client: Client, text: str, target: str) -> None:
    record(make_league(), sheet(("anna", "dan"), (1, 0)))
    answer = client.get("/leagues/club/", {"q": text, "open": "1"})
    assert answer.get("Location", "") == (f"/leagues/club/players/{target}/" if target else "")
    # A link to a search still shows what it found.
    assert client.get("/leagues/club/", {"q": text}).status_code == 200


def test_that_all_ratings_are_provisional_is_said_once(client: Client) -> None:
    league = make_league("glicko", min_games=1)
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = client.get("/leagues/club/").content.decode()
    assert page.count("All ratings are provisional.") == 1
    assert "provisional</span>" not in page
    assert "≈" not in page
    for minute in range(1, 30):
        record(league, sheet(("anna", "ben"), (minute % 2, 1 - minute % 2), minutes=minute))
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=31))
    page = " ".join(client.get("/leagues/club/").content.decode().split())
    assert "All ratings are provisional." not in page
    assert re.findall(r'players/(\w+)/">\w+</a> <span class="prov">', page) == ["cleo"]
    assert page.count("≈") == 1
