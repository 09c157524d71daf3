"""Public addresses, queries and headers that somebody made up: a page in the site's look says so, never a failure."""

import gzip
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver

from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.contexts import NewContext, create_context
from league.models import Game
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.experiment_builders import made, question
from tests.helpers.page_addresses import ANNA, ASKS, BOARD, public_pages
from tests.helpers.running_competitions import play_round, run_competition
from tests.helpers.shared import built_once
from tests.helpers.tiers import TIER, mark_slow

pytestmark = [
    pytest.mark.usefixtures("built"),
    pytest.mark.django_db,
    pytest.mark.uncounted("Asks every public address, which tests of their own hold line by line."),
]
LEAGUE = Path(__file__).parents[3] / "league"
PAGES = [LEAGUE / "web" / "public", LEAGUE / "apps" / "sharing", LEAGUE / "apps" / "laboratory" / "views",
         LEAGUE / "apps" / "competitions" / "public"]  # fmt: skip

#: What a part of an address is called -> one that leads somewhere.
GOOD = {"slug": "club", "context": "duels",
        "competition": "cup", "season": "may", "handle": "anna", "other": "ben", "number": "1",
        "ladder": "month", "key": "2024-03", "digest": "a" * 64, "section": "leagues", "language": "de",
        "code": "refused",
        "secret": "s", "token": "t", "pk": "00000000-0000-0000-0000-000000000000", "uidb64": "MQ", "uidb36": "1",
        "name": "00000000-0000-0000-0000-000000000001", "size": "192"}  # fmt: skip
#: What nobody was ever given, as it stands in an address: no text, letters that break a line or run the other way, ...
TEXTS = [
    "%00",
    "a%00b",
    "%ED%A0%80",
    "%FF",
    "%F0%9F%82%A1",
    "%E2%80%AE",
    "x" * 3000,
    "..%2F..",
    "%3Cb%3E",
    "%25s",
    "%20",
]
#: ... numbers that are none, or larger than a database's, ...
NUMBERS = ["0", "-1", "1e9", "NaN", "9223372036854775807", "9223372036854775808", "9" * 5000, "%D9%A3", "%C2%B2"]
#: ... and days and periods outside of the calendar.
DAYS = ["0000-00-00", "0000-01-01", "0001-01-01", "9999-12-31", "9999-99-99", "10000-01-01", "2024-02-30T25:61",
        "2024-13", "2024-W60", "9999-12"]  # fmt: skip
ODD = ["", *TEXTS, *NUMBERS, *DAYS]


def build() -> None:
    """Make a league with a few games, and a ladder with a closed month of two editions' room."""
    league = make_league(close_after_hours=0)
    for minutes in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    create_context(league.pk, NewContext("duels", "Duels", {"sides": 2}), username="test")
    create_ladder(league.pk, "month", "Score of the month", RankingRule("rating_score", "month"), username="test")
    record(league, sheet(("anna", "cleo"), (1, 0), played_at=datetime(2024, 4, 9, 20, tzinfo=UTC)))
    advance(league.pk)
    made(question(), league, UUID(int=1))
    run_competition(league, ("anna", "ben", "cleo"))
    play_round(league, 1, (1, 0))


built = built_once(build)


def filled(route: str, **odd: str) -> str:
    """Return an address with something that leads somewhere at each of its places, or what is odd."""
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda place: {**GOOD, **odd}[place[1]], route)


def friendly(answer: HttpResponse, what: str) -> None:
    """Assert that an answer is a page, a file, or a page of the site that says what is not there."""
    assert answer.status_code in (200, 301, 302, 304, 400, 404, 405, 410, 501), what
    if answer.status_code not in (400, 404, 410):
        return
    body = answer.content
    text = (gzip.decompress(body) if answer.get("Content-Encoding") == "gzip" else body).decode()
    assert "Traceback" not in text, what
    if answer["Content-Type"].startswith("text/html"):
        assert re.search(r'<link[^>]+rungs/look[^>]+css"', text), what
        assert re.search(r"<h1>[^<]+</h1>", text), what
        assert '<a class="brand"' in text, what


def places() -> list[str]:
    """Return every place of every address and every name of every query, as a path with ODD at it."""
    routes = [*public_pages(get_resolver().url_patterns)]
    named = [(route, name) for route in routes for name in re.findall(r"<(?:\w+:)?(\w+)>", route)]
    asked = [f"{page}?{name}=ODD" for page, names in ASKS.items() for name in names]
    return [*(filled(route, **{name: "ODD"}) for route, name in named), *asked]


@pytest.mark.parametrize("nth", mark_slow(range(len(ODD)), "Other odd texts.", but=range(0, len(ODD), 14)))
def test_whatever_stands_in_an_address_or_is_asked_is_answered_by_a_page(client: Client, nth: int) -> None:
    """Tier long tries everything everywhere, tier ci every second place, and the others with the next odd text."""
    every = {"all": 2, "quick": 6}[TIER]
    for place in places()[nth % every :: every]:
        path = place.replace("ODD", ODD[nth])
        friendly(cast("HttpResponse", client.get(path)), path)


def test_nothing_that_a_page_reads_is_left_out() -> None:
    source = "".join(one.read_text() for folder in PAGES for one in folder.rglob("*.py"))
    read = set(re.findall(r"""GET(?:\.get|\.getlist)?[(\[]["'](\w+)["']""", source))
    assert {"q", "page", "at"} < read
    assert read - {name for names in ASKS.values() for name in names} == set()


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("page", [page for page in ASKS if "." not in page])
def test_a_page_is_read_and_never_written(client: Client, page: str) -> None:
    before = Game.objects.count()
    for method in ("post", "put", "patch", "delete", "options", "trace"):
        answer = getattr(client, method)(page)
        assert answer.status_code in (200, 403, 404, 405), (method, page)
        assert "Traceback" not in answer.content.decode()
    assert Game.objects.count() == before


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "a b"},
        {"Host": "\x00"},
        {"Host": "evil.example"},
        {"Host": "[::1"},
        {"Cookie": "sessionid=%00; rungs_language=\ud800".encode("utf-8", "replace").decode()},
        {"Cookie": "=;;" + "x" * 6000},
        {"Accept-Language": "\x00;q=9," * 400},
        {"Accept": "\x00/" * 900},
        {"If-None-Match": '"' * 900},
        {"If-Modified-Since": "Thu, 99 Foo 99999 99:99:99 GMT"},
        {"Range": "bytes=9-1,,-"},
        {"Referer": "http://[::1"},
        {"X-Forwarded-For": "999.999.999.999, \x00"},
        {"X-Forwarded-Proto": "\x00"},
        {"Accept-Encoding": "gzip;q=x, \x00"},
    ],
)
def test_whatever_a_header_says_is_answered_by_a_page(client: Client, headers: dict[str, str], settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    others = (ANNA, "/leagues/none/", BOARD + "games.atom") if TIER == "all" else ()
    for page in ("/", BOARD, BOARD + "emblem.svg", *others):
        friendly(cast("HttpResponse", client.get(page, headers=headers)), page)
