"""Drawn games in drawn spellings, and notes on the desk: shown, asked about, recorded."""

from datetime import date

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from league.apps.imports.services.read_paste import BAD, PasteAnswers, find_obstacle, read_paste
from league.core.permissions import Viewer
from league.models import Game, League, Player, Result
from tests.helpers.builders import FOUR, make_league
from tests.helpers.desk_client import page_messages, page_text
from tests.helpers.paste_builders import EITHER, HERE, press, read_text, shown, states
from tests.helpers.tiers import examples, long_way

PLAYERS = ("Anna", "Ben", "Cara", "Dan", "Nils Takács", "Anna-Lena", "Ольга", "Вера")
NUMBER = st.one_of(st.integers(0, 150), st.integers(0, 60).map(lambda half: half / 2))


def written(name: str, capitals: str) -> str:
    """Return a name with no capitals, only such, or as it is."""
    return {"none": name.lower(), "all": name.upper()}.get(capitals, name)


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, dict[str, float]]:
    """Draw a game of two, and a way to write it."""
    one, other = draw(st.permutations(PLAYERS))[:2]
    mine, theirs = draw(NUMBER), draw(NUMBER)
    sign = draw(st.sampled_from([":", "-", "–", " : ", " - ", " – "]))
    point = draw(st.sampled_from([".", ","]))
    first, second = (f"{value:g}".replace(".", point) for value in (mine, theirs))
    capitals = draw(st.sampled_from(["as it is", "none", "all"]))
    between = draw(
        st.sampled_from([" ", " - ", " – ", " vs ", " gegen ", " против ", " protiv ", " / ", ": ", "; ", "\t"])
    )
    verb = draw(
        st.sampled_from(
            [" beat ", " schlägt ", " pokonał ", " победила ", " pobedio "]
            if mine > theirs
            else [" lost to ", " verliert gegen ", " przegrała z ", " проиграл ", " izgubio od "]
            if mine < theirs
            else [" drew with ", " remis gegen ", " zremisowała z ", " вничью с ", " remi sa "]
        )
    )
    shapes = [
        "{one}{between}{other} {first}{sign}{second}", "{one}{verb}{other} {first}{sign}{second}",
        "{one}{verb}{other} ({first}{sign}{second})", "{one} {first}{sign}{second} {other}",
        "{one} {first} {other} {second}", "{one}: {first}, {other}: {second}", "{one};{first};{other};{second}",
        "{one}\n{first}\n".replace("\n", "\t") + "{other}\t{second}", "{one} {first}\n{other} {second}",
        "{one};{other};{first};{second}",
    ]  # fmt: skip
    text = draw(st.sampled_from(shapes)).format(
        one=written(one, capitals),
        other=written(other, capitals),
        between=between,
        verb=verb,
        first=first,
        sign=sign,
        second=second,
    )
    lead = draw(st.sampled_from(["", "- ", "• ", "[19.11.26, 21:03] Olga: ", "19.11. ", "Thu 19.11. 20:15 "]))
    assume(not lead or "\n" not in text)
    return lead + text, {one.casefold(): mine, other.casefold(): theirs}


@settings(max_examples=examples(600))
@given(spellings())
def test_a_drawn_game_in_a_drawn_spelling_comes_back(drawn: tuple[str, dict[str, float]]) -> None:
    text, told = drawn
    (game,) = read_text(text, EITHER, HERE, PLAYERS).games
    assert game.problems == []
    seats = {seat.name: seat.score for seat in game.seats}
    assert {name.casefold(): score for name, score in seats.items()} == told


PIECES = ("Anna", "Ben", "beat", "lost", "vs", *"+-:;,>=31½().", "19.11.")


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from([*PIECES, " "])))
def test_no_line_is_lost_and_none_breaks_the_reader(words: list[str]) -> None:
    text = " ".join(words)
    read = read_text(f"{text}\nAnna Ben 1:0", EITHER, HERE, ["Anna", "Ben"])
    told = {line for game in read.games for line in game.lines} | set(read.ignored_lines)
    assert 2 in told
    if {"Anna", "Ben"} & {*words}:
        assert 1 in told
    assert all(game.problems or all(seat.name for seat in game.seats) for game in read.games)


