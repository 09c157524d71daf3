"""Heads of public logs: signed every day, checked by anybody, and what finds a log that was rehashed as a whole."""

import base64
import json
import stat
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from league import tasks
from league.core.dispatch.sweep import replay_league
from league.core.errors import Busy
from league.core.leagues.services.leagues import change_league
from league.core.log.chain import serialize_canonically
from league.core.log.services import heads, site_key
from league.core.log.services.heads import publish_heads
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Game, Head, League, Result
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import clock, duel, tables
from tests.helpers.log_reading import drop_triggers, free_log, log_kinds, rehash_log
from tests.helpers.restore_builders import export_of, lines_file

pytestmark = pytest.mark.django_db


def books() -> League:
    """Return a public league with two games, and its log's head published."""
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("anna", "cleo", "2024-03-11"))
    publish_heads()
    league.refresh_from_db()
    return league


def forged_score(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Let Anna have lost her first game in the log, too."""
    if kind == "game.recorded" and payload["number"] == 1:
        payload["results"][0]["score"], payload["results"][1]["score"] = 0, 1
    return payload


def forge_all(league: League) -> None:
    """Change a game and the whole log with it, and replay."""
    for seat, score in ((1, 0), (2, 1)):
        Result.objects.filter(game__number=1, seat=seat).update(score=score)
    rehash_log(league, lambda kind, payload: serialize_canonically(forged_score(kind, json.loads(payload))))
    replay_league(league.pk)


def test_a_third_party_checks_a_head_with_the_published_json_and_cryptography_alone() -> None:
    league = books()
    (head,) = Api().get(f"leagues/{league.slug}/heads/").json()["results"]
    key = Api().client.get("/.well-known/rungs-key.json").json()
    assert (key["kty"], key["crv"], key["alg"], key["x"]) == ("OKP", "Ed25519", "EdDSA", head["key"])

    def raw(text: str) -> bytes:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    signature = raw(head.pop("signature"))
    public = Ed25519PublicKey.from_public_bytes(raw(key["x"]))
    public.verify(signature, rfc8785.dumps(head))
    with pytest.raises(InvalidSignature):
        public.verify(signature, rfc8785.dumps({**head, "position": head["position"] + 1}))
    # What it names is the line of the log that everybody can read.
    changes = Api().get(f"leagues/{league.slug}/changes/")
    lines = [json.loads(line) for line in b"".join(changes.streaming_content).splitlines()]
    (line,) = [line for line in lines if line["position"] == head["position"]]
    assert (line["sha256"], head["league"]) == (head["sha256"], "club")


def test_a_head_is_made_once_a_day_where_something_was_logged_since() -> None:
    league = books()
    before = tables()
    assert publish_heads() == []
    now = timezone.now()
    # The entry that says of a head is no growth.
    assert publish_heads(now + timedelta(days=1)) == []
    assert tables() == before
    record(league, duel("anna", "ben", "2024-03-12"))
    assert publish_heads() == []
    (head,) = publish_heads(now + timedelta(days=1))
    league.refresh_from_db()
    assert (head.position, league.log_length) == (6, 7)
    assert publish_heads(now + timedelta(days=1)) == []
    assert verify_league(league.pk).differences == []


def test_private_leagues_have_no_heads_and_others_get_theirs_every_night() -> None:
    league = make_league(visibility="private")
    assert publish_heads() == []
    assert Api().get(f"leagues/{league.slug}/heads/").status_code == 404
    change_league(league.pk, {"visibility": "public"}, username="olga")
    tasks.every_night()
    assert (log_kinds(league)[-1], Head.objects.get().position) == ("head.published", 3)


def test_heads_are_listed_the_newest_first_by_pages() -> None:
    league = books()
    for day in (1, 2):
        with clock(timezone.now() + timedelta(days=day)):
            record(league, duel("anna", "ben", f"2024-03-2{day}"))
            publish_heads()
    page = Api().get("leagues/club/heads/?limit=2").json()
    assert [head["position"] for head in page["results"]] == [8, 6]
    rest = Api().client.get(page["next"]).json()
    assert ([head["position"] for head in rest["results"]], rest["next"]) == ([4], None)


def test_the_status_page_and_its_json_show_the_last_head() -> None:
    league = books()
    head = Head.objects.get()
    text = Api().client.get("/status/").content.decode()
    assert head.sha256[:12] in text
    assert "/.well-known/rungs-key.json" in text
    found = Api().client.get("/status.json").json()["leagues"][0]["head"]
    assert (found["position"], found["sha256"]) == (4, head.sha256)
    make_league(slug="other")
    assert Api().client.get("/status.json").json()["leagues"][1].get("head") is None
    assert league.heads.count() == 1


def test_the_command_publishes_and_prints_anchors() -> None:
    league = make_league()
    out = StringIO()
    call_command("heads", stdout=out)
    call_command("heads", stdout=out)
    head = Head.objects.get()
    assert out.getvalue() == f"club {head.position}:{head.sha256}\nNo log head is due.\n"
    out = StringIO()
    call_command("verify", "club", anchor=[f"{head.position}:{head.sha256}"], stdout=out)
    assert f"{league.title} is right" in out.getvalue()


def test_a_log_that_is_rehashed_with_its_games_is_found_by_its_head() -> None:
    league = books()
    forge_all(league)
    found = verify_league(league.pk).differences
    assert len(found) == 1
    assert found[0].startswith(f"The signed log head of {timezone.now():%Y-%m-%d} requires the SHA-256")


def test_a_log_that_is_rehashed_with_its_games_is_found_by_an_anchor() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    league.refresh_from_db()
    anchor = (league.log_length, league.log_sha256)
    forge_all(league)
    assert verify_league(league.pk).differences == []
    (found,) = verify_league(league.pk, anchors=[anchor]).differences
    assert found.startswith(f"An anchor requires the SHA-256 {anchor[1]} for entry 3 of the log; the entry has ")
    with pytest.raises(CommandError, match="1 difference found"):
        call_command("verify", "club", anchor=[f"{anchor[0]}:{anchor[1]}"], stdout=StringIO())


def test_a_log_that_is_cut_is_found_by_head_and_anchor() -> None:
    league = make_league()
    for day in (10, 11):
        record(league, duel("anna", "ben", f"2024-03-{day}"))
    league.refresh_from_db()
    anchor = (league.log_length, league.log_sha256)
    free_log()
    league.log.filter(position=4).delete()
    Result.objects.filter(game__number=2)._raw_delete("default")
    Game.objects.filter(number=2)._raw_delete("default")
    end = league.log.get(position=3)
    League.objects.update(log_length=3, log_sha256=end.sha256, last_number=1)
    replay_league(league.pk)
    assert verify_league(league.pk).differences == []
    sentence = f"An anchor requires the SHA-256 {anchor[1]} for entry 4 of the log; the log has no such entry."
    assert verify_league(league.pk, anchors=[anchor]).differences == [sentence]


@pytest.mark.parametrize("anchor", ["21", "x:" + "0" * 64, "1:" + "0" * 63, "0:" + "0" * 64])
def test_an_anchor_that_is_none_or_no_leagues_is_refused(anchor: str) -> None:
    make_league()
    with pytest.raises(CommandError, match="is not an anchor: write POSITION:HASH"):
        call_command("verify", "club", anchor=[anchor], stdout=StringIO())
    with pytest.raises(CommandError, match="An anchor belongs to one league"):
        call_command("verify", anchor=["1:" + "0" * 64], stdout=StringIO())


PLANTED: dict[str, tuple[Any, str]] = {
    "hash": (lambda: Head.objects.update(sha256="0" * 64), "requires the SHA-256 000"),
    "signature": (lambda: Head.objects.update(signature="AAAA"), "The signature of the log head of"),
    "gone": (
        lambda: Head.objects.all().delete(),
        "The signed log head at 4 is missing, but is recorded in entry 5 of the log.",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_in_heads_is_found(name: str) -> None:
    league = books()
    plant, sentence = PLANTED[name]
    drop_triggers("league_head", "league_heads_stand")
    plant()
    found = verify_league(league.pk).differences
    assert any(sentence in one for one in found), found


def test_a_head_by_an_earlier_key_holds_where_that_is_named(settings: Any) -> None:
    league = books()
    old = site_key.load_public_key()
    settings.RUNGS_HEAD_KEY = pem(Ed25519PrivateKey.generate())
    assert "was signed with a key that is not this site's" in verify_league(league.pk).differences[0]
    settings.RUNGS_OLD_HEAD_KEYS = [old]
    assert verify_league(league.pk).differences == []
    assert [key["x"] for key in Api().client.get("/.well-known/rungs-key.json").json()["old"]] == [old]


def test_a_published_head_never_changes() -> None:
    books()
    before = list(Head.objects.values_list())
    attacks: tuple[Callable[[], object], ...] = (
        lambda: Head.objects.update(sha256="0" * 64),
        lambda: Head.objects.get().delete(),
        lambda: Head.objects.get().save(),
        lambda: League.objects.get().delete(),
    )
    for attack in attacks:
        with pytest.raises((DatabaseError, ProtectedError)), transaction.atomic():
            attack()
        assert list(Head.objects.values_list()) == before


def test_a_restored_league_has_heads_of_its_own() -> None:
    league = books()
    copy = restore_league(lines_file(export_of(league)), slug="copy", by="x").league
    assert (copy.heads.count(), verify_league(copy.pk).differences) == (0, [])
    publish_heads()
    assert (copy.heads.get().position, verify_league(copy.pk).differences) == (6, [])


def pem(key: Any) -> str:
    """Return a private key as text."""
    text: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return text.decode()


def test_the_key_is_made_once_and_nobody_else_may_read_it(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR, settings.RUNGS_HEAD_KEY = tmp_path / "var", ""
    own = site_key.load_public_key()
    path = tmp_path / "var" / "head_key.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    site_key.load_private_key.cache_clear()
    assert site_key.load_public_key() == own
    assert [one.name for one in path.parent.iterdir()] == ["head_key.pem"]
    # Of two processes that find none, one makes the key.
    first = site_key.read_or_create(path)
    monkeypatch.setattr(Path, "exists", lambda self: False)
    assert site_key.read_or_create(path) == first


def test_a_key_can_be_given_as_text_in_one_line_and_as_a_file(tmp_path: Path, settings: Any) -> None:
    key = Ed25519PrivateKey.generate()
    wanted = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode()
    settings.RUNGS_HEAD_KEY = pem(key).strip().replace("\n", "\\n")
    assert site_key.load_public_key() == wanted
    (tmp_path / "key.pem").write_text(pem(key))
    settings.RUNGS_HEAD_KEY = str(tmp_path / "key.pem")
    assert site_key.load_public_key() == wanted
    settings.RUNGS_HEAD_KEY = str(tmp_path / "made.pem")
    assert site_key.load_public_key() not in ("", wanted)
    assert stat.S_IMODE((tmp_path / "made.pem").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("-----BEGIN nothing", "The key in RUNGS_HEAD_KEY cannot be read as a private key in PEM"),
        ("/dev/null/key.pem", "The key in RUNGS_HEAD_KEY cannot be read as a private key in PEM"),
        (pem(generate_private_key(SECP256R1())), "RUNGS_HEAD_KEY must be an Ed25519 key"),
    ],
)
def test_a_key_that_is_none_is_a_sentence(given: str, sentence: str, settings: Any) -> None:
    settings.RUNGS_HEAD_KEY = given
    with pytest.raises(ImproperlyConfigured, match=sentence):
        site_key.load_public_key()


def test_a_league_that_is_busy_keeps_no_other_from_its_head(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_league(), make_league(slug="other")
    publish = heads.publish_head

    def busy(league_id: int, now: Any) -> Any:
        if league_id == first.pk:
            raise Busy("Somebody records all the time.")
        return publish(league_id, now)

    monkeypatch.setattr(heads, "publish_head", busy)
    assert [head.league_id for head in heads.publish_heads()] == [second.pk]
