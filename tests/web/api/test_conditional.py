"""Who may keep an answer, whether the asker has it already, its packed form; and what a process keeps of it."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from league.core.db import bounded_cache as cached
from league.core.db.bounded_cache import cache
from league.core.games.services.record import void_game
from league.core.leaderboard.selectors.pages import load_board_page
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.players.services.merges import merge_players
from league.core.players.services.players import change_player, set_initial_rating
from league.core.replay.services.current_ratings import refresh_current_ratings
from league.models import Edits, League, Player
from league.web.api import leaderboard as boards
from league.web.api.core.responses import compress_stream
from league.web.api.middleware import ApiMiddleware
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.ladder_builders import close, make_ladder

pytestmark = pytest.mark.django_db
BOARD = "leagues/club/leaderboard/"
PLAYERS = tuple(f"p{number:02}" for number in range(40))


def full_league(players: int = 40) -> League:
    """Make a league whose board is longer than what is sent unpacked, or a shorter one."""
    league = make_league(players=PLAYERS[:players])
    for number in range(0, players, 2):
        record(league, sheet(PLAYERS[number : number + 2], (1, 0), minutes=number))
    return league


def uncached() -> Any:
    """Return the board as it is without anything kept."""
    cache.clear()
    return Api().get(BOARD).data


CHANGES: dict[str, Callable[[League], Any]] = {
    "a game": lambda league: record(league, sheet(("p01", "p02"), (1, 0), minutes=90)),
    "a late game": lambda league: record(league, sheet(("p01", "p02"), (1, 0), minutes=1)),
    "a void": lambda league: void_game(league.pk, 1, reason="friendly", username="test"),
    "a rule": lambda league: adopt_rule(league.pk, "elo", {"k": 10}, EVENING.date(), username="test"),
    "a start": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="p03"), 1700),
    "a name": lambda league: change_player(Player.objects.get(handle="p03"), name="Zoë"),
    "leaving": lambda league: change_player(Player.objects.get(handle="p03"), active=False),
    "a merge": lambda league: merge_players(
        Player.objects.get(handle="p03"), Player.objects.get(handle="p04"), username="t"
    ),
    "min_games": lambda league: change_league(league.pk, {"min_games": 2}),
    "inactive": lambda league: change_league(league.pk, {"inactive_after_days": 1}),
}


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_a_board_changes_its_tag(change: str) -> None:
    league = full_league(6)
    before = Api().get(BOARD)
    assert Api().get(BOARD)["ETag"] == before["ETag"]
    CHANGES[change](league)
    after = Api().get(BOARD, **{"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert after["ETag"] != before["ETag"]
    assert after.data == uncached() != before.data


def test_an_unchanged_board_costs_one_query_and_a_304_no_more(django_assert_num_queries: Any) -> None:
    full_league()
    first = Api().get(BOARD)
    with django_assert_num_queries(1):
        again = Api().get(BOARD)
    assert (again.content, again["ETag"], again["Cache-Control"]) == (first.content, first["ETag"], "public, no-cache")
    assert again["Vary"] == "Accept-Encoding"
    for named in (first["ETag"], f"W/{first['ETag']}", f'"x", {first["ETag"]}', "*"):
        with django_assert_num_queries(1):
            known = Api().get(BOARD, **{"If-None-Match": named})
        assert (known.status_code, known.content, known["ETag"]) == (304, b"", first["ETag"])
    assert Api().get(BOARD, **{"If-None-Match": '"other"'}).status_code == 200
    assert Client().head(f"/api/v1/{BOARD}")["ETag"] == first["ETag"]


def test_a_token_reads_the_same_bytes_by_the_view() -> None:
    full_league()
    kept = Api().get(f"{BOARD}?limit=7&min_games=1&active_since=2024-03-01")
    asked = Api("read").get(f"{BOARD}?limit=7&min_games=1&active_since=2024-03-01")
    assert asked.content == kept.content
    assert asked["ETag"] == kept["ETag"]
    assert [row["rank"] for row in kept.data["results"]] == [1] * 7
    page = Api().get(kept.data["next"]).data["results"]
    assert [row["player"] for row in page] == ["p14", "p16", "p18", "p20", "p22", "p24", "p26"]


def test_what_is_not_kept_goes_to_the_view() -> None:
    full_league(2)
    for path, status in (
        ("leagues/none/leaderboard/", 404),
        ("leagues/a/b/leaderboard/", 404),
        (f"{BOARD}?limit=0", 400),
        (f"{BOARD}?%61t=2024-03-01", 200),
        (f"{BOARD}?%61round=p01", 200),
        (f"{BOARD}?around=nobody", 404),
        (f"{BOARD}?after=x", 400),
    ):
        assert Api().get(path).status_code == status, path


def test_a_private_league_is_there_for_members_only_and_kept_by_nobody() -> None:
    league = full_league(6)
    public = Api().get(BOARD)
    change_league(league.pk, {"visibility": "private"})
    hidden, nothing = Api().get(BOARD), Api().get("leagues/none/leaderboard/")
    assert (hidden.status_code, hidden["Cache-Control"]) == (404, "private, no-store")
    assert {**hidden.data, "detail": ""} == {**nothing.data, "detail": ""}
    seen = Api("read").get(BOARD)
    assert (seen.content, seen["Cache-Control"]) == (public.content, "private, no-store")
    assert set(seen["Vary"].split(", ")) == {"Accept-Encoding", "Authorization", "Cookie"}


def test_who_stops_playing_leaves_the_kept_board_in_time() -> None:
    league = full_league()
    change_league(league.pk, {"inactive_after_days": 3})
    now = EVENING + timedelta(days=2)
    with patch.object(timezone, "now", lambda: now):
        assert len(Api().get(BOARD).data["results"]) == 40
    # The last game of p00 and p01 was at the beginning of the evening, that of p02 and p03 two minutes later.
    now = EVENING + timedelta(days=3, minutes=1)
    with patch.object(timezone, "now", lambda: now):
        first = Api().get(BOARD)
        assert len(first.data["results"]) == 38
        assert Api().get(BOARD)["ETag"] == first["ETag"]
        assert len(Api().get(f"{BOARD}?active_since=2024-01-01").data["results"]) == 40
    now = EVENING + timedelta(days=9)
    with patch.object(timezone, "now", lambda: now):
        assert Api().get(BOARD).data["results"] == []


def test_ratings_that_were_rebuilt_are_shown() -> None:
    league = full_league(6)
    before = Api().get(BOARD)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE league_rating SET score = 0")
    refresh_current_ratings(league.pk)
    assert Api().get(BOARD).data == before.data == uncached()


def test_a_board_that_changes_while_it_is_read_is_read_again() -> None:
    full_league()
    read = load_board_page
    seen: list[str] = []

    def overtaken(*arguments: Any) -> Any:
        page = read(*arguments)
        if not seen:
            change_player(Player.objects.get(handle="p00"), name="Zoë")
        seen.append(page.rows[0].name)
        return page

    with patch.object(boards, "load_board_page", overtaken):
        kept = Api().get(f"{BOARD}?limit=1")
    assert kept.data["results"][0]["name"] == "Zoë"
    assert seen == ["P00", "Zoë"]
    assert Api().get(f"{BOARD}?limit=1").data == kept.data


def test_a_board_that_becomes_private_while_it_is_read_is_nobodys() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    read = load_board_page

    def hidden(*given: Any) -> Any:
        page = read(*given)
        League.objects.filter(pk=league.pk).update(visibility=League.Visibility.PRIVATE)
        return page

    with patch.object(boards, "load_board_page", hidden), patch.object(boards, "store") as stored:
        assert Api().get(BOARD).status_code == 404
    assert not stored.called


def test_a_long_answer_is_not_stored() -> None:
    full_league(12)
    with patch.object(boards, "MAX_STORED_BYTES", 10), patch.object(boards, "store") as stored:
        assert Api().get(f"{BOARD}?limit=4").status_code == 200
    assert not stored.called


def test_a_busy_database_is_the_views_to_tell() -> None:
    full_league()
    with patch(
        "league.core.leaderboard.selectors.current_board.load_board_state", side_effect=OperationalError("gone")
    ):
        assert Api().get(BOARD).status_code == 200
    with patch.object(boards, "load_board_page", side_effect=OperationalError("database is locked")):
        assert Api().get(f"{BOARD}?limit=9").status_code == 503


def test_packed_answers_bear_a_tag_of_their_own() -> None:
    full_league()
    for path in (BOARD, "leagues/club/games/"):
        plain = Api().get(path)
        packed = Client().get(f"/api/v1/{path}", headers={"Accept-Encoding": "br, gzip"})
        assert packed["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.content) == plain.content
        assert packed["ETag"] == plain["ETag"].removesuffix('"') + '-gzip"'
        known = Api().get(path, **{"Accept-Encoding": "gzip", "If-None-Match": packed["ETag"]})
        assert (known.status_code, known["ETag"]) == (304, packed["ETag"])
        assert Api().get(path, **{"If-None-Match": plain["ETag"]})["ETag"] == plain["ETag"]
    refused = Api().get(BOARD, **{"Accept-Encoding": "gzip;q=0, *"})
    assert not refused.has_header("Content-Encoding")
    small = Api().get(f"{BOARD}?limit=1", **{"Accept-Encoding": "gzip"})
    assert not small.has_header("Content-Encoding")


def through(response: Any, accepts: str = "gzip") -> Any:
    """Return an answer as it leaves the API."""
    request = RequestFactory().get("/api/v1/changes/", headers={"Accept-Encoding": accepts})
    return ApiMiddleware(lambda _: response)(request)


def test_streams_are_packed_part_by_part() -> None:
    handed = []

    def lines() -> Iterator[bytes]:
        for number in range(3):
            handed.append(number)
            yield json.dumps({"number": number}).encode() + b"\n"

    answer = through(StreamingHttpResponse(lines(), content_type="application/x-ndjson"))
    assert answer["Content-Encoding"] == "gzip"
    unpack = zlib.decompressobj(31)
    parts = iter(answer.streaming_content)
    assert unpack.decompress(next(parts)) == b'{"number": 0}\n'
    assert handed == [0]
    assert b"".join(map(unpack.decompress, parts)) == b'{"number": 1}\n{"number": 2}\n'
    assert gzip.decompress(b"".join(compress_stream([]))) == b""


def test_what_is_no_text_or_packed_already_is_left_alone() -> None:
    image = HttpResponse(b"x" * 5000, content_type="image/png")
    assert through(image).content == b"x" * 5000
    twice = HttpResponse(b"x" * 5000, content_type="application/json", headers={"Content-Encoding": "br"})
    assert through(twice)["Content-Encoding"] == "br"

    async def lines() -> Any:
        yield b"{}\n"

    later = StreamingHttpResponse(lines(), content_type="application/x-ndjson")
    assert not through(later).has_header("Content-Encoding")


def test_pages_with_a_secret_are_not_packed() -> None:
    full_league()
    stranger = Client().get("/leagues/club/", headers={"Accept-Encoding": "gzip"}, follow=True)
    assert stranger["Content-Encoding"] == "gzip"
    login = Client().get("/admin/login/", headers={"Accept-Encoding": "gzip"})
    assert b"csrfmiddlewaretoken" in login.content
    assert not login.has_header("Content-Encoding")


def test_an_edition_may_be_kept_and_is_asked_for_each_time() -> None:
    """It never changes, but its league may turn private: nobody may go on showing what they kept."""
    league = full_league(6)
    make_ladder(league)
    close(league, "2024-03")
    path = "leagues/club/ladders/month/periods/2024-03/editions/1/"
    answer = Api().get(path)
    assert answer["Cache-Control"] == "public, no-cache"
    assert answer["Last-Modified"].endswith(" GMT")
    assert Api().get(path, **{"If-None-Match": answer["ETag"]}).status_code == 304
    change_league(league.pk, {"visibility": "private"})
    assert Api("read").get(path)["Cache-Control"] == "private, no-store"
    assert Api().get(path, **{"If-None-Match": answer["ETag"]}).status_code == 404


def test_strangers_answers_may_be_kept_and_are_asked_about() -> None:
    full_league(6)
    of_the_league = (f"leagues/club/{path}" for path in ("", "games/", "games/1/", "players/p01/"))
    for path in ("systems/", "leagues/", "players/p01/", *of_the_league):
        answer = Api().get(path)
        assert answer["Cache-Control"] == "public, no-cache", path
        assert Api().get(path, **{"If-None-Match": answer["ETag"]}).status_code == 304, path
    for path in ("leagues/none/", "leagues/club/members/", "tokens/"):
        assert Api().get(path)["Cache-Control"] == "private, no-store", path


def test_edits_are_counted_where_somebody_has_emptied_the_count() -> None:
    full_league()
    Edits.objects.all().delete()
    before = Api().get(BOARD)
    for name in ("Zoë", "Zoé"):
        change_player(Player.objects.get(handle="p03"), name=name)
        answer = Api().get(BOARD, **{"If-None-Match": before["ETag"]})
        assert answer.status_code == 200
        assert name in [row["name"] for row in answer.data["results"]]
        before = answer
    assert Edits.objects.get().count == 2


def test_what_was_asked_for_the_longest_time_ago_goes_when_there_are_too_many_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cached, "MAX_BYTES", 10_000)
    for number in range(4):
        cached.store("text", (number,), bytes(2_000))
    assert cached.find("text", (0,)) is not None
    cached.store("text", (4,), bytes(3_000))
    found = [number for number in range(5) if cached.find("text", (number,)) is not None]
    assert found == [0, 2, 3, 4]
    cached.store("text", (5,), bytes(20_000))
    assert [number for number in range(6) if cached.find("text", (number,)) is not None] == [5]
