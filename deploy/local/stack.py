"""The stack: every service of docker-compose.yml as processes of this machine, kept alive, stopped in order."""

import json
import os
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from deploy.local import machine
from deploy.local.compose import FILE, Service, Unclear, read
from deploy.local.containers import Container, container
from league.core.jobs.supervisor import Supervisor, print_line, stop_together

#: Services whose image has an entry point or a health check of its own that is not there without Docker: their
#: programs are this machine's (``machine``), and a port that answers is their health.
REPLACED = ("postgres", "valkey", "proxy")
#: Seconds that all of it may take to be well.
LONGEST_START = 180.0


class Stack(Supervisor):
    """Starts services when those are there that they wait for, and looks after their processes."""

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
        self.path = machine.programs(folder / "bin")
        self.ports = dict(zip(("http", "valkey", "postgres"), machine.free_ports(3), strict=True))
        self.ports["proxy"] = https or machine.free_ports(1)[0]
        replicas = read({**os.environ, "SITE": machine.HOST, **given}, file)["web"].replicas
        self.web_ports = machine.free_ports(scale.get("web", replicas))
        machine.make_secrets(folder / "secrets")
        self.variables = {**os.environ, **self.own(*machine.make_certificate(folder / "certificate")), **given}
        self.services = read(self.variables, file)
        if unknown := set(scale).union(only) - set(self.services):
            raise Unclear(f"{', '.join(sorted(unknown))} is no service of {file.name}.")
        self.scale = {name: one.replicas for name, one in self.services.items()} | dict(scale)
        self.only = only
        self.containers: dict[str, list[Container]] = {}
        #: Commands run as in this one, whether it is started or not.
        self.manage = self.made(self.services[self.commands_in], 1)[0].environment or {}

    @property
    def commands_in(self) -> str:
        """Return the service in which commands run: the one that reaches all volumes."""
        return "worker-replay" if "worker-replay" in self.services else "web"

    @property
    def url(self) -> str:
        """Return where the site is."""
        return f"https://{machine.HOST}:{self.ports['proxy']}"

    def own(self, certificate: Path, key: Path) -> dict[str, str]:
        """Return the variables of the file that are this machine's."""
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

    def apart(self, port: int) -> dict[str, str]:
        """Return the variables that each container needs for itself where all share one machine's ports."""
        figures = [f"{machine.BIND}:{one}" for one in machine.free_ports(2)]
        return {"WEB_PORT": str(port), "RUNGS_METRICS_PORT": figures[0], "RUNGS_WORKER_METRICS_PORT": figures[1]}

    def made(self, service: Service, replicas: int) -> list[Container]:
        """Return the processes of a service, to be started."""
        made = []
        for number in range(1, replicas + 1):
            port = self.web_ports[number - 1] if service.name == "web" else self.ports.get(service.name, 0)
            one = read({**self.variables, **self.apart(port)}, self.file)[service.name]
            made.append(container(one, number, self.folder, self.path))
            made[-1].port = port
            if service.name in REPLACED:
                made[-1].health = ()
        if service.name == "postgres":
            cluster = machine.postgres(
                self.folder / "postgres", self.ports["postgres"], service.secrets["database_password"]
            )
            made[0].command = [*cluster, *made[0].command[1:]]
        return made

    def bring_up(self) -> None:
        """Start everything, each service when it may; returns when all are well. Raises Unclear where that fails."""
        waiting, deadline = self.wanted(), time.monotonic() + LONGEST_START
        while waiting and not self.stopping.is_set():
            for name in [name for name, one in waiting.items() if self.may_start(one)]:
                self.containers[name] = self.made(waiting.pop(name), self.scale[name])
                for one in self.containers[name]:
                    one.start()
                    if self.services[name].restarts:
                        self.children.append(one)
            self.look(deadline)
        while not self.stopping.is_set() and not all(
            one.was_well() for one in self.children if isinstance(one, Container)
        ):
            self.look(deadline)

    def wanted(self) -> dict[str, Service]:
        """Return the services that shall be started."""
        return {name: one for name, one in self.services.items() if not self.only or name in self.only}

    def look(self, deadline: float) -> None:
        """Look after all processes; raises Unclear where one failed for good, or it takes too long."""
        self.turn()
        self.note()
        once = [
            one for name, all_of_it in self.containers.items() if not self.services[name].restarts for one in all_of_it
        ]
        if failed := [one.name for one in once if one.failed()]:
            raise Unclear(f"{', '.join(failed)} failed; see above.")
        if time.monotonic() > deadline:
            unwell = [one.name for one in self.children if isinstance(one, Container) and not one.seen_well]
            raise Unclear(f"After {LONGEST_START:g} s these are not well: {', '.join(unwell)}.")
        self.stopping.wait(0.3)

    def may_start(self, service: Service) -> bool:
        """Tell whether all that a service waits for is there."""
        return all(
            name in self.containers
            and all(
                one.done() if how == "service_completed_successfully" else one.was_well()
                for one in self.containers[name]
            )
            for name, how in service.waits_for.items()
            if name in self.wanted()
        )

    def note(self) -> None:
        """Write down which processes there are, for whoever looks from outside; only where that changed."""
        all_of_them = self.every_container()
        told = {
            "url": self.url,
            "certificate": self.variables["TLS_CERTIFICATE"],
            "processes": {
                one.name: one.process.pid for one in all_of_them if one.process and one.process.poll() is None
            },
            "manage": dict(self.manage),
            "environment": {one.name: dict(one.environment or {}) for one in all_of_them},
            "health": {one.name: list(one.health) for one in all_of_them if one.health},
        }
        file, text = self.folder / "state.json", json.dumps(told, indent=1)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            draft = file.with_suffix(".new")
            draft.write_text(text, encoding="utf-8")
            draft.chmod(0o600)
            draft.replace(file)

    def every_container(self) -> list[Container]:
        """Return all processes, also those that have ended."""
        return [one for some in self.containers.values() for one in some]

    def turn(self) -> None:
        """Look after every process, and note what changed."""
        super().turn()
        self.note()

    def run(self) -> None:
        """Start everything, say where it is, and keep it so until told to stop."""
        self.listen()
        try:
            self.bring_up()
            if not self.stopping.is_set():
                print_line(f"{self.what_runs()} (Ctrl-C stops it).", "stack")
            self.keep()
        finally:
            self.end()

    def what_runs(self) -> str:
        """Return a sentence for whoever started it, without its full stop."""
        if self.only:
            return f"Nothing but {', '.join(self.wanted())} runs"
        return f"Rungs is at {self.url}/; trust {self.variables['TLS_CERTIFICATE']}"

    def end(self) -> None:
        """Stop everything, what others wait for last."""
        print_line("Stopping.", "stack")
        for some in self.in_reverse():
            stop_together(some)
        (self.folder / "state.json").unlink(missing_ok=True)
        print_line("Stopped.", "stack")

    def in_reverse(self) -> Iterable[list[Container]]:
        """Return the processes in groups: first those for which nobody waits."""
        left = dict(self.containers)
        while left:
            needed = {other for name in left for other in self.services[name].waits_for}
            free = [name for name in left if name not in needed]
            yield [one for name in free for one in left.pop(name)]
