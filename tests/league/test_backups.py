"""A backup of the whole site: one state while games are recorded, whole or not there, brought back and compared."""

import json
import os
import shutil
import sqlite3
import stat
import tarfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from league.models import Game, League, LogEntry
from league.services.backup import make
from league.services.backup.bring_back import bring_site_back
from league.services.backup.make import Backup, Database, database_of, make_backup
from league.services.backup.manifest import MANIFEST, read_manifest
from league.services.backup.postgres import Postgres
from league.services.backup.problems import BackupProblem
from league.services.backup.secrets import bring_secrets
from league.services.backup.verified import verify_copy
from tests.helpers.backup_builders import Recorder, beside, club, programs_of_the_server

# Asking for the programs needs no server, so SQLite's tests may run where there are none.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("programs")]


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the programs of the test's own PostgreSQL be found."""
    if connection.vendor == "postgresql":
        monkeypatch.setenv("PATH", programs_of_the_server())


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Database]:
    """Return where another site may stand."""
    with beside(tmp_path, "other") as database:
        yield database


def address(database: Database) -> str:
    """Return a database's address for Django."""
    return database.address(database.name) if isinstance(database, Postgres) else f"sqlite:///{database.name}"


def slugs(database: Database) -> set[str]:
    """Return the leagues of a site."""
    if isinstance(database, Postgres):
        with database.connect(database.name) as there:
            return {slug for (slug,) in there.execute("SELECT slug FROM league_league")}
    with closing(sqlite3.connect(database.path)) as file:
        return {slug for (slug,) in file.execute("SELECT slug FROM league_league")}


def tampered(backup: Backup, change: Any) -> None:
    """Change what a backup says of itself."""
    path = backup.path / MANIFEST
    shape = json.loads(path.read_text())
    change(shape)
    path.write_text(json.dumps(shape))


