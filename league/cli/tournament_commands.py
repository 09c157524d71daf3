"""Commands for tournament reports. They need no database and no Django, so they begin at once."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any

from league.cli.entries import CommandEntry, add_json

AGREES, DIFFERS, UNREADABLE = 0, 1, 2
MAX_MEGABYTES = 8
#: Options with a whole number, and what they set.
COUNTS = {
    "players": "how many players",
    "rounds": "how many rounds",
    "lowest_rating": "no drawn rating is lower",
    "highest_rating": "no drawn rating is higher",
}
#: Options with a share from 0 to 1.
PROBABILITIES = {
    "draws": "of games that are drawn, between equal players",
    "half_point_byes": "of players who ask for a half-point bye in a round",
    "zero_point_byes": "of players who ask for a zero-point bye in a round",
    "full_point_byes": "of players who get a full-point bye in a round",
    "forfeits": "of games that are forfeited",
    "unusual_results": "of games with ½–0 or 0–0",
    "unrated_games": "of games that are played and not rated",
    "unrated_players": "of players without a rating",
}


def read_share(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ArgumentTypeError(f"“{text}” is not a share from 0 to 1.")
    return share


def read_ratings(text: str) -> list[int]:
    """Return ratings that are separated by commas."""
    if not all(word.strip().isascii() and word.strip().isdigit() for word in text.split(",")):
        raise ArgumentTypeError(f"“{text}” is not a list of ratings such as 2100,1950,1800.")
    return [int(word) for word in text.split(",")]


def add_check_arguments(parser: ArgumentParser) -> None:
    """Add the file."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a tournament report (TRF16 or TRF26)")
    parser.add_argument("-c", "--check", action="store_true", help="has no effect: other checkers have it")
    parser.add_argument("--encoding", default="", metavar="NAME", help="the encoding of the file, such as windows-1250")
    add_json(parser)


def add_generate_arguments(parser: ArgumentParser) -> None:
    """Add the settings, each of which is drawn if it is not given."""
    parser.add_argument("settings", nargs="?", type=Path, metavar="SETTINGS", help="a file of settings: name = value")
    parser.add_argument("-g", "--generate", action="store_true", help="has no effect: other generators have it")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write this file (default: print it)")
    parser.add_argument("-s", "--seed", type=int, metavar="N", help="the same seed draws the same tournament again")
    for name, help_text in COUNTS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=help_text)
    for name, help_text in PROBABILITIES.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=read_share, metavar="SHARE", help=f"the share {help_text}"
        )
    parser.add_argument("--ratings", type=read_ratings, metavar="R,R,…", help="the ratings of the players")
    parser.add_argument("--tie-breaks", type=lambda text: text.split(","), metavar="CODE,…", help="such as BH/C1,BH,SB")
    parser.add_argument("--first-colour", choices=("white", "black"), help="of the first player in round 1")
    parser.add_argument("--acceleration", choices=("none", "baku"), help="baku: C.04.7 of FIDE's rules")


def run_check(given: Namespace) -> int:
    """Check a file; return 0 if all agrees, 1 if something differs, 2 if it cannot be read."""
    from ratings.tournaments.checking import check_text

    try:
        text = decode(given.file.read_bytes(), given.encoding)
    except OSError as error:
        sys.stderr.write(f"rungs check: {given.file}: {error.strerror}.\n")
        return UNREADABLE
    except (ValueError, LookupError) as error:
        sys.stderr.write(f"rungs check: {error}\n")
        return UNREADABLE
    found = check_text(text)
    if given.json:
        import json
        from dataclasses import asdict

        sys.stdout.write(json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in found.list_lines())
    return UNREADABLE if not found.readable else DIFFERS if found.differences else AGREES


def decode(data: bytes, encoding: str) -> str:
    """Return the text of a file. Without Unicode each byte is a letter: names may look wrong, columns stay."""
    if len(data) > MAX_MEGABYTES * 1024 * 1024:
        raise ValueError(f"The file is larger than {MAX_MEGABYTES} MB.")
    if not encoding:
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            encoding = "latin-1"
    return data.decode(encoding)


def run_generate(given: Namespace) -> int:
    """Draw a tournament, and write its report; return 2 if the settings allow none."""
    import secrets

    from ratings.tournaments.drawing import draw_tournament
    from ratings.tournaments.settings import BadSettings, build_settings, read_settings

    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    options: dict[str, Any] = {
        name: value
        for name in (*COUNTS, *PROBABILITIES, "ratings", "tie_breaks", "first_colour", "acceleration")
        if (value := getattr(given, name)) is not None
    }
    try:
        by_file = vars(read_settings(given.settings.read_text("utf-8"))) if given.settings else {}
        both = {name: list(value) if isinstance(value, tuple) else value for name, value in by_file.items()} | options
        settings = build_settings({name: value for name, value in both.items() if value is not None})
        data = draw_tournament(settings, seed).write()
        if given.output:
            given.output.write_bytes(data)
        else:
            sys.stdout.write(data.decode().replace("\r\n", "\n"))
    except OSError as error:
        sys.stderr.write(f"rungs generate: {error.filename}: {error.strerror}.\n")
        return UNREADABLE
    except (UnicodeDecodeError, BadSettings) as error:
        sys.stderr.write(f"rungs generate: {error}\n")
        return UNREADABLE
    sys.stderr.write(f"Seed: {seed}\n")
    return AGREES


CHECK = CommandEntry("check", "Check a tournament report: pairings, places, lines.", add_check_arguments, run=run_check)
GENERATE = CommandEntry(
    "generate", "Draw a tournament, and write its report.", add_generate_arguments, run=run_generate
)
