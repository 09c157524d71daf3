"""Games as people write them: every spelling says the game that it means, and what says none is a question."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from league.apps.imports.paste.games import PasteClock, PastedGame
from league.apps.imports.paste.roles import SheetFields
from league.apps.imports.paste.scores import CONTRADICTION, UNCLEAR_NUMBERS
from tests.helpers.paste_builders import EITHER, HERE, TODAY, read_text, scores_of

LOWEST = SheetFields(scores=True, places=True, sides=True, lowest_wins=True)
PLACES = SheetFields(scores=True, places=True, places_first=True)
KNOWN = ("Anna", "Ben", "Cara", "Dan", "Nils Takács", "Anna-Lena", "Tom & Jerry", "Drew", "Jan", "Ольга", "Вера", "Бен")
Lines = list[tuple[str, Any, Any]]


def read(text: str, system_fields: SheetFields = EITHER) -> list[PastedGame]:
    """Return the games of a text."""
    return read_text(text, system_fields, HERE, KNOWN).games


def one(text: str, system_fields: SheetFields = EITHER) -> PastedGame:
    """Return the only game of a text, which is clear."""
    (game,) = read(text, system_fields)
    assert game.problems == []
    return game


def places(game: PastedGame) -> dict[str, int | None]:
    """Return player -> place."""
    return {seat.name: seat.place for seat in game.seats}


THREE_ONE = """
Anna Ben 3:1
Anna - Ben 3-1
Anna – Ben 3 – 1
Anna—Ben 3:1
Anna-Ben 3-1
Anna 3, Ben 1
Anna 3 Ben 1
Anna: 3, Ben: 1
Anna = 3, Ben = 1
Anna 3 - 1 Ben
Anna 3:1 Ben
3:1 Anna Ben
3-1 Anna - Ben
Anna;Ben;3;1
Anna;Ben;3-1
Anna\tBen\t3:1
Anna\t3\tBen\t1
Anna,Ben,3,1
Anna | Ben | 3:1
Anna / Ben 3:1
Anna vs. Ben: 3-1
ANNA VERSUS BEN 3:1
anna v ben 3-1
Anna x Ben 3 : 1
Anna przeciw Ben 3:1
Anna protiv Ben 3:1
Anna > Ben 3:1
Ben < Anna 1:3
Anna beat Ben (3-1)
Anna beats Ben 3:1.
Anna has beaten Ben 3-1!
Anna won 3-1 against Ben
Anna won against Ben, 3-1
Anna wins vs. Ben 3 to 1
Anna def. Ben 3-1
Anna defeated Ben [3:1]
Anna over Ben 3-1
Anna 3 beat Ben 1
Ben lost to Anna 1-3
Ben lost to Anna 3-1
Anna – Ben: Anna won 3-1
Ben – Anna: Anna won 3-1
Winner: Anna, loser: Ben 3-1
Anna won, Ben lost 3-1
Anna schlaegt Ben 3 zu 1
Anna hat gegen Ben 3:1 gewonnen
Anna besiegt Ben mit 3:1
Gegen Ben gewann Anna 3:1
Ben verliert gegen Anna 1:3
Ben verlor 3:1 gegen Anna
Ben wurde von Anna geschlagen, 1:3
Ben przegrał z Anną 1:3
Ben został pokonany przez Anna 1:3
Anna обыграла Ben 3:1
Anna выиграла у Ben 3:1
Ben проиграл Anna 1:3
Ben уступил Anna 1:3
Anna победила Ben 3 на 1
Anna победио Ben 3:1
Anna je pobedila Bena 3:1
Anna je dobila Bena sa 3:1
Ben je izgubio od Anna 1:3
Ben изгубио од Anna 1:3
- Anna Ben 3:1
• Anna Ben 3:1
1. Anna Ben 3:1
2) Anna – Ben 3:1
#4 Anna – Ben 3:1
> Anna – Ben 3:1
[x] Anna – Ben 3:1
Tisch 4: Anna – Ben 3:1
Stół 1 Anna – Ben 3:1
Партия 3. Anna – Ben 3:1
🏆 Anna beat Ben 3:1 🎉🎉
*Anna* – _Ben_ **3:1**
[19.11.26, 21:03] Olga: Anna Ben 3:1
[19.11.2026, 21:03:11] Olga K.: Anna Ben 3:1
[21:03, 19.11.2026] +49 151 234: Anna Ben 3:1
[21:03] <Olga> Anna Ben 3:1
19.11.26, 21:03 - Olga: Anna Ben 3:1
Olga, 19.11.2026 21:03: Anna Ben 3:1
Olga: Anna Ben 3:1
Anna – Ben 3:1 (11:5, 9:11, 11:8, 11:7)
Anna 3 pts, Ben 1 pt
Anna 3 Punkte Ben 1 Punkt
\u200eAnna\u00a0–\u00a0Ben 3:1
""".strip("\n").split("\n")


@pytest.mark.parametrize("text", THREE_ONE)
def test_a_result_of_two_in_any_spelling(text: str) -> None:
    assert {name.title(): score for name, score in scores_of(one(text)).items()} in (
        {"Anna": 3.0, "Ben": 1.0},
        {"Anną": 3.0, "Ben": 1.0},
    )


@pytest.mark.parametrize(
    "text",
    [
        "Anna beat Ben", "Anna > Ben", "Anna>Ben", "Ben < Anna", "Ben lost to Anna", "Anna hat Ben geschlagen",
        "Gegen Ben gewann Anna", "Ben was beaten by Anna", "Anna won, Ben lost", "Winner Anna, loser Ben",
        "1. Anna 2. Ben", "1.Anna 2.Ben", "1) Anna 2) Ben", "#1 Anna #2 Ben", "1st Anna, 2nd Ben", "Anna 1st Ben 2nd",
        "Anna 1., Ben 2.", "Platz 1: Anna, Platz 2: Ben", "1. Platz Anna, 2. Platz Ben", "1 место Anna, 2 место Ben",
        "🥇 Anna 🥈 Ben", "1️⃣ Anna 2️⃣ Ben", "1. Anna\n2. Ben", "1 Anna\n2 Ben", "2. Ben\n1. Anna",
        "Anna – Ben, winner Anna", "Winner;Loser\nAnna;Ben", "Loser;Winner\nBen;Anna", "Anna wygrała z Ben",
        "Anna выиграла у Ben", "Ben je izgubio od Anna", "Player 1;Player 2;Winner\nBen;Anna;Anna",
    ],
)  # fmt: skip
def test_who_came_first_without_a_number(text: str) -> None:
    assert places(one(text)) == {"Anna": 1, "Ben": 2}


@pytest.mark.parametrize(
    "text",
    [
        "Anna Ben ½-½", "Anna – Ben ½:½", "Anna Ben 1/2", "Anna Ben ½", "Anna – Ben 1/2-1/2", "Anna 0.5 Ben 0.5",
        "Anna 0,5:0,5 Ben", "Anna ½ Ben ½", "Anna drew with Ben ½-½", "Anna;Ben;½", "White;Black;Result\nAnna;Ben;½-½",
        "Anna und Ben remis 0,5:0,5", "Anna,0,5,Ben,0,5",
    ],
)  # fmt: skip
def test_halves(text: str) -> None:
    assert scores_of(one(text)) == {"Anna": 0.5, "Ben": 0.5}


@pytest.mark.parametrize(
    "text",
    [
        "Anna = Ben", "Anna drew with Ben", "Anna and Ben drew", "Draw between Anna and Ben", "Anna tied Ben",
        "Anna und Ben spielen remis", "Anna gegen Ben unentschieden", "Anna i Ben zremisowali", "Anna i Ben remi",
        "Anna и Ben сыграли вничью", "Anna – Ben ничья", "Anna и Ben нерешено",
    ],
)  # fmt: skip
def test_a_draw_without_a_number(text: str) -> None:
    assert places(one(text)) == {"Anna": 1, "Ben": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Anna > Ben > Cara", {"Anna": 1, "Ben": 2, "Cara": 3}),
        ("Anna > Ben = Cara > Dan", {"Anna": 1, "Ben": 2, "Cara": 2, "Dan": 4}),
        ("Cara < Ben = Dan < Anna", {"Anna": 1, "Ben": 2, "Dan": 2, "Cara": 4}),
        ("1. Anna 2. Ben 3. Cara", {"Anna": 1, "Ben": 2, "Cara": 3}),
        ("1. Anna, Ben 3. Cara", {"Anna": 1, "Ben": 1, "Cara": 3}),
        ("1 Anna 2 Ben 3 Cara", {"Anna": 1, "Ben": 2, "Cara": 3}),
        ("1. Anna\n2. Ben\n2. Cara\n4. Dan", {"Anna": 1, "Ben": 2, "Cara": 2, "Dan": 4}),
    ],
)
def test_several_in_their_order(text: str, told: dict[str, int]) -> None:
    assert places(one(text)) == told


@pytest.mark.parametrize(
    "text",
    [
        "Anna 25, Ben 20, Cara 10", "Anna 25 Ben 20 Cara 10", "Anna 25\nBen 20\nCara 10", "Anna, Ben, Cara: 25, 20, 10",
        "Anna – Ben – Cara 25:20:10", "1. Anna 25 2. Ben 20 3. Cara 10", "1. Anna – 25\n2. Ben – 20\n3. Cara – 10",
        "1. Anna (25)\n2. Ben (20)\n3. Cara (10)", "1 Anna 25\n2 Ben 20\n3 Cara 10", "Anna: 25\nBen: 20\nCara: 10",
        "Anna 25 > Ben 20 > Cara 10", "- Anna 25\n- Ben 20\n- Cara 10", "Anna  25\nBen   20\nCara  10",
        "🥇 Anna 25\n🥈 Ben 20\n🥉 Cara 10",
        "| Player | Score |\n|---|---|\n| Anna | 25 |\n| Ben | 20 |\n| Cara | 10 |",
    ],
)  # fmt: skip
def test_scores_of_several(text: str) -> None:
    assert scores_of(one(text)) == {"Anna": 25.0, "Ben": 20.0, "Cara": 10.0}


SIDES = """
Anna + Ben vs Cara + Dan 10:8
Anna+Ben - Cara+Dan 10-8
Anna/Ben – Cara/Dan 10:8
Anna & Ben 10, Cara & Dan 8
Anna und Ben gegen Cara und Dan 10:8
Anna and Ben beat Cara and Dan 10-8
Anna, Ben vs Cara, Dan 10:8
Anna Ben – Cara Dan 10:8
Cara/Dan lost to Anna/Ben 8:10
Anna;Ben;10;Cara;Dan;8
Anna;Ben;Cara;Dan;10;8
Anna + Ben;Cara + Dan;10;8
Anna и Ben обыграли Cara и Dan 10:8
Anna i Ben pokonali Cara i Dan 10:8
""".strip("\n").split("\n")


@pytest.mark.parametrize("text", [*SIDES, "Team 1;Team 2;Score 1;Score 2\nAnna + Ben;Cara + Dan;10;8"])
def test_partners_share_a_score(text: str) -> None:
    game = one(text)
    assert scores_of(game) == {"Anna": 10.0, "Ben": 10.0, "Cara": 8.0, "Dan": 8.0}
    sides = {seat.name: seat.side for seat in game.seats}
    assert sides["Anna"] == sides["Ben"] != sides["Cara"] == sides["Dan"]


def test_places_of_sides() -> None:
    game = one("1. Anna + Ben 2. Cara + Dan")
    assert [(seat.name, seat.place, seat.side) for seat in game.seats] == [
        ("Anna", 1, 1), ("Ben", 1, 1), ("Cara", 2, 2), ("Dan", 2, 2),
    ]  # fmt: skip
    assert places(one("1. Anna, Ben 2. Cara, Dan")) == places(game)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Winner;Loser;Result\nAnna;Ben;3-1", {"Anna": 3, "Ben": 1}),
        ("Loser;Winner;Result\nBen;Anna;3-1", {"Anna": 3, "Ben": 1}),
        ("Sieger;Verlierer;Ergebnis\nAnna;Ben;3:1", {"Anna": 3, "Ben": 1}),
        ("Победитель;Проигравший;Счёт\nAnna;Ben;3:1", {"Anna": 3, "Ben": 1}),
        ("Zwycięzca;Przegrany;Wynik\nAnna;Ben;3:1", {"Anna": 3, "Ben": 1}),
        ("Победник;Губитник;Резултат\nAnna;Ben;3:1", {"Anna": 3, "Ben": 1}),
        ("Date;Player 1;Player 2;Score 1;Score 2\n2026-11-20;Anna;Ben;3;1", {"Anna": 3, "Ben": 1}),
        ("Player A,Player B,Score A,Score B\nAnna,Ben,3,1", {"Anna": 3, "Ben": 1}),
        ("player_1,score_1,player_2,score_2\nAnna,3,Ben,1", {"Anna": 3, "Ben": 1}),
        ("Spieler 1;Spieler 2;Punkte 1;Punkte 2\nAnna;Ben;3;1", {"Anna": 3, "Ben": 1}),
        ("Gracz 1;Gracz 2;Wynik\nAnna;Ben;3:1", {"Anna": 3, "Ben": 1}),
        ("Home\tAway\tResult\nAnna\tBen\t3 - 1", {"Anna": 3, "Ben": 1}),
        ("Player 1;Player 2;Winner;Score\nBen;Anna;Anna;3-1", {"Anna": 3, "Ben": 1}),
    ],
)
def test_tables_with_heads(text: str, told: dict[str, float]) -> None:
    assert scores_of(one(text)) == told


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Thu 19.11.", date(2026, 11, 19)), ("Freitag 20.11.", date(2026, 11, 20)), ("2026-11-20", date(2026, 11, 20)),
        ("20 November", date(2026, 11, 20)), ("**Fri, 20 Nov:**", date(2026, 11, 20)), ("20/11", date(2026, 11, 20)),
        ("November 20th", date(2026, 11, 20)), ("Do. 19.11.26", date(2026, 11, 19)), ("19.11", date(2026, 11, 19)),
        ("piątek, 20 listopada", date(2026, 11, 20)), ("w piątek 20.11.", date(2026, 11, 20)),
        ("пятница, 20 ноября", date(2026, 11, 20)), ("петак 20. новембра", date(2026, 11, 20)),
        ("petak 20.11.2026.", date(2026, 11, 20)), ("Am Freitag, 20.11.:", date(2026, 11, 20)),
        ("27.11.", date(2025, 11, 27)), ("26.11.", date(2026, 11, 26)), ("31 December", date(2025, 12, 31)),
        ("Friday", date(2026, 11, 20)), ("Donnerstag:", date(2026, 11, 26)), ("суббота", date(2026, 11, 21)),
        ("Round 3 (20.11.)", date(2026, 11, 20)), ("Date: 20.11.2026", date(2026, 11, 20)),
        ("== 20.11.2026 ==", date(2026, 11, 20)),
    ],
)  # fmt: skip
def test_a_line_that_is_a_day_dates_what_follows(text: str, day: date) -> None:
    games = read(f"Anna Ben 1:0\n{text}\nAnna Ben 1:0\nCara;1;Dan;0\nAnna 1\nBen 0")
    assert [game.day for game in games] == [TODAY, day, day, day]
    assert [game.problems for game in games] == [[]] * 4


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("20:15 Anna – Ben 1-0", datetime(2026, 11, 26, 19, 15, tzinfo=UTC)),
        ("20:15: Anna beat Ben", datetime(2026, 11, 26, 19, 15, tzinfo=UTC)),
        ("20.15 Uhr Anna beat Ben", datetime(2026, 11, 26, 19, 15, tzinfo=UTC)),
        ("8:15 pm Anna beat Ben", datetime(2026, 11, 26, 19, 15, tzinfo=UTC)),
        ("Thu 19.11. 20:15 Anna – Ben 1-0", datetime(2026, 11, 19, 19, 15, tzinfo=UTC)),
        ("19.11.2026, 20:15: Anna – Ben 1-0", datetime(2026, 11, 19, 19, 15, tzinfo=UTC)),
        ("2026-11-19 20:15+00:00 Anna – Ben 1-0", datetime(2026, 11, 19, 20, 15, tzinfo=UTC)),
        ("Thu 19.11., 20:15\nAnna – Ben 1-0", datetime(2026, 11, 19, 19, 15, tzinfo=UTC)),
        ("19.11.\n20:15 Anna – Ben 1-0", datetime(2026, 11, 19, 19, 15, tzinfo=UTC)),
        ("19.11.26 20:15 Anna – Ben: 1-0", datetime(2026, 11, 19, 19, 15, tzinfo=UTC)),
    ],
)
def test_a_time_before_a_game(text: str, moment: datetime) -> None:
    game = one(text)
    assert (game.played_at, game.has_time) == (moment, True)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("19.11. Anna Ben 1:0\nCara Dan 1:0", [19, 19]),
        ("Anna Ben 1:0 (19.11.)", [19]),
        ("Anna beat Ben 3-1 on 19 November", [19]),
        ("Anna Ben 1:0, 19.11.2026", [19]),
        ("[19.11.26, 21:03] Olga: Anna Ben 1:0\nCara Dan 1:0\n[20.11.26, 9:00] Olga: Anna Ben 0:1", [19, 19, 20]),
        ("[20.11.26, 9:00] Olga: Thu 19.11.\n[20.11.26, 9:01] Olga: Anna Ben 1:0", [19]),
        ("Thu 19.11.\n[20.11.26, 9:01] Olga: Anna Ben 1:0\n[21.11.26, 9:01] Olga: Anna Ben 1:0", [19, 21]),
        ("Olga, [19.11.2026 21:03]\nAnna Ben 1:0\n\nMax — 20.11.2026 21:03\nAnna Ben 1:0", [19, 20]),
        ("Date;Player;Score\n19.11.;Anna;1\n19.11.;Ben;0\n\nAnna beat Cara", [19, 19]),
        ("Jan 3 Ben 1", [26]),
    ],
)
def test_days_on_the_lines_of_games(text: str, days: list[int]) -> None:
    games = read(text)
    assert [(game.day and game.day.day, game.problems) for game in games] == [(day, []) for day in days]


def test_a_day_with_two_readings_is_asked_about_and_3_1_is_a_result() -> None:
    (game,) = read("11/06 Anna Ben 1:0")
    assert (game.day, len(game.problems)) == (None, 1)
    (game,) = read_text("11/06 Anna Ben 1:0", EITHER, PasteClock("Europe/Paris", TODAY, "month", TODAY), KNOWN).games
    assert game.day == date(2026, 11, 6)
    for text in (
        "Anna;Ben;3-1\nCara;Dan;2-1",
        "3-1 Anna Ben\n2-1 Cara Dan",
        "Player;Player;Score\nAnna;Ben;3-1\nCara;Dan;2-1",
    ):
        assert [(game.day, game.seats[0].score) for game in read(text)] == [(TODAY, 3), (TODAY, 2)]
    # Before the names of a table that has scores, it is a day; so is a time.
    (game,) = read("20-11;Anna;3;Ben;1")
    assert (game.day, scores_of(game)) == (date(2026, 11, 20), {"Anna": 3, "Ben": 1})
    assert scores_of(one("25:70 Anna – Ben")) == {"Anna": 25, "Ben": 70}
    assert UNCLEAR_NUMBERS in read("Anna Ben Cara 3:1")[0].problems[0][1]
    (game,) = read("20:15;Anna;Ben;3;1")
    assert (game.has_time, scores_of(game)) == (True, {"Anna": 3, "Ben": 1})


NONSENSE = [
    "see you next week!", "Great evening everyone, see you tomorrow", "Pizza was 12,50 each", "Anna brings cake",
    "Ben owes Anna 5", "Anna did not beat Ben 3-1", "Anna beat Ben 3-1?", "Anna beat Ben or Cara 3-1", "Anna vs Ben",
    "20:15 Anna – Ben", "Anna Ben Cara 3:1", "Anna beat Ben and Cara", "Anna 3 Ben 1 Cara", "Anna – 25, Ben – 20",
    "Anna beat Ben yesterday 3-1", "3:1", "Anna 12", "1. Anna", "Bye, Olga", "Good Game 5-3", "Anna, Ben, Cara",
    "Beer 12\nPizza 30", "snacks 5\ndrinks 6", "2 Anna\n1 Ben", "1 Anna 2 Ben", "Anna won", "vs Ben 3:1",
    "Anna – Ben 6:4 6:3", "<Media omitted>", "https://example.org/a?b=1", "Anna (3), Ben (1)",
    "Anna 12 vs", "1. Anna 25 2. Ben", "Anna > Ben 3", "1. Anna 2. Ben 5 3",
    "Anna (White) – Ben (Black) 1-0", "Anna > Ben < Cara",
]  # fmt: skip


@pytest.mark.parametrize("text", NONSENSE)
def test_what_says_no_game_is_a_question_with_its_line(text: str) -> None:
    before, *games, after = read(f"Anna Ben 1:0\n\n{text}\n\nCara Dan 1:0")
    assert (before.problems, after.problems) == ([], [])
    lines = [line for game in games for line, _why in game.problems]
    assert lines == [3 + number for number in range(len(text.split("\n")))]
    assert not any(game.seats for game in games)


@pytest.mark.parametrize(
    "text",
    [
        "Anna beat Ben 1-3", "Ben lost to Anna 2-2", "Anna drew with Ben 3-1", "Anna > Ben 1:3", "Anna = Ben 3:1",
        "Anna 1 beat Ben 3", "1. Anna 20 2. Ben 25", "1. Anna – 5\n2. Ben – 20", "Winner;Loser;Result\nAnna;Ben;1-3",
        "Anna won, Ben won 3-1", "Anna – Ben: Anna won 1-3", "Player 1;Player 2;Winner;Score\nAnna;Ben;draw;3-1",
    ],
)  # fmt: skip
def test_words_and_numbers_that_contradict_each_other_are_a_question(text: str) -> None:
    (game,) = read(text)
    assert CONTRADICTION in game.problems[0][1]
    assert len(game.problems) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Anna beat Ben 3-5", {"Anna": 3, "Ben": 5}),
        ("Ben lost to Anna 3-5", {"Anna": 3, "Ben": 5}),
        ("1. Anna 20\n2. Ben 25", {"Anna": 20, "Ben": 25}),
        ("Anna > Ben 70:72", {"Anna": 70, "Ben": 72}),
        ("Winner;Loser;Result\nAnna;Ben;70-72", {"Anna": 70, "Ben": 72}),
    ],
)
def test_the_lowest_score_wins_where_the_rule_says_so(text: str, told: dict[str, float]) -> None:
    assert scores_of(one(text, LOWEST)) == told
    assert CONTRADICTION in read("Anna beat Ben 5-3", LOWEST)[0].problems[0][1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Anna beat Ben (3-1)", {"Anna": 1, "Ben": 2}),
        ("Anna Ben 1:3", {"Anna": 2, "Ben": 1}),
        ("Anna Ben ½", {"Anna": 1, "Ben": 1}),
        ("Anna 1, Ben 0", {"Anna": 1, "Ben": 2}),
        ("Anna 1 Ben 2 Cara 2", {"Anna": 1, "Ben": 2, "Cara": 2}),
        ("Anna 30 Ben 40 Cara 40", {"Anna": 3, "Ben": 1, "Cara": 1}),
        ("Anna;Ben;1;0", {"Anna": 1, "Ben": 2}),
        ("Winner;Loser;Result\nAnna;Ben;3-1", {"Anna": 1, "Ben": 2}),
    ],
)
def test_where_places_count_scores_make_them(text: str, told: dict[str, int]) -> None:
    assert places(one(text, PLACES)) == told


def test_names_are_known_by_any_form_the_longest_first() -> None:
    for name in ("Nils Takács", "nils takacs", "NILS TAKÁCS", "N. Takács", "Nils T.", "Takács, Nils", "takacs", "Nils"):
        for text in (f"{name} – Ben 3:1", f"{name} beat Ben 3-1", f"Ben lost to {name} 1-3"):
            assert scores_of(one(text)) == {name: 3, "Ben": 1}
    assert scores_of(one("Anna-Lena Anna 3:1")) == {"Anna-Lena": 3, "Anna": 1}
    assert scores_of(one("Tom & Jerry – Anna & Ben 3:1")) == {"Tom & Jerry": 3, "Anna": 1, "Ben": 1}
    assert places(one("Drew beat Anna")) == {"Drew": 1, "Anna": 2}
    assert places(one("Anna drew Ben")) == {"Anna": 1, "Ben": 1}
    assert scores_of(one("Бен проиграл Ольге 1:3")) == {"Бен": 1, "Ольга": 3}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ana beat Ben 3-1", ["Ana", "Ben"]),
        ("Anna Bem 1:0", ["Anna", "Bem"]),
        ("anna – bem 1:0", ["anna", "bem"]),
        ("Xaver Young – Yolanda van Z 3:1", ["Xaver Young", "Yolanda van Z"]),
        ("Anna Karenina beat Ben", ["Anna Karenina", "Ben"]),
        ("Anna Xaver Young 3:1", ["Anna", "Xaver Young"]),
        ("Anna 12\nBem 3", ["Anna", "Bem"]),
    ],
)
def test_strangers_are_asked_about_by_their_names(text: str, names: list[str]) -> None:
    assert [seat.name for seat in one(text).seats] == names


def test_several_games_on_a_line() -> None:
    for text in ("Anna Ben 1:0, Cara Dan 0:1", "Anna beat Ben and Dan beat Cara", "Anna – Ben 3:1; Cara – Dan 1:3."):
        first, second = read(text)
        assert [seat.name for seat in first.seats + second.seats][:2] == ["Anna", "Ben"]
        assert (first.lines, second.lines, first.problems + second.problems) == ([1], [1], [])
        assert first.key != second.key


def test_tables_and_notes_in_one_text() -> None:
    text = (
        "Hi all, the results:\n\nDate;Player 1;Player 2;Score 1;Score 2\n19.11.;Anna;Ben;3;1\n19.11.;Cara;Ben;2;1\n"
        "Anna beat Cara\nFriday 20.11.\nAnna 3, Ben 1\nRound 2\nAnna 25\nBen 20\n\nPlayer;Score\nCara;4\nDan;2\nThanks!"
    )
    read = read_text(text, EITHER, HERE, KNOWN)
    assert [(game.lines, game.day and game.day.day, bool(game.problems)) for game in read.games] == [
        ([1], None, True), ([4], 19, False), ([5], 19, False), ([6], 19, False), ([8], 20, False),
        ([10, 11], 20, False), ([14, 15], 20, False), ([16], None, True),
    ]  # fmt: skip
    assert read.ignored_lines == [9]
    # A note that has the sign of the table is none of its lines.
    games = read_text("Player,Score\nAnna,3\nBen,1\n\nAnna 2, Cara 0", EITHER, HERE, KNOWN).games
    assert [scores_of(game) for game in games] == [{"Anna": 3, "Ben": 1}, {"Anna": 2, "Cara": 0}]


def test_players_of_several_lines_end_at_a_name_that_comes_again_and_at_a_new_first() -> None:
    games = read("1. Anna\n2. Ben\n1. Cara\n2. Dan\nAnna 3\nCara 1\nAnna 2\nBen 0")
    assert [[seat.name for seat in game.seats] for game in games] == [
        ["Anna", "Ben"], ["Cara", "Dan"], ["Anna", "Cara"], ["Anna", "Ben"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Player 1;Player 2;Winner\nAnna;Ben;Cara", "Player 1;Player 2;Score 1;Score 2\nAnna;;3;1",
        "Player 1;Player 2;Result\nAnna;Ben;3:2:1", "Anna beat Ben – Cara 3:2:1",
    ],
)  # fmt: skip
def test_what_does_not_add_up_is_a_question(text: str) -> None:
    (game,) = read(text)
    assert len(game.problems) == 1
    assert not any(seat.score for seat in game.seats)