@pytest.mark.django_db
def test_an_evening_in_a_chat_is_read_shown_and_recorded(olga: Client) -> None:
    league = make_league("elo", FOUR)
    text = (
        "[5.3.24, 21:03] Olga: Anna beat Ben (3-1)\n[5.3.24, 21:04] Max: well played\nrematch?\nCleo > Dan\n"
        "Anna + Ben – Cleo + Dan 10:8"
    )
    page = shown(olga, text)
    assert states(page) == ["new", "new", "new"]
    assert (page.context["tables"], page.context["columns"]) == ([], [])
    # What the people of the chat say is no result, and is left out without a question.
    assert [number for number, _text in page.context["chat"]] == [2, 3]
    assert "2 lines are not results" in page.content.decode()
    assert page_messages(press(olga, page, _record="")) == "3 games were recorded: 1–3."
    rows = Result.objects.filter(game__league=league).order_by("game__number", "seat")
    assert list(rows.values_list("player__handle", "score", "place", "side")) == [
        ("anna", 3, None, None), ("ben", 1, None, None), ("cleo", None, 1, None), ("dan", None, 2, None),
        ("anna", 10, None, 1), ("ben", 10, None, 1), ("cleo", 8, None, 2), ("dan", 8, None, 2),
    ]  # fmt: skip
    assert {game.played_at.date() for game in Game.objects.all()} == {date(2024, 3, 5)}
    assert states(shown(olga, text)) == ["known", "known", "known"]


@pytest.mark.parametrize(
    ("line", "is_chat"),
    [
        ("see you soon", True),
        ("who is in at 20:15?", True),
        ("we could not find room 12 yesterday evening", True),
        ("[5.3.24, 21:04] Max: well played Anna", True),
        # These may be results that are written in a way of their own.
        ("somehow Anna got the better of Ben yesterday", False),
        ("Xaver and then Yuri after a very long fight 3:1", False),
        ("everybody was surprised that Anna had 25 of them", False),
        ("they had ½ and ½ in the end, as always", False),
    ],
)
def test_only_lines_without_a_result_and_without_two_players_are_chat(line: str, is_chat: bool) -> None:
    read = read_text(f"Anna – Ben 3:1\n{line}", EITHER, HERE, ["Anna", "Ben"])
    assert [bool(game.chat) for game in read.games] == [False, is_chat]


@long_way
@pytest.mark.django_db
def test_a_typing_error_stays_a_question_and_makes_nobody(olga: Client) -> None:
    make_league("elo", FOUR)
    page = shown(olga, "5.3.2024\nAna beat Ben 3-1\nsee you soon, Anna and Ben")
    assert states(page) == ["bad", "asked"]
    ((number, name),) = page.context["to_decide"]
    assert (name.text, [handle for handle, _name in name.match.near]) == ("Ana", ["anna"])
    page = press(olga, page, leave=page.context["unread"][0])
    page = press(olga, page, pick=f"{number}:anna")
    press(olga, page, _record="")
    assert (Game.objects.count(), Player.objects.count()) == (1, 4)


@long_way
@pytest.mark.django_db
def test_columns_of_two_tables_are_each_said_and_remembered(olga: Client) -> None:
    make_league("elo", FOUR)
    one = "Date;Player;X;Score\n5.3.2024;Anna;7;1\n5.3.2024;Ben;6;0"
    other = "Name,Team,Y,Score\nCleo,A,2,1\nDan,B,3,0"
    page = shown(olga, f"{one}\n\n{other}")
    assert [column.number for column in page.context["columns"]] == list(range(8))
    data = {column.number: column.role for column in page.context["columns"]}
    assert (data[1], data[4]) == ("player", "player")
    page = press(olga, page, **{"role-5": "", "role-2": ""})
    assert [column.role for column in page.context["columns"]][5] == ""
    assert page_messages(press(olga, page, _record="")) == "2 games were recorded: 1–2."
    again = shown(olga, other)
    assert [column.role for column in again.context["columns"]][1] == ""


#: Games of which the line is wrong, or what it says.
FAULTS = ("Anna – Ben (1)-0", "Anna – Anna 1-0", "31.02.2024: Anna – Ben 1-0", "Anna – Ben 1.234-0")


@pytest.mark.django_db
@long_way
@given(data=st.data())
@settings(max_examples=examples(12), deadline=None)
def test_the_line_named_is_the_line_at_fault_and_only_once(data: st.DataObject) -> None:
    # Days stand above their games: a wrong one spoils games on lines that are right.
    lines = []
    games = ["Anna – Ben 1-0", "Cleo – Dan 0-1", "Ben – Cleo 1-1"]
    for day in range(1, data.draw(st.integers(2, 4)) + 1):
        lines += [f"{day}.3.2024", *games[: data.draw(st.integers(1, 3))]]
    planted = data.draw(st.integers(0, len(lines) - 1))
    days = ("31.02.2024", "30.2.24", "32.1.2024")
    lines[planted] = data.draw(st.sampled_from(days if lines[planted][0].isdigit() else FAULTS))
    league = League.objects.filter(slug="club").first() or make_league("elo", FOUR)
    paste = read_paste(league, PasteAnswers("\n".join(lines)), Viewer("x", "organise"), timezone.now())
    assert [sheet.lines[0] for sheet in paste.in_state(BAD)] == [planted + 1], lines
    assert find_obstacle(paste) == f"Check line {planted + 1}."


