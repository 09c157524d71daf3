"""The page What if: what a game would change, asked by an address that keeps the question."""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from league.core.leagues.services.contexts import NewContext, create_context
from league.core.leagues.services.leagues import create_league
from league.models import Game, League, RatingChange
from tests.helpers.builders import EVENING, make_league, record, rename, sheet
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
WHERE = "/leagues/club/what-if/"


def ask(*seats: tuple[str, str], client: Client | None = None, **more: str) -> str:
    """Return the page of a question."""
    pairs = [pair for who, result in seats for pair in (("p", who), ("r", result))]
    answer = (client or Client()).get(f"{WHERE}?{urlencode([*pairs, *more.items()])}")
    assert answer.status_code == 200, answer.content[:2000]
    return str(answer.content.decode())


def cells(page: str) -> list[list[str]]:
    """Return the cells of the table of the answer."""
    table = page.partition('id="done"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)]
        for row in re.findall(r"<tr.*?</tr>", table, re.S)
    ]


def names(page: str) -> list[str]:
    """Return the names in the fields of the seats."""
    return re.findall(r'name="p"\s+list="people"\s+value="(.*?)"', page)


def problems(page: str) -> list[str]:
    """Return what is said at seats and fields."""
    return re.findall(r'<p class="errorlist"[^>]*>(.*?)</p>', page)


def club() -> League:
    """Make a league of two with 1900 and 1500, K is 33: ten to one."""
    people = ("anna", "ben", "cleo", "dan", "eva")
    starts = dict.fromkeys(people, 1500) | {"anna": 1900}
    return make_league(players=people, starts=starts, parameters={"k": 33})


def test_a_result_says_what_it_would_change_and_writes_nothing() -> None:
    league = club()
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = ask(("anna", "0"), ("ben", "1"))
    # 1903 against 1497 now: E = 1 / (1 + 10^(−406/400)) = 0.91191, and 33 times that is 30.1.
    # On a phone the rating before and what was expected stand below the name.
    assert cells(page) == [
        ["Anna Now 1903.0 Expected 0.91", "0", "0.91", "1903.0", "−30.1", "1872.9"],
        ["Ben Now 1497.0 Expected 0.09", "1", "0.09", "1497.0", "+30.1", "1527.1"],
    ]
    assert "Anna – Ben 0–1." in page
    # The sentence and the curve are of the first one, or of the player chosen in the table.
    assert "Anna would lose <b>30.1</b>, to 1872.9." in page
    assert "Change of Anna by result" in " ".join(page.split())
    assert 'href="?p=anna&amp;p=ben&amp;r=0&amp;r=1&amp;me=ben#curve"' in page
    other = ask(("anna", "0"), ("ben", "1"), me="ben")
    assert "Ben would gain <b>30.1</b>, to 1527.1." in other
    assert "Change of Ben by result" in " ".join(other.split())
    # A draw: 33 × (½ − 0.91191) = −13.6, a win: 33 × (1 − 0.91191) = +2.9.
    assert curve(page) == [["Win", "+2.9"], ["Draw", "−13.6"], ["Loss", "−30.1"]]
    assert page.count('class="stack"') == page.count('class="sum"') == 2
    assert (Game.objects.count(), RatingChange.objects.count()) == (1, 2)
    # Recorded, it is what was foretold.
    record(league, sheet(("anna", "ben"), (0, 1), minutes=1))
    assert [f"{one.change:.1f}" for one in RatingChange.objects.filter(number=2).order_by("seat")] == ["-30.1", "30.1"]


def test_without_results_every_outcome_of_a_small_table_is_listed() -> None:
    club()
    page = ask(("anna", ""), ("ben", ""))
    assert cells(page) == [
        ["Now", "1900.0", "1500.0"],
        ["Expected", "0.91", "0.09"],
        ["Anna – Ben 1–0", "+3.0 1903.0", "−3.0 1497.0"],
        ["Anna – Ben ½–½", "−13.5 1886.5", "+13.5 1513.5"],
        ["Anna – Ben 0–1", "−30.0 1870.0", "+30.0 1530.0"],
    ]
    three = cells(ask(("anna", ""), ("ben", ""), ("cleo", "")))
    assert [row[0] for row in three[2:4]] == ["Anna, Ben, Cleo", "Anna, Cleo, Ben"]
    assert len(three) == 8
    alone = ask(("anna", ""))
    assert 'name="p" list="people" value="anna"' in alone
    assert "Choose the players." in alone
    assert 'class="notice err"' not in alone
    five = ask(*((name, "") for name in ("anna", "ben", "cleo", "dan", "eva")))
    assert "5 players can finish in too many orders to list: enter a score or a place for every seat." in five


