"""Files for other hosts: the club's compose file, systemd units, Procfile and app.json agree with the product."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.local import machine
from league.celery import REPLAY, RING, WEBHOOKS
from league.environment import KNOWN

ROOT = Path(__file__).parents[2]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
CLUB: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.club.yml").read_text(encoding="utf-8"))
SITE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
PROCFILE = dict(
    line.split(": ", 1) for line in (ROOT / "deploy/procfile/Procfile").read_text(encoding="utf-8").splitlines()
)
APP: dict[str, Any] = json.loads((ROOT / "deploy/procfile/app.json").read_text(encoding="utf-8"))


def lines_of(unit: Path, name: str) -> list[str]:
    """Return the values of a setting of a unit."""
    return re.findall(rf"^{name}=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)


def test_a_club_has_one_container_behind_the_proxy_of_a_site() -> None:
    assert set(CLUB["services"]) == {"proxy", "web"}
    of_site = {name: value for name, value in SITE["services"]["proxy"].items() if name != "networks"}
    assert {name: value for name, value in CLUB["services"]["proxy"].items() if name != "networks"} == of_site
    assert set(CLUB["secrets"]) < set(SITE["secrets"])


def test_the_container_of_a_club_is_as_bounded_as_those_of_a_site() -> None:
    club, site = CLUB["services"]["web"], SITE["services"]["web"]
    names = (
        "restart",
        "init",
        "read_only",
        "cap_drop",
        "security_opt",
        "logging",
        "build",
        "user",
        "stop_grace_period",
    )
    assert {name: club[name] for name in names} == {name: site[name] for name in names}
    assert set(club["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}
    assert "ports" not in club
    assert {"data:/srv/var", "backups:/srv/backups"} < set(club["volumes"])


def test_the_settings_of_a_club_are_known_and_default_as_those_of_a_site() -> None:
    club, site = CLUB["services"]["web"]["environment"], SITE["x-environment"]
    assert {name.removesuffix("_FILE") for name in club if name.startswith("RUNGS_")} <= set(KNOWN)
    assert club == {name: site[name] for name in club}
    assert "DATABASE_URL" not in club and "CELERY_BROKER_URL" not in club


def test_the_procfile_runs_what_the_containers_of_a_site_run() -> None:
    def words(service: str) -> list[str]:
        return shlex.split(SITE["services"][service]["command"])

    assert shlex.split(PROCFILE["release"]) == words("migrate")
    assert shlex.split(PROCFILE["web"])[:-1] == words("web")[:-1] and PROCFILE["web"].endswith(" 0.0.0.0:$PORT")
    assert shlex.split(PROCFILE["beat"]) == words("beat")
    # One worker takes from all queues.
    assert set(shlex.split(PROCFILE["worker"])) == set(words("worker-ring")) - {"--queues", RING, "--concurrency", "2"}
    assert set(APP["formation"]) == set(PROCFILE) - {"release"}


def test_the_settings_of_app_json_are_known() -> None:
    given = {name for name in APP["env"] if name.startswith("RUNGS_")}
    assert given <= set(KNOWN) and {"RUNGS_PRODUCTION", "RUNGS_SECRET_KEY", "RUNGS_ALLOWED_HOSTS"} <= given
    assert (
        "-r requirements.lock" in (ROOT / "deploy/procfile/requirements.txt").read_text(encoding="utf-8").splitlines()
    )


def test_units_run_programs_that_an_installation_has() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    programs = {shlex.split(command)[0] for unit in UNITS for command in lines_of(unit, "ExecStart")}
    assert programs == {f"/opt/rungs/bin/{name}" for name in (*scripts, "celery", "python")}
    (worker,) = [unit for unit in UNITS if "@" in unit.name]
    for queue in (RING, REPLAY, WEBHOOKS):
        assert queue in worker.read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_each_unit_is_hardened(unit: Path) -> None:
    assert lines_of(unit, "User") == ["rungs"] and lines_of(unit, "StateDirectory") == ["rungs"]
    assert lines_of(unit, "Environment") == ["RUNGS_VAR=/var/lib/rungs"]
    for name, value in {"NoNewPrivileges": "yes", "ProtectSystem": "strict", "CapabilityBoundingSet": ""}.items():
        assert lines_of(unit, name) == [value]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for name in ("rungs", "celery", "python"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace("/opt/rungs/bin", str(program.parent))
        (tmp_path / unit.name).write_text(text)
    names = [str(tmp_path / unit.name.replace("@", f"@{RING}")) for unit in UNITS]
    (tmp_path / f"rungs-worker@{RING}.service").write_text((tmp_path / "rungs-worker@.service").read_text())
    done = subprocess.run(["systemd-analyze", "verify", *names], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_services_of_a_site_fit_into_the_machine_that_its_page_names() -> None:
    units = {"M": 2**20, "G": 2**30}
    limits = {
        name: int(memory[:-1]) * units[memory[-1]] * service["deploy"].get("replicas", 1)
        for name, service in SITE["services"].items()
        for memory in [service["deploy"]["resources"]["limits"]["memory"]]
    }
    assert limits.pop("migrate") < limits["web"], "it ends before the others start"
    page = (ROOT / "docs/operators/stack.md").read_text(encoding="utf-8")
    (gigabytes,) = set(re.findall(r"\b(\d+)\s+GB\s+of\s+memory", page))
    assert sum(limits.values()) < int(gigabytes) * 10**9


def test_the_example_of_settings_names_variables_that_the_services_read() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    names = re.findall(r"^([A-Z_]+)=.", example, re.MULTILINE)
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert {"SITE", "TAG"} < set(names)
    assert [name for name in names if f"${{{name}:" not in compose] == []
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"TAG={version}\n" in example
    assert {service["image"].rpartition(":")[2] for service in CLUB["services"].values()} == {"-local}"}


def test_migrate_waits_for_the_database_and_runs_at_each_start_of_the_others() -> None:
    (migrate,) = [unit for unit in UNITS if unit.name == "rungs-migrate.service"]
    assert lines_of(migrate, "Type") == ["oneshot"] and lines_of(migrate, "RemainAfterExit") == []
    assert "postgresql.service" in lines_of(migrate, "After")[0].split()
    assert lines_of(migrate, "Restart") == ["on-failure"]
    assert re.search(r" --wait [1-9]\d+$", lines_of(migrate, "ExecStart")[0])
    for unit in UNITS:
        if unit.name not in ("rungs.service", migrate.name):
            assert lines_of(unit, "Requires") == [migrate.name] and migrate.name in lines_of(unit, "After")[0].split()


def test_who_waits_for_other_servers_does_so_in_one_process() -> None:
    words = shlex.split(SITE["services"]["worker-webhooks"]["command"])
    assert words[words.index("--pool") + 1] == "threads"


def test_rungs_is_no_superuser_of_its_database(tmp_path: Path) -> None:
    postgres, role = SITE["services"]["postgres"], (ROOT / SITE["configs"]["role"]["file"]).read_text(encoding="utf-8")
    assert [one["source"] for one in postgres["configs"]] == ["role"]
    assert "POSTGRES_USER" not in postgres["environment"], "the image makes that user a superuser"
    assert "superuser_password" not in SITE["x-rungs"]["secrets"]
    (created,) = re.findall(r"^CREATE ROLE rungs (.*) PASSWORD", role, re.MULTILINE)
    assert created.split() == ["LOGIN", "CREATEDB"]
    (tmp_path / "password").write_text("aB3\n", encoding="utf-8")
    assert machine.read_role(tmp_path / "password").decode().splitlines() == [
        "CREATE ROLE rungs LOGIN CREATEDB PASSWORD 'aB3';",
        "CREATE DATABASE rungs OWNER rungs;",
    ]