def test_a_site_is_backed_up_and_brought_back(tmp_path: Path, other: Database) -> None:
    league = club(games=5)
    backup = make_backup(tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [backup.path.name]
    assert {path.name for path in backup.path.iterdir()} == {MANIFEST, database_of().file}
    assert {stat.S_IMODE(path.stat().st_mode) for path in [backup.path, *backup.path.iterdir()]} == {0o700, 0o600}
    last = LogEntry.objects.order_by("position").last()
    assert last is not None
    league.refresh_from_db()
    told = {"slug": "club", "entries": last.position, "head": last.sha256, "games": 5}
    assert backup.manifest.facts.leagues == [told]
    assert backup.manifest.facts.rows["league_game"] == 5
    assert backup.manifest.engine == connection.vendor
    assert read_manifest(backup.path) == backup.manifest
    done = bring_site_back(tmp_path / "kept", database=other)
    assert (done.old, done.pending, done.said) == ("", [], [])
    assert slugs(other) == {"club"}


@pytest.mark.slow("Records while a backup is written.")
def test_what_was_acknowledged_before_is_in_it_and_no_half_of_what_is_recorded_meanwhile(
    tmp_path: Path, other: Database
) -> None:
    leagues = [club(), club("second")]
    clerks = [Recorder(league) for league in leagues]
    for clerk in clerks:
        clerk.start()
    try:
        backups = []
        for _ in range(3):
            time.sleep(0.3)
            before = [clerk.acknowledged for clerk in clerks]
            backups.append((before, make_backup(tmp_path / "kept")))
    finally:
        for clerk in clerks:
            clerk.enough.set()
            clerk.join(60)
    for before, backup in backups:
        games = [league["games"] for league in backup.manifest.facts.leagues]
        assert all(there >= 3 + answered for there, answered in zip(games, before, strict=True)), (games, before)
        assert backup.manifest.facts.rows["league_game"] == sum(games)
        assert backup.manifest.facts.rows["league_logentry"] == backup.manifest.facts.entries
    assert Game.objects.count() > sum(games)
    bring_site_back(backups[0][1].path, database=other)
    assert verify_copy(address(other), "club") == ("right", [])


def test_a_site_with_data_is_replaced_only_when_told_and_kept(tmp_path: Path, other: Database) -> None:
    league = club()
    first = make_backup(tmp_path / "kept")
    bring_site_back(first.path, database=other)
    league.refresh_from_db()
    with pytest.raises(BackupProblem, match=r"holds a site: --replace puts the backup in its place"):
        bring_site_back(first.path, database=other)
    club("second")
    second = make_backup(tmp_path / "kept")
    done = bring_site_back(tmp_path / "kept", replace=True, database=other)
    assert done.backup.path == second.path
    assert slugs(other) == {"club", "second"}
    if isinstance(other, Postgres):
        assert other.exists(done.old)
        with other.connect(done.old) as old:
            assert old.execute("SELECT slug FROM league_league").fetchall() == [("club",)]
    else:
        assert Path(done.old).is_file()


def test_a_site_in_use_is_not_replaced(tmp_path: Path, other: Database) -> None:
    club()
    backup = make_backup(tmp_path / "kept")
    bring_site_back(backup.path, database=other)
    if isinstance(other, Postgres):
        with other.connect(other.name), pytest.raises(BackupProblem, match=r"1 connections to .* stop the site first"):
            bring_site_back(backup.path, replace=True, database=other)
        return
    user = sqlite3.connect(other.path)
    user.execute("PRAGMA journal_mode=WAL")
    user.execute("SELECT count(*) FROM league_game").fetchall()
    with pytest.raises(BackupProblem, match=r"is in use .*: stop the site first\. Nothing was changed"):
        bring_site_back(backup.path, replace=True, database=other)
    user.close()
    assert [path.name for path in tmp_path.glob("other*")] == ["other.sqlite3"]


def test_a_broken_database_gives_way_when_told(tmp_path: Path, other: Database) -> None:
    if isinstance(other, Postgres):
        other.create(other.name)  # empty: it is filled as it is
    else:
        other.path.write_bytes(b"no database at all" * 100)
    club()
    backup = make_backup(tmp_path / "kept")
    if not isinstance(other, Postgres):
        with pytest.raises(BackupProblem, match="holds a site"):
            bring_site_back(backup.path, database=other)
    done = bring_site_back(backup.path, replace=True, database=other)
    assert bool(done.old) != isinstance(other, Postgres)
    assert slugs(other) == {"club"}


def test_a_file_that_is_not_what_it_was_is_not_restored(tmp_path: Path, other: Database) -> None:
    club()
    backup = make_backup(tmp_path / "kept")
    copy = backup.path / other.file
    data = bytearray(copy.read_bytes())
    data[len(data) // 2] ^= 1
    copy.write_bytes(data)
    with pytest.raises(BackupProblem, match="is not the file that was backed up: its SHA-256 differs"):
        bring_site_back(backup.path, database=other)
    copy.unlink()
    with pytest.raises(BackupProblem, match="is missing: this backup is not whole"):
        bring_site_back(backup.path, database=other)
    assert not other.has_data()


def test_a_backup_that_says_something_else_of_itself_is_not_put_in_place(tmp_path: Path, other: Database) -> None:
    club()
    backup = make_backup(tmp_path / "kept")
    bring_site_back(backup.path, database=other)

    def lie(shape: dict[str, Any]) -> None:
        shape["facts"]["leagues"][0]["head"] = "0" * 64
        shape["facts"]["rows"]["league_game"] = 4

    tampered(backup, lie)
    with pytest.raises(BackupProblem, match=r"The league club has head .*The table league_game has 3 rows; the"):
        bring_site_back(backup.path, replace=True, database=other)
    assert slugs(other) == {"club"}


def test_a_backup_of_a_newer_version_or_another_engine_is_refused_and_an_older_one_told(
    tmp_path: Path, other: Database
) -> None:
    backup = make_backup(tmp_path / "kept")
    tampered(backup, lambda shape: shape["facts"]["migrations"].append("league.9999_coming"))
    with pytest.raises(BackupProblem, match=r"of a newer Rungs: .* league\.9999_coming\. Take that version"):
        bring_site_back(backup.path, database=other)
    tampered(backup, lambda shape: shape.update(engine="oracle"))
    with pytest.raises(BackupProblem, match="The backup is of oracle, and DATABASE_URL names"):
        bring_site_back(backup.path, database=other)


def test_a_tar_or_a_manifest_is_a_backup_too(tmp_path: Path, other: Database) -> None:
    club()
    backup = make_backup(tmp_path / "kept")
    packed = tmp_path / "site.tar"
    with tarfile.open(packed, "w") as tar:
        tar.add(backup.path, arcname=backup.path.name)
    shutil.rmtree(tmp_path / "kept")
    bring_site_back(packed, database=other)
    assert slugs(other) == {"club"}


LINKED = tarfile.TarInfo("rungs/manifest.json")
LINKED.type, LINKED.linkname = tarfile.SYMTYPE, "/etc/passwd"


@pytest.mark.parametrize("member", [LINKED, tarfile.TarInfo("../manifest.json"), tarfile.TarInfo("/manifest.json")])
def test_a_tar_that_reaches_out_of_its_folder_is_refused(
    tmp_path: Path, other: Database, member: tarfile.TarInfo
) -> None:
    with tarfile.open(tmp_path / "site.tar", "w") as tar:
        tar.addfile(member)
    with pytest.raises(BackupProblem, match=f"“{member.name}” is no file or folder of its own"):
        bring_site_back(tmp_path / "site.tar", database=other)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("none", None, "There is no "),
        ("empty", "", "holds no backup"),
        ("site.tar", "no tar", "cannot be read as a tar file"),
        ("a/manifest.json", "[]", "cannot be read as the manifest"),
        ("a/manifest.json", '{"format": "rungs-backup", "version": 2}', "is of another format"),
    ],
)
def test_what_is_no_backup_is_said(tmp_path: Path, other: Database, name: str, text: str | None, sentence: str) -> None:
    path = tmp_path / name
    if text == "":
        path.mkdir()
    elif text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with pytest.raises(BackupProblem, match=sentence):
        bring_site_back(path, database=other)


