"""One process of the stack: what Docker would run as a container, with the file's command, environment and folders."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.compose import ROOT, Service, walked
from deploy.local.machine import answers
from league.core.jobs.supervisor import Child

#: Where the images have what lies in the checkout.
IMAGE = {"/srv/rungs": ROOT, "/etc/caddy/Caddyfile": ROOT / "deploy" / "Caddyfile"}
#: What every process finds beside what the file says.
KEPT = ("HOME", "LANG", "LD_LIBRARY_PATH")


@dataclass
class Container(Child):
    """A process of a service; ``port`` is asked where its image's own health check is not there."""

    service: Service | None = None
    port: int = 0
    health: tuple[str, ...] = ()
    patience: float = 5.0
    seen_well: bool = field(default=False)

    def well(self) -> bool:
        """Tell whether it is healthy now."""
        if self.process is None or self.process.poll() is not None:
            return False
        if not self.health:
            return answers(self.port)
        try:
            asked = subprocess.run(
                self.health, env=self.environment, cwd=ROOT, capture_output=True, timeout=self.patience, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return asked.returncode == 0

    def was_well(self) -> bool:
        """Tell whether it was healthy once."""
        self.seen_well = self.seen_well or self.well()
        return self.seen_well

    def done(self) -> bool:
        """Tell whether it has ended well."""
        return self.process is not None and self.process.poll() == 0

    def failed(self) -> bool:
        """Tell whether it has ended otherwise."""
        return self.process is not None and self.process.poll() not in (None, 0)


def places(service: Service, name: str, folder: Path) -> dict[str, Path]:
    """Return where the paths of a container lie on this machine; its own folders are made, empty where tmpfs is."""
    # What lies in the stack's own folder is where it says, wherever that is.
    where = {str(folder): folder, **IMAGE}
    where |= {f"/run/secrets/{secret}": file for secret, file in service.secrets.items()}
    for path, volume in service.folders.items():
        own = (
            folder / "volumes" / volume if volume else folder / "containers" / name / path.strip("/").replace("/", "-")
        )
        own.mkdir(parents=True, exist_ok=True)
        where[path] = own
    return where


def moved(text: str, where: Mapping[str, Path]) -> str:
    """Return a text in which the paths of a container are those of this machine."""
    paths = "|".join(re.escape(path) for path in sorted(where, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.-])({paths})(?![\w.-])", lambda found: str(where[found[1]]), text)


def container(service: Service, number: int, folder: Path, path: str) -> Container:
    """Return a process of a service, to be started."""
    name = f"{service.name}-{number}"
    where = places(service, name, folder)
    given: Mapping[str, str] = walked(dict(service.environment), lambda text: moved(text, where))
    kept = {one: os.environ[one] for one in KEPT if one in os.environ}
    health = service.health
    return Container(
        name=name,
        command=[moved(word, where) for word in service.command],
        environment={**kept, "PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT), **given},
        farewell=signal.Signals[service.stop_signal],
        service=service,
        health=tuple(moved(word, where) for word in health.command) if health else (),
        patience=health.timeout if health else 5.0,
    )
