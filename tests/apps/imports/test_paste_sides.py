"""Sides and weights in what people paste. Expected ratings are Elo's by hand: K 20, everyone at 1500."""

import re
from collections.abc import Sequence

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from league.apps.imports.models import PasteColumns
from league.apps.imports.paste.games import PastedGame
from league.apps.imports.paste.roles import SheetFields
from league.core.dispatch.sweep import run_requested_job
from league.core.verify.run import verify_league
from league.models import Game, Job, League, Result
from tests.helpers.builders import FOUR, make_league, ratings, record, sheet
from tests.helpers.desk_client import page_messages
from tests.helpers.paste_builders import EITHER, HERE, PASTE, fields, press, read_text, shown, states
from tests.helpers.tiers import examples, long_way


def read(text: str, system_fields: SheetFields = EITHER, more: Sequence[str] = ()) -> list[PastedGame]:
    """Return the games of a text."""
    return read_text(text, system_fields, HERE, ["Anna", "Ben", "Cleo", "Dan", *more]).games


def on_sides(game: PastedGame) -> list[tuple[str, float | None, int | None]]:
    """Return who sat in a game, with which score, on which side."""
    return [(seat.name, seat.score, seat.side) for seat in game.seats]


DOUBLES = [("Anna", 21, 1), ("Ben", 21, 1), ("Cleo", 15, 2), ("Dan", 15, 2)]
WRITTEN = {
    "a column of numbers": "Player;Side;Score\nAnna;1;21\nBen;1;21\nCleo;2;15\nDan;2;15",
    "a column of names": "Player;Team;Score\nAnna;red;21\nBen;Red;21\nCleo;blue;15\nDan; BLUE;15",
    "in another language": "Spieler;Seite;Punkte\nAnna;A;21\nBen;A;21\nCleo;B;15\nDan;B;15",
    "a side's score once": "Player;Side;Score\nAnna;A;21\nBen;A;\nCleo;B;\nDan;B;15",
    "sides before names": "Side;Player;Score\nA;Anna;21\nA;Ben;21\nB;Cleo;15\nB;Dan;15",
    "partners in a cell": "Anna + Ben;21\nCleo/Dan;15",
    "partners in a chat": "Anna & Ben 21\nCleo & Dan 15",
    "teams with a head": "Team;Points\nAnna + Ben;21\nCleo + Dan;15",
    "partners in a cell, a line a game": "Anna/Ben;21;Cleo/Dan;15",
    "a column a player, a line a game": "Anna;Ben;21;Cleo;Dan;15",
    "a column a player, with heads": "Player;Player;Score;Player;Player;Score\nAnna;Ben;21;Cleo;Dan;15",
    "partners as heads": "Date;Anna + Ben;Cleo + Dan\n6.11.2026;21;15",
    "sides in a line a game": "Player;Side;Score;Player;Side;Score;Player;Side;Score;Player;Side;Score\n"
    "Anna;x;21;Ben;x;21;Cleo;y;15;Dan;y;15",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_doubles_as_people_write_them(text: str) -> None:
    (game,) = read(text)
    assert on_sides(game) == DOUBLES
    assert not game.problems


def test_one_against_three_and_an_evening_of_pairs() -> None:
    one, two = read("Anna;21\nBen + Cleo + Dan;15\n\nAnna + Cleo;3\nBen;2\nDan;1")
    assert on_sides(one) == [("Anna", 21, 1), ("Ben", 15, 2), ("Cleo", 15, 2), ("Dan", 15, 2)]
    assert on_sides(two) == [("Anna", 3, 1), ("Cleo", 3, 1), ("Ben", 2, 2), ("Dan", 1, 3)]
    # Where somebody comes again, be it with another partner, a new game begins.
    games = read("Anna + Ben;21\nCleo + Dan;15\nAnna + Cleo;21\nBen + Dan;19")
    assert [seat.name for game in games for seat in game.seats if seat.side == 2] == ["Cleo", "Dan", "Ben", "Dan"]


def test_where_no_sides_are_known_a_cell_is_one_name_and_two_columns_are_no_partners() -> None:
    alone = SheetFields(scores=True, places=True)
    (game,) = read("Anna + Ben;21\nCleo/Dan;15", alone)
    assert on_sides(game) == [("Anna + Ben", 21, None), ("Cleo/Dan", 15, None)]
    (game,) = read("Player;Player;Score;Player;Player;Score\nAnna;Ben;21;Cleo;Dan;15", alone)
    assert on_sides(game) == [("Anna", None, None), ("Ben", 21, None), ("Cleo", None, None), ("Dan", 15, None)]


def test_who_is_called_like_two_is_one() -> None:
    (game,) = read("Tom & Jerry;21\nCleo + Dan;15", more=["Tom & Jerry"])
    assert on_sides(game) == [("Tom & Jerry", 21, 1), ("Cleo", 15, 2), ("Dan", 15, 2)]


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("Player;Score;Weight\nAnna;1;2\nBen;0;2", 2),
        ("Player;Score;Weight\nAnna;1;\nBen;0;0,5", 0.5),
        ("Player;Score;Weight\nAnna;1;\nBen;0;", 1),
        ("Date;Player;Score;Player;Score;Gewicht\n6.11.2026;Anna;1;Ben;0;3", 3),
        ("Date;Anna;Ben;Weight\n6.11.2026;1;0;0", 0),
    ],
)
def test_what_a_game_weighs_stands_on_any_of_its_lines(text: str, weight: float) -> None:
    (game,) = read(text)
    assert (game.weight, game.problems) == (weight, [])


