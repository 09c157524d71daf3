"""Spellings that could be misread: games of a line as sets, names as weekdays, and words that make nobody a player."""

from datetime import date

import pytest

from league.apps.imports.paste.games import PastedGame
from tests.helpers.paste_builders import EITHER, HERE, TODAY, read_text, scores_of

KNOWN = ("Anna", "Ben", "Cara", "Dan", "Ольга", "Вера")


def read(text: str) -> list[PastedGame]:
    """Return the games of a text."""
    return read_text(text, EITHER, HERE, KNOWN).games


@pytest.mark.parametrize(
    "text",
    [
        "Anna beat Ben by 3-1", "Anna gegen Ben mit 3:1", "Anna gg. Ben 3:1",
        "28.11.26, 20:22 - Jan: Anna gg Ben 3-1", "Won by Anna against Ben 3-1", "Anna crushed Ben 3-1",

        "@Anna 3:1 @Ben", "Anna 3, Ben 1.", "- Anna;3;Ben;1.", "Sat Anna;3;Ben;1",
        "Semifinal Anna – Ben 3:1", "Halbfinale: Anna – Ben 3:1", "Ben was beaten by Anna 3-1",
        "Anna 3:1 Ben (11:5, 9:11, 11:8, 11:7)", "Player B,Player A,Score A,Score B\nBen,Anna,3,1",
        "Player 1;Player 2;Score 2;Score 1\nAnna;Ben;1;3", "Score 1;Player 1;Player 2;Score 2\n3;Anna;Ben;1",
    ],
)  # fmt: skip
def test_whose_the_numbers_are(text: str) -> None:
    (game,) = read(text)
    assert (game.problems, scores_of(game)) == ([], {"Anna": 3, "Ben": 1})


def test_heads_with_single_spaces_are_nobody() -> None:
    read = read_text("Player 1 Player 2 Score\nAnna Ben 3:1", EITHER, HERE, KNOWN)
    assert ([scores_of(game) for game in read.games], read.ignored_lines) == ([{"Anna": 3, "Ben": 1}], [1])


def test_players_named_as_heads_lose_no_line() -> None:
    (game,) = read_text("Player 1;Player 2;3;1", EITHER, HERE, ["Player 1", "Player 2"]).games
    assert (game.problems, scores_of(game)) == ([], {"Player 1": 3, "Player 2": 1})


def test_a_tie_of_two_on_a_line_of_its_own() -> None:
    (game,) = read("1. Anna, Ben\n3. Cara")
    assert [(seat.name, seat.place, seat.side) for seat in game.seats] == [
        ("Anna", 1, None), ("Ben", 1, None), ("Cara", 3, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "I beat Ben 3-1", "Ich 3, Ben 1", "Yesterday Anna beat Ben 3-1", "Anna hat Ben nicht geschlagen",
        "Anna nie pokonała Bena", "Вера не победила Ольгу", "Anna - Ben Thu 20:00", "Hope Anna beats Ben 3-1",
        "Everyone beat Ben", "Anna – Ben 1:0, 2:1", "Anna  8:15 PM",
    ],
)  # fmt: skip
def test_what_makes_nobody_a_player_is_a_question(text: str) -> None:
    (game,) = read(text)
    assert (len(game.problems), game.seats) == (1, [])


@pytest.mark.parametrize(
    "text", ["Anna Ben 1:0, Cara Dan 2:1", "Anna vs. Ben 1:0, Cara vs. Dan 2:1", "20.11. Anna Ben 1:0; Cara Dan 2:1"]
)
def test_games_of_one_line_are_no_sets_of_a_game_of_pairs(text: str) -> None:
    assert [scores_of(game) for game in read(text)] == [{"Anna": 1, "Ben": 0}, {"Cara": 2, "Dan": 1}]


@pytest.mark.parametrize(
    ("known", "text"),
    [("Sam Smith", "Sam Smith 3 Anna 1"), ("Ben", "Ned Smith – Anna 3:1"), ("Mary Jane", "Mary-Jane Anna 3:1")],
)
def test_a_name_that_may_be_a_weekday_or_two_names_is_one(known: str, text: str) -> None:
    (game,) = read_text(text, EITHER, HERE, ["Anna", known]).games
    assert (game.problems, game.day, [seat.name for seat in game.seats][1:]) == ([], TODAY, ["Anna"])
    assert (game.seats[0].score, len(game.seats)) == (3, 2)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Ben beat Dana 3:1", "Dana"), ("Ben schlägt Dana 3:1", "Dana"), ("Ben – Dana 3:1", "Dana"),
        ("Ben pokonał Dana 3:1", "Dan"), ("Ben je dobio Dana 3:1", "Dan"),
        ("Ольга победила Веру со счётом 3:1", "Вера"), ("Ольга против Веры 3:1", "Вера"),
    ],
)  # fmt: skip
def test_names_are_declined_in_languages_that_do_so(text: str, other: str) -> None:
    (game,) = read(text)
    assert (game.problems, [(seat.name, seat.score) for seat in game.seats][1:]) == ([], [(other, 1)])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Anna – Ben\n3:1\nCara – Dan\n(2-1)", [{"Anna": 3, "Ben": 1}, {"Cara": 2, "Dan": 1}]),
        ("Anna + Ben vs Cara + Dan\n10:8", [{"Anna": 10, "Ben": 10, "Cara": 8, "Dan": 8}]),
        ("Anna – Ben\n\n3:1", [{}, {}]), ("Anna – Ben\n19:30", [{}]), ("see you\n3:1", [{}, {}]),
    ],
)  # fmt: skip
def test_a_result_below_its_names_is_theirs_unless_it_may_be_a_time(text: str, told: list[dict[str, float]]) -> None:
    games = read(text)
    assert [scores_of(game) for game in games] == told
    assert [bool(game.problems) for game in games] == [not seats for seats in told]


@pytest.mark.parametrize(
    "text", ["19.11. Jan Novák – Anna 3:1", "Thu 19.11. Jan Novák 3, Anna 1", "19.11. Jan – Anna 3:1"]
)
def test_a_name_behind_a_day_is_no_month(text: str) -> None:
    (game,) = read_text(text, EITHER, HERE, ["Anna", "Jan Novák"]).games
    assert (game.problems, game.day) == ([], date(2026, 11, 19))
    assert [(seat.name[:3], seat.score) for seat in game.seats] == [("Jan", 3), ("Ann", 1)]


def test_a_month_that_is_a_first_name_is_a_month_before_its_day() -> None:
    (game,) = read_text("May 3: Anna 3, Ben 1", EITHER, HERE, ["Anna", "Ben", "May Lee"]).games
    assert (game.problems, game.day, scores_of(game)) == ([], date(2026, 5, 3), {"Anna": 3, "Ben": 1})
    (game,) = read_text("2) May Lee beat Ben 3-1", EITHER, HERE, ["Anna", "Ben", "May Lee"]).games
    assert (game.problems, game.day, scores_of(game)) == ([], TODAY, {"May Lee": 3, "Ben": 1})
