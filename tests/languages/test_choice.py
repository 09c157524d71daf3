"""In which language a page is read: by its address, else what the browser remembers, else what it asks for."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from league.core.accounts.services.tokens import make_token
from league.core.text.display_formats import (
    format_day,
    format_day_of_year,
    format_exact,
    format_frequency,
    format_month,
    format_number,
    format_ordinal,
    format_signed,
    format_weekday,
)
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
GERMAN, POLISH = "de-AT,de;q=0.9,en;q=0.1", "fr, pl;q=0.8, de;q=0.5"


def language(answer: Any) -> str:
    """Return in which language an answer says that it is, and is."""
    assert f'<html lang="{answer["Content-Language"]}"' in answer.content.decode()
    return str(answer["Content-Language"])


@pytest.mark.parametrize(
    ("header", "code"),
    [("", "en"), ("en-GB", "en"), (GERMAN, "de"), (POLISH, "pl"), ("*", "en"), ("fr", "en"), ("sr-Latn-RS", "sr"),
     ("ru;q=0", "en"), ("\x00;;,=", "en"), ("x" * 20_000, "en")],
)  # fmt: skip
def test_the_header_is_heard(client: Client, header: str, code: str) -> None:
    assert language(client.get("/", HTTP_ACCEPT_LANGUAGE=header)) == code


def test_the_address_goes_before_and_is_remembered(client: Client) -> None:
    answer = client.get("/?lang=ru", HTTP_ACCEPT_LANGUAGE=GERMAN)
    assert language(answer) == "ru"
    cookie = answer.cookies["rungs_language"]
    assert (cookie.value, cookie["samesite"], cookie["httponly"]) == ("ru", "Lax", True)
    assert language(client.get("/", HTTP_ACCEPT_LANGUAGE=GERMAN)) == "ru"
    assert language(client.get("/?lang=en")) == "en"
    assert language(client.get("/")) == "en"


@pytest.mark.parametrize("odd", ["fr", "", "de%00", "../../etc", "x" * 600, "de&lang=zz"])
def test_an_odd_language_is_as_if_none_was_named(client: Client, odd: str) -> None:
    answer = client.get(f"/?lang={odd}")
    assert language(answer) == "en"
    assert "rungs_language" not in answer.cookies


def test_an_odd_cookie_is_as_none(client: Client) -> None:
    client.cookies["rungs_language"] = "fr'; drop"
    assert language(client.get("/", HTTP_ACCEPT_LANGUAGE="pl")) == "pl"


def test_what_is_kept_in_between_is_kept_by_language(client: Client) -> None:
    vary = {word.strip() for word in client.get("/")["Vary"].split(",")}
    assert {"Accept-Language", "Cookie"} <= vary


def test_a_page_leads_to_itself_in_every_language(client: Client) -> None:
    make_league(title="Club")
    page = client.get("/leagues/club/?since=week&page=1").content.decode()
    for code, name in (("en", "English"), ("de", "Deutsch"), ("pl", "Polski"), ("ru", "Русский"), ("sr", "Српски")):
        assert f'href="/leagues/club/?since=week&amp;page=1&amp;lang={code}" lang="{code}"' in page
        assert f">{name}</a>" in page


def test_machines_are_told_a_page_in_every_language(client: Client) -> None:
    make_league(title="Club")
    page = client.get("/leagues/club/?page=2&lang=pl").content.decode()
    whole = "http://testserver/leagues/club/?page=2"
    for code in ("en", "de", "pl", "ru", "sr"):
        assert f'<link rel="alternate" hreflang="{code}" href="{whole}&amp;lang={code}">' in page
    assert f'<link rel="alternate" hreflang="x-default" href="{whole}">' in page
    assert f'<link rel="canonical" href="{whole}">' in page


@pytest.fixture
def hebrew(settings: Any) -> None:
    """Offer a language that is written from right to left; nothing of ours is translated into it."""
    settings.LANGUAGES = [*settings.LANGUAGES, ("he", "עברית")]


@pytest.mark.usefixtures("hebrew")
def test_a_language_from_right_to_left_turns_the_page_and_no_number(client: Client) -> None:
    assert '<html lang="he" dir="rtl"' in client.get("/?lang=he").content.decode()
    with translation.override("he"):
        said = [format_number(-1.5, 1), format_signed(1.5, 1), format_signed(0), format_exact(-2)]
    assert said == ["\u200e\u22121,5", "\u200e+1,5", "\u200e±0", "\u200e\u22122"]


def test_the_api_speaks_english_whatever_is_asked_for(client: Client) -> None:
    league = make_league(players=("anna", "ben"))
    token = make_token("server", "record")[1]
    sheet_of = {
        "played_at": "2026-01-01T20:00:00Z",
        "results": [{"player": "anna", "score": 1.5}, {"player": "ben", "score": 0}],
    }
    said = {}
    for header in ("", GERMAN):
        client.cookies["rungs_language"] = "ru" if header else "en"
        given: Any = {"HTTP_ACCEPT_LANGUAGE": header, "HTTP_AUTHORIZATION": f"Bearer {token}"}
        told = client.post(f"/api/v1/leagues/{league.slug}/preview/", sheet_of, "application/json", **given)
        refused = client.post(f"/api/v1/leagues/{league.slug}/games/", {"results": []}, "application/json", **given)
        gone = client.get("/api/v1/leagues/nope/?lang=de", **given)
        assert (told.status_code, gone.status_code) == (200, 404)
        said[header] = (told.json(), refused.json()["detail"], gone.json()["title"], gone.json()["detail"])
    assert said[""] == said[GERMAN]
    assert said[""][3] == "There is no league “nope”."


@pytest.mark.parametrize(
    "path", ["/leagues/club/games.atom", "/leagues/club/emblem.svg", "/embed/leagues/club/", "/robots.txt", "/nothing/"]
)
def test_only_a_page_that_is_read_here_is_remembered(client: Client, path: str) -> None:
    make_league()
    assert "rungs_language" not in client.get(f"{path}?lang=de").cookies


def test_what_is_for_programs_is_the_same_for_all(client: Client) -> None:
    record(make_league(players=("anna", "ben")), sheet(("anna", "ben"), (1, 0)))
    answer = client.get("/leagues/club/players/anna/games.csv", HTTP_ACCEPT_LANGUAGE="de")
    assert "Accept-Language" not in answer.get("Vary", "")
    assert "Content-Language" not in answer


def test_a_form_that_was_sent_leads_to_no_other_language(client: Client) -> None:
    """A link would lose what was typed."""
    assert "hreflang" not in client.post("/accounts/forgotten/", {"email": "x"}).content.decode().split("<body>")[1]


def test_no_language_outlives_its_request(client: Client) -> None:
    client.get("/?lang=de")
    assert translation.get_language() == "en"


def test_the_scripts_texts_come_from_our_own_host(client: Client) -> None:
    answer = client.get("/look/texts-de.js")
    assert answer["Content-Type"] == 'text/javascript; charset="utf-8"'
    assert "max-age=600" in answer["Cache-Control"]
    assert "django.gettext" in answer.content.decode()
    assert client.get("/look/texts-xx.js").status_code == 404


@pytest.mark.parametrize(
    ("code", "figures", "days"),
    [
        ("en", ["1234.50", "12,345.5", "+0.5", "\u22120.25", "1st", "11th"],
         ["9 Jul 2026", "9 Jul", "July 2026", "Thursday 9 July"]),
        ("de", ["1234,50", "12\u202f345,5", "+0,5", "\u22120,25", "1.", "11."],
         ["9. Juli 2026", "9. Juli", "Juli 2026", "Donnerstag, 9. Juli"]),
        ("pl", ["1234,50", "12\u202f345,5", "+0,5", "\u22120,25", "1.", "11."],
         ["9 lip 2026", "9 lip", "Lipiec 2026", "Czwartek, 9 lipca"]),
        ("ru", ["1234,50", "12\u202f345,5", "+0,5", "\u22120,25", "1-е", "11-е"],
         ["9 июл 2026", "9 июл", "Июль 2026", "Четверг, 9 июля"]),
        ("sr", ["1234,50", "12\u202f345,5", "+0,5", "\u22120,25", "1.", "11."],
         ["9. 7. 2026", "9. 7.", "јул 2026", "четвртак, 9. јул"]),
    ],
)  # fmt: skip
def test_figures_and_days_are_written_as_the_language_writes_them(
    code: str, figures: list[str], days: list[str]
) -> None:
    day = utc("2026-07-09T20:00")
    with clock(utc("2026-08-01")), translation.override(code):
        said = [
            format_number(1234.5, 2),
            format_number(12345.5, 1),
            format_signed(0.5, 1),
            format_exact(-0.25),
            format_ordinal(1),
            format_ordinal(11),
        ]
        assert said == figures
        assert [format_day(day), format_day_of_year(day), format_month(day), format_weekday(day)] == days


def test_how_often_is_said_in_words_where_it_is_seldom() -> None:
    assert [format_frequency(count) for count in (0, 1, 2, 3, 12000)] == [
        "never",
        "once",
        "twice",
        "3 times",
        "12,000 times",
    ]


@long_way
def test_numbers_for_machines_are_the_same_in_every_language(client: Client) -> None:
    """A chart's coordinates, fields' values and addresses do not change with the reader."""
    league = make_league("elo", starts={"anna": 1000.5, "ben": 1150.25})
    record(league, sheet(("anna", "ben"), (1, 0)))
    english = machines(client, "/leagues/club/players/anna/", "en")
    for code in ("de", "pl", "ru", "sr"):
        assert machines(client, "/leagues/club/players/anna/", code) == english, code


def machines(client: Client, path: str, code: str) -> list[str]:
    """Return what a page says to machines: its attributes but those that are read to people, and languages."""
    page = client.get(path, HTTP_ACCEPT_LANGUAGE=code).content.decode()
    page = page[page.index("<main") : page.index("</main>")]
    found = re.findall(
        r'\s(x1?|y1?|x2|y2|cx|cy|d|points|width|height|value|href|id|name|class|datetime)="([^"]*)"', page
    )
    return [f"{name}={value}" for name, value in found]