def test_a_full_disk_is_seen_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club()
    kept = tmp_path / "kept"
    first = make_backup(kept)
    # Half as much again as the last one, and a spare.
    assert make.wanted_room(kept, database_of()) == first.size * 3 // 2
    assert make.wanted_room(tmp_path / "none", database_of()) == database_of().estimate() > 0
    nothing = type(shutil.disk_usage(tmp_path))(100, 99, 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: nothing)
    with pytest.raises(BackupProblem, match=r"has 0\.0 MB free, and .* are wanted\. Nothing was written"):
        make_backup(kept)
    assert [path.name for path in kept.iterdir()] == [first.path.name]


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(make, "to_disk", full)
    with pytest.raises(BackupProblem, match=r"No backup was made in .*: No space left on device\."):
        make_backup(tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: Any) -> None:
    league = club()
    settings.VAR = tmp_path / "var"
    call_command("backup", str(tmp_path / "kept"))
    said = capsys.readouterr().out
    assert f": 1 league, 3 games, {League.objects.get(pk=league.pk).log_length} entries of logs, " in said
    assert "SHA-256 of manifest.json: " in said
    assert "Not in it: the key that signs heads" in said
    call_command("backup", str(tmp_path / "kept"), "--keep", "1", "--with-secrets")
    assert "Not in it" not in capsys.readouterr().out
    (only,) = (tmp_path / "kept").iterdir()
    secrets = only / "secrets.json"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    kept = json.loads(secrets.read_text())
    assert kept["RUNGS_SECRET_KEY"] == settings.SECRET_KEY
    assert kept["RUNGS_HEAD_KEY"] == (settings.VAR / "head_key.pem").read_text()
    with pytest.raises(CommandError, match="holds a site: --replace"):
        call_command("restore_site", str(tmp_path / "kept"))
    with pytest.raises(CommandError, match="No backup was made"):
        call_command("backup", os.devnull)
    with pytest.raises(CommandError):
        call_command("backup", str(tmp_path / "kept"), "--keep", "0")


