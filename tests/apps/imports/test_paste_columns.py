"""Columns as they were read the last time: proposed for the same head, of this league only, and forgotten again."""

from collections.abc import Callable
from datetime import date
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from league.apps.imports.models import PasteColumns
from league.apps.imports.services import paste_columns, paste_record
from league.models import Game
from tests.helpers.builders import make_league
from tests.helpers.desk_client import page_messages
from tests.helpers.paste_builders import PASTE, fields, press, shown
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(make_league)
#: "Elo" is no name of a column that is known: it is asked about.
HEAD = "Date;Round;Player;Score;Elo"
LINES = "5.3.2024;7;Anna;1;1500\n5.3.2024;7;Ben;0;1400"


def roles(page: Any) -> list[str]:
    """Return the roles of the columns as the page proposes them."""
    return [column.role for column in page.context["columns"]]


def said(olga: Client, text: str, **changes: str) -> Any:
    """Return the page of a text after somebody has said what its columns mean."""
    return olga.post(PASTE, {**fields(shown(olga, text)), **changes})


@long_way
def test_what_was_set_is_proposed_the_next_time_for_the_same_head(olga: Client) -> None:
    first = shown(olga, f"{HEAD}\n{LINES}")
    guessed = roles(first)
    assert "Columns, as guessed" in first.content.decode()
    page = olga.post(PASTE, {**fields(first), "role-4": "", "role-1": ""})
    assert not PasteColumns.objects.exists(), "nothing is remembered before it was recorded so"
    assert page_messages(press(olga, page, _record="")) == "1 game was recorded: 1."
    again = shown(olga, f"DATE;round;Player;Score;Elo\n{LINES.replace('5.3.', '6.3.')}")
    assert roles(again) == [role if index not in (1, 4) else "" for index, role in enumerate(guessed)]
    assert "Columns, as you set them last time" in again.content.decode()
    assert page_messages(press(olga, again, _record="")) == "1 game was recorded: 2."
    other = shown(olga, f"Date;Table;Player;Score;Elo\n{LINES}")
    assert "Columns, as guessed" in other.content.decode()
    make_league(slug="other")
    elsewhere = olga.post("/admin/leagues/other/paste/", {"text": f"{HEAD}\n{LINES}"})
    assert roles(elsewhere) == guessed


@long_way
def test_what_is_set_back_to_the_guess_is_forgotten(olga: Client) -> None:
    press(olga, said(olga, f"{HEAD}\n{LINES}", **{"role-1": ""}), _record="")
    assert PasteColumns.objects.count() == 1
    page = said(olga, f"{HEAD}\n{LINES.replace('5.3.', '6.3.')}", **{"role-1": "game"})
    press(olga, page, _record="")
    assert not PasteColumns.objects.exists()
    assert Game.objects.count() == 2


@long_way
def test_what_comes_first_in_11_06_is_remembered_with_its_head(olga: Client) -> None:
    text = "Date;Player;Score\n05/03/2024;Anna;1\n05/03/2024;Ben;0"
    press(olga, said(olga, text, order="month"), order="month", _record="")
    page = shown(olga, text.replace("05/03", "06/03"))
    assert page.context["order"] == "month"
    assert '<option value="">the month, as last time</option>' in page.content.decode()
    press(olga, page, _record="")
    assert [game.played_at.month for game in Game.objects.order_by("number")] == [5, 6]
    # A line that settles it goes before what was said another time.
    clear = shown(olga, text.replace("05/03", "25/03"))
    assert clear.context["order"] == "day"
    # And whoever says nothing takes nothing back.
    assert PasteColumns.objects.get().said == {"roles": {}, "order": "month"}


def test_a_guessed_order_is_proposed_as_a_guess_and_not_remembered(olga: Client) -> None:
    """25/03 settles this text; of the next one, where 5 March and 3 May are both possible, nobody has said a word."""
    head, seats = "Date;Player;Score", "{0};Anna;1\n{0};Ben;0"
    page = shown(olga, "\n".join([head, seats.format("05/03/2024"), seats.format("25/03/2024")]))
    assert (page.context["order"], page.context["paste"].stated_order) == ("day", "")
    assert '<option value="">the day (guessed)</option>' in page.content.decode()
    assert "selected" not in page.content.decode().partition('id="order"')[2].partition("</select>")[0]
    assert page_messages(press(olga, page, order="", _record="")) == "2 games were recorded: 1–2."
    assert not PasteColumns.objects.exists()
    assert shown(olga, f"{head}\n{seats.format('06/03/2024')}").context["order"] == ""


TWO = "Date;Round;Player;Score;Elo\n05/03/2024;7;Anna;1;1500\n05/03/2024;7;Ben;0;1400\n"
OTHER = TWO.replace("05/03", "06/04")


