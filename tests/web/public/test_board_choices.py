"""The board as a reader wants it: some of it, in another order, around somebody; and finding who is not on it."""

from collections.abc import Iterator
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from league.core.leaderboard.selectors.current_board import build_listing, find_listed_ratings
from league.models import Inactive, League, Player, Rating
from league.web.public.views import board as views_board
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
NAMES = tuple(f"p{number:02}" for number in range(12))


@pytest.fixture(autouse=True)
def _short_pages() -> Iterator[None]:
    """Let a page hold five rows."""
    with patch.object(views_board, "ROWS", 5):
        yield


def build() -> None:
    """Make a league of twelve, some level, who played on different days."""
    league = make_league(players=NAMES, inactive_after_days=90)
    now = timezone.now()
    for number in range(0, 12, 2):
        for turn in range(1 + number // 2):
            at = now - timedelta(days=40 + 7 * number, minutes=turn)
            record(league, sheet(NAMES[number : number + 2], (1, 0) if turn % 2 else (0, 0), played_at=at))
    record(league, sheet(("p00", "p03"), (1, 0), played_at=now - timedelta(minutes=5)))


built = built_once(build)


@pytest.fixture
def league(built: None, db: None) -> League:
    """Return the league."""
    return League.objects.get()


def shown(page: str) -> list[tuple[int, str]]:
    """Return rank and handle of the listed rows of a page."""
    rows = []
    for row in page.split("<tr")[1:]:
        if 'scope="row"' in row and 'class="num rank">–' not in row:
            cell = row.split('class="num rank">', 1)[1].split("</td>")[0]
            rank = int(cell.removesuffix("</span>").rsplit(">", 1)[-1])
            rows.append((rank, row.split("/players/", 1)[1].split("/")[0]))
    return rows


def read(path: str = "") -> str:
    """Return a page of the board."""
    answer = Client().get(f"/leagues/club/{path}")
    assert answer.status_code == 200
    return str(answer.content.decode())


def expected(league: League) -> list[tuple[int, Rating]]:
    """Return rank and rating of everybody on the board, best first; counted here."""
    rows = list(find_listed_ratings(league, build_listing(league, timezone.now())).select_related("player"))
    rows.sort(key=lambda row: (-row.score, -row.rating, row.player.handle))
    return [(1 + sum(other.score > row.score for other in rows), row) for row in rows]


@long_way
def test_pages_follow_each_other_also_where_many_are_level(league: League) -> None:
    whole = [(rank, row.player.handle) for rank, row in expected(league)]
    assert len({rank for rank, _ in whole}) < len(whole) > 5
    pages = [shown(read(f"?page={number}")) for number in range(1, 1 + -(-len(whole) // 5))]
    assert [row for page in pages for row in page] == whole


def test_orders_keep_the_rank_on_the_whole_board(league: League) -> None:
    whole = expected(league)
    assert len(whole) > 5
    fields = {"games": "games", "change": "change", "played": "last_at", "score": "score"}
    for order, name in fields.items():
        for mark, sign, words in (("", -1, "descending"), ("-", 1, "ascending")):
            page = read(f"?sort={mark}{order}")
            rows = shown(page)
            values = {row.player.handle: getattr(row, name) for _, row in whole}
            told = [values[handle] for _, handle in rows]
            assert told == sorted(values.values(), reverse=sign < 0)[:5]
            assert set(rows) <= {(rank, row.player.handle) for rank, row in whole}
            assert page.count(f'aria-sort="{words}"') == page.count("aria-sort") == 1
    assert 'href="?sort=-games#board"' in read("?sort=games")
    assert 'href="?sort=games#board"' in read("?sort=-games")
    assert 'href="?#board">Rating</a>' in read("?sort=-score")
    assert "Page 2 of" in read("?sort=games&page=2")
    assert "?page=1&amp;sort=games" in read("?sort=games&page=2")


def test_filters_choose_who_played_lately_and_often(league: League) -> None:
    whole = expected(league)
    lately = {(rank, row.player.handle) for rank, row in whole if row.player.handle in ("p00", "p03")}
    page = read("?only=evening")
    assert set(shown(page)) == lately
    assert 'href="?only=evening#board" aria-current="true"' in page
    assert set(shown(read("?only=month"))) == lately
    often = {(rank, row.player.handle) for rank, row in whole if row.games >= 3}
    assert set(shown(read("?games=3"))) == often != set()
    assert "No player on the board matches." in read("?games=9999")
    assert 'value="3"' in read("?games=3")
    # The gap is that to the next player of the board, who may not be shown.
    assert [">Gap</th>" in read(query) for query in ("", "?sort=games", "?games=3", "?q=p03")] == [
        True,
        True,
        False,
        False,
    ]


@long_way
def test_a_player_is_shown_where_they_stand(league: League) -> None:
    whole = [row.player.handle for _, row in expected(league)]
    for place, handle in enumerate(whole):
        page = read(f"?around={handle}")
        assert handle in [found for _, found in shown(page)]
        assert f"Page {place // 5 + 1} of" in page
        assert page.split('id="here"')[1].split("/players/")[1].startswith(handle)
    gone = Player.objects.get(handle=whole[0])
    Inactive.objects.create(league=league, player=gone)
    assert "is not on this board." in read(f"?around={gone.handle}")
    assert "No player is called “nobody”." in read("?around=nobody")


@long_way
def test_a_search_finds_who_is_not_on_the_board_and_says_why(league: League) -> None:
    ranks = {row.player.handle: rank for rank, row in expected(league)}
    assert shown(read("?q=P03")) == [(ranks["p03"], "p03")]
    assert ['id="evening"' in read(f"?q={name}") for name in ("p03", "p0", "zoe")] == [True, False, False]
    Inactive.objects.create(league=league, player=Player.objects.get(handle="p00"))
    assert "The player is marked as inactive." in read("?q=p00")
    assert "No game in the last 90 days." in read("?q=p11")
    League.objects.filter(pk=league.pk).update(min_games=4)
    page = read("?q=p02")
    assert "2 more games needed: the board lists after 4 games." in page
    assert "≈ " in page
    assert shown(page) == []
    newcomers = read().split('class="below"')[1]
    assert "provisional, 2 of 4" in newcomers
    assert "p00" not in newcomers.replace("/leagues/club/players/p00", "p00")
    assert "No name in this league matches “zoe”." in read("?q=zoe")


def test_players_who_are_not_on_the_board_come_with_the_last_to_play_first(client: Client, league: League) -> None:
    off = client.get("/leagues/club/?q=p").context["off"]
    assert [one.player.handle for one in off] == ["p08", "p09", "p10", "p11"]
