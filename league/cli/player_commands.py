"""Commands for players and their personal data."""

from argparse import ArgumentParser

from league.cli.entries import CommandEntry, add_author, add_dry_run, add_json, add_league


def add_player_arguments(parser: ArgumentParser) -> None:
    """Add the actions on players."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    list_parser = actions.add_parser("list", help="list players by handle")
    list_parser.add_argument("--search", default="", metavar="TEXT", help="only players whose names contain this text")
    list_parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most N players (default: 50)")
    add_json(list_parser)
    show = actions.add_parser("show", help="show a player with their ratings")
    show.add_argument("handle", metavar="HANDLE", help="the player's handle or alias")
    add_json(show)
    add = actions.add_parser("add", help="add a player")
    add.add_argument("handle", metavar="HANDLE", help="the handle, as in addresses and files")
    add.add_argument("name", nargs="?", default="", metavar="NAME", help="the name that people read (default: HANDLE)")
    add.add_argument("--alias", action="append", default=[], help="another spelling; repeatable")
    add_dry_run(add, "check everything, and save nothing")
    add_json(add)


def add_person_arguments(parser: ArgumentParser) -> None:
    """Add the person."""
    parser.add_argument("handle", metavar="HANDLE", help="the person's handle")
    parser.add_argument("--user", default="", metavar="NAME", help="their username, if it differs from all their names")


def add_erase_player_arguments(parser: ArgumentParser) -> None:
    """Add the person, and which texts are erased."""
    parser.add_argument("handle", metavar="HANDLE", help="the person's handle")
    parser.add_argument("--keep-texts", action="store_true", help="keep notes and reasons that contain their names")
    parser.add_argument("--parts", action="store_true", help="also erase notes and reasons that contain part of a name")
    add_dry_run(parser, "show what would be erased, and save nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    add_author(parser)


def add_erase_text_arguments(parser: ArgumentParser) -> None:
    """Add the log entry."""
    add_league(parser)
    parser.add_argument("position", type=int, metavar="POSITION", help="the entry's position in the log")
    add_author(parser)


PLAYER = CommandEntry("player", "List, show or add players.", add_player_arguments)
PERSON = CommandEntry("person", "Print all data about a person as JSON.", add_person_arguments)
ERASE_PLAYER = CommandEntry(
    "erase-player", "Delete a person's names in every league; results stay.", add_erase_player_arguments
)
ERASE_TEXT = CommandEntry("erase-text", "Delete the note or reason of a log entry.", add_erase_text_arguments)
