"""The command script/stack: ``python -m deploy.local --help`` says what it takes."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from deploy.local.compose import FILE, ROOT, Unclear
from deploy.local.stack import Stack


def scaled(word: str) -> tuple[str, int]:
    """Return a service and how many processes it shall have."""
    name, _, number = word.partition("=")
    if not number.isascii() or not number.isdigit() or not 0 <= int(number) <= 20:
        raise argparse.ArgumentTypeError(f"“{word}” is not like web=2.")
    return name, int(number)


def setting(word: str) -> tuple[str, str]:
    """Return the name and the value of a variable of the file."""
    name, sign, value = word.partition("=")
    if not name.isidentifier() or not sign:
        raise argparse.ArgumentTypeError(f"“{word}” is not like RUNGS_WEB_WORKERS=1.")
    return name, value


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(
        prog="script/stack",
        description="Starts what docker-compose.yml says on this machine's loopback, without Docker, until Ctrl-C.",
    )
    parser.add_argument("--file", type=Path, default=FILE, help="the compose file (docker-compose.yml)")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "stack", help="where its data lies (var/stack)")
    parser.add_argument("--port", type=int, default=8443, help="of the proxy (8443; 0: any that is free)")
    parser.add_argument("--scale", type=scaled, action="append", default=[], help="SERVICE=NUMBER, as Compose has it")
    parser.add_argument(
        "--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help="what Compose reads in .env"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="SERVICE", help="start this and nothing else, as for a restore"
    )
    parser.add_argument("manage", nargs=argparse.REMAINDER, help="manage COMMAND …: run a command in the running stack")
    return parser.parse_args()


def managed(folder: Path, command: list[str]) -> int:
    """Run a command of manage.py as `docker compose exec worker-replay` would: away from strangers, by all volumes."""
    state = folder / "state.json"
    if not state.exists():
        raise Unclear(f"No stack runs in {folder}: start it by script/stack.")
    environment = json.loads(state.read_text(encoding="utf-8"))["manage"]
    given = {name: value for name, value in os.environ.items() if name.startswith("DJANGO_SUPERUSER_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command], env={**environment, **given}, check=False
    ).returncode


def main() -> int:
    """Do what was asked for."""
    asked = arguments()
    try:
        if asked.manage[:1] == ["manage"]:
            return managed(asked.folder, asked.manage[1:])
        if asked.manage:
            raise Unclear(f"“{asked.manage[0]}” is not known: script/stack --help.")
        given = dict(asked.set)
        folder, file = asked.folder.absolute(), asked.file.absolute()
        Stack(folder, asked.port, dict(asked.scale), file, given=given, only=asked.only).run()
    except Unclear as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
