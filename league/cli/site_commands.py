"""Commands for the whole site."""

from argparse import ArgumentParser
from pathlib import Path

from league.cli.entries import CommandEntry, add_json


def add_serve_arguments(parser: ArgumentParser) -> None:
    """Add the address, and the preparations before the start."""
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (default: 8000)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--prepare", action="store_true", help="create or migrate the database first; rungs serve always does"
    )
    parser.add_argument("--demo", action="store_true", help="fill an empty database with demo leagues meanwhile")


def add_demo_arguments(parser: ArgumentParser) -> None:
    """Add the options for loading demo leagues."""
    parser.add_argument("--if-empty", action="store_true", help="do nothing if there are other leagues already")
    parser.add_argument("--games", type=int, metavar="N", help="load at most N games per league, for a quick look")


def add_token_arguments(parser: ArgumentParser) -> None:
    """Add the token's name and its rights."""
    parser.add_argument("name", metavar="NAME", help="the program that uses the token, such as a game server")
    parser.add_argument(
        "--scope", choices=("read", "record", "organise"), default="record", help="what it may do (default: record)"
    )
    parser.add_argument("--league", action="append", default=[], help="only for this league (slug); repeatable")
    parser.add_argument("--expires", type=int, metavar="DAYS", help="the token expires after this number of days")
    parser.add_argument("--revoke", action="store_true", help="revoke the token of that name")
    add_json(parser)


def add_let_in_arguments(parser: ArgumentParser) -> None:
    """Add the account and the actions."""
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the account's username")
    parser.add_argument("--second-factor", action="store_true", help="remove the second factor, and end all sessions")
    parser.add_argument("--sign-out", action="store_true", help="end all its sessions")
    parser.add_argument("--address", help="reset failed sign-in attempts from this address, for NAME and all names")


def add_backup_arguments(parser: ArgumentParser) -> None:
    """Add the folder, and the number of backups to keep."""
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="the folder (default: RUNGS_BACKUP_DIR)")
    parser.add_argument("--keep", type=int, default=0, metavar="N", help="delete all but the N newest backups")
    add_json(parser)


def add_no_arguments(parser: ArgumentParser) -> None:
    """Add nothing."""


SERVE = CommandEntry(
    "serve", "Run the site: web server, worker and scheduler, until Ctrl-C.", add_serve_arguments, preset=("--prepare",)
)
DEMO = CommandEntry("demo", "Load the demo leagues that are missing, unless there are others.", add_demo_arguments)
TOKEN = CommandEntry("token", "Create or revoke an API token. A new token is printed once.", add_token_arguments)
LET_IN = CommandEntry(
    "let-in", "Help a user sign in: remove the second factor, or reset failed attempts.", add_let_in_arguments
)
BACKUP = CommandEntry(
    "backup", "Back up the site while it runs, then restore and verify the copy.", add_backup_arguments
)
HEADS = CommandEntry("heads", "Sign and publish the log heads of public leagues, if due.", add_no_arguments)