HEADS_ONLY = (
    "a table with a column for each player takes teams only from its headings. Write Anna + Ben there, or a line for "
    "each game: Anna; Ben; 21; Cleo; Dan; 15."
)
MIXED = "the team “B” is used next to “1” on line 2: use numbers for all players of a game, or names for all."
WRONG = [
    (
        "Player;Score;Weight\nAnna;1;2\nBen;0;3",
        3,
        "the game has the weight 3 here and 2 on line 2; write it once, or the same everywhere.",
    ),
    ("Player;Score;Weight\nAnna;1;\nBen;0;11", 3, "the weight must be from 0 to 10."),
    ("Player;Score;Weight\nAnna;1;\nBen;0;double", 3, "“double” is not a number."),
    ("Player;Side;Score\nAnna;1;1\nBen;B;0", 3, MIXED),
    (
        "Player;Side;Score\nAnna;Red;21\nBen;red;20\nCleo;blue;15",
        3,
        "team “red” has 20 here and 21 on line 2; partners share one score.",
    ),
    (
        "Player;Side;Place\nAnna;1;1\nBen;1;2\nCleo;2;2",
        3,
        "team “1” has 2 here and 1 on line 2; partners share one place.",
    ),
    ("Player;Side;Score\nAnna;1;1\nBen;1.5;0", 3, "the team “1.5” is not a whole number."),
    ("Date;Anna;Ben;Side\n6.11.2026;1;0;A", 2, "“A” is in a column without a meaning. Choose its meaning above."),
    ("Anna + Ben;(21)\nCleo + Dan;15", 1, "Anna + Ben: “(21)” may be 21 or −21. Write one of them."),
]


@pytest.mark.parametrize(("text", "line", "why"), WRONG)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, why: str) -> None:
    (game,) = read(text)
    assert game.problems == [(line, why)]


@pytest.mark.parametrize("word", ["Side", "Team:", "Paar", "пара"])
def test_a_line_of_sides_below_players_who_have_a_column_each_says_what_to_write_instead(word: str) -> None:
    sided, game = read(f"Date;Anna;Ben;Cleo;Dan\n{word};A;A;B;B\n6.11.2026;21;21;15;15\n7.11.2026;21;21;15;15")[:2]
    assert sided.problems == [(2, HEADS_ONLY)]
    assert [seat.name for seat in game.seats] == ["Anna", "Ben", "Cleo", "Dan"]
    # Beside a single game, and where the lines have no day.
    for text in (f"Date;Anna;Ben;Cleo;Dan\n{word};A;A;B;B\n6.11.2026;21;21;15;15", f";Anna;Ben\n{word};A;B\n;2;1"):
        assert read(text)[0].problems == [(2, HEADS_ONLY)]


