"""Every address of a league before and after a person was forgotten: no page, file, picture or answer names them."""

import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver
from PIL import ImageDraw

from league.apps.notices.services.enqueue import write_notices
from league.apps.reports.services.answering import dispute_report
from league.apps.reports.services.links import make_link
from league.apps.webhooks.services.webhooks import make_webhook
from league.core.accounts.services.members import set_member
from league.core.accounts.services.tokens import make_token
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.ladders.services.decisions import carry_period, reopen_period
from league.core.log.services.heads import publish_heads
from league.core.players.services.erase import erase_player
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.core.verify.run import verify_league
from league.models import Edition, League, Player
from league.web.api import urls as api_urls
from tests.helpers.builders import make_league, player_of, record
from tests.helpers.ladder_builders import close, duel, make_ladder
from tests.helpers.page_addresses import ASKS, public_pages
from tests.helpers.report_builders import link_of, played, reported

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.uncounted("Walks every address of a league twice."),
]

HANDLE, MERGED = "djordje-p", "danuta-w"
#: Every word by which somebody could tell who was forgotten, or read what was written of them.
WORDS = (
    "ђорђе", "ångström", "李娜", "γιώργοσ", "ольгица", "danuta", "więckowska", "djordje", "dengue", "malárie", "грип",
)  # fmt: skip
#: What is not of a league, or goes out of it.
ELSEWHERE = re.compile(
    r"^/(look|static|admin/(jsi18n|logout|password_change)|accounts|docs|systems|rulings|ladder-methods)"
)
API = "/api/v1/"


def build() -> League:
    """Make a league in which who will be forgotten stands in everything that keeps or shows a name."""
    league = make_league(players=("ben", "cleo", "dan"), reporting="by_link", min_games=1)
    add_player(HANDLE, "Ђорђе Ångström 李娜", ["Γιώργος", "Ольгица"])
    add_player(MERGED, "Danuta Więckowska")
    make_ladder(league)
    make_ladder(league, "score", "rating_score")
    record(league, duel(HANDLE, "ben", "2024-03-10", note="Ђорђе had dengue."))
    record(league, duel("cleo", MERGED, "2024-03-11", note="ДАНУТА? danuta: malárie"))
    record(league, duel("ben", "cleo", "2024-03-12"))
    close(league, "2024-03")
    close(league, "2024-03", "score")
    merge_players(player_of(MERGED), player_of(HANDLE), username="olga")
    correct_game(
        league.pk,
        1,
        duel("ben", HANDLE, "2024-03-10"),
        reason="Ангстрем, то есть ГИОРГОС, γιώργοσ: грип",
        username="olga",
    )
    carry_period(league.pk, "month", "2024-03", reason="Ольгица agreed.", username="olga")
    void_game(league.pk, 3, reason="Ångström's wish, грип", username="olga")
    restore_game(league.pk, 3, reason="李娜 says it was none.", username="olga")
    reopen_period(league.pk, "month", "2024-03", reason="ÅNGSTRÖM again.", username="olga")
    close(league, "2024-03", reason="Ђорђе asked for it.")
    for day in ("2024-04-02", "2024-04-09"):
        record(league, duel(HANDLE, "cleo", day))
    reported(link_of(league, HANDLE), played((HANDLE, "ben"), note="Ђорђе: грип"))
    other = reported(link_of(league, "cleo"), played(("cleo", "ben"), hours=3))
    dispute_report(link_of(league, "ben"), other.pk, reason="Ask Danuta.")
    make_link(league.pk, "the-secret-of-a-table", username="olga", name="Ђорђе's table")
    make_webhook(league.pk, "https://example.org/hook", username="olga")
    publish_heads()
    write_notices(league.pk)
    return league