def test_systems_are_asked_for_what_they_go_by() -> None:
    make_league("durak", starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200})
    page = ask(*zip(("anna", "ben", "cleo", "dan"), "1234", strict=True))
    # The printed example of the Durak score.
    assert [row[-2:] for row in cells(page)] == [["+18", "1018"], ["+3", "1153"], ["+14", "914"], ["−27", "1173"]]
    assert re.search(r"\bPlace of \W?Anna\b", page)


@pytest.mark.parametrize(("goals", "level"), [(1, "0.5 0.5"), (3, "1 1")])
def test_a_draw_is_written_as_the_leagues_games_are(goals: int, level: str) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (goals, 0)))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=5))
    page = Client().get("/leagues/club/what-if/").content.decode()
    assert f'data-results="{level}"' in page
    # The games say so for a question, too; its address names players and results only.
    asked = ask(("anna", "1"), ("ben", "0"))
    assert re.findall(r'data-results="(.*?)"', asked)[1] == level
    assert "_goals" not in page + asked


def test_a_league_of_two_offers_no_third_seat_and_no_teams() -> None:
    league = make_league()
    offers = ("Add a seat", "In teams")
    assert all(offer in ask(_seats="2") for offer in offers)
    # Goals are shot by two; other scores may be those of more.
    record(league, sheet(("anna", "ben"), (3, 0)))
    assert not any(offer in page for offer in offers for page in (ask(_seats="2"), ask(("anna", "3"), ("ben", "0"))))
    Game.objects.all().delete()
    League.objects.filter(pk=league.pk).update(seats=2)
    assert not any(offer in ask(_seats="2") for offer in offers)


def test_game_fields_are_asked_for_too() -> None:
    league = make_league("preferans", starts={"anna": 1200, "ben": 1150, "cleo": 1100})
    page = ask(("anna", "−500"), ("ben", "40"), ("cleo", "460"), bula="30")
    assert sorted(row[-2] for row in cells(page)) == ["+2", "+25", "−27"]
    assert "Enter a number." in problems(ask(("anna", "1"), ("ben", "2"), ("cleo", "3"), bula="long"))
    assert problems(ask(("anna", "1"), ("ben", "2"), ("cleo", "3"), bula="0")) == [
        "Bula must be at least 0.01; it is 0."
    ]
    assert Game.objects.filter(league=league).count() == 0


@long_way
def test_what_is_wrong_stands_at_the_seat() -> None:
    club()
    rename("Twin", "cleo", "dan")
    record(League.objects.get(), sheet(("cleo", "dan"), (1, 0)))
    unknown = ask(("zoe", "1"), ("ben", "x"))
    assert problems(unknown) == ["No player is called “zoe”.", "Enter a number."]
    assert "Nothing calculated yet." in unknown and "rejected" not in unknown
    refused = ask(("", "1"), ("ben", "1"))
    assert problems(refused) == ["Who plays in this seat?"]
    assert "<title>Error: What if…" in refused
    assert 'role="alert" tabindex="-1" autofocus' in refused
    assert problems(ask(("Twin", "1"), ("ben", "1"))) == [
        "“Twin” is the name of 2 players: cleo, dan. Enter the handle."
    ]
    assert problems(ask(("anna", "1"), ("Anna", "2"))) == [
        "Anna is in seats 1 and 2; a player can play a game only once."
    ]
    assert problems(ask(("anna", "1e300"), ("ben", "2")))[0].startswith("Seat 1: a score of 1e+300")
    page = ask(("anna", "1"), ("ben", ""))
    assert "Elo needs a score for every seat, or a place for every seat." in page
    assert "Nothing yet: this game would be rejected." in page


def test_strangers_are_not_told_of_people_whom_they_may_not_see() -> None:
    club()
    hidden = make_league(slug="hidden", visibility="private", players=("mole",))
    record(hidden, sheet(("mole", "anna"), (1, 0)))
    page = ask(("mole", "1"), ("ben", "0"))
    assert problems(page) == ["No player is called “mole”."]
    assert "Mole" not in page
    assert Client().get("/leagues/hidden/what-if/").status_code == 404


