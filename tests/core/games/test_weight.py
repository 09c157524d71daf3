"""What a page weighs on its way: at most 150 kB compressed with its sheet, scripts and icon, all from the same host."""

import gzip
import re
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.test import Client

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Player
from tests.helpers.builders import EVENING, make_league
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way, mark_slow

pytestmark = [
    pytest.mark.usefixtures("built"),
    pytest.mark.django_db,
    pytest.mark.one_database("What a page weighs does not depend on the database."),
]
MOST = 150_000
#: The sheet alone, without which nothing would have been weighed.
HEAVIER = 10_000
PEOPLE, GAMES = 120, 1600
CLUB = "/leagues/club/"
P0 = CLUB + "players/p000/"
#: One of each kind; --all weighs the others, too.
QUICK = {
    "/", CLUB, CLUB + "compared/?from=2024-03-08", CLUB + "games/", CLUB + "share/", P0, P0 + "versus/p001/",
    P0 + "?with=p001&with=p002&with=p003&with=p004", "/embed/leagues/club/?rows=50", "/systems/", "/nothing/",
}  # fmt: skip
PAGES = [
    "/", CLUB, CLUB + "?page=2", CLUB + "?sort=games", CLUB + "compared/?from=2024-03-08", CLUB + "games/",
    CLUB + "games/1600/", CLUB + "how/", CLUB + "share/", CLUB + "wall/?rows=20", CLUB + "ladders/",
    CLUB + "ladders/ever/", P0, P0 + "?range=100", P0 + "?with=p001&with=p002&with=p003&with=p004", P0 + "versus/p001/",
    CLUB + "what-if/?" + "&".join(f"p=p00{seat}&r={seat}" for seat in range(8)),
    CLUB + "what-if/?p=p000&p=p001&p=p002&p=p003", "/embed/leagues/club/?rows=50", "/embed/leagues/club/players/p000/",
    "/status/", "/systems/", "/systems/elo/", "/ladder-methods/", "/ladder-methods/erf_mean/", "/rulings/",
    "/docs/problems/", "/nothing/",
]  # fmt: skip


def build() -> None:
    """Make a league of more people than a page of the board holds, where one has more games than a chart has points."""
    handles = [f"p{number:03}" for number in range(PEOPLE)]
    league = make_league("elo", handles)
    lines = ["game_id,played_at,player,score"]
    for game in range(GAMES):
        at = (EVENING + timedelta(hours=12 * game)).isoformat()
        seats = ["p000", *(f"p{1 + (game * step + step) % (PEOPLE - 1):03}" for step in (1, 3, 7))]
        lines += [
            f"{game},{at},{who},{(game * 7 + seat * 13) % 29 - 14}" for seat, who in enumerate(dict.fromkeys(seats))
        ]
    import_games(league.pk, BytesIO("\n".join(lines).encode()), ImportOptions(by="test"))
    Player.objects.update(name=Concat(Value("Benjamin-Maximilian von und zu "), F("handle")))
    create_ladder(league.pk, "ever", "Score of all times", RankingRule("rating_score", "all_time"), username="test")


built = built_once(build)


def fetched(browser: Client, path: str) -> bytes:
    """Return what stands at an address, whatever its status; a file of the look as it lies in the house."""
    if path.startswith("/static/"):
        return Path(str(finders.find(path.removeprefix("/static/")))).read_bytes()
    return browser.get(path).content


def loaded(text: str) -> set[str]:
    """Return the addresses that a browser asks for by itself while it shows a page."""
    links = re.findall(r'<link[^>]+rel="(?:stylesheet|icon|preload|modulepreload)"[^>]*>', text)
    own = {found for link in links for found in re.findall(r'href="([^"]+)"', link)}
    return own | set(re.findall(r'<(?:script|img|iframe|source|video|embed)\b[^>]*\bsrc="([^"]+)"', text))


@pytest.mark.parametrize("path", mark_slow(PAGES, "Another page of a kind.", but=QUICK))
def test_a_page_is_light_and_comes_from_one_host(client: Client, path: str) -> None:
    page = fetched(client, path)
    parts = loaded(page.decode())
    assert any("look" in part for part in parts)
    assert [part for part in parts if not part.startswith(("/static/", "/look/", "/leagues/", "/embed/"))] == []
    weights = {part: len(gzip.compress(fetched(client, part))) for part in {path, *parts}}
    assert HEAVIER < sum(weights.values()) <= MOST, weights


@long_way
def test_the_heaviest_pages_hold_what_they_are_weighed_for(client: Client) -> None:
    assert fetched(client, CLUB).count(b"Benjamin-Maximilian") >= 100
    assert fetched(client, P0).count(b"Benjamin-Maximilian") > 25
