"""Commands for rating lists."""

from argparse import ArgumentParser
from datetime import date
from pathlib import Path

from league.cli.entries import CommandEntry, add_json


def add_rating_list_arguments(parser: ArgumentParser) -> None:
    """Add the file, and which list it is."""
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE",
        help="the list: FIDE's as TXT or XML, or CSV, each alone or in a ZIP archive; none: show the lists in use",
    )  # fmt: skip
    parser.add_argument("--provider", default="fide", help="what the ids begin with (default: fide)")
    parser.add_argument("--title", default="", help="the name of the list (default: the provider)")
    parser.add_argument(
        "--dated",
        type=date.fromisoformat,
        default=None,
        metavar="YYYY-MM-DD",
        help="the day of the list (default: the first of this month)",
    )
    parser.add_argument(
        "--column", action="append", default=[], metavar="MEANING=TITLE",
        help="a column of CSV, such as number=ID, name=Name, standard=Rating, club=Club; repeatable",
    )  # fmt: skip
    add_json(parser)


RATING_LIST = CommandEntry(
    "rating-list", "Load a federation's rating list, in which entries are looked up.",
    add_rating_list_arguments,
)  # fmt: skip