@long_way
def test_any_number_of_seats_is_answered_and_no_more_than_a_sheet_has() -> None:
    club()
    for seats in ("-1", "9999999", "٣", "x", "0"):
        assert ask(_seats=seats).count('class="wseat"') == 2, seats
    page = ask(*((f"p{number}", "1") for number in range(150)))
    assert page.count('class="wseat"') == 100
    assert ask(_seats="5").count('class="wseat"') == 5
    assert ask(("a\0nna", "1"), ("ben", "0" * 500))


def test_a_league_that_cannot_answer_says_why() -> None:
    create_league("bare", "Bare")
    assert "has not chosen a rating system yet" in Client().get("/leagues/bare/what-if/").content.decode()
    league = club()
    record(league, sheet(("anna", "ben"), (1, 0)))
    League.objects.filter(slug="club").update(stale_from=EVENING, stale_key=0)
    assert "are being recalculated; try again soon." in ask(("anna", "1"), ("ben", "0"))


def test_a_game_can_be_asked_about_again_and_a_player_seated() -> None:
    league = make_league("preferans", starts={"anna": 1200, "ben": 1150, "cleo": 1100})
    record(league, sheet(("anna", "ben", "cleo"), (-500, 40, 460), details={"bula": 30}))
    page: Any = Client().get("/leagues/club/games/1/").content.decode()
    (again,) = re.findall(r'<a href="([^"]*what-if[^"]*)"', page)
    answer = Client().get(again.replace("&amp;", "&"))
    assert answer["X-Robots-Tag"] == "noindex"
    assert len(cells(answer.content.decode())) == 3
    assert 'value="30"' in answer.content.decode()
    assert f'href="{WHERE}?p=anna"' in Client().get("/leagues/club/players/anna/").content.decode()
    assert f'href="{WHERE}"' in Client().get("/leagues/club/").content.decode()


def curve(page: str) -> list[list[str]]:
    """Return the rows of the table of changes by result."""
    table = page.partition('id="curve"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.sub(r"<[^>]*>", " ", row).split() for row in re.findall(r"<tr.*?</tr>", table, re.S)]


@long_way
def test_without_a_question_the_last_game_is_asked_about_by_names_with_a_real_minus() -> None:
    league = make_league("barbu")
    assert "Starts with" not in ask()
    record(league, sheet(("anna", "ben", "cleo", "dan"), (-40, 90, 10, -60)))
    page = ask()
    assert "Starts with game 1 at today's ratings; edit any field." in " ".join(page.split())
    assert '<p class="crumb meta"><a href="/leagues/club/">Board</a></p>' in page
    assert re.findall(r'name="p"\s+list="people"\s+value="(.*?)"', page) == ["Anna", "Ben", "Cleo", "Dan"]
    assert re.findall(r'name="r"\s+value="(.*?)"', page) == ["−40", "90", "10", "−60"]
    assert len(cells(page)) == 4
    # The key clears the form, and does not fill it again.
    assert f'href="{WHERE}?_seats=4"' in page
    assert "Starts with" not in ask(_seats="4")
    # Namesakes stand by their handles.
    rename("Twin", "cleo", "dan")
    assert re.findall(r'name="p"\s+list="people"\s+value="(.*?)"', ask()) == ["Anna", "Ben", "cleo", "dan"]


def test_a_chart_shows_the_change_by_the_first_seats_score() -> None:
    make_league(starts={"anna": 1900, "ben": 1500}, parameters={"k": 33, "margin": "logarithm"})
    page = ask(("anna", "1"), ("ben", "0"))
    # E = 1 / (1 + 10^(−400/400)) = 10 / 11, and the margin counts: 33 × ln 2 × 2.2 / (0.001 × 400 + 2.2) × (1 − E).
    assert curve(page)[:2] == [["0", "−13.5"], ["1", "+1.8"]]
    assert "Change of Anna by score" in " ".join(page.split())
    assert "The others&#x27; results stay." in page or "The others' results stay." in page
    assert "changes nothing" not in page
    assert 'id="curve"' not in ask(("anna", ""), ("ben", ""))
    # With margins, scores are goals.
    assert re.findall(r'data-results="(.*?)"', page) == ["1 0", "1 1", "0 1"]


@pytest.mark.parametrize("scores", ["10", "31", "00"])
def test_where_only_the_winner_counts_a_table_has_three_results(scores: str) -> None:
    club()
    page = ask(("anna", scores[0]), ("ben", scores[1]))
    # 33 times 1, ½ and 0 less 10 / 11, in the order of the keys. 1–0 would be the result of the first seat alone.
    assert curve(page) == [["Win", "+3.0"], ["Draw", "−13.5"], ["Loss", "−30.0"]]
    # The key of a draw is half a point each.
    assert re.findall(r'data-results="(.*?)"', page) == ["1 0", "0.5 0.5", "0 1"]
    # The key of the result is marked; 3–1 is none of them.
    chosen = re.findall(r'aria-current="true"\s+data-results="(.*?)"', page)
    assert chosen == (["0 1"] if scores == "01" else ["1 0"] if scores == "10" else [])
    # A chart would say the same three figures again.
    assert 'class="curved"' in page and "<figure" not in page and "The same in figures" not in page
    assert "1st" not in page


def test_the_score_that_changes_nothing_is_named_where_there_is_one() -> None:
    record(make_league("barbu"), sheet(("anna", "ben", "cleo", "dan"), (0, 0, 0, 0)))
    page = ask(("anna", "30"), ("ben", "−10"), ("cleo", "−10"), ("dan", "−10"))
    # All four are equal: if everybody scores 0, nobody changes.
    assert "0 changes nothing" in page
    assert "The others share the difference equally." in page
    assert ["0", "±0.00"] in curve(page)


def test_figures_of_languages_from_right_to_left_do_not_stop_the_chart(settings: Any) -> None:
    settings.LANGUAGES = [*settings.LANGUAGES, ("he", "Hebrew")]
    make_league("durak", starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200})
    page = ask(*zip(("anna", "ben", "cleo", "dan"), "1234", strict=True), lang="he")
    assert 'dir="rtl"' in page
    assert len(curve(page)) == 4