def test_where_no_sides_are_known_nobody_is_told_to_write_partners_or_to_share_a_score() -> None:
    alone = SheetFields(scores=True, places=True)
    (game,) = read("Player;Side;Score\nAnna;1;40\nBen;1;-20\nCleo;2;-20", alone)
    assert (on_sides(game), game.problems) == ([("Anna", 40, 1), ("Ben", -20, 1), ("Cleo", -20, 2)], [])
    # What only looks like a line of sides is a game.
    team, single = read("Match;Anna;Ben;Cleo\nTeam;40;-20;-20\nSingle;10;0;-10", alone)
    assert [seat.score for game in (team, single) for seat in game.seats] == [40, -20, -20, 10, 0, -10]
    assert team.problems == single.problems == []
    (sided, _game) = read("Date;Anna;Ben\nSide;A;B\n6.11.2026;2;1", alone)
    assert [line for line, _sentence in sided.problems] == [2, 2, 2]
    assert not any("Anna + Ben" in sentence for _line, sentence in sided.problems)
    # Nor where all are on one side, as where the number of a table stands there: the rules say that.
    assert read("Player;Side;Score\nAnna;1;2\nBen;1;1")[0].problems == []


@settings(max_examples=examples(300))
@given(st.one_of(st.text(max_size=40), st.text("Side;Player1\n\t+/&AB x-½²", max_size=60)))
def test_no_text_breaks_the_reader(text: str) -> None:
    for game in read(text) + read(f"Side;Player;Score;Weight\n{text}"):
        assert all(seat.name for seat in game.seats) or game.problems
        assert 0 <= game.weight <= 10 or game.problems


def played(league: League) -> list[tuple[float, list[tuple[str, float | None, int | None]]]]:
    """Return weight and results of the games of a league."""
    return [
        (game.weight, list(game.results.order_by("seat").values_list("player__handle", "score", "side")))
        for game in Game.objects.filter(league=league).order_by("number")
    ]


@long_way
@pytest.mark.django_db
def test_a_sheet_of_sides_is_shown_recorded_and_there_already_the_next_time(olga: Client) -> None:
    league = make_league("elo", FOUR)
    text = "Day;Player;Side;Score;Weight\n5.3.2024;Anna;A;21;2\n5.3.2024;Ben;A;;\n5.3.2024;Cleo;B;15;\n5.3.2024;Dan;B;;"
    page = shown(olga, text)
    assert states(page) == ["new"]
    (card,) = page.context["cards"]
    # Two equal sides: 20 × 0.5, twice for the weight.
    won, lost = (21, None, 20, 1, ""), (15, None, -20, 2, "")
    assert card.lines == [("Anna", *won), ("Ben", *won), ("Cleo", *lost), ("Dan", *lost)]
    html = page.content.decode()
    (line,) = re.findall(r'<p class="pairline">(.*?)</p>', html, re.DOTALL)
    words = "".join(re.sub(r"<[^>]*>", " ", line).split())
    assert words == "Anna+20.0&amp;Ben+20.021–15Cleo−20.0&amp;Dan−20.0"
    assert "weight 2" in card.title
    assert "<tfoot>" not in html
    assert {"side", "weight"} <= page.context["labels"].keys()
    assert page_messages(press(olga, page, _record="")) == "1 game was recorded: 1."
    assert ratings(league) == {"anna": 1520.0, "ben": 1520.0, "cleo": 1480.0, "dan": 1480.0}
    assert played(league) == [(2.0, [("anna", 21, 1), ("ben", 21, 1), ("cleo", 15, 2), ("dan", 15, 2)])]
    assert not verify_league(league.pk).differences
    # The same lines without sides are the same game.
    assert states(shown(olga, text)) == ["known"]
    assert states(shown(olga, "Day;Player;Score\n5.3.2024;Anna;21\n;Ben;21\n;Cleo;15\n;Dan;15")) == ["known"]


