"""Reads docker-compose.yml: its services with their commands, environments, folders and health checks.

Only the keys used in that file are supported. ``${NAME}``, ``${NAME:-default}``, ``${NAME-default}``,
``${NAME:?why}`` and ``$$`` are substituted as in Compose.
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


class StackError(Exception):
    """The stack cannot be started; the message states the reason."""


@dataclass(frozen=True)
class HealthCheck:
    """A container's health check."""

    command: tuple[str, ...]
    timeout: float


@dataclass(frozen=True)
class Service:
    """A service of the file, with variables substituted."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    replicas: int
    restarts: bool
    #: Services that it depends on, with the condition.
    waits_for: Mapping[str, str]
    #: Paths in the container, with the name of the mounted volume; "" for a tmpfs.
    folders: Mapping[str, str]
    #: Names of secrets with their files on this machine.
    secrets: Mapping[str, Path]
    health: HealthCheck | None = None
    stop_signal: str = "SIGTERM"
    networks: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)


def substitute_variables(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with its variables substituted; raises StackError if a required one is missing."""

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
            raise StackError(f"{name} must be set: {rest}.")
        return str(rest)

    return VARIABLE.sub(value, text)


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a YAML value with a function applied to every string in it."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_strings(one, change) for one in value]
    if isinstance(value, dict):
        return {name: map_strings(one, change) for name, one in value.items()}
    return value


def split_command(command: str | list[str]) -> tuple[str, ...]:
    """Return a command as a tuple of arguments."""
    return tuple(shlex.split(command) if isinstance(command, str) else command)


def parse_seconds(text: str) -> float:
    """Return a duration such as 10s or 5m in seconds."""
    found = re.fullmatch(r"(\d+)(s|m)", text)
    if found is None:
        raise StackError(f"“{text}” is not a duration such as 10s or 5m.")
    return int(found[1]) * {"s": 1.0, "m": 60.0}[found[2]]


def health_check_of(raw: Mapping[str, Any]) -> HealthCheck | None:
    """Return a service's health check, if it has one."""
    check = raw.get("healthcheck")
    if check is None:
        return None
    kind, *rest = check["test"]
    command = ("sh", "-c", *rest) if kind == "CMD-SHELL" else tuple(rest)
    return HealthCheck(command, parse_seconds(check.get("timeout", "30s")))


def writable_folders(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return the writable paths of a service's containers, each with its volume."""
    folders = {entry.partition(":")[0]: "" for entry in raw.get("tmpfs", [])}
    for entry in raw.get("volumes", []):
        volume, _, path = entry.rpartition(":")
        folders[path] = volume
    return folders


def read_services(variables: Mapping[str, str], file: Path = FILE) -> dict[str, Service]:
    """Return the services of the file by name; raises StackError."""
    document = map_strings(
        yaml.safe_load(file.read_text(encoding="utf-8")), lambda text: substitute_variables(text, variables)
    )
    files = {name: (file.parent / one["file"]).absolute() for name, one in document["secrets"].items()}
    return {
        name: Service(
            name=name,
            command=split_command(raw["command"]),
            environment=raw.get("environment", {}),
            replicas=raw.get("deploy", {}).get("replicas", 1),
            restarts=raw.get("restart", "no") != "no",
            waits_for={other: how["condition"] for other, how in raw.get("depends_on", {}).items()},
            folders=writable_folders(raw),
            secrets={secret: files[secret] for secret in raw.get("secrets", [])},
            health=health_check_of(raw),
            stop_signal=raw.get("stop_signal", "SIGTERM"),
            networks=tuple(raw["networks"]) if "networks" in raw else (),
            raw=raw,
        )
        for name, raw in document["services"].items()
    }