def test_the_command_restores_and_says_what_is_to_be_done(
    tmp_path: Path, other: Database, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    club()
    settings.VAR = tmp_path / "var"
    settings.RUNGS_OLD_HEAD_KEYS = ["abc"]
    settings.SECRET_KEY_FALLBACKS = ["an-earlier-secret"]
    backup = make_backup(tmp_path / "kept", secrets=True)
    from league.services.backup import bring_back

    monkeypatch.setattr(bring_back, "database_of", lambda: other)
    call_command("restore_site", str(backup.path))
    said = capsys.readouterr().out
    assert f"Restored {backup.path.name}, made {backup.manifest.made_at}: 1 league, 3 games, " in said
    assert "Next: script/manage verify" in said
    (settings.VAR / "head_key.pem").write_text("another")
    monkeypatch.setenv("RUNGS_SECRET_KEY", "given")
    monkeypatch.setattr(bring_back, "pending_migrations", lambda there: ["league.9999_coming"])
    call_command("restore_site", str(backup.path), "--replace", "--with-secrets")
    said = capsys.readouterr().out
    assert "What stood there before is " in said
    assert "1 migration behind this one. Run script/manage migrate before the site serves." in said
    assert "head_key.pem was written; the other secret that was there is " in said
    assert "RUNGS_SECRET_KEY is set in the environment" in said
    assert "RUNGS_OLD_HEAD_KEYS=abc" in said
    assert "Set RUNGS_OLD_SECRET_KEYS to what secrets.json" in said
    assert "an-earlier-secret" not in said
    assert (settings.VAR / "head_key.pem").read_text() == json.loads((backup.path / "secrets.json").read_text())[
        "RUNGS_HEAD_KEY"
    ]
    assert [path.read_text() for path in settings.VAR.glob("head_key.pem.before-*")] == ["another"]


def test_the_key_of_heads_goes_where_its_setting_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    kept, where = tmp_path / "secrets.json", tmp_path / "keys" / "head_key.pem"
    kept.write_text(
        json.dumps(
            {"RUNGS_HEAD_KEY": "pem", "RUNGS_SECRET_KEY": "s", "RUNGS_OLD_HEAD_KEYS": [], "RUNGS_OLD_SECRET_KEYS": []}
        )
    )
    monkeypatch.setenv("RUNGS_HEAD_KEY", str(where))
    settings.RUNGS_HEAD_KEY = str(where)
    said = bring_secrets(kept, tmp_path / "var", "now")
    assert where.read_text().strip() == "pem"
    assert not (tmp_path / "var" / "head_key.pem").exists()
    assert not [one for one in said if one.startswith("RUNGS_HEAD_KEY is set")]
    # Where it cannot be written, it lies beside the site, and the restore goes on.
    settings.RUNGS_HEAD_KEY = str(kept / "head_key.pem")
    said = bring_secrets(kept, tmp_path / "var", "now")
    assert any(one.startswith(f"{kept / 'head_key.pem'} cannot be written (File exists): move ") for one in said)
    assert (tmp_path / "var" / "head_key.pem").read_text().strip() == "pem"
    assert (tmp_path / "var" / "secret_key").read_text().strip() == "s"
    # A key that the environment holds whole cannot be written there.
    settings.RUNGS_HEAD_KEY = "-----BEGIN PRIVATE KEY-----"
    monkeypatch.setenv("RUNGS_HEAD_KEY", settings.RUNGS_HEAD_KEY)
    said = bring_secrets(kept, tmp_path / "var", "now")
    assert (tmp_path / "var" / "head_key.pem").exists()
    assert [one for one in said if one.startswith("RUNGS_HEAD_KEY is set in the environment and goes before")]


def test_secrets_that_are_not_there_cannot_be_brought(tmp_path: Path, other: Database) -> None:
    backup = make_backup(tmp_path / "kept")
    with pytest.raises(BackupProblem, match="holds no secrets: it was made without"):
        bring_site_back(backup.path, secrets=True, database=other)
