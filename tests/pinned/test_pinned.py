"""What users, clients and auditors see stays: hashes of every page, answer, export, log and report.

A change of a page or an answer changes its hash here, in the commit that means it: ``PINNED=write`` writes
``hashes.json`` anew. ``PINNED=<folder>`` writes the answers into a folder, so that two commits can be compared.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from league.core.log.selectors.log import log_lines
from league.core.transfer.selectors.exports import export_lines
from league.core.verify.run import verify_league
from league.models import League
from tests.fuzz.answers import ask
from tests.helpers.api_client import Api
from tests.helpers.openapi_document import document_path, read_document
from tests.helpers.page_tables import list_mixed_columns
from tests.helpers.shared_words import DEFAULT, read_shared
from tests.pinned.books import LINK, NOW, known_clock_and_chance, write_books
from tests.pinned.crawler import crawl, describe_answer

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database("The rows are the same on both engines; their order is held elsewhere."),
]

FIRST_PAGES = ("/", "/?lang=de", "/leagues/games-club/?lang=sr", "/leagues/games-club/competitions/swiss/?lang=pl")
CUPS = [
    *(("games-club", slug) for slug in ("club-championship", "cup", "tables-of-four", "swiss", "next-month")),
    *(("preferans", slug) for slug in ("club-evening", "spring", "autumn", "winter")),
]
PAGES_OF_CUP = ("", "entries/", "entries/1/", "rounds/1/", "fixtures/", "cross-table/", "rules/", "wall/")
ANSWERS_OF_CUP = (
    "", "entries/", "entries/1/", "entries/1/card/", "rounds/", "rounds/1/", "fixtures/", "standings/", "standings/1/",
    "cross-table/", "editions/", "export/?format=trf", "export/?format=csv", "export/?format=json",
)  # fmt: skip
FIRST_DESKS = [f"/admin/leagues/{slug}/" for slug in ("games-club", "barbu", "preferans")]
HASHES = Path(__file__).with_name("hashes.json")


@pytest.fixture(autouse=True)
def known_site(settings: Any, tmp_path: Path) -> Iterator[None]:
    """Let the clock stand, and the site have a folder and a known key of its own."""
    settings.VAR, settings.SECRET_KEY = tmp_path, "pinned"
    settings.RUNGS_HEAD_KEY = KEY
    with known_clock_and_chance():
        yield


def list_answers() -> Iterator[tuple[str, str]]:
    """Yield the name and the bytes of everything that is pinned."""
    headers = write_books()
    yield "openapi.yaml", document_path().read_text(encoding="utf-8")
    for league in League.objects.order_by("slug"):
        for whom, aliases in (("public", False), ("organiser", True)):
            yield f"export {league.slug} {whom}", "\n".join(export_lines(league.pk, NOW, aliases=aliases))
        yield f"log {league.slug}", "\n".join(log_lines(league, 0, league.log_length, None))
        yield f"verify {league.slug}", repr(verify_league(league.pk))
    visitor, oscar = Client(), Client()
    oscar.force_login(get_user_model().objects.get(username="oscar"))
    cups = [f"/leagues/{league}/competitions/{slug}/{page}" for league, slug in CUPS for page in PAGES_OF_CUP]
    pages = crawl(visitor, [*FIRST_PAGES, f"/report/{LINK}/", *cups], is_page)
    yield from ((f"page {address}", text) for address, text in pages.items())
    desks = [f"/admin/leagues/{league}/competitions/{slug}/" for league, slug in CUPS]
    desk = crawl(oscar, [*FIRST_DESKS, *desks], is_desk)
    yield from ((f"desk {address}", text) for address, text in desk.items())
    api = Api()
    api.headers = headers
    yield from list_api_answers(api)


def list_api_answers(api: Api) -> Iterator[tuple[str, str]]:
    """Yield every GET of the document with its example, and those of the competitions."""
    for path, methods in read_document()["paths"].items():
        if "get" in methods:
            yield f"api {path}", describe_answer(ask(api, path, "get", methods["get"]))
    for league, slug in CUPS:
        for part in ANSWERS_OF_CUP:
            address = f"leagues/{league}/competitions/{slug}/{part}"
            yield f"api {address}", describe_answer(api.call("get", address))


def is_page(address: str) -> bool:
    """Return whether an address is a page that everyone reads; the status page tells of this machine."""
    return not address.startswith(("/admin/", "/api/", "/static/", "/status"))


def is_desk(address: str) -> bool:
    """Return whether an address is a page of the desk."""
    return address.startswith("/admin/leagues/")


def test_what_everyone_sees_stays() -> None:
    """What is true of every page is asked here, too: to read them all takes long, so it is done once."""
    texts = dict(list_answers())
    assert_every_column_has_one_number_of_decimals(texts)
    assert_every_page_shares_its_own_title_and_words(texts)
    hashes = {
        name: hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16] for name, text in texts.items()
    }
    wish = os.environ.get("PINNED", "")
    if wish == "write":
        HASHES.write_text(json.dumps(hashes, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    elif wish:
        for name, text in texts.items():
            path = Path(wish) / re.sub(r"[^\w.-]+", "_", name)[:200]
            path.write_text(text, encoding="utf-8", errors="surrogateescape")
    pinned = json.loads(HASHES.read_text(encoding="utf-8"))
    assert {name for name in {*pinned, *hashes} if pinned.get(name) != hashes.get(name)} == set()


def assert_every_column_has_one_number_of_decimals(texts: dict[str, str]) -> None:
    """Read the tables of all pages of three leagues, their competitions and their desk."""
    pages = {name: text for name, text in texts.items() if name.startswith(("page /leagues/", "desk "))}
    for part in ("/cross-table/", "/entries/", "/rounds/", "/admin/leagues/games-club/competitions/swiss/", "/games/"):
        assert any(part in name for name in pages), part
    # The rules of the desk, parameters and settings are lists of unlike values, one a row: each is shown in full.
    columns = {name: list_mixed_columns(text) for name, text in pages.items() if "/rules/" not in name}
    lists = "Parameters", "Individual values", "Settings"
    assert [(name, one) for name, found in columns.items() for one in found if not one[0].startswith(lists)] == []


def assert_every_page_shares_its_own_title_and_words(texts: dict[str, str]) -> None:
    """Read what is shown of each page of a league where its address is shared."""
    club = "page /leagues/games-club/"
    pages = {name: text for name, text in texts.items() if name.startswith(club) and 'property="og:title"' in text}
    assert len({re.sub(r"[\w-]+(?=/(versus|games|\?|$))|\d+", "", name) for name in pages}) > 10
    for name, text in pages.items():
        title, shared, words = read_shared(text)
        assert shared == title.removesuffix(" · Rungs"), name
        assert DEFAULT not in words, name
        assert 0 < len(words) <= 200, name


#: Nobody's: the private key of the first example of RFC 8032, section 7.1.
KEY = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
"""