def by_text(text: str) -> dict[str, Any]:
    """Return what a form says whose box holds another text by now."""
    return {"text": text}


def by_file(text: str) -> dict[str, Any]:
    """Return what a form says beside whose box a file was chosen."""
    return {"file": SimpleUploadedFile("evening.csv", text.encode())}


@pytest.mark.parametrize("brought", [by_text, by_file])
def test_what_was_said_of_a_text_is_not_said_of_the_next(olga: Client, brought: Callable[[str], Any]) -> None:
    page = said(olga, TWO, order="month", **{"role-1": ""})
    assert (roles(page)[1], page.context["order"], page.context["answers"].order) == ("", "month", "month")
    page = press(olga, page, order="month", leave=page.context["cards"][0].sheet.game.key)
    assert page.context["counts"]["out"] == 1
    other = olga.post(PASTE, {**fields(page), "order": "month", "day": "2024-01-01", **brought(OTHER)})
    fresh = shown(olga, OTHER)
    assert other.context["answers"] == fresh.context["answers"]
    assert roles(other) == roles(fresh) != roles(page)
    assert other.context["order"] == ""


def test_a_day_that_was_set_for_another_text_is_set_anew_and_that_is_said(olga: Client) -> None:
    page = shown(olga, "Anna;1;Ben;0")
    page = press(olga, page, day="2024-01-05")
    assert page.context["answers"].day == date(2024, 1, 5)
    assert "so its date was set again" not in page.content.decode()
    for text, anew in (("Anna;2;Ben;0", True), ("Anna;1;Ben;0", False)):
        other = olga.post(PASTE, {**fields(page), "day": "2024-01-05", "text": text})
        assert ("so its date was set again" in other.content.decode()) == anew
        assert (other.context["answers"].day == date(2024, 1, 5)) == (not anew)


@pytest.mark.parametrize("brought", [by_text, by_file])
def test_strangers_of_another_text_are_asked_about_and_the_same_names_are_not(
    olga: Client, brought: Callable[[str], Any]
) -> None:
    page = shown(olga, "7.3.2024;Xaver;1;Yolanda;0")
    page = press(olga, page, all_new=page.context["text_key"])
    other = olga.post(PASTE, {**fields(page), **brought("8.3.2024;Xaver;1;Zelda;0")})
    assert [(name.text, name.is_new) for name in other.context["paste"].names] == [("Xaver", True), ("Zelda", False)]
    assert 'name="all_new" value="' not in other.content.decode().partition("</form>")[0].partition("<section")[0]


def test_what_was_said_holds_while_the_text_is_mended(olga: Client) -> None:
    """A wrong score is put right in the box: the columns and the order of days are not asked about again."""
    wrong = TWO.replace(";1;1500", ";(1);1500")
    page = said(olga, wrong, order="month", **{"role-1": ""})
    mended = olga.post(PASTE, {**fields(page), "order": "month", "text": TWO})
    assert roles(mended) == roles(page)
    assert mended.context["answers"].order == "month"
    assert page_messages(press(olga, mended, order="month", _record="")) == "1 game was recorded: 1."
    assert PasteColumns.objects.get().said == {"roles": {"1": ""}, "order": "month"}


def test_a_text_without_a_head_is_not_remembered(olga: Client) -> None:
    press(olga, said(olga, LINES, **{"role-4": "", "role-1": ""}), _record="")
    assert Game.objects.count() == 1
    assert not PasteColumns.objects.exists()


def test_a_long_paste_is_remembered_when_it_is_given_to_a_worker(olga: Client) -> None:
    with patch.object(paste_record, "MAX_IMMEDIATE_SEATS", 1):
        press(olga, said(olga, f"{HEAD}\n{LINES}", **{"role-1": ""}), _record="")
    assert PasteColumns.objects.get().said == {"roles": {"1": ""}, "order": ""}


@long_way
def test_only_the_last_heads_of_a_league_are_kept(olga: Client) -> None:
    with patch.object(paste_columns, "MAX_HEADS", 2):
        for number in range(4):
            text = f"Date;Round;Player;Score;X{number}\n{LINES.replace('5.3.', f'{number + 5}.3.')}"
            press(olga, said(olga, text, **{"role-1": ""}), _record="")
    assert PasteColumns.objects.count() == 2
    assert Game.objects.count() == 4


@long_way
def test_a_role_that_the_league_has_no_more_is_guessed_anew(olga: Client) -> None:
    guessed = roles(shown(olga, f"{HEAD}\n{LINES}"))
    press(olga, said(olga, f"{HEAD}\n{LINES}", **{"role-1": ""}), _record="")
    PasteColumns.objects.update(said={"roles": {"1": "field:bula", "4": "nonsense"}, "order": "noon"})
    assert roles(shown(olga, f"{HEAD}\n{LINES}")) == guessed
