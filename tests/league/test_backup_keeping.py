"""Which backups are kept, what is said of differences, and which of PostgreSQL's programs are found."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from league.services.backup import programs
from league.services.backup.keep import backups_in, clear_away, keep_by_calendar, keep_newest
from league.services.backup.manifest import Facts, differences
from league.services.backup.problems import BackupProblem


def made(folder: Path, *moments: datetime) -> None:
    """Let there be backups that were made at these moments."""
    for moment in moments:
        path = folder / f"rungs-{moment:%Y%m%dT%H%M%SZ}"
        path.mkdir()
        (path / "manifest.json").write_text("{}")


def names(folder: Path) -> list[str]:
    """Return the days and hours of the backups that are there."""
    return [path.name[6:17] for path in backups_in(folder)]


def test_the_newest_are_kept(tmp_path: Path) -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    made(tmp_path, *(noon + timedelta(days=day) for day in range(4)))
    (tmp_path / "rungs-20261120T120000Z-2").mkdir()
    (tmp_path / "rungs-20261120T120000Z-2" / "manifest.json").write_text("{}")
    (tmp_path / "rungs-20261119T120000Z").mkdir()  # without a manifest it is nobody's backup
    (tmp_path / "letters").mkdir()
    assert [path.name for path in keep_newest(tmp_path, 3)] == ["rungs-20261120T120000Z", "rungs-20261120T120000Z-2"]
    assert names(tmp_path) == ["20261121T12", "20261122T12", "20261123T12"]
    assert keep_newest(tmp_path, 3) == []
    assert {path.name for path in tmp_path.iterdir()} >= {"letters", "rungs-20261119T120000Z"}


def test_seven_days_four_weeks_and_twelve_months_are_kept(tmp_path: Path) -> None:
    # Every night of 2025 and until 22 November 2026, a Sunday.
    first = datetime(2025, 1, 1, 2, 30, tzinfo=UTC)
    last = datetime(2026, 11, 22, 2, 30, tzinfo=UTC)
    made(tmp_path, *(first + timedelta(days=day) for day in range((last - first).days + 1)))
    keep_by_calendar(tmp_path)
    months = ["20251231", "20260131", "20260228", "20260331", "20260430", "20260531", "20260630", "20260731"]
    months += ["20260831", "20260930", "20261031"]
    # Sundays end weeks: of 1, 8, 15 and 22 November; the days are those of the 16th to the 22nd.
    days = ["20261101", "20261108", "20261115", *(f"202611{day}" for day in range(16, 23))]
    assert [name[:8] for name in names(tmp_path)] == [*months, *days]
    assert keep_by_calendar(tmp_path) == []


def test_of_one_day_the_newest_is_kept(tmp_path: Path) -> None:
    day = datetime(2026, 11, 20, tzinfo=UTC)
    made(tmp_path, *(day + timedelta(hours=hour) for hour in (3, 9, 1)))
    keep_by_calendar(tmp_path)
    assert names(tmp_path) == ["20261120T09"]


def test_what_a_killed_process_left_is_cleared_away_after_a_day(tmp_path: Path) -> None:
    for name in (".making-1-2", ".going-rungs-3"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "database.dump").write_text("half")
    clear_away(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    clear_away(tmp_path, now=lambda: time.time() + 25 * 3600)
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_difference_is_said() -> None:
    def league(slug: str, entries: int) -> dict[str, object]:
        return {"slug": slug, "entries": entries, "head": "aa", "games": 1}

    wanted = Facts(["league.0001", "league.0002"], [league("a", 1), league("b", 1)], {"x": 1, "y": 2})
    found = Facts(["league.0001", "league.0003"], [league("b", 2), league("c", 1)], {"y": 3, "z": 1})
    assert differences(wanted, found) == [
        "The migration league.0002 is missing.",
        "The migration league.0003 is there, but not in the backup.",
        "The league a is missing.",
        "The league c is there, but not in the backup.",
        "The league b has entries 2; the backup says 1.",
        "The table x has no rows; the backup says 1.",
        "The table y has 3 rows; the backup says 2.",
        "The table z has 1 rows; the backup says none.",
    ]
    assert differences(wanted, wanted) == []
    many = Facts([], [], {f"t{number:02}": 1 for number in range(25)})
    said = differences(many, Facts([], [], {}))
    assert (len(said), said[-1]) == (21, "And 5 more differences.")


def program(folder: Path, name: str, text: str) -> Path:
    """Write a program that says a version."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_program_that_is_new_enough_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = program(tmp_path / "path", "pg_dump", "echo 'pg_dump (PostgreSQL) 14.9 (Debian 14.9-1)'")
    program(tmp_path / "debian/9/bin", "pg_dump", "echo 'pg_dump (PostgreSQL) 9.6.1'")
    new = program(tmp_path / "debian/17/bin", "pg_dump", "echo 'pg_dump (PostgreSQL) 17beta2'")
    program(tmp_path / "debian/18/bin", "pg_restore", "exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}{os.pathsep}/usr/bin:/bin")
    monkeypatch.setattr(programs, "DEBIAN", tmp_path / "debian")
    monkeypatch.setattr(programs, "candidates", own(programs.candidates, tmp_path))
    assert programs.find_program("pg_dump", 14) == (str(old), "14.9")
    assert programs.find_program("pg_dump", 16) == (str(new), "17beta2")
    with pytest.raises(BackupProblem, match=r"18 needs a pg_dump of at least that version; .*/pg_dump is 14\.9"):
        programs.find_program("pg_dump", 18)
    with pytest.raises(BackupProblem, match=r"is no program that says its version\. Install the client programs"):
        programs.find_program("pg_restore", 15)
    with pytest.raises(BackupProblem, match=r"There is no pg_nothing on PATH\. Install the client programs of Postgre"):
        programs.find_program("pg_nothing", 15)
    assert programs.version_of(str(tmp_path / "none")) == (0, "")


def own(candidates: object, folder: Path) -> object:
    """Leave aside the programs of this machine."""
    return lambda name: [path for path in candidates(name) if path.startswith(str(folder))]  # type: ignore[operator]


def test_what_a_program_says_is_passed_on(tmp_path: Path) -> None:
    programs.run([str(program(tmp_path, "well", "exit 0"))], {})
    with pytest.raises(BackupProblem, match="bad failed: no such thing"):
        programs.run([str(program(tmp_path, "bad", "echo 'no such thing' >&2; exit 2"))], {})
    with pytest.raises(BackupProblem, match="silent failed: it ended with 3"):
        programs.run([str(program(tmp_path, "silent", "exit 3"))], {})
