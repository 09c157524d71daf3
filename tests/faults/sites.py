"""A site of real processes that can be hurt: ``manage.py serve`` on SQLite, or on a PostgreSQL and a Valkey of its own.

Between the site and its servers lies a stretch of network each (``Forwarder``). Its files lie on a small file system of
their own where this machine lets us mount one, so that a disk can be filled.
"""

import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.faults.clients import LEAGUE, PLAYERS, ask
from tests.faults.forwarder import Forwarder
from tests.helpers.processes import free_port, wait_for
from tests.postgres import Server, find_binaries

ROOT = Path(__file__).parents[2]
#: Room of the small disk, in megabytes: a PostgreSQL with its log, and the files of a site.
ROOM = {"sqlite": 48, "postgres": 320}
#: A database that keeps what it has acknowledged: no shortcut of the tests'.
CAREFUL = {
    "listen_addresses": "127.0.0.1", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
    "max_wal_size": "64MB", "wal_recycle": "off", "max_connections": "60",
}  # fmt: skip

#: By what our small disks are known among those that are mounted; the number of the harness's process follows.
MOUNTED = "rungs-faults-"
#: The last line of a traceback.
RAISED = re.compile(r"[a-z_]+(\.\w+)*\.?[A-Z]\w*(Error|Exception|Gone|Away|Busy)\b")


def children(parent: int) -> list[int]:
    """Return the processes that one has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == parent:
                found.append(int(stat.parent.name))
        except OSError:
            continue
    return sorted(found)


def command_of(process: int) -> str:
    """Return by what a process was started; "" where it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class Disk:
    """A small file system where this machine allows one; else a plain folder, which cannot be filled."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.unmount_left()
        name = f"{MOUNTED}{os.getpid()}"
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", name, str(folder)]
        self.small = os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0

    def unmount_left(self) -> None:
        """Give back what a harness that was killed has left."""
        for name, folder, *_more in (line.split(" ") for line in Path("/proc/mounts").read_text().splitlines()):
            process = name.removeprefix(MOUNTED)
            if name.startswith(MOUNTED) and not Path("/proc", process).exists() and os.geteuid() == 0:
                subprocess.run(["umount", "-l", folder], capture_output=True, check=False)

    def fill(self) -> None:
        """Leave no room."""
        with (self.folder / "ballast").open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def make_room(self) -> None:
        """Leave room again."""
        (self.folder / "ballast").unlink(missing_ok=True)

    def gone(self) -> None:
        """Give it back."""
        if self.small:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)


class Postgres(Server):
    """A PostgreSQL that is reached by a port, and is started again after a death."""

    def open_at(self, port: int) -> None:
        """Make it, and start it at a port."""
        self.port = port
        self.settings = {**CAREFUL, "port": str(port)}
        self.start()

    def wait(self, sockets: Path) -> None:
        """Wait until it answers at its port."""
        deadline = time.monotonic() + 60
        while not self.answers():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.1)

    def answers(self) -> bool:
        """Tell whether it takes connections."""
        try:
            self.ask("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def ask(self, sql: str) -> list[Any]:
        """Ask it, beside the stretch of network."""
        address = f"postgresql://rungs@127.0.0.1:{self.port}/postgres?connect_timeout=2"
        with psycopg.connect(address, autocommit=True) as one:
            found = one.execute(sql)
            return found.fetchall() if found.description else []

    def again(self) -> None:
        """Start it once more in its folder, as its keeper does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)
        self.begin()