class Walk:
    """All that answers a reader: texts of answers by their addresses, pictures as the words that were drawn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drawn: list[str] = []
        self.pictures: dict[str, str] = {}
        text = ImageDraw.ImageDraw.text

        def told(draw: Any, at: Any, words: str, *more: Any, **options: Any) -> None:
            self.drawn.append(words)
            text(draw, at, words, *more, **options)

        monkeypatch.setattr(ImageDraw.ImageDraw, "text", told)

    def everything(self, browsers: dict[str, Client]) -> dict[str, str]:
        """Return what every browser is answered, by who asked and the address."""
        found: dict[str, str] = {}
        for name, browser in browsers.items():
            waiting, seen = list(dict.fromkeys(self.starts(name))), set[str]()
            while waiting:
                address = waiting.pop()
                if address in seen or ELSEWHERE.match(address):
                    continue
                seen.add(address)
                said = self.answer(browser, address)
                found[f"{name} {address}"] = said
                links = re.findall(r'(?:href|src)="(/[^"#]+)', said) if "<html" in said else []
                waiting += [link for link in map(html.unescape, links) if self.is_new(link, name)]
        return found

    def starts(self, name: str) -> Iterator[str]:
        """Yield every address of the site, with each person, game, ladder and period in its places."""
        if name == "desk":
            yield "/admin/leagues/club/"
            return
        for route in (API + str(one.pattern) for one in api_urls.urlpatterns if isinstance(one, URLPattern)):
            if "^" not in route:
                yield from filled(route)
        yield from (f"{API}players/{query}" for query in ("?search=player", "?limit=100"))
        asked = ("export/", "leaderboard/?format=csv", "changes/?limit=100")
        yield from (f"{API}leagues/club/{query}" for query in asked)
        if name == "program":
            return
        for route in public_pages(get_resolver().url_patterns):
            if not route.startswith(("/accounts", "/invitations", "/docs", "/look")):
                yield from filled(route)
        for page, names in ASKS.items():
            yield from (page.replace("anna", people()[-2]) + "?" + query for query in queries(names))
        yield from ("/leagues/club/what-if/?p=" + one + "&p=ben" for one in people())
        yield from (f"/oembed/?url=http://testserver/leagues/club/players/{one}/" for one in people())
        yield "/report/the-secret-of-a-table/"

    def is_new(self, link: str, name: str) -> bool:
        """Tell whether a link leads to another page of theirs: sorts and pages of lists are enough once."""
        if link.startswith("/admin/") != (name == "desk"):
            return False
        return not re.search(r"[?&](sort|page|lang|range|theme|next|before|at|around|o)=", link)

    def answer(self, browser: Client, address: str) -> str:
        """Return what an address answers, as somebody reads it."""
        self.drawn.clear()
        answer: Any = browser.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code not in (429, 500), address
        if answer.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        headers = " ".join(unquote(value) for value in answer.headers.values())
        if body.startswith(b"\x89PNG"):
            key = hashlib.sha256(body).hexdigest()
            # A picture that was kept shows what it showed when it was drawn.
            return self.pictures.setdefault(key, "".join(self.drawn)) + headers
        said = body.decode("utf-8-sig", "replace")
        if "json" in answer.get("Content-Type", ""):
            said += "".join(json.dumps(json.loads(line), ensure_ascii=False) for line in lines_of(said))
        return f"{said} {html.unescape(unquote(said))} {headers}"


def lines_of(text: str) -> list[str]:
    """Return the pieces of JSON in an answer: one, or one a line."""
    try:
        json.loads(text)
    except ValueError:
        return text.splitlines()
    return [text]


def people() -> list[str]:
    """Return the handles of everybody who stands by themselves."""
    return list(Player.objects.order_by("pk").values_list("handle", flat=True))


def queries(names: Sequence[str]) -> list[str]:
    """Return a few things that a page may be asked."""
    handle = people()[-2]
    good = {"at": "2024-03-20", "from": "2024-03-11", "to": "2024-04-30", "around": people()[-1], "player": handle,
            "with": handle, "format": "csv", "edition": "1", "q": "player", "theme": "dark", "table": "1",
            "url": "http://testserver/leagues/club/"}  # fmt: skip
    return [f"{name}={good[name]}" for name in names if name in good] + [
        "&".join(f"{name}={good[name]}" for name in ("from", "to") if name in names)
    ]


def filled(route: str) -> Iterator[str]:
    """Yield an address with all that can stand in its places."""
    names = re.findall(r"<(?:\w+:)?(\w+)>", route)
    few, periods = people()[-3:], ["2024-03", "2024-04"]
    good: dict[str, Sequence[str]] = {
        "handle": few, "player": few, "other": few[1:], "number": list("1237"), "slug": ["club"], "league": ["club"],
        "ladder": ["month", "score"], "key": periods, "period": periods, "section": ["leagues"],
    }  # fmt: skip
    if any(name not in good for name in names):
        return
    addresses = [route]
    for name in names:
        addresses = [re.sub(rf"<(?:\w+:)?{name}>", value, one) for one in addresses for value in good[name]]
    yield from addresses


def browsers() -> dict[str, Client]:
    """Return who reads: everybody, a program of the organiser's, the organiser at the desk."""
    user = User.objects.create_user("olga")
    set_member(League.objects.get().pk, "olga", "owner")
    token, text = make_token("olga's", "organise")
    token.maker = user
    token.save()
    desk = Client()
    desk.force_login(user)
    return {"everybody": Client(), "program": Client(headers={"Authorization": f"Bearer {text}"}), "desk": desk}


