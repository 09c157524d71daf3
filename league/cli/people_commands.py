"""Commands for rating lists."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date

from league.cli.entries import CommandEntry, add_json
from ratings.trf.head import read_federation


def add_rating_list_arguments(parser: ArgumentParser) -> None:
    """Add the file, and which list it is."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE",
        help="the list: FIDE's as TXT or XML, or CSV, each alone or in a ZIP archive, or its https address; none: show "
        "the lists in use",
    )  # fmt: skip
    parser.add_argument(
        "--update", action="store_true", help="download each list again that was loaded from an address"
    )
    parser.add_argument("--provider", default="fide", help="what the ids begin with (default: fide)")
    parser.add_argument(
        "--federation", type=_read_federation, default="", metavar="GER",
        help="of a national list: the federation, by which competitions propose it",
    )  # fmt: skip
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


def _read_federation(text: str) -> str:
    found = read_federation(text)
    if found is None:
        raise ArgumentTypeError("A federation has three letters, as FIDE writes them, e.g. SRB.")
    return found


RATING_LIST = CommandEntry(
    "rating-list", "Load a federation's rating list, in which entries are looked up.",
    add_rating_list_arguments,
)  # fmt: skip