class Site:
    """A site in a folder of its own."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database = folder, database
        self.disk = Disk(folder / "disk", ROOM[database])
        self.var = folder / "var" if database == "postgres" else self.disk.folder / "var"
        self.var.mkdir(parents=True)
        self.port, self.log, self.token = free_port(), folder / "log", ""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environment = kept | {
            "RUNGS_VAR": str(self.var), "RUNGS_WEB_WORKERS": "2",
            "RUNGS_INLINE_GAMES": "20", "DJANGO_SETTINGS_MODULE": "league.settings", "RUNGS_BACKUP_DIR": "",
        }  # fmt: skip
        self.lines: dict[str, Forwarder] = {}
        self.postgres: Postgres | None = None
        self.valkey: subprocess.Popen[bytes] | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def make_servers(self) -> None:
        """Start PostgreSQL and Valkey, each behind a stretch of network."""
        from deploy.local.machine import find_valkey_server

        self.postgres = Postgres(self.disk.folder / "postgres", find_binaries())
        self.postgres.open_at(free_port())
        self.valkey_command = [
            find_valkey_server(),
            "--port",
            str(free_port()),
            "--save",
            "",
            "--dir",
            str(self.folder),
        ]
        self.start_valkey()
        self.lines["database"] = Forwarder(self.postgres.port)
        self.lines["broker"] = Forwarder(int(self.valkey_command[2]))
        self.environment["DATABASE_URL"] = f"postgresql://rungs@127.0.0.1:{self.lines['database'].port}/postgres"
        self.environment["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{self.lines['broker'].port}/0"

    def start_valkey(self) -> None:
        """Start the broker; what it held is gone."""
        with (self.folder / "valkey.log").open("ab") as log:
            self.valkey = subprocess.Popen(self.valkey_command, stdout=log, stderr=log)

    @property
    def address(self) -> str:
        """Return where it is."""
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str, right: tuple[int, ...] = (0,)) -> tuple[int, str]:
        """Run a command; returns its exit code and what it printed."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode in right, done.stdout[-3000:] + done.stderr[-3000:]
        return done.returncode, done.stdout

    def begin(self) -> None:
        """Start the site with a league of players and a ladder."""
        if self.database == "postgres":
            self.make_servers()
        self.manage("migrate", "--verbosity", "0")
        self.token = self.manage("token", "server-7", "--scope", "organise")[1].split()[-1]
        with self.log.open("ab") as log:
            command = [sys.executable, "manage.py", "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        wait_for(lambda: self.ask("GET", "/healthz")[0] == 200, 180, "the site does not start")
        rule = {"system": "elo", "parameters": {"k": 32}}
        self.good("/api/v1/leagues/", {"slug": "club", "title": "Club", "rule": rule, "closing": "by_hand"})
        ladder = {"slug": "month", "title": "Month", "method": "points", "cadence": "month"}
        self.good(LEAGUE + "ladders/", ladder)
        for name in PLAYERS:
            self.good("/api/v1/players/", {"handle": name, "name": name})

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Ask it."""
        return ask(self.address, self.token, method, path, body)

    def good(self, path: str, body: Any) -> Any:
        """Send what must be taken."""
        status, answer = self.ask("POST", path, body)
        assert status in (200, 201), (path, status, answer)
        return answer

    def child(self, name: str) -> int | None:
        """Return the process of web, worker or beat; None while it is not there."""
        word = {"web": "league.web.server", "worker": " worker ", "beat": " beat "}[name]
        assert self.process is not None
        return next((one for one in children(self.process.pid) if word in command_of(one)), None)

    def web_processes(self) -> list[int]:
        """Return the processes that answer requests."""
        web = self.child("web")
        return children(web) if web else []

    def limit_files(self, size: int) -> None:
        """Let the web processes' files grow no further than this: a disk that fails, where none can be filled."""
        for one in self.web_processes():
            hard = resource.prlimit(one, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(one, resource.RLIMIT_FSIZE, (size if size >= 0 else hard, hard))

    def locks(self) -> list[Any]:
        """Return what is still locked, or held in a transaction, when nobody asks any more."""
        if self.postgres:
            return self.postgres.ask(
                "SELECT pid, a.state, l.locktype, l.mode FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
                "WHERE pid <> pg_backend_pid() AND a.backend_type = 'client backend' "
                "AND (l.locktype IN ('tuple', 'transactionid', 'advisory') OR a.state LIKE 'idle in%')"
            )
        with closing(sqlite3.connect(self.var / "rungs.sqlite3", timeout=1, isolation_level=None)) as one:
            try:
                one.execute("BEGIN IMMEDIATE")
                one.execute("ROLLBACK")
            except sqlite3.OperationalError as error:
                return [str(error)]
        return []

    def raised(self) -> Counter[str]:
        """Return what the site's log says was raised, the last line of each traceback, and how often."""
        told = (line.partition(" | ")[2] for line in self.log.read_text(errors="replace").splitlines())
        return Counter(line[:200] for line in told if RAISED.match(line))

    def end(self) -> None:
        """Stop everything and give all back, whatever of it there is, and whatever fails."""
        with ExitStack() as last:
            last.callback(self.disk.gone)
            if self.postgres is not None:
                last.callback(self.postgres.stop)
            if self.valkey is not None:
                last.callback(self.valkey.wait, 20)
                last.callback(self.valkey.kill)
            for line in self.lines.values():
                last.callback(line.close)
            if self.process is not None:
                self.stop_serving(self.process)

    def stop_serving(self, process: subprocess.Popen[bytes]) -> None:
        """Stop the site, and kill what of it does not stop."""
        family = [process.pid]
        for one in family:
            family += children(one)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        for one in family:
            if "manage.py" in command_of(one) or "league" in command_of(one):
                os.kill(one, signal.SIGKILL)


@contextmanager
def site(database: str) -> Iterator[Site]:
    """Run a site with a database, in a folder that PostgreSQL's user may pass, too."""
    folder = Path(tempfile.mkdtemp(prefix="rungs-faults-"))
    folder.chmod(0o755)
    one = Site(folder, database)
    try:
        one.begin()
        yield one
    except BaseException:
        if one.log.exists():
            print(one.log.read_text()[-6000:])
        raise
    finally:
        one.end()
        shutil.rmtree(folder, ignore_errors=True)
