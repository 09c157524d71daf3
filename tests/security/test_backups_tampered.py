"""A backup that somebody changed, who can write where backups are kept: nothing of it gets in unseen."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from league.models import League
from league.services.backup.bring_back import bring_site_back
from league.services.backup.make import Database, make_backup
from league.services.backup.manifest import MANIFEST
from league.services.backup.problems import BackupProblem
from league.services.backup.sqlite import Sqlite
from tests.helpers.backup_builders import beside, club, programs_of_the_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """Return where another site may stand."""
    if connection.vendor == "postgresql":
        monkeypatch.setenv("PATH", programs_of_the_server())
    with beside(tmp_path, "tampered") as database:
        yield database


def tampered(path: Path, change: Any) -> None:
    """Change what a backup says of itself."""
    shape = json.loads((path / MANIFEST).read_text())
    change(shape)
    (path / MANIFEST).write_text(json.dumps(shape))


@pytest.mark.one_database("A dump of PostgreSQL is one file, which its programs read.")
def test_what_lies_beside_a_copy_is_not_taken_in(tmp_path: Path, other: Database) -> None:
    """A journal that SQLite would roll back writes other pages into a file whose checksum was right a moment ago."""
    assert isinstance(other, Sqlite)
    club()
    backup = make_backup(tmp_path / "kept")
    copy, made_up = backup.path / other.file, tmp_path / "made-up.sqlite3"
    journal = "made-up.sqlite3-journal"
    shutil.copy(copy, made_up)
    with closing(sqlite3.connect(made_up, isolation_level=None)) as there:
        there.execute("UPDATE league_league SET title = 'Taken over'")
        there.execute("PRAGMA synchronous = OFF")
        there.execute("BEGIN IMMEDIATE")
        there.execute("UPDATE league_league SET title = 'Club'")
        shutil.copy(tmp_path / journal, backup.path / f"{other.file}-journal")
        there.execute("ROLLBACK")
    before = copy.read_bytes()
    bring_site_back(backup.path, database=other)
    with closing(sqlite3.connect(other.path)) as file:
        assert file.execute("SELECT title FROM league_league").fetchall() == [(League.objects.get().title,)]
    assert copy.read_bytes() == before, "nothing is written into a backup"


def test_a_manifest_is_held_to_the_sum_that_was_kept_elsewhere(tmp_path: Path, other: Database) -> None:
    club()
    backup = make_backup(tmp_path / "kept")
    kept = hashlib.sha256((backup.path / MANIFEST).read_bytes()).hexdigest()
    tampered(backup.path, lambda shape: shape.update(rungs="1.0"))
    with pytest.raises(BackupProblem, match="has another SHA-256 than the one that you gave"):
        bring_site_back(backup.path, sha256=kept, database=other)
    assert not other.has_data()
    found = hashlib.sha256((backup.path / MANIFEST).read_bytes()).hexdigest()
    bring_site_back(backup.path, sha256=found.upper(), database=other)
    assert other.has_data()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda shape: shape.update(files={}), "says nothing of database"),
        (lambda shape: shape.update(files=None), "cannot be read as the manifest"),
        (lambda shape: shape["facts"].update(migrations=5), "cannot be read as the manifest"),
        (lambda shape: shape["facts"].update(rows=[]), "cannot be read as the manifest"),
    ],
)
def test_a_manifest_that_leaves_out_what_is_checked_is_refused(
    tmp_path: Path, other: Database, change: Any, sentence: str
) -> None:
    club()
    backup = make_backup(tmp_path / "kept")
    tampered(backup.path, change)
    with pytest.raises(BackupProblem, match=sentence):
        bring_site_back(backup.path, database=other)
    assert not other.has_data()
