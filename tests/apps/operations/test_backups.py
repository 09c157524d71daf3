"""A backup of the whole site: one state while games are recorded, proved by restoring and verifying it."""

import logging
import os
import shutil
import sqlite3
import stat
import subprocess
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from league.apps.operations import tasks as backup_tasks
from league.apps.operations.selectors.backups import BAD, GOOD, BackupState, load_backup_state
from league.apps.operations.services import backup
from league.apps.operations.services import nightly_backup as nightly
from league.apps.operations.services.backup import Backup, BackupProblem, BackupRunning, make_backup
from league.models import Game, League, Rating, Sign
from tests.helpers.backup_builders import Recorder, club, programs_of_the_server
from tests.helpers.builders import make_league
from tests.helpers.ladder_builders import clock

#: A night, before and after its backup is due.
EARLY, DUE = datetime(2026, 11, 22, 2, 29, tzinfo=UTC), datetime(2026, 11, 22, 2, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let the programs of the test's own PostgreSQL be found; only slow tests verify, which compiles."""
    if connection.vendor == "postgresql":
        monkeypatch.setenv("PATH", programs_of_the_server())
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(backup, "VERIFY_COMMAND", ["true"])


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """Return the folder of the nightly backups."""
    settings.RUNGS_BACKUP_DIR = str(tmp_path / "kept")
    return tmp_path / "kept"


def names(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def games_in(path: Path) -> int:
    """Return how many games a backup has, read with the plain tools of its engine."""
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(path)) as file:
            (count,) = file.execute("SELECT count(*) FROM league_game").fetchone()
            return int(count)
    command = ["pg_restore", "--data-only", "--table=league_game", "--file=-", str(path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return printed.split("FROM stdin;\n", 1)[1].split("\\.\n", 1)[0].count("\n")


def scratch_databases() -> list[str]:
    """Return the scratch databases that the server has."""
    if connection.vendor == "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE 'backup%' || current_database()")
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.django_db(transaction=True)
def test_a_site_is_backed_up_and_the_copy_proved(tmp_path: Path) -> None:
    league = club(games=5)
    made = make_backup(tmp_path / "kept")
    league.refresh_from_db()
    assert (made.leagues, made.entries) == (1, league.log_length)
    assert names(tmp_path / "kept") == [made.path.name]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (made.path, made.path.parent)} == {0o700, 0o600}
    assert games_in(made.path) == 5
    assert scratch_databases() == []


@pytest.mark.slow("Records while a backup is written.")
@pytest.mark.django_db(transaction=True)
def test_what_was_acknowledged_before_is_in_it_and_what_is_recorded_meanwhile_does_no_harm(tmp_path: Path) -> None:
    clerks = [Recorder(league) for league in (club(), club("second"))]
    for clerk in clerks:
        clerk.start()
    try:
        time.sleep(0.3)
        before = 6 + sum(clerk.acknowledged for clerk in clerks)
        made = make_backup(tmp_path)
    finally:
        for clerk in clerks:
            clerk.enough.set()
            clerk.join(60)
    assert before <= games_in(made.path) < Game.objects.count()


@pytest.mark.slow("Verifies the copy.")
@pytest.mark.django_db(transaction=True)
def test_a_copy_with_a_wrong_rating_is_not_proved(tmp_path: Path) -> None:
    club()
    Rating.objects.update(peak=9999.0)
    with pytest.raises(BackupProblem, match=r"(?s)unproved\.\w+ is not proved: .*The rating of anna is peak 9999"):
        make_backup(tmp_path)
    assert names(tmp_path) == [f"unproved.{'sqlite3' if connection.vendor == 'sqlite' else 'dump'}"]
    assert scratch_databases() == []


@pytest.mark.django_db(transaction=True)
def test_a_copy_that_lacks_the_newest_games_is_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables lack them alike, so ``verify`` alone would find it right."""
    club()
    earlier = make_backup(tmp_path / "earlier").path
    last = club("second")
    monkeypatch.setattr(backup, "copy_database", lambda target: shutil.copyfile(earlier, target))
    last.refresh_from_db()
    sentence = f"the log of second has 0 entries in it, and had {last.log_length}"
    with pytest.raises(BackupProblem, match=sentence):
        make_backup(tmp_path / "kept")
    assert not list((tmp_path / "kept").glob("rungs-*"))


@pytest.mark.django_db(transaction=True)
def test_a_copy_that_is_damaged_on_its_way_to_the_disk_is_not_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club()

    def damaged(target: Path) -> None:
        copy_database(target)
        content = target.read_bytes()
        # The first page, and pages in the middle of tables: whatever is read is broken.
        target.write_bytes(content[:200] + b"\xff" * (len(content) - 400) + content[-200:])

    copy_database = backup.copy_database
    monkeypatch.setattr(backup, "copy_database", damaged)
    with pytest.raises(BackupProblem, match=r"is not proved: SQLite|pg_restore failed"):
        make_backup(tmp_path)
    assert not list(tmp_path.glob("rungs-*"))
    assert scratch_databases() == []


@pytest.mark.django_db(transaction=True)
def test_the_newest_stay(tmp_path: Path) -> None:
    for name in ("rungs-20261120T020000Z.dump", "rungs-20261121T020000Z.dump", "rungs-20261121T020000Z.dump.age"):
        (tmp_path / name).write_text("")
    made = make_backup(tmp_path, keep=2)
    kept = ["rungs-20261121T020000Z.dump", "rungs-20261121T020000Z.dump.age", made.path.name]
    assert names(tmp_path) == kept


@pytest.mark.django_db(transaction=True)
def test_no_copy_is_for_other_accounts_while_it_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club()
    tmp_path.chmod(0o755)
    seen: dict[str, int] = {}
    prove = backup.run_program

    def looked(*arguments: Any, **options: Any) -> None:
        seen.update({path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()})
        prove(*arguments, **options)

    monkeypatch.setattr(backup, "run_program", looked)
    make_backup(tmp_path)
    assert set(seen.values()) == {0o600}
    assert any(name.startswith("unproved.") for name in seen)


@pytest.mark.django_db(transaction=True)
def test_what_is_left_of_a_bad_backup_takes_no_room_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = "sqlite3" if connection.vendor == "sqlite" else "dump"
    (tmp_path / f"unproved.{ending}").write_text("of yesterday")
    monkeypatch.setattr(backup, "check_free_space", lambda folder: seen.append(names(folder)))
    seen: list[list[str]] = []
    make_backup(tmp_path)
    assert seen == [[]]


@pytest.mark.django_db(transaction=True)
def test_a_copy_that_breaks_off_is_a_problem_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(backup, "closing", full)
    monkeypatch.setattr(backup, "run_postgresql", full)
    with pytest.raises(BackupProblem, match=r"No backup was made in .*: disk I/O error"):
        make_backup(tmp_path)
    assert names(tmp_path) == []


@pytest.mark.django_db(transaction=True)
def test_two_at_a_time_a_full_disk_and_a_missing_program_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with backup.lock_folder(tmp_path), pytest.raises(BackupRunning, match="Another process is making a backup in"):
        make_backup(tmp_path)
    (tmp_path / "rungs-20261120T020000Z.dump").write_bytes(bytes(1000))
    full = type(shutil.disk_usage(tmp_path))(10**9, 10**9 - backup.RESERVED_BYTES - 2999, backup.RESERVED_BYTES + 2999)
    with (
        patch.object(shutil, "disk_usage", return_value=full),
        pytest.raises(BackupProblem, match=r"has 16\.8 MB free"),
    ):
        make_backup(tmp_path)
    assert names(tmp_path) == ["rungs-20261120T020000Z.dump"]
    with pytest.raises(BackupProblem, match=r"There is no pg_none on PATH: install the client programs"):
        backup.run_program(["pg_none"], os.environ)
    monkeypatch.setattr(backup, "PROGRAM_TIMEOUT", 0.01)
    with pytest.raises(BackupProblem, match=r"sleep did not end within 0\.01 seconds"):
        backup.run_program(["sleep", "5"], os.environ)


@pytest.mark.django_db(transaction=True)
def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: Any) -> None:
    league = club()
    call_command("backup", str(tmp_path / "elsewhere"), "--keep", "1")
    assert not Sign.objects.exists()
    call_command("backup")
    league.refresh_from_db()
    printed = capsys.readouterr().out
    assert f": 1 league, {league.log_length} entries of logs, " in printed
    assert len(list(folder.glob("rungs-*"))) == len(list((tmp_path / "elsewhere").glob("rungs-*"))) == 1
    assert load_backup_state().good_at is not None
    with pytest.raises(CommandError, match="No backup was made in"):
        call_command("backup", os.devnull)
    with pytest.raises(CommandError, match="--keep must be"):
        call_command("backup", str(tmp_path), "--keep", "-1")
    settings.RUNGS_BACKUP_DIR = ""
    with pytest.raises(CommandError, match="Name a folder, or set RUNGS_BACKUP_DIR"):
        call_command("backup")


def asked() -> list[str]:
    """Return the messages that the sweep sends of a backup that is due."""
    with patch("league.core.jobs.queue.enqueue") as enqueued:
        nightly.enqueue_backup()
    return [call.args[0] for call in enqueued.call_args_list]


@pytest.mark.django_db
def test_a_worker_makes_it_every_night(folder: Path, caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    Sign.objects.create(name=GOOD, at=DUE - timedelta(days=1))
    with clock(EARLY):
        assert asked() == [] and not backup_tasks.back_up()
    with clock(DUE):
        assert asked() == ["league.backup"]
        assert asked() == [], "asked a moment ago"
    with clock(DUE + timedelta(hours=1)):
        assert asked() == ["league.backup"], "the worker has died"
        with patch.object(nightly, "make_backup", side_effect=BackupRunning("Another one.")):
            assert not backup_tasks.back_up()
        assert not load_backup_state().failing
        with patch.object(nightly, "make_backup", return_value=Backup(folder, 0, 0)) as made:
            assert backup_tasks.back_up()
            assert not backup_tasks.back_up(), "it is made already"
        made.assert_called_once_with(folder, keep=14)
    with clock(DUE + timedelta(days=1)):
        caplog.set_level(logging.ERROR)
        with patch.object(nightly, "make_backup", side_effect=BackupProblem("No room.")):
            assert not backup_tasks.back_up()
        assert "The nightly backup failed: No room." in caplog.text
        assert asked() == [], "the next attempt is tomorrow's"
    assert load_backup_state() == BackupState(True, DUE + timedelta(hours=1), True)
    settings.RUNGS_BACKUP_DIR = ""
    with clock(DUE + timedelta(days=2)):
        assert asked() == [] and not backup_tasks.back_up()


@pytest.mark.django_db
def test_staff_alone_see_backups_on_the_status_page(settings: Any) -> None:
    make_league()
    stranger, staff, member = Client(), Client(), Client()
    staff.force_login(User.objects.create_user("stan", is_staff=True))
    member.force_login(User.objects.create_user("mia"))
    page = staff.get("/status/").content.decode()
    assert "Automatic backups are off: RUNGS_BACKUP_DIR is not set." in page
    assert "No good backup yet." in page
    settings.RUNGS_BACKUP_DIR = "/kept"
    Sign.objects.create(name=GOOD, at=DUE - timedelta(days=1))
    page = staff.get("/status/").content.decode()
    assert "RUNGS_BACKUP_DIR" not in page and "Last good backup: " in page
    assert "The last attempt failed; see the worker's log." not in page
    Sign.objects.create(name=BAD, at=DUE)
    assert "The last attempt failed; see the worker's log." in staff.get("/status/").content.decode()
    for browser in (stranger, member):
        assert "ackup" not in browser.get("/status/").content.decode()
    assert "ackup" not in stranger.get("/status.json").content.decode()
    assert League.objects.count() == 1
