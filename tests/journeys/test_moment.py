"""Coming back to a moment by PostgreSQL's archive of its log, as in docs/operators/point-in-time.md.

A server of its own archives its log, a base backup is made while it runs, a league is recorded; then a
second server is made of the base backup and the archive, up to a moment between two games.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.helpers.sites import ROOT
from tests.postgres import Server, find_binaries

pytestmark = pytest.mark.one_database("a PostgreSQL of its own")

#: Records games through the door that the faces use: python -c RECORDER FIRST COUNT.
RECORDER = """
import sys, django
django.setup()
from datetime import UTC, datetime, timedelta
from league.models import League
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
club = League.objects.get(slug="club")
for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
    results = [NewResult("anna", 1, None), NewResult("ben", 0, None)]
    played_at = datetime(2024, 3, 5, tzinfo=UTC) + timedelta(hours=number)
    record_game(club.pk, NewGame(results=results, played_at=played_at), by="test")
"""
FOUND = """
import django
django.setup()
from league.core.leagues.services.leagues import create_league
from league.core.players.services.players import add_player
create_league("club", "Club", system="elo", parameters={"k": 32}, settings={}, by="test")
for handle in ("anna", "ben"):
    add_player(handle, handle.title())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder through which PostgreSQL's user may pass, with an archive that it may write."""
    path = Path(tempfile.mkdtemp(prefix="rungs-moment-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def run(address: str, *arguments: str) -> str:
    """Run Python with a server's database as the site's."""
    environment = {**os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "league.settings"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def archiving(folder: Path) -> Server:
    """Return a server that archives its log; not started."""
    archive = folder / "archive"
    archive.mkdir(mode=0o777)
    archive.chmod(0o777)
    server = Server(folder / "first" / "postgres", find_binaries())
    server.settings = {
        "wal_level": "replica",
        "archive_mode": "on",
        "archive_command": f"test ! -f {archive}/%f && cp %p {archive}/%f.part && mv {archive}/%f.part {archive}/%f",
        "max_wal_senders": "4",
    }
    return server


def recovered(first: Server, folder: Path, moment: str) -> str:
    """Make a server of the base backup and the archive, as it was at a moment; returns its address."""
    data, sockets = folder / "base", first.folder
    with (data / "postgresql.auto.conf").open("a") as settings:
        settings.write(f"restore_command = 'cp {folder}/archive/%f %p'\n")
        settings.write(f"recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\narchive_mode = 'off'\n")
    (data / "recovery.signal").touch()
    os.chown(data / "recovery.signal", data.stat().st_uid, data.stat().st_gid)
    command = [first.binaries / "postgres", "-D", data, "-k", sockets, "-p", "5433", "-c", "listen_addresses="]
    with (first.folder / "second.log").open("wb") as log:
        second = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, **first.who())
    first.process = second
    for _ in range(300):
        try:
            with psycopg.connect(host=str(sockets), port=5433, user="rungs", dbname="postgres") as there:
                if there.execute("SELECT NOT pg_is_in_recovery()").fetchall() == [(True,)]:
                    break
        except psycopg.OperationalError:
            pass
        time.sleep(0.1)
    else:
        pytest.fail((first.folder / "second.log").read_text()[-2000:])
    return f"postgresql://rungs@:5433/postgres?host={str(sockets).replace('/', '%2F')}"


def test_a_site_comes_back_to_a_moment(folder: Path) -> None:
    (folder / "first").mkdir()
    folder.chmod(0o711)
    first = archiving(folder)
    address = first.start()
    try:
        run(address, "manage.py", "migrate", "--verbosity", "0")
        run(address, "-c", FOUND)
        who = ("-h", first.folder, "-U", "rungs")
        first.run("pg_basebackup", *who, "-D", first.folder / "base", "-X", "none", "-c", "fast")
        (first.folder / "base").rename(folder / "base")
        run(address, "-c", RECORDER, "0", "5")
        with psycopg.connect(host=str(first.folder), user="rungs", dbname="postgres", autocommit=True) as there:
            ((moment,),) = there.execute("SELECT now()::text").fetchall()
            time.sleep(0.05)
            run(address, "-c", RECORDER, "5", "5")
            ((last,),) = there.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchall()
        for _ in range(300):
            if (folder / "archive" / last).exists():
                break
            time.sleep(0.1)
        first.stop()
        back = recovered(first, folder, moment)
        assert "Club is right: 5 games" in run(back, "manage.py", "verify", "club")
        # It is a site as any other: games go on from there.
        run(back, "-c", RECORDER, "5", "1")
        assert "Club is right: 6 games" in run(back, "manage.py", "verify", "club")
    finally:
        if first.process is not None:
            first.process.send_signal(signal.SIGQUIT)
            first.process.wait(10)
