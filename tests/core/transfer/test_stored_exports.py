"""The export of a long league is produced once by a worker, stored, and sent as a file."""

import gzip
import os
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from league.core.jobs import queue
from league.core.leagues.services.leagues import change_league
from league.core.players.services.erase import erase_player
from league.core.players.services.players import change_player
from league.core.transfer.selectors import stored_exports
from league.core.transfer.services import store_export as storing
from league.core.transfer.services.store_export import remove_expired_exports, store_export, try_lock
from league.models import League, Player
from league.web.api.log import views
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet

pytestmark = pytest.mark.django_db

EXPORT = "leagues/club/export/"


@pytest.fixture
def asked(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Let every league be a long one; return what workers were asked for."""
    settings.RUNGS_EXPORT_DIR, settings.RUNGS_INLINE_GAMES = tmp_path / "exports", 0
    monkeypatch.setattr(views, "MIN_GAMES", 0)
    found: list[tuple[Any, ...]] = []
    with patch.object(queue, "enqueue", lambda *message: found.append(message)):
        yield found


@pytest.fixture
def club() -> League:
    """Return a league with a game."""
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    return League.objects.get(pk=league.pk)


def body(answer: Any) -> bytes:
    """Return the bytes of an answer."""
    return b"".join(answer.streaming_content)


def test_a_long_league_is_exported_by_a_worker_and_sent_as_a_file(asked: list[Any], club: League) -> None:
    first = Api().get(EXPORT)
    assert (first.status_code, first.data["code"], first["Retry-After"]) == (503, "preparing", "2")
    assert asked == [("league.export", club.pk, "ndjson", 0)]
    assert store_export(club.pk, "ndjson", aliases=False)
    with patch.object(storing, "export_lines", side_effect=AssertionError("It is there already.")):
        assert not store_export(club.pk, "ndjson", aliases=False)
    sent = Api().get(EXPORT)
    whole = body(sent)
    assert (sent.status_code, sent["Content-Type"]) == (200, "application/x-ndjson")
    assert (sent["Accept-Ranges"], int(sent["Content-Length"])) == ("bytes", len(whole))
    assert whole.splitlines()[-1].startswith(b'{"type":"end"')
    assert asked == [("league.export", club.pk, "ndjson", 0)], "nothing more is asked for"
    packed = Api().get(EXPORT, **{"Accept-Encoding": "gzip"})
    assert gzip.decompress(body(packed)) == whole
    assert packed["ETag"] == sent["ETag"][:-1] + '-gzip"'
    for tag in (sent["ETag"], packed["ETag"]):
        again = Api().get(EXPORT, **{"If-None-Match": tag, "Accept-Encoding": "gzip"})
        assert (again.status_code, again["ETag"]) == (304, tag)


def test_a_range_of_it_is_sent(asked: list[Any], club: League) -> None:
    store_export(club.pk, "ndjson", aliases=False)
    sent = Api().get(EXPORT)
    whole, tag = body(sent), sent["ETag"]
    for given, part in (
        ("bytes=0-9", whole[:10]), ("bytes=10-", whole[10:]), ("bytes=-7", whole[-7:]), ("bytes=5-999999", whole[5:]),
    ):  # fmt: skip
        answer = Api().get(EXPORT, Range=given, **{"Accept-Encoding": "gzip", "If-Range": tag})
        assert (answer.status_code, body(answer)) == (206, part)
        assert answer["Content-Range"].endswith(f"/{len(whole)}")
    for given in ("bytes=9-3", "bytes=0-1,4-5", "lines=1-2", "bytes=-"):
        answer = Api().get(EXPORT, Range=given)
        assert (answer.status_code, body(answer)) == (200, whole)
    other = Api().get(EXPORT, Range="bytes=0-9", **{"If-Range": '"another"'})
    assert (other.status_code, body(other)) == (200, whole)
    beyond = Api().get(EXPORT, Range="bytes=999999-")
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(whole)}")


def test_a_short_league_is_exported_at_once_and_stored_for_the_next(
    asked: list[Any], club: League, settings: Any
) -> None:
    settings.RUNGS_INLINE_GAMES = 5
    first = Api().get(EXPORT)
    assert (first.status_code, first["Cache-Control"], first.has_header("ETag")) == (200, "private, no-store", False)
    assert body(first)
    assert asked == [("league.export", club.pk, "ndjson", 0)]
    store_export(club.pk, "ndjson", aliases=False)
    stored = Api().get(EXPORT)
    assert stored.has_header("ETag")
    assert body(stored)
    record(club, sheet(("anna", "ben"), (0, 1), minutes=5))
    assert body(Api().get(EXPORT)).count(b'"type":"game"') == 2, "of a short league never an earlier state"


def test_organisers_and_others_read_files_of_their_own(asked: list[Any], club: League) -> None:
    change_player(Player.objects.get(handle="anna"), aliases=["Annie"])
    organiser = Api("organise")
    assert organiser.get(EXPORT).status_code == Api().get(EXPORT).status_code == 503
    assert asked == [("league.export", club.pk, "ndjson", 1), ("league.export", club.pk, "ndjson", 0)]
    for aliases in (True, False):
        store_export(club.pk, "ndjson", aliases=aliases)
    assert b"Annie" in body(organiser.get(EXPORT))
    assert b"Annie" not in body(Api().get(EXPORT))
    assert b"Annie" not in body(Api("read", name="reader").get(EXPORT))
    change_player(Player.objects.get(handle="anna"), aliases=[])
    assert organiser.get(EXPORT).status_code == 503, "a spelling that is gone is gone at once"


def test_a_forgotten_person_is_in_no_stored_export(asked: list[Any], club: League) -> None:
    for form in ("ndjson", "csv"):
        store_export(club.pk, form, aliases=False)
        assert b"anna" in body(Api().get(f"{EXPORT}?format={form}"))
    erase_player(Player.objects.get(handle="anna"), username="test")
    for form in ("ndjson", "csv"):
        assert Api().get(f"{EXPORT}?format={form}").status_code == 503
        assert store_export(club.pk, form, aliases=False)
        assert b"anna" not in body(Api().get(f"{EXPORT}?format={form}"))
    files = [path.read_bytes() for path in stored_exports.get_folder().glob("*") if path.suffix != ".gz"]
    assert not any(b"anna" in one for one in files), "the earlier files are gone"


def test_files_that_may_not_be_sent_any_more_are_removed(asked: list[Any], club: League) -> None:
    other = make_league(slug="other", players=("zoe", "yan"))
    record(other, sheet(("zoe", "yan"), (1, 0)))
    for aliases in (True, False):
        store_export(club.pk, "ndjson", aliases=aliases)
        store_export(other.pk, "csv", aliases=aliases)
    assert remove_expired_exports() == 0
    record(other, sheet(("zoe", "yan"), (1, 0), minutes=5))
    assert remove_expired_exports() == 0, "an earlier state may be sent for some minutes"
    League.objects.filter(pk=other.pk).update(visibility="private")
    assert remove_expired_exports() == 4, "each is there plain and packed"
    left = [path.name for path in stored_exports.get_folder().iterdir() if not path.name.endswith("lock")]
    assert len(left) == 4
    assert all(name.startswith(f"{club.pk}-ndjson-") for name in left)
    erase_player(Player.objects.get(handle="anna"), username="test")
    assert remove_expired_exports() == 4


def test_a_league_that_turned_private_sends_nothing(asked: list[Any], club: League) -> None:
    store_export(club.pk, "ndjson", aliases=False)
    sent = Api().get(EXPORT)
    assert body(sent)
    change_league(club.pk, {"visibility": "private"})
    assert Api().get(EXPORT, **{"If-None-Match": sent["ETag"]}).status_code == 404


def test_an_earlier_state_is_sent_for_some_minutes_while_games_are_recorded(asked: list[Any], club: League) -> None:
    store_export(club.pk, "ndjson", aliases=False)
    (path,) = stored_exports.get_folder().glob("*.ndjson")
    record(club, sheet(("anna", "ben"), (0, 1), minutes=5))
    asked.clear()
    assert body(Api().get(EXPORT)).count(b'"type":"game"') == 1
    assert asked == []
    now = time.time()
    os.utime(path, (now, now - 400))
    assert body(Api().get(EXPORT))
    assert asked == [("league.export", club.pk, "ndjson", 0)]
    os.utime(path, (now, now - 700))
    assert Api().get(EXPORT).status_code == 503
    store_export(club.pk, "ndjson", aliases=False)
    assert body(Api().get(EXPORT)).count(b'"type":"game"') == 2
    assert not path.exists()


def test_two_workers_do_not_produce_it_both(asked: list[Any], club: League) -> None:
    key = stored_exports.make_export_key(club.pk, "ndjson", aliases=False)
    stored_exports.get_folder().mkdir(parents=True)
    with try_lock(stored_exports.get_folder() / f"{key.series}lock") as free:
        assert free
        assert not store_export(club.pk, "ndjson", aliases=False)
    assert store_export(club.pk, "ndjson", aliases=False)


def test_what_is_old_or_half_goes(asked: list[Any], club: League) -> None:
    with patch.object(storing, "export_lines", side_effect=OSError("The disk is full.")), pytest.raises(OSError):
        store_export(club.pk, "ndjson", aliases=False)
    assert [path.name[-4:] for path in stored_exports.get_folder().iterdir()] == ["lock"]
    store_export(club.pk, "ndjson", aliases=False)
    assert remove_expired_exports() == 0
    for path in stored_exports.get_folder().iterdir():
        os.utime(path, (0, 0))
    assert remove_expired_exports() == 2
    assert Api().get(EXPORT).status_code == 503
    assert not store_export(club.pk, "xml", aliases=False)
    assert not store_export(0, "csv", aliases=False)


def test_what_else_lies_in_the_folder_keeps_no_export_there(asked: list[Any], club: League) -> None:
    store_export(club.pk, "ndjson", aliases=False)
    folder = stored_exports.get_folder()
    (folder / "lost+found").mkdir()
    for name in ("notes.txt", "x-ndjson-readers-a-b", "1-2-3-4-5-6"):
        (folder / name).write_text("")
    assert remove_expired_exports() == 3
    change_league(club.pk, {"visibility": "private"})
    assert remove_expired_exports() == 2
    assert {path.name for path in folder.iterdir() if path.is_file()} == {f"{club.pk}-ndjson-readers-lock"}


def test_messages_that_came_late_are_answered_by_a_young_file(asked: list[Any], club: League) -> None:
    store_export(club.pk, "ndjson", aliases=False)
    (stored,) = stored_exports.get_folder().glob("*.ndjson")
    record(club, sheet(("anna", "ben"), (1, 0), minutes=9))
    assert not store_export(club.pk, "ndjson", aliases=False)
    assert stored.exists(), "the file of the state before is still sent"
    os.utime(stored, (time.time() - 400, time.time() - 400))
    assert store_export(club.pk, "ndjson", aliases=False)


def test_players_of_other_leagues_change_no_export_of_an_organiser(club: League) -> None:
    before = stored_exports.make_export_key(club.pk, "ndjson", aliases=True)
    make_league(slug="other", players=("zoe", "yan"))
    assert stored_exports.make_export_key(club.pk, "ndjson", aliases=True) == before
