"""The page of a game: its title by the result, finishing order, and why each rating moved."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Game, League, Player
from league.web.public.views.games import UNRATED
from tests.helpers.builders import EVENING, FOUR, make_league, record, sheet
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
GAME = "/leagues/club/games/{}/"


def game(number: int = 1, client: Client | None = None) -> str:
    """Return the page of a game."""
    answer = (client or Client()).get(GAME.format(number))
    assert answer.status_code == 200, answer.content[:2000]
    return str(answer.content.decode())


def title(number: int = 1) -> str:
    """Return what a game is called: the title of its page without the league."""
    (found,) = re.findall(r"<title>(.*?) · Club · Rungs</title>", game(number))
    return str(found)


def order(page: str) -> list[tuple[str, str]]:
    """Return finish and name of each line of the first table."""
    table = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r'<td class="rank">(.*?)</td><th scope="row"><a [^>]*>(.*?)</a>', table)


NINE = tuple(f"p{number}" for number in range(9))
#: Of whom, how they ended -> what the game is called.
CALLED: list[tuple[NewGame, str]] = [
    (sheet(("anna", "ben"), (0, 3)), "Anna – Ben 0–3"),
    (sheet(("anna", "ben"), (2, 2)), "Anna – Ben 2–2"),
    (sheet(("anna", "ben"), (-0.5, 12.5)), "Anna – Ben −0.5 – 12.5"),
    (sheet(("anna", "ben"), places=(2, 1)), "Anna – Ben 0–1"),
    (sheet(("anna", "ben"), places=(1, 1)), "Anna – Ben ½–½"),
    (sheet(FOUR, (10, 25, -5, -30)), "Ben wins with 25"),
    (sheet(FOUR, (25, 25, -20, -30)), "Anna and Ben share first place with 25"),
    (sheet(FOUR, (9, 9, 9, -27)), "Anna, Ben and Cleo share first place with 9"),
    (sheet(FOUR, (0, 0, 0, 0)), "All 4 tie"),
    (sheet(FOUR, places=(3, 1, 2, 4)), "Ben wins"),
    (sheet(FOUR, places=(1, 1, 3, 4)), "Anna and Ben share first place"),
    (sheet(NINE, places=(*(1,) * 6, 7, 8, 9)), "P0, P1, P2 and 3 more share first place"),
    (sheet(("anna",), (1,), kind="full_bye"), "Anna has a bye"),
    (sheet(("anna",), (1,), kind="half_bye"), "Anna has a half-point bye"),
    (sheet(("anna",), (1,), kind="zero_bye"), "Anna has a zero-point bye"),
    (sheet(("anna",), (1,), kind="pairing_bye"), "Anna has no opponent"),
    (sheet(("anna", "ben"), (0, 1), kind="forfeit"), "Forfeit: Anna – Ben 0–1"),
    (sheet(FOUR, (1, 0, 2, 0), kind="friendly"), "Friendly: Cleo wins with 2"),
    (sheet(FOUR, kind="friendly"), "A friendly"),
    (sheet(("anna", "ben"), kind="forfeit"), "A forfeit"),
]


@long_way
def test_a_game_is_called_by_its_result_and_its_kind() -> None:
    assert set(UNRATED) == set(Game.Kind) - {Game.Kind.PLAYED}
    league = make_league(players=(*FOUR, *NINE))
    for number, (new, said) in enumerate(CALLED, start=1):
        record(league, new)
        assert title(number) == said
        assert ("Only played games are rated" in game(number)) == (new.kind != "played")
        assert ("Why the ratings changed" in game(number)) == (new.kind == "played")


def test_void_and_corrected_games_say_what_they_said() -> None:
    league = make_league()
    for minutes in range(2):
        record(league, sheet(("anna", "ben"), (3, 0), minutes=minutes))
    void_game(league.pk, 1, reason="twice recorded", username="olga")
    correct_game(league.pk, 2, sheet(("anna", "ben"), (0, 3), minutes=1), reason="misread", username="olga")
    assert [title(number) for number in (1, 2, 3)] == [
        "Game 1 is void", "Game 2 was corrected", "Anna – Ben 0–3",
    ]  # fmt: skip
    # A reason without a full stop ends before what follows.
    assert "This game is void: twice recorded. It was recorded as: Anna – Ben 3–0." in game(1)
    assert "It was replaced by" in game(2)
    assert "This game replaces" in game(3)
    assert order(game(2)) == []
    assert re.findall(r'<th scope="row"><a [^>]*>(.*?)</a>.*?<td class="num score">(.*?)</td>', game(2)) == [
        ("Anna", "3"), ("Ben", "0"),
    ]  # fmt: skip


def test_results_stand_in_finishing_order_by_the_rule_of_that_day() -> None:
    league = make_league("preferans", parameters={"winner": "lowest"})
    record(league, sheet(("anna", "ben", "cleo"), (40, -70, 30), details={"bula": 20}))
    page = game()
    assert title() == "Ben wins with −70"
    assert "100 ahead of Cleo." in page
    assert order(page) == [("1", "Ben"), ("2", "Cleo"), ("3", "Anna")]
    # The seat is a second fact.
    assert re.findall(r'<td class="num opt soft">(\d)</td></tr>', page) == ["2", "3", "1"]


def test_sentence_bar_and_sum_stand_once_a_player() -> None:
    record(
        make_league("durak", starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200}),
        sheet(FOUR, places=(1, 2, 3, 4)),
    )
    page = game()
    assert page.count('class="stack"') == page.count('class="sum"') == page.count('class="meta words"') == 4
    assert page.count("With a rating of 1000 the expected result at this table is 39.2%.") == 1
    (words,) = re.findall(r'<p class="meta words">(inflation \+2.00 · .*?)</p>', page)[:1]
    # 17.809643 before it is rounded to 18; the order brings 3.84 and the Durak 6.67, expectations 4.30.
    assert words.endswith("rounding +0.19")
    assert len(re.findall(r"<b>\+18\.0000</b>", page)) == 1
    assert "= <b>−27.0000</b>" in page
    assert "1018" in page


def test_the_only_part_of_a_change_has_a_bar_that_names_it() -> None:
    # A draw scores what it is measured from: only the expectation counts.
    record(make_league("glicko", starts={"anna": 1900, "ben": 1500}), sheet(("anna", "ben"), (1, 1)))
    page = game()
    assert page.count('class="sum"') == 2
    assert (page.count('class="stack"'), page.count('class="keys"')) == (2, 1)
    assert "</svg>from the difference of ratings</span>" in page and 'class="p-1"' not in page


def test_bars_have_one_scale_and_losing_parts_stand_left_of_zero() -> None:
    record(make_league(starts={"anna": 1900, "ben": 1500}, parameters={"k": 33}), sheet(("anna", "ben"), (1, 0)))
    anna, ben = re.findall(r'<svg class="stack".*?</svg>', game(), re.S)
    zeros = re.findall(r'class="zero" x1="([\d.]+)%"', anna + ben)
    # Gains and losses are 16.5 at most on either side: zero is the middle.
    assert zeros == ["50.0", "50.0"]
    # Anna's result is worth +16.5, the expectation −13.5: the scale has 96 % for 33.
    assert re.findall(r'class="p-(\d)" x="([\d.]+)%" width="([\d.]+)%"', anna) == [
        ("1", "50.0", "48.0"),
        ("2", "10.73", "39.27"),
    ]
    assert re.findall(r'class="net" x1="([\d.]+)%"', anna + ben) == ["58.73", "41.27"]


def test_before_and_after_lead_to_the_games_that_count() -> None:
    league = make_league()
    for day in (3, 1, 2, 4):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=EVENING + timedelta(days=day)))
    void_game(league.pk, 3, reason="A friendly.", username="olga")
    links = [
        dict(re.findall(r'rel="(prev|next)" href="/leagues/club/games/(\d)/"', game(number))) for number in (2, 1, 4, 3)
    ]
    assert links == [{"next": "1"}, {"prev": "2", "next": "4"}, {"prev": "1"}, {"prev": "2", "next": "1"}]


def test_a_game_says_for_which_months_it_counts() -> None:
    league = make_league()
    for slug, period in (("month", "month"), ("year", "year")):
        create_ladder(league.pk, slug, slug.title(), RankingRule("points", period), username="olga")
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = game()
    listed = re.findall(r'<li>\s*<a href="([^"]*)">([^<]*)</a>\s*<span class="soft">([^<]*)</span>', page)
    assert listed == [
        ("/leagues/club/ladders/month/2024-03/", "Month", "March 2024"),
        ("/leagues/club/ladders/year/2024/", "Year", "2024"),
    ]


def test_a_game_of_two_opens_with_its_score_over_what_the_ratings_expected() -> None:
    league = make_league(starts={"anna": 1900, "ben": 1500, "cleo": 1500})
    record(league, sheet(("anna", "ben"), (1, 3)))
    page = game()
    heading = re.sub(r"<[^>]*>", " ", page.partition('<h1 class="duel">')[2].partition("</h1>")[0])
    assert heading.split() == ["Anna", "1–3", "Ben"]
    sides = re.sub(r"<[^>]*>", " ", page.partition('<p class="duelends sides">')[2].partition("</p>")[0])
    assert sides.split() == ["First", "side", "Second", "side"]
    # 1500 against 1900: one to ten.
    (width,) = re.findall(r'class="first"\s+width="([\d.]+)%"', page)
    assert width == "90.91"
    ends = re.sub(r"<[^>]*>", " ", page.partition('<p class="duelends">')[2].partition("</p>")[0])
    assert ends.split() == ["91%", "Expected", "before", "the", "game", "9%"]
    assert ">Seat<" not in page
    # A game of three and a void game have no result between two; a draw without scores has one.
    record(league, sheet(("anna", "ben", "cleo"), (1, 2, 3), minutes=1))
    record(league, sheet(("anna", "ben"), places=(1, 1), minutes=2))
    void_game(league.pk, 1, reason="A friendly.", username="olga")
    assert [game(number).count('class="duel"') for number in (1, 2, 3)] == [0, 0, 1]


def test_what_deviations_expect_of_each_side_is_drawn_though_it_misses_100_per_cent() -> None:
    league = make_league("glicko", starts={"anna": 1500, "ben": 1700, "cleo": 1500})
    # A draw of equals moves no rating; Anna's deviation falls from 350 to 290.2.
    record(league, sheet(("anna", "cleo"), (0.5, 0.5)))
    record(league, sheet(("anna", "ben"), (0, 1), minutes=1))
    page = game(2)
    ends = re.sub(r"<[^>]*>", " ", page.partition('<p class="duelends">')[2].partition("</p>")[0])
    # With g = 0.669 of Ben's deviation and 0.7355 of Anna's: 1 / (1 + 10^(±200 g / 400)).
    assert ends.split() == ["32%", "Expected", "before", "the", "game", "70%"]
    (width,) = re.findall(r'class="first"\s+width="([\d.]+)%"', page)
    assert width == "31.13"
    # A phone has the side and the games of each below the name.
    rows = re.findall(r'<span class="second">(.*?)</span>\s*</th>', page, re.DOTALL)
    assert [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows] == [
        "First side · 2 games", "Second side · 1 game",
    ]  # fmt: skip


def test_a_game_of_two_under_a_system_without_shares_has_its_score_alone() -> None:
    record(make_league(), sheet(("anna", "ben"), (2, 1), kind="friendly"))
    page = game()
    assert (page.count('class="duel"'), page.count('class="duelbar"'), ">Seat<" in page) == (1, 0, False)
    League.objects.update(stale_from=EVENING, stale_key=0)
    record(League.objects.get(), sheet(("anna", "ben"), (2, 1), minutes=1))
    page = game(2)
    assert (page.count('class="duel"'), page.count('class="duelbar"')) == (1, 0)


def test_a_pending_game_has_its_result_and_no_changes_yet() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    League.objects.update(stale_from=EVENING, stale_key=0)
    page = game()
    assert title() == "Anna – Ben 1–0"
    assert "Ratings are being recalculated" in page
    assert "A correction is being processed" in Client().get("/leagues/club/").content.decode()
    assert "stack" not in page


def test_names_are_written_as_text() -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    Player.objects.filter(handle="anna").update(name="<b>Anna</b>")
    page = game()
    assert "<b>Anna</b>" not in page
    assert "&lt;b&gt;Anna&lt;/b&gt; was expected to score" in page


def read_lead(page: str) -> str:
    """Return the sentence under the title of a game."""
    (found,) = re.findall(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
    return str(found).strip().replace("\u2068", "").replace("\u2069", "")


def test_under_the_title_stands_what_was_expected_and_what_came() -> None:
    # Of equals half is expected; K is 32, so the winner gains half of it.
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert read_lead(game()) == "Anna won; 50% was expected, so +16.0."
    void_game(league.pk, 1, username="test", reason="Twice.")
    assert 'class="lead"' not in game()


def test_a_draw_is_said_of_both_and_what_was_expected_of_one() -> None:
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("ben", "anna"), (2, 2), minutes=1))
    # Ben has 1484, Anna 1516: 1 / (1 + 10 ** (32 / 400)) is 0.454, and 32 times what is missing of a half 1.47.
    assert read_lead(game(2)) == "A draw; 45% was expected of Ben, so +1.5."


def test_a_game_of_two_names_their_sides_and_leads_to_their_other_games() -> None:
    league = make_league(game="Chess")
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert "Games of the two" not in game()
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=1))
    record(league, sheet(("ben", "anna"), (1, 0), minutes=2))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=3))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=4))
    void_game(league.pk, 5, username="test", reason="Twice.")
    page = game(3)
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    # Below the names in the heading, and in the table.
    assert "Ben 1–0 Anna White Black" in text and text.count("Ben White") == text.count("Anna Black") == 1
    assert text.count("White · 2 games") == text.count("Black · 3 games") == 1
    day = f"{EVENING:%-d} {EVENING:%b} {EVENING:%Y}"
    assert f"Games of the two {day} the one before {day} the next one Head to head 3 games" in text
    assert re.findall(r'href="/leagues/club/games/(\d)/"\s+title="Game \d"', page) == ["1", "4"]
    assert 'href="/leagues/club/players/ben/versus/anna/"' in page
    # A void game leads nowhere, and is nobody's next one.
    assert "Games of the two" not in game(5)
    assert "the next one" not in game(4)
    League.objects.update(game="Table tennis")
    assert "White" not in game(2) and "First side" in game(2)


@pytest.mark.parametrize(("weight", "end"), [(1.0, "so +16.0."), (0.0, "In all, ±0.0.")])
def test_a_change_follows_from_the_result_only_if_it_has_its_sign(weight: float, end: str) -> None:
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0), weight=weight))
    assert read_lead(game()).endswith(end)


def test_a_change_in_which_every_player_gets_points_follows_from_the_result_only_in_part() -> None:
    # Each player of a Durak game gets 2 points, whatever the ratings are.
    record(make_league("durak", FOUR), sheet(FOUR, places=(1, 2, 3, 4)))
    assert ". In all, +" in read_lead(game())


def test_what_the_rating_is_beside_itself_stands_in_the_calculation_only_if_few_read_it() -> None:
    record(make_league("glicko2"), sheet(("anna", "ben"), (1, 0)))
    calculation = game().partition("Full calculation")[2]
    assert "Volatility" in calculation and "Deviation" in calculation
    page = Client().get("/leagues/club/players/anna/").content.decode()
    assert "Deviation" in page and "Volatility" not in page


@pytest.mark.parametrize(
    ("system", "players", "begins"),
    [
        ("barbu", FOUR, "Anna scored 30; "),
        ("serpentine", FOUR, "Anna scored 30; "),
        ("preferans", FOUR[:3], "Rating of Anna: "),
        ("durak", FOUR, "Anna reached 79%; "),
        ("glicko", FOUR[:2], "Anna won; "),
        ("glicko2", FOUR[:2], "Anna won; "),
        ("weng_lin", FOUR, "Anna reached 100%; "),
        ("trueskill", FOUR, "Anna reached 100%; "),
    ],
)
def test_the_sentence_under_the_title_is_of_the_system(system: str, players: tuple[str, ...], begins: str) -> None:
    by_place = system in ("durak", "weng_lin", "trueskill")
    # Scores of one game add up to 0, those of another are 0 or more.
    scores = {"barbu": (30, 20, -10, -40), "serpentine": (30, 20, 10, 0)}.get(system, (30, 0, -30))[: len(players)]
    details = {"bula": 30.0} if system == "preferans" else {}
    places = (1, 2, 3, 4) if by_place else None
    record(make_league(system), sheet(players, None if by_place else scores, places, details=details))
    page = game()
    (change,) = re.findall(r'href="#anna"\s+title="[^"]*"[^>]*>(.*?)</a', page)
    lead = read_lead(page)
    # By how much somebody won may come first.
    assert re.sub(r"^\d+ ahead of Ben\. ", "", lead).startswith(begins)
    assert lead.endswith(f" {change}.")


def test_each_player_has_an_anchor_and_no_id_stands_twice() -> None:
    names = ("why", "law", "main", "anna")
    record(make_league(players=names), sheet(names, (4, 3, 2, 1)))
    page = game()
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    anchors = ["player-why", "player-law", "player-main", "anna"]
    assert [one for one in ids if one in anchors] == anchors
    assert all(f'href="#{anchor}"' in page for anchor in anchors)
    board = Client().get("/leagues/club/").content.decode()
    assert "/leagues/club/games/1/#player-why" in board
    assert "/leagues/club/games/1/#anna" in board


def test_the_day_of_recording_is_short_and_the_rest_is_in_its_title() -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    (shown,) = re.findall(r'<dd class="soft">\s*<span\s+title="([^"]*) by [^"]*"\s*>\s*<time[^>]*>', game())
    assert re.search(r"\d\d:\d\d", shown)
