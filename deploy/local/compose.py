"""Reads docker-compose.yml: its services with their commands, environments, folders and health checks.

Only the words that the file uses are understood. ``${NAME}``, ``${NAME:-default}``, ``${NAME-default}``,
``${NAME:?why}`` and ``$$`` are replaced as Compose replaces them.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
VARIABLE = re.compile(r"\$(?:(\$)|\{([A-Za-z_][A-Za-z0-9_]*)(?:(:-|:\?|-)([^}]*))?\})")


class Unclear(Exception):
    """The file cannot be started; says why."""


@dataclass(frozen=True)
class Health:
    """How a container is asked whether it is well."""

    command: tuple[str, ...]
    timeout: float


@dataclass(frozen=True)
class Service:
    """What the file says of a service, everything replaced."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    replicas: int
    restarts: bool
    #: Services that must be there before it, with what is waited for.
    waits_for: Mapping[str, str]
    #: Paths inside, with the name of the volume that lies there; "" is a folder of each container's own.
    folders: Mapping[str, str]
    #: Names of secrets, with their files on this machine.
    secrets: Mapping[str, Path]
    health: Health | None = None
    stop_signal: str = "SIGTERM"
    networks: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def replaced(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with its variables replaced; raises Unclear where one that must be given is not."""

    def value(found: re.Match[str]) -> str:
        dollar, name, how, rest = found.groups()
        if dollar:
            return "$"
        if how == "-":
            return variables.get(name, str(rest))
        given = variables.get(name, "")
        if given or how is None:
            return given
        if how == ":?":
            raise Unclear(f"{name} must be given: {rest}.")
        return str(rest)

    return VARIABLE.sub(value, text)


def walked(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of YAML with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [walked(one, change) for one in value]
    if isinstance(value, dict):
        return {name: walked(one, change) for name, one in value.items()}
    return value


def words(command: str | list[str]) -> tuple[str, ...]:
    """Return a command as its arguments."""
    return tuple(shlex.split(command) if isinstance(command, str) else command)


def seconds(text: str) -> float:
    """Return a duration of Compose (10s, 5m) as seconds."""
    found = re.fullmatch(r"(\d+)(s|m)", text)
    if found is None:
        raise Unclear(f"“{text}” is no duration such as 10s or 5m.")
    return int(found[1]) * {"s": 1.0, "m": 60.0}[found[2]]


def health_of(raw: Mapping[str, Any]) -> Health | None:
    """Return how a service's containers are asked."""
    check = raw.get("healthcheck")
    if check is None:
        return None
    kind, *rest = check["test"]
    command = ("sh", "-c", *rest) if kind == "CMD-SHELL" else tuple(rest)
    return Health(command, seconds(check.get("timeout", "30s")))


def folders_of(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return the folders of a service's containers in which something may be written."""
    folders = {entry.partition(":")[0]: "" for entry in raw.get("tmpfs", [])}
    for entry in raw.get("volumes", []):
        volume, _, path = entry.rpartition(":")
        folders[path] = volume
    return folders


def read(variables: Mapping[str, str], file: Path = FILE) -> dict[str, Service]:
    """Return the services of the file by their names; raises Unclear."""
    whole = walked(yaml.safe_load(file.read_text(encoding="utf-8")), lambda text: replaced(text, variables))
    files = {name: (file.parent / one["file"]).absolute() for name, one in whole["secrets"].items()}
    return {
        name: Service(
            name=name,
            command=words(raw["command"]),
            environment=raw.get("environment", {}),
            replicas=raw.get("deploy", {}).get("replicas", 1),
            restarts=raw.get("restart", "no") != "no",
            waits_for={other: how["condition"] for other, how in raw.get("depends_on", {}).items()},
            folders=folders_of(raw),
            secrets={secret: files[secret] for secret in raw.get("secrets", [])},
            health=health_of(raw),
            stop_signal=raw.get("stop_signal", "SIGTERM"),
            networks=tuple(raw["networks"]) if "networks" in raw else (),
            raw=raw,
        )
        for name, raw in whole["services"].items()
    }
