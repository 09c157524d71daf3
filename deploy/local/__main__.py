"""The command script/stack."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from deploy.local.compose import FILE, ROOT, StackError
from deploy.local.stack import Stack


def parse_scale(word: str) -> tuple[str, int]:
    """Return the service and number of an argument such as web=2."""
    name, _, number = word.partition("=")
    if not number.isascii() or not number.isdigit() or not 0 <= int(number) <= 20:
        raise argparse.ArgumentTypeError(f"“{word}” is not like web=2.")
    return name, int(number)


def parse_setting(word: str) -> tuple[str, str]:
    """Return the name and value of an argument such as RUNGS_WEB_WORKERS=1."""
    name, sign, value = word.partition("=")
    if not name.isidentifier() or not sign:
        raise argparse.ArgumentTypeError(f"“{word}” is not like RUNGS_WEB_WORKERS=1.")
    return name, value


def parse_arguments() -> argparse.Namespace:
    """Return the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="script/stack",
        description="Runs the services of docker-compose.yml without Docker, on the loopback interface, until Ctrl-C.",
    )
    parser.add_argument("--file", type=Path, default=FILE, help="the compose file (docker-compose.yml)")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "stack", help="folder for its data (var/stack)")
    parser.add_argument("--port", type=int, default=8443, help="port of the proxy (8443; 0: any free one)")
    parser.add_argument(
        "--scale",
        type=parse_scale,
        action="append",
        default=[],
        metavar="SERVICE=NUMBER",
        help="processes of a service",
    )
    parser.add_argument(
        "--set", type=parse_setting, action="append", default=[], metavar="NAME=VALUE", help="a variable, as in .env"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="SERVICE", help="start only this service, as for a restore"
    )
    parser.add_argument("manage", nargs=argparse.REMAINDER, help="manage COMMAND …: run a command in the running stack")
    return parser.parse_args()


def run_manage_command(folder: Path, command: list[str]) -> int:
    """Run a command of manage.py in the running stack, like ``docker compose exec worker-replay``."""
    state = folder / "state.json"
    if not state.exists():
        raise StackError(f"No stack is running in {folder}. Start it with script/stack.")
    environment = json.loads(state.read_text(encoding="utf-8"))["manage"]
    superuser = {name: value for name, value in os.environ.items() if name.startswith("DJANGO_SUPERUSER_")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command], env={**environment, **superuser}, check=False
    ).returncode


def main() -> int:
    """Start the stack, or run a command in it."""
    arguments = parse_arguments()
    try:
        if arguments.manage[:1] == ["manage"]:
            return run_manage_command(arguments.folder, arguments.manage[1:])
        if arguments.manage:
            raise StackError(f"Unknown argument “{arguments.manage[0]}”. See script/stack --help.")
        variables = dict(arguments.set)
        folder, file = arguments.folder.absolute(), arguments.file.absolute()
        Stack(folder, arguments.port, dict(arguments.scale), file, given=variables, only=arguments.only).run()
    except StackError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
