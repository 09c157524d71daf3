"""Commands for leagues."""

from argparse import ArgumentParser
from pathlib import Path

from league.cli.entries import CommandEntry, add_author, add_dry_run, add_json, add_league


def add_league_arguments(parser: ArgumentParser) -> None:
    """Add the actions on leagues."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add_json(actions.add_parser("list", help="list all leagues"))
    show = actions.add_parser("show", help="show a league with its leaderboard")
    add_league(show)
    show.add_argument("--rows", type=int, default=20, metavar="N", help="rows of the leaderboard (default: 20)")
    add_json(show)
    create = actions.add_parser("create", help="create a league")
    add_league(create)
    create.add_argument("title", metavar="TITLE", help="the title that people read")
    create.add_argument(
        "--system",
        default="elo",
        metavar="KEY[:NAME=VALUE,…]",
        help="the rating system, such as elo:k=32",
    )
    create.add_argument("--time-zone", default="UTC", help="such as Europe/Berlin (default: UTC)")
    create.add_argument("--private", action="store_true", help="only members can read it")
    add_author(create)
    add_dry_run(create, "check everything, and save nothing")
    add_json(create)


def add_import_arguments(parser: ArgumentParser) -> None:
    """Add the league and the file."""
    add_league(parser)
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="CSV with the columns game_id, played_at, player, score, place and the system's game fields; or .ndjson",
    )
    parser.add_argument("--create-players", action="store_true", help="add unknown players")
    parser.add_argument("--encoding", default="", metavar="NAME", help="the encoding of CSV, such as windows-1250")
    parser.add_argument("--day-order", default="", choices=("day", "month"), help="what comes first in 11/06/2026")
    add_dry_run(parser, "show what would be imported, and save nothing")
    add_json(parser)


def add_restore_arguments(parser: ArgumentParser) -> None:
    """Add the file and the slug."""
    parser.add_argument("file", type=Path, metavar="FILE", help="an export, from this command line or the API")
    parser.add_argument("--slug", help="another slug than the one in the file")
    parser.add_argument(
        "--known-players", action="store_true", help="treat players with equal handles as the same people"
    )
    add_json(parser)


def add_verify_arguments(parser: ArgumentParser) -> None:
    """Add the league and the anchors."""
    parser.add_argument("league", nargs="?", metavar="LEAGUE", help="the league's slug (default: all leagues)")
    parser.add_argument(
        "--anchor",
        action="append",
        default=[],
        metavar="POSITION:HASH",
        help="a log entry and its SHA-256, as published or mirrored; repeatable",
    )
    add_json(parser)


def add_compare_arguments(parser: ArgumentParser) -> None:
    """Add the league, the systems and the games."""
    add_league(parser)
    parser.add_argument(
        "--system",
        action="append",
        required=True,
        metavar="KEY[:NAME=VALUE,…]",
        help="a system with parameters, such as glicko2:tau=0.7; up to six, the first is the baseline",
    )
    parser.add_argument("--from", dest="first", metavar="DAY", help="games from this day on, such as 2015-01-01")
    parser.add_argument("--to", dest="before", metavar="DAY", help="games before this day")
    parser.add_argument(
        "--warm-up", metavar="N", help="games at the start that are not scored: number or share (default: 0.2)"
    )
    parser.add_argument("--draws", type=int, metavar="N", help="bootstrap draws for the intervals")
    parser.add_argument(
        "--fit",
        action="append",
        default=[],
        metavar="NAME",
        help="fit this parameter of the first system to the earlier games; later games are used for scoring",
    )
    parser.add_argument("--until", type=float, metavar="SHARE", help="with --fit: the share of earlier games")
    add_json(parser)


def add_health_arguments(parser: ArgumentParser) -> None:
    """Add the league and the form of the output."""
    add_league(parser)
    add_json(parser)


def add_accept_clock_arguments(parser: ArgumentParser) -> None:
    """Add the league and the author."""
    add_league(parser)
    add_author(parser)


LEAGUE = CommandEntry("league", "List, show or create leagues.", add_league_arguments)
IMPORT = CommandEntry(
    "import", "Import games from CSV or NDJSON: all of them, or none.", add_import_arguments, module="import_games"
)
EXPORT = CommandEntry("export", "Print all data of a league as NDJSON.", add_league)
RESTORE = CommandEntry("restore", "Create a league from its export: all of it, or nothing.", add_restore_arguments)
VERIFY = CommandEntry(
    "verify", "Compare stored games and ratings with the log and a full replay.", add_verify_arguments
)
REPLAY = CommandEntry("replay", "Compute a league's ratings again from its games.", add_league)
COMPARE = CommandEntry("compare", "Compare rating systems on a league's own games.", add_compare_arguments)
HEALTH = CommandEntry("health", "Show how comparable a league's ratings are.", add_health_arguments)
ACCEPT_CLOCK = CommandEntry(
    "accept-clock", "Continue a log whose last entry is in the future.", add_accept_clock_arguments
)
