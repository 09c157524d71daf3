"""Commands for games."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime

from league.cli.entries import CommandEntry, add_author, add_dry_run, add_json, add_league


def read_time(text: str) -> datetime:
    """Return a time with its offset."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise ArgumentTypeError(f"“{text}” is not a time such as 2026-03-05T19:30:00Z or 2026-03-05T20:30:00+01:00.")
    return time


def add_game_arguments(parser: ArgumentParser) -> None:
    """Add the actions on games."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    list_parser = actions.add_parser("list", help="list a league's games, the newest first")
    add_league(list_parser)
    list_parser.add_argument("--player", metavar="HANDLE", help="only games of this player")
    list_parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N games (default: 20)")
    add_json(list_parser)
    show = actions.add_parser("show", help="show a game")
    add_league(show)
    show.add_argument("number", type=int, metavar="NUMBER", help="the game's number")
    add_json(show)
    _add_record_arguments(actions.add_parser("record", help="record a game, and rate it"))


def _add_record_arguments(record: ArgumentParser) -> None:
    add_league(record)
    record.add_argument(
        "results",
        nargs="+",
        metavar="PLAYER=SCORE",
        help="a result for each player in seat order; partners share one: ana+ben=3 cleo+dan=1",
    )
    record.add_argument("--places", action="store_true", help="the numbers are places: 1 is first, equal places tie")
    record.add_argument(
        "--detail", action="append", default=[], metavar="NAME=NUMBER", help="a game field of the system; repeatable"
    )
    record.add_argument(
        "--played-at", type=read_time, metavar="TIME", help="such as 2026-03-05T19:30:00Z (default: now)"
    )
    record.add_argument("--external-id", metavar="ID", help="the game's id in another program")
    record.add_argument("--note", default="", help="a note that readers see")
    record.add_argument("--create-players", action="store_true", help="add unknown players")
    add_author(record)
    add_dry_run(record)
    add_json(record)


def add_void_arguments(parser: ArgumentParser) -> None:
    """Add the game and the reason."""
    add_league(parser)
    parser.add_argument("number", type=int, metavar="NUMBER", help="the game's number")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="the reason, which readers see")
    add_author(parser)
    add_dry_run(parser)
    add_json(parser)


GAME = CommandEntry("game", "List, show or record games.", add_game_arguments)
VOID = CommandEntry("void", "Void a game: it stays readable, and no longer counts.", add_void_arguments)
