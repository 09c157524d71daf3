"""Every night a backup is made, restored beside the site, compared, and verified in part."""

import logging
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from league import tasks
from league.models import Drill, Rating
from league.selectors.backups import backup_state, newest_drills
from league.services.backup import drill, verified
from league.services.backup.make import database_of
from league.services.backup.postgres import DRILL, Postgres, named
from league.services.backup.problems import BackupProblem
from tests.helpers.backup_builders import club, programs_of_the_server
from tests.helpers.builders import make_league
from tests.helpers.ladder_builders import clock

#: A night, before and after its drill is due.
EARLY, DUE = datetime(2026, 11, 22, 2, 29, tzinfo=UTC), datetime(2026, 11, 22, 2, 30, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Say where backups are made every night."""
    settings.RUNGS_BACKUP_DIR = str(tmp_path / "kept")
    if connection.vendor == "postgresql":
        monkeypatch.setenv("PATH", programs_of_the_server())
    return tmp_path / "kept"


def asked() -> list[str]:
    """Return the messages that the sweep sends of a drill that is due."""
    with patch("league.queue.enqueue") as enqueued:
        drill.enqueue_drill()
    return [call.args[0] for call in enqueued.call_args_list]


@pytest.mark.slow("A whole night of backups.")
@pytest.mark.django_db(transaction=True)
def test_a_night(folder: Path, caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    caplog.set_level(logging.INFO)
    club()
    Rating.objects.update(peak=9999.0)
    settings.RUNGS_BACKUP_VERIFIED = 0
    assert tasks.back_up() is True
    assert tasks.back_up() is False
    (first,) = newest_drills(1)
    assert (first.state, first.problem, first.attempts) == ("good", "", 1)
    settings.RUNGS_BACKUP_VERIFIED = 5
    with pytest.raises(CommandError, match="The rating of anna says peak 9"):
        call_command("drill")
    (bad,) = newest_drills(5)
    assert (bad.pk, bad.state) == (first.pk, "bad")
    assert bad.result
    assert (bad.result["leagues"], bad.result["games"], bad.result["verified"]) == (1, 3, ["club"])
    assert set(bad.result["seconds"]) == {"backup", "trial"}
    assert "is bad: " in caplog.text
    # Nothing is left of the trial, and of the backups both: what is bad deletes no other.
    assert len(list(folder.iterdir())) == 2
    database = database_of()
    assert not isinstance(database, Postgres) or not database.exists(named(database.name, "_drill"))


@pytest.mark.django_db(transaction=True)
def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str], settings: Any) -> None:
    settings.RUNGS_BACKUP_VERIFIED = 0
    call_command("drill")
    (done,) = newest_drills(1)
    assert capsys.readouterr().out.startswith(f"{done.backup} was restored and is good: ")
    with patch("league.management.commands.drill.try_tonight", return_value=False), pytest.raises(CommandError):
        call_command("drill")
    settings.RUNGS_BACKUP_DIR = ""
    with pytest.raises(CommandError, match="RUNGS_BACKUP_DIR is not set"):
        call_command("drill")


@pytest.mark.django_db(transaction=True)
def test_a_database_of_that_name_that_is_somebody_elses_stays(folder: Path) -> None:
    database = database_of()
    if not isinstance(database, Postgres):
        return
    name = named(database.name, "_drill")
    database.create(name)
    try:
        with pytest.raises(BackupProblem, match="is not a drill's own"):
            database.drop_drill(name)
        with database.maintenance() as there:
            there.execute(f"COMMENT ON DATABASE {name} IS '{DRILL.replace(chr(39), chr(39) * 2)}'".encode())
        database.drop_drill(name)
        assert not database.exists(name)
    finally:
        database.drop(name)


@pytest.mark.django_db
def test_it_is_due_once_a_night_from_half_past_two(folder: Path, settings: Any) -> None:
    with clock(EARLY):
        Drill.objects.create(night=date(2026, 11, 21), state="good", ended_at=EARLY)
        assert asked() == []
    with clock(DUE):
        assert asked() == ["league.backup"]
        Drill.objects.create(night=date(2026, 11, 22), state="bad", ended_at=DUE)
        assert asked() == []
    with clock(DUE + timedelta(days=1)):
        assert asked() == ["league.backup"]
        settings.RUNGS_BACKUP_DIR = ""
        assert asked() == []
        assert drill.try_tonight() is False


@pytest.mark.django_db
def test_one_worker_has_a_night_and_a_dead_ones_is_taken_up(folder: Path) -> None:
    night = date(2026, 11, 22)
    first = drill.claim(night, DUE)
    assert first is not None
    assert (first.attempts, str(first)) == (1, "2026-11-22: running")
    with clock(DUE + timedelta(seconds=30)):
        assert drill.claim(night, timezone.now()) is None
        assert asked() == []
        Drill.objects.update(beat_at=DUE - timedelta(seconds=31))
        assert asked() == ["league.backup"]
        second = drill.claim(night, timezone.now())
    assert second is not None
    assert second.attempts == 2
    Drill.objects.update(attempts=3, beat_at=DUE)
    with clock(DUE + timedelta(minutes=5)):
        assert drill.try_tonight()
        (given_up,) = newest_drills(1)
        assert (given_up.state, given_up.problem) == (
            "bad",
            "It was taken up 3 times, and its worker died each time.",
        )


@pytest.mark.django_db(transaction=True)
def test_what_fails_is_kept_in_words(folder: Path, settings: Any) -> None:
    folder.parent.joinpath("file").write_text("")
    settings.RUNGS_BACKUP_DIR = str(folder.parent / "file")
    assert drill.try_tonight()
    (bad,) = newest_drills(1)
    assert bad.state == "bad"
    assert bad.problem.startswith("No backup was made in ")
    with (
        patch.object(drill.Trial, "run", side_effect=ZeroDivisionError),
        pytest.raises(ZeroDivisionError),
    ):
        drill.try_tonight(again=True)
    assert Drill.objects.get().problem == "A fault of the program, which the worker's log tells."


@pytest.mark.django_db(transaction=True)
def test_a_worker_shows_that_it_lives(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    from django.db import DatabaseError

    monkeypatch.setattr(drill, "BEAT", 0.01)
    taken = drill.claim(date(2026, 11, 22), DUE)
    assert taken is not None
    alive = drill.Alive(taken)
    with alive:
        for _ in range(500):
            beat = Drill.objects.get().beat_at
            assert beat is not None
            if beat > DUE:
                break
            alive.stop.wait(0.01)
        else:
            pytest.fail("no sign of life")
    with patch.object(Drill.objects, "filter", side_effect=DatabaseError("gone")):
        alive.sign()
    assert "could not say that it lives: gone" in caplog.text


def test_all_leagues_take_their_turn(settings: Any) -> None:
    settings.RUNGS_BACKUP_VERIFIED = 2
    slugs = ["a", "b", "c", "d", "e"]
    nights = [drill.in_turn(slugs, date(2026, 11, 20) + timedelta(days=day)) for day in range(5)]
    assert sorted(slug for night in nights for slug in night) == sorted(slugs * 2)
    assert drill.in_turn(["a"], date(2026, 11, 20)) == ["a"]
    assert drill.in_turn([], date(2026, 11, 20)) == []


def test_a_verification_that_does_not_end_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verified, "PATIENCE", 0.001)
    state, said = verified.verify_copy("sqlite:////nowhere/none.sqlite3", "club")
    assert (state, said) == ("differs", ["The verification of club did not end within 0.001 seconds."])


@pytest.mark.django_db
def test_what_is_told_of_backups(settings: Any) -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    state = backup_state(now)
    assert (state.wanted, state.last, state.good_at, state.age, state.failing) == (False, None, None, None, False)
    settings.RUNGS_BACKUP_DIR = "/kept"
    Drill.objects.create(night=date(2026, 11, 21), state="good", ended_at=now - timedelta(hours=33))
    bad = Drill.objects.create(night=date(2026, 11, 22), state="bad", ended_at=now - timedelta(hours=9))
    Drill.objects.create(night=date(2026, 11, 23), state="running")
    state = backup_state(now)
    assert (state.wanted, state.last, state.age, state.failing) == (True, bad, 33 * 3600.0, True)


@pytest.mark.django_db
def test_staff_alone_see_backups_on_the_status_page(settings: Any) -> None:
    make_league()
    when = datetime(2026, 11, 22, 2, 41, tzinfo=UTC)
    good = {"leagues": 1, "games": 3, "entries": 9, "bytes": 1_234_567, "verified": ["club"], "differences": []}
    Drill.objects.create(night=date(2026, 11, 21), state="good", ended_at=when, backup="rungs-a", result=good)
    Drill.objects.create(night=date(2026, 11, 22), state="bad", ended_at=when, problem="The disk <b>is</b> full.")
    Drill.objects.create(night=date(2026, 11, 23), state="running", started_at=when)
    stranger, staff, member = Client(), Client(), Client()
    staff.force_login(User.objects.create_user("stan", is_staff=True))
    member.force_login(User.objects.create_user("mia"))
    for browser in (stranger, member):
        page = browser.get("/status/").content.decode()
        assert "ackup" not in page
        assert "rungs-a" not in page
    page = staff.get("/status/").content.decode()
    assert "No backup is made by itself: RUNGS_BACKUP_DIR is not set." in page
    assert "rungs-a" in page
    assert "1.2 MB" in page
    assert "The disk &lt;b&gt;is&lt;/b&gt; full." in page
    settings.RUNGS_BACKUP_DIR = "/kept"
    assert "RUNGS_BACKUP_DIR" not in staff.get("/status/").content.decode()
    assert "ackup" not in stranger.get("/status.json").content.decode()
    Drill.objects.all().delete()
    assert "No backup was made yet." in staff.get("/status/").content.decode()