def test_the_change_by_place_is_drawn_in_steps() -> None:
    make_league("durak", starts={"anna": 1000, "ben": 1150, "cleo": 900, "dan": 1200})
    page = ask(*zip(("anna", "ben", "cleo", "dan"), "1234", strict=True))
    rows = curve(page)
    # The printed example of the Durak score is the first row.
    assert rows[0] == ["1st", "+18"]
    assert [row[0] for row in rows] == ["1st", "2nd", "3rd", "4th"]
    assert "The others keep their order." in page
    # The last place as it would be entered, with the others in their order.
    last = ask(*zip(("anna", "ben", "cleo", "dan"), "4123", strict=True))
    assert [row[-2] for row in cells(last) if row[1].startswith("Anna ")] == [rows[3][1]]


def elo() -> None:
    """Make a league under Elo with K 20 and a game between equals."""
    record(make_league("elo", ("anna", "ben")), sheet(("anna", "ben"), (1, 1)))


def test_only_what_is_wrong_in_a_seat_is_marked() -> None:
    elo()
    for (who, result), wrong in {
        ("nobody", "1"): ["p1"],
        ("anna", "one"): ["r1"],
        ("nobody", "one"): ["p1", "r1"],
    }.items():
        page = ask((who, result), ("ben", "0"))
        fields = re.findall(r'<input\s+id="(\w+)"([^>]*)>', page)
        assert [name for name, attributes in fields if 'aria-invalid="true"' in attributes] == wrong
        assert [name for name, attributes in fields if 'aria-describedby="e1"' in attributes] == wrong


@long_way
def test_what_a_game_weighs_is_asked_and_counts() -> None:
    elo()
    for typed, gain in (("", "+10.0"), ("1", "+10.0"), ("2", "+20.0"), ("0,5", "+5.0"), ("0", "±0.0")):
        page = ask(("anna", "1"), ("ben", "0"), w=typed)
        assert cells(page)[0][-2] == gain
        assert f'name="w" value="{typed}"' in page
    # In every outcome: won, drawn, lost between equals, 20 × 3 × 0.5.
    first, draw, lost = (line[1].split()[0] for line in cells(ask(("anna", ""), ("ben", ""), w="3"))[2:])
    assert (first, draw, lost) == ("+30.0", "±0.0", "−30.0")


def test_a_weight_that_is_none_is_refused_at_its_field() -> None:
    elo()
    for typed, why in (("heavy", "Enter a number."), ("11", "from 0 to 10"), ("-1", "from 0 to 10")):
        page = ask(("anna", "1"), ("ben", "0"), w=typed)
        (problem,) = problems(page)
        assert why in problem
        field = re.search(r'<input id="w"[^>]*>', page)
        assert field is not None
        assert 'aria-invalid="true"' in field[0]
        assert "w-why" in field[0]