@pytest.mark.django_db
def test_games_of_two_are_shown_as_they_were_typed(olga: Client) -> None:
    make_league("elo", FOUR)
    lines = ["Anna – Ben 0-1", "Cleo – Eve 0-1", "Dan – Cleo (1)-0", "[5.3.24, 20:15] Olga: Ben – Cleo 0-1"]
    page = shown(olga, "5.3.2024\n" + "\n".join(lines))
    found = {card.sheet.game.lines[0]: [line.name for line in card.lines] for card in page.context["cards"]}
    assert [found[number] for number in (2, 3, 5)] == [["Anna", "Ben"], ["Cleo", "Eve"], ["Ben", "Cleo"]]
    assert states(page) == ["bad", "asked", "new", "new"]


@pytest.mark.django_db
def test_a_player_in_two_seats_is_to_fix_before_the_day_is(olga: Client) -> None:
    make_league("elo", FOUR)
    page = shown(olga, "31.02.2024\nAnna – Ben 0-1\nCleo – Cleo 1-0\nDan – Ben 1-0\nDan – Zoë 1-0")
    assert [(card.title, card.sheet.refusals) for card in page.context["faults"]][1:] == [
        ("lines 1–3", ["Cleo is in two seats; a player can play a game only once."])
    ]
    # The others are in the order of their lines.
    assert [(card.title, card.sheet.state) for card in page.context["others"]] == [
        ("line 4", "dateless"), ("line 5", "dateless"),
    ]  # fmt: skip


@pytest.mark.django_db
def test_sheets_are_in_the_order_of_their_lines(olga: Client) -> None:
    make_league("elo", FOUR)
    page = shown(olga, "5.3.2024\nAnna – Ben 0-1\nCleo – Zoë 0-1\nDan – Cleo 1-0")
    found = [(card.sheet.lines, card.sheet.state) for card in page.context["others"]]
    assert found == [([2], "new"), ([3], "asked"), ([4], "new")]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "found"),
    [
        # A day that is none is not that of a message, which has one; a day that is one stays until messages change it.
        ("31.02.2024: Anna – Ben 0-1", [("bad", None), ("new", date(2024, 3, 28))]),
        ("5.3.2024: Anna – Ben 0-1", [("new", date(2024, 3, 5)), ("new", date(2024, 3, 5))]),
    ],
)
def test_a_message_has_its_day_after_a_day_that_is_none(
    olga: Client, first: str, found: list[tuple[str, date | None]]
) -> None:
    make_league("elo", FOUR)
    page = shown(olga, f"{first}\n28.03.24, 20:22 - Jan: Cleo – Dan 1-0")
    sheets = [card.sheet for card in page.context["cards"]]
    assert [(sheet.state, sheet.game.day) for sheet in sheets] == found


@pytest.mark.django_db
def test_what_waits_for_a_name_or_a_date_is_counted_below(olga: Client) -> None:
    make_league("elo", FOUR)
    page = shown(olga, "5.3.2024\nAnna – Zoë 0-1\n31.02.2024\nAnna – Ben 0-1\nCleo – Dan 1-0")
    text = page_text(page)
    assert "Waiting for a name 1 Waiting for a date 1" in text
    assert "1 of 2 games wait for a date." in text


@pytest.mark.django_db
def test_games_under_a_wrong_day_wait_for_it(olga: Client) -> None:
    make_league("elo", FOUR)
    page = shown(olga, "31.02.2024\nAnna – Ben 0-1\nCleo – Dan 1-0")
    assert "To fix 1 Waiting for a date 1 " in page_text(page)
    fault, waiting = page.context["cards"]
    assert (fault.title, fault.pasted) == ("lines 1–2", "31.02.2024\nAnna – Ben 0-1")
    assert fault.sheet.refusals[0].startswith("Line 1: ") and waiting.sheet.refusals == []
    text = page_text(page)
    assert ("waiting for its date" in text, "Check line 1." in text, "Then 1 game can" in text) == (True, True, True)
    # Who leaves out the first is told of the day by the next.
    page = press(olga, page, leave=fault.sheet.game.key)
    assert [card.title for card in page.context["faults"]] == ["lines 1–3"]