@long_way
@pytest.mark.django_db
def test_the_same_draw_of_other_partners_is_another_game(olga: Client) -> None:
    make_league("elo", FOUR)
    text = "Day;Player;Side;Score\n5.3.2024;Anna;A;9\n5.3.2024;Ben;A;9\n5.3.2024;Cleo;B;9\n5.3.2024;Dan;B;9"
    press(olga, shown(olga, text), _record="")
    assert states(shown(olga, text)) == ["known"]
    swapped = text.replace("Ben;A", "Ben;B").replace("Cleo;B", "Cleo;A")
    assert states(shown(olga, swapped)) == ["new"]
    press(olga, shown(olga, swapped), _record="")
    assert states(shown(olga, f"{text}\n\n" + swapped.partition("\n")[2])) == ["known", "known"]


@pytest.mark.django_db
def test_a_game_of_everyone_for_themselves_is_the_one_that_a_list_has_with_sides(olga: Client) -> None:
    league = make_league("elo", FOUR)
    record(league, sheet(FOUR, (9, 9, 5, 5)))
    page = shown(
        olga, "Day;Player;Side;Score\n5.3.2024;Anna;1;9\n5.3.2024;Ben;1;9\n5.3.2024;Cleo;2;5\n5.3.2024;Dan;2;5"
    )
    assert states(page) == ["known"]


@pytest.mark.django_db
def test_a_system_that_knows_neither_refuses_both_in_a_sentence(olga: Client) -> None:
    make_league("barbu", FOUR)
    page = shown(olga, "Player;Side;Score\nAnna;1;21\nBen;1;21\nCleo;2;15\nDan;2;15")
    assert states(page) == ["bad"]
    assert "does not support teams; leave them out" in page.content.decode()
    assert {"side", "weight"} & page.context["labels"].keys() == {"side"}
    page = shown(olga, "Player;Weight;Score\nAnna;2;1\nBen;2;2\nCleo;2;3\nDan;2;4")
    assert "does not support weights" in page.content.decode()
    # Left aside by hand, the rest is read.
    data = fields(page) | {"role-1": ""}
    assert states(olga.post(PASTE, {**data, "_read": ""})) == ["new"]


@pytest.mark.django_db
def test_a_long_paste_keeps_sides_and_weights_on_their_way_through_a_worker(
    olga: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("league.apps.imports.services.paste_record.MAX_IMMEDIATE_SEATS", 3)
    league = make_league("elo", FOUR)
    press(olga, shown(olga, "Day;Player;Score;Weight\n5.3.2024;Anna + Ben;21;0,5\n5.3.2024;Cleo + Dan;15;"), _record="")
    run_requested_job(Job.objects.get().pk)
    assert played(league) == [(0.5, [("anna", 21, 1), ("ben", 21, 1), ("cleo", 15, 2), ("dan", 15, 2)])]


@pytest.mark.django_db
def test_a_column_that_was_said_to_hold_sides_is_proposed_the_next_time(olga: Client) -> None:
    make_league("elo", FOUR)
    text = "Day;Player;Colour;Score\n5.3.2024;Anna;x;9\n5.3.2024;Ben;x;9\n5.3.2024;Cleo;o;5\n5.3.2024;Dan;o;5"
    page = shown(olga, text)
    page = olga.post(PASTE, {**fields(page), "role-1": "player", "role-2": "side", "role-3": "score", "_read": ""})
    press(olga, page, _record="")
    assert list(Result.objects.order_by("seat").values_list("side", flat=True)) == [1, 1, 2, 2]
    assert PasteColumns.objects.get().said["roles"]["2"] == "side"
    assert [column.role for column in shown(olga, text.replace("5.3.", "6.3.")).context["columns"]][2] == "side"