def test_a_system_that_knows_no_weights_asks_for_none() -> None:
    make_league("barbu")
    assert 'name="w"' not in ask(w="2")


def test_a_games_weight_stands_in_the_question_about_it() -> None:
    record(make_league(), replace(sheet(("anna", "ben"), (1, 1)), weight=2.5))
    page = Client().get("/leagues/club/games/1/").content.decode()
    assert "w=2.5" in page[page.index("what-if/?p=anna") :].partition('"')[0]


@long_way
def test_a_game_is_tried_in_a_context() -> None:
    league = club()
    fresh = NewContext("fresh", "Fresh start", {"sides": 2}, system="elo", parameters={"k": 20})
    create_context(league.pk, fresh, username="olga")
    # In the league 1900 wins 33 · (1 − 10/11) from 1500; in the context two newcomers play for half of 20.
    result = (("anna", "1"), ("ben", "0"))
    own, within = ask(*result), ask(*result, context="fresh")
    changes = [[row[-2] for row in cells(page)] for page in (own, within)]
    assert changes == [["+3.0", "−3.0"], ["+10.0", "−10.0"]]
    assert '<option value="fresh" selected' in within and "context=fresh" in within
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan", "eva"), (3, 2, 1), minutes=60))
    assert [len(cells(page)) for page in (ask(context="fresh"), ask())] == [2, 3]
    assert Client().get(f"{WHERE}?context=none").status_code == 404


@pytest.mark.parametrize(
    ("system", "told"), [("glicko", 1), ("glicko2", 1), ("elo", 0), ("trueskill", 0), ("weng_lin", 0)]
)
def test_expectations_that_miss_a_hundred_per_cent_are_explained_once(system: str, told: int) -> None:
    """Anna has played once, Ben ten times: in Glicko each is expected to score by the other's deviation."""
    league = make_league(system, ("anna", "ben", "clara"))
    record(league, sheet(("anna", "clara"), scores=(1, 0)))
    for _ in range(10):
        record(league, sheet(("ben", "clara"), scores=(1, 0)))
    page = ask(("anna", "1"), ("ben", "0"))
    assert page.count("Each expectation is computed with the other's deviation") == told
    assert '<h2 id="why">' in page
    # It is no part of the board: no tab is lit.
    assert "aria-current" not in page.partition("<main")[0].partition('class="lhead')[2]


def test_a_part_of_a_name_is_enough_if_it_means_one_player() -> None:
    league = club()
    record(league, sheet(("anna", "ben", "cleo", "dan"), (4, 3, 2, 1)))
    # The names that were found are in the fields. Eva has not played here, so that the league does not know her.
    page = ask(("cl", "1"), ("AN", "0"))
    assert names(page) == ["Cleo", "Anna"]
    assert "Cleo – Anna 1–0." in page and not problems(page)
    assert problems(ask(("nna", "1"), ("ev", "0"))) == [
        "No player is called “nna”. Similar names: Anna (anna).", "No player is called “ev”. Similar names: Eva (eva).",
    ]  # fmt: skip
    rename("Clara Berg", "cleo")
    rename("Claus Bergmann", "dan")
    assert names(ask(("bergm", "1"), ("berg", "0"))) == ["Claus Bergmann", "Clara Berg"], "a whole surname comes first"
    # What begins several names means nobody, and names them.
    assert problems(ask(("cla", "1"), ("ben", "0"))) == [
        "No player is called “cla”. Similar names: Clara Berg (cleo), Claus Bergmann (dan)."
    ]


def test_the_seats_of_two_are_named_by_their_sides() -> None:
    record(make_league(game="Chess"), sheet(("anna", "ben"), (1, 0)))
    League.objects.update(seats=2)
    page = Client().get("/leagues/club/what-if/?_seats=2").content.decode()
    assert re.findall(r'<label\s+for="p\d">(.*?)</label>', page) == ["White", "Black"]
    how = page.partition('data-answer="how">')[2].partition("</p>")[0]
    assert how.strip() == "Leave the results empty to see every outcome."
    assert "or more players" not in page
    League.objects.update(seats=None)
    page = Client().get("/leagues/club/what-if/?_seats=2").content.decode()
    assert "2 or more players" in page and "White" not in page
