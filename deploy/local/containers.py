"""Processes of the stack. Each stands for a container, with its command, environment and folders."""

import os
import re
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.compose import ROOT, Service, map_strings
from deploy.local.machine import is_listening
from league.core.jobs.supervisor import Child

#: Paths in the images, with the corresponding paths in the checkout.
IMAGE = {"/srv/rungs": ROOT, "/etc/caddy/Caddyfile": ROOT / "deploy" / "Caddyfile"}
#: Variables that every process inherits, in addition to those of the file.
INHERITED_VARIABLES = ("HOME", "LANG", "LD_LIBRARY_PATH")


@dataclass
class Container(Child):
    """A process of a service. Without a health check command, it is healthy when ``port`` is open."""

    service: Service | None = None
    port: int = 0
    health: tuple[str, ...] = ()
    health_timeout: float = 5.0
    seen_healthy: bool = field(default=False)

    def is_healthy(self) -> bool:
        """Return whether it is healthy now."""
        if self.process is None or self.process.poll() is not None:
            return False
        if not self.health:
            return is_listening(self.port)
        try:
            check = subprocess.run(
                self.health,
                env=self.environment,
                cwd=ROOT,
                capture_output=True,
                timeout=self.health_timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return check.returncode == 0

    def was_healthy(self) -> bool:
        """Return whether it has ever been healthy."""
        self.seen_healthy = self.seen_healthy or self.is_healthy()
        return self.seen_healthy

    def has_succeeded(self) -> bool:
        """Return whether it ended with exit status 0."""
        return self.process is not None and self.process.poll() == 0

    def has_failed(self) -> bool:
        """Return whether it ended with another exit status."""
        return self.process is not None and self.process.poll() not in (None, 0)


def map_paths(service: Service, name: str, folder: Path) -> dict[str, Path]:
    """Return a container's paths with their paths on this machine; missing folders are created."""
    # Paths below the stack's folder need no translation.
    paths = {str(folder): folder, **IMAGE}
    paths |= {f"/run/secrets/{secret}": file for secret, file in service.secrets.items()}
    for path, volume in service.folders.items():
        own = (
            folder / "volumes" / volume if volume else folder / "containers" / name / path.strip("/").replace("/", "-")
        )
        own.mkdir(parents=True, exist_ok=True)
        paths[path] = own
    return paths


def translate_paths(text: str, paths: Mapping[str, Path]) -> str:
    """Return a text with the container's paths replaced by this machine's."""
    pattern = "|".join(re.escape(path) for path in sorted(paths, key=len, reverse=True))
    return re.sub(rf"(?<![\w/.-])({pattern})(?![\w.-])", lambda found: str(paths[found[1]]), text)


def create_container(service: Service, number: int, folder: Path, path: str) -> Container:
    """Return a process of a service, not yet started."""
    name = f"{service.name}-{number}"
    paths = map_paths(service, name, folder)
    environment: Mapping[str, str] = map_strings(dict(service.environment), lambda text: translate_paths(text, paths))
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    health = service.health
    return Container(
        name=name,
        command=[translate_paths(word, paths) for word in service.command],
        environment={**inherited, "PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT), **environment},
        farewell=signal.Signals[service.stop_signal],
        service=service,
        health=tuple(translate_paths(word, paths) for word in health.command) if health else (),
        health_timeout=health.timeout if health else 5.0,
    )