def naming(found: dict[str, str]) -> dict[str, list[str]]:
    """Return the addresses whose answers say a word of theirs, with these."""
    told = {address: normalize("NFC", text).casefold() for address, text in found.items()}
    said = {address: [word for word in WORDS if word in text] for address, text in told.items()}
    return {address: words for address, words in said.items() if words}


@pytest.mark.slow("Reads every address of a site twice; what is erased where is held by test_erasing.py.")
def test_no_address_of_a_league_names_who_was_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    league, walk, readers = build(), Walk(monkeypatch), browsers()
    before = naming(walk.everything(readers))

    # Each word is shown somewhere, and many addresses show some: else nothing would be proved.
    assert {word for words in before.values() for word in words} == set(WORDS)
    assert len([one for one in before if one.startswith("everybody")]) > 80
    erase_player(player_of(HANDLE), username="olga", parts=True)
    bad = naming(walk.everything(readers))
    assert bad == {}
    for address in before:
        name, path = address.split(" ", 1)
        if HANDLE not in path and MERGED not in path:
            assert naming({path: walk.answer(readers[name], path)}) == {}
    assert verify_league(league.pk).differences == []
    assert Edition.objects.exclude(redacted_sha256="").count() >= 3


def test_a_redacted_edition_says_so_with_both_hashes() -> None:
    build()
    address, page = f"{API}leagues/club/ladders/month/periods/2024-03/", "/leagues/club/ladders/month/2024-03/"
    browser = Client()
    assert "A name was taken out of it" not in browser.get(page).content.decode()
    assert [one["redacted_sha256"] for one in browser.get(address).json()["editions"]] == [None, None]
    erase_player(player_of(HANDLE), username="olga")
    editions = browser.get(address).json()["editions"]
    shown = browser.get(page).content.decode()
    desk = browsers()["desk"].get("/admin/leagues/club/ladders/month/periods/2024-03/").content.decode()
    for one in editions:
        served = browser.get(f"{address}editions/{one['number']}/")
        assert hashlib.sha256(served.content).hexdigest() == one["redacted_sha256"] != one["sha256"]
        assert served["X-Content-SHA256"] == one["redacted_sha256"] and served["X-Published-SHA256"] == one["sha256"]
        for said in (shown, desk):
            assert one["sha256"] in said and one["redacted_sha256"] in said
            assert said.count("A player's name was later removed") >= 2
