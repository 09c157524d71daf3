"""The stack: starts, supervises and stops the services of docker-compose.yml as processes of this machine."""

import json
import os
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from deploy.local import machine
from deploy.local.compose import FILE, Service, StackError, read_services
from deploy.local.containers import Container, create_container
from league.core.jobs.supervisor import Supervisor, print_line, stop_together

#: Services that run this machine's programs (``machine``), because their entry point or health check is in the image.
#: They are healthy when their port is open.
LOCAL_SERVICES = ("postgres", "valkey", "proxy")
#: Seconds until all services must be healthy.
START_TIMEOUT = 180.0


class Stack(Supervisor):
    """Starts each service after its dependencies, and supervises the processes."""

    def __init__(
        self,
        folder: Path,
        https: int,
        scale: Mapping[str, int],
        file: Path = FILE,
        *,
        given: Mapping[str, str] = MappingProxyType({}),
        only: Collection[str] = (),
    ) -> None:
        super().__init__([])
        self.folder, self.file = folder, file
        folder.mkdir(parents=True, exist_ok=True)
        self.path = machine.link_programs(folder / "bin")
        self.ports = dict(zip(("http", "valkey", "postgres"), machine.free_ports(3), strict=True))
        self.ports["proxy"] = https or machine.free_ports(1)[0]
        replicas = read_services({**os.environ, "SITE": machine.HOST, **given}, file)["web"].replicas
        self.web_ports = machine.free_ports(scale.get("web", replicas))
        machine.make_secrets(folder / "secrets")
        certificate, key = machine.make_certificate(folder / "certificate")
        self.variables = {**os.environ, **self.local_variables(certificate, key), **given}
        self.services = read_services(self.variables, file)
        if unknown := set(scale).union(only) - set(self.services):
            raise StackError(f"{file.name} has no service {', '.join(sorted(unknown))}.")
        self.scale = {name: one.replicas for name, one in self.services.items()} | dict(scale)
        self.only = only
        self.containers: dict[str, list[Container]] = {}
        #: The environment in which commands run.
        self.manage = self.create_containers(self.services[self.command_service], 1)[0].environment or {}

    @property
    def command_service(self) -> str:
        """Return the service in whose environment commands run: the one with all volumes."""
        return "worker-replay" if "worker-replay" in self.services else "web"

    @property
    def url(self) -> str:
        """Return the site's address."""
        return f"https://{machine.HOST}:{self.ports['proxy']}"

    def local_variables(self, certificate: Path, key: Path) -> dict[str, str]:
        """Return the values of the file's variables on this machine."""
        return {
            "SITE": machine.HOST,
            "SECRETS": str(self.folder / "secrets"),
            "BIND": machine.BIND,
            "RUNGS_STATIC": "",
            "DATABASE_URL": f"postgresql://rungs@{machine.BIND}:{self.ports['postgres']}/rungs",
            "POSTGRES_BUFFERS": "64MB",
            "CELERY_BROKER_URL": f"redis://{machine.BIND}:{self.ports['valkey']}/0",
            "VALKEY_PORT": str(self.ports["valkey"]),
            "HTTP_PORT": str(self.ports["http"]),
            "HTTPS_PORT": str(self.ports["proxy"]),
            "TLS": "files",
            "TLS_CERTIFICATE": str(certificate),
            "TLS_KEY": str(key),
            "UPSTREAMS": "loopback",
            "WEB_ADDRESSES": " ".join(f"{machine.BIND}:{port}" for port in self.web_ports),
            "RUNGS_ORIGIN": self.url,
        }

    def container_variables(self, port: int) -> dict[str, str]:
        """Return the variables that differ between containers, because all share one machine's ports."""
        addresses = [f"{machine.BIND}:{one}" for one in machine.free_ports(2)]
        return {"WEB_PORT": str(port), "RUNGS_METRICS_PORT": addresses[0], "RUNGS_WORKER_METRICS_PORT": addresses[1]}

    def create_containers(self, service: Service, replicas: int) -> list[Container]:
        """Return the processes of a service, not yet started."""
        containers = []
        for number in range(1, replicas + 1):
            port = self.web_ports[number - 1] if service.name == "web" else self.ports.get(service.name, 0)
            one = read_services({**self.variables, **self.container_variables(port)}, self.file)[service.name]
            containers.append(create_container(one, number, self.folder, self.path))
            containers[-1].port = port
            if service.name in LOCAL_SERVICES:
                containers[-1].health = ()
        if service.name == "postgres":
            cluster = machine.prepare_postgres(self.folder / "postgres", self.ports["postgres"], service.secrets)
            containers[0].command = [*cluster, *containers[0].command[1:]]
        return containers

    def bring_up(self) -> None:
        """Start all services and wait until all are healthy; raises StackError if one fails."""
        waiting, deadline = self.services_to_start(), time.monotonic() + START_TIMEOUT
        while waiting and not self.stopping.is_set():
            for name in [name for name, one in waiting.items() if self.can_start(one)]:
                self.containers[name] = self.create_containers(waiting.pop(name), self.scale[name])
                for one in self.containers[name]:
                    one.start()
                    if self.services[name].restarts:
                        self.children.append(one)
            self.check_processes(deadline)
        while not self.stopping.is_set() and not all(
            one.was_healthy() for one in self.children if isinstance(one, Container)
        ):
            self.check_processes(deadline)

    def services_to_start(self) -> dict[str, Service]:
        """Return the services that are to be started."""
        return {name: one for name, one in self.services.items() if not self.only or name in self.only}

    def check_processes(self, deadline: float) -> None:
        """Restart dead processes; raises StackError if one failed for good, or after ``deadline``."""
        self.turn()
        self.write_state()
        once = [one for name, started in self.containers.items() if not self.services[name].restarts for one in started]
        if failed := [one.name for one in once if one.has_failed()]:
            raise StackError(f"{', '.join(failed)} failed; see above.")
        if time.monotonic() > deadline:
            unhealthy = [one.name for one in self.children if isinstance(one, Container) and not one.seen_healthy]
            raise StackError(f"Not healthy after {START_TIMEOUT:g} s: {', '.join(unhealthy)}.")
        self.stopping.wait(0.3)

    def can_start(self, service: Service) -> bool:
        """Return whether all dependencies of a service are met."""
        return all(
            name in self.containers
            and all(
                one.has_succeeded() if how == "service_completed_successfully" else one.was_healthy()
                for one in self.containers[name]
            )
            for name, how in service.waits_for.items()
            if name in self.services_to_start()
        )

    def write_state(self) -> None:
        """Write the processes to state.json, if they changed."""
        containers = self.all_containers()
        state = {
            "url": self.url,
            "certificate": self.variables["TLS_CERTIFICATE"],
            "processes": {
                one.name: one.process.pid for one in containers if one.process and one.process.poll() is None
            },
            "manage": dict(self.manage),
            "environment": {one.name: dict(one.environment or {}) for one in containers},
            "health": {one.name: list(one.health) for one in containers if one.health},
        }
        file, text = self.folder / "state.json", json.dumps(state, indent=1)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            draft = file.with_suffix(".new")
            draft.write_text(text, encoding="utf-8")
            draft.chmod(0o600)
            draft.replace(file)

    def all_containers(self) -> list[Container]:
        """Return all processes, ended ones included."""
        return [one for some in self.containers.values() for one in some]

    def turn(self) -> None:
        """Restart dead processes, and update state.json."""
        super().turn()
        self.write_state()

    def run(self) -> None:
        """Start everything, print the address, and supervise until stopped."""
        self.listen()
        try:
            self.bring_up()
            if not self.stopping.is_set():
                print_line(f"{self.status_line()} (Ctrl-C stops it).", "stack")
            self.keep()
        finally:
            self.end()

    def status_line(self) -> str:
        """Return what runs and where, without a full stop."""
        if self.only:
            return f"Only {', '.join(self.services_to_start())} is running"
        return f"Rungs is at {self.url}/ with the certificate {self.variables['TLS_CERTIFICATE']}"

    def end(self) -> None:
        """Stop all services, dependencies last."""
        print_line("Stopping.", "stack")
        for some in self.groups_to_stop():
            stop_together(some)
        (self.folder / "state.json").unlink(missing_ok=True)
        print_line("Stopped.", "stack")

    def groups_to_stop(self) -> Iterable[list[Container]]:
        """Yield groups of processes in the order of stopping: a service before its dependencies."""
        left = dict(self.containers)
        while left:
            needed = {other for name in left for other in self.services[name].waits_for}
            free = [name for name in left if name not in needed]
            yield [one for name in free for one in left.pop(name)]
