"""Tournament report files for tests: written by hand, and drawn by the generator of the package gacrux."""

from collections.abc import Mapping, Sequence
from typing import Any

from gacrux.tournamentgenerator import tournamentgenerator
from gacrux.trf2json import trf2json


def build_trf(*rows: str, header: Sequence[str] = ("012 Club evening", "092 Individual: Swiss-System")) -> str:
    """Return a file of players. A row is ``number points rank | cell | cell …``, a cell like ``2 w 1`` or ``- - H``."""
    lines = list(header)
    for row in rows:
        head, *cells = (part.strip() for part in row.split("|"))
        number, points, rank = head.split()
        line = f"001 {number:>4} m    {'Player ' + number:33} {1800 + int(number):>4} GER {number:>11} 1990/01/01"
        line += f" {points:>4} {rank:>4}"
        for cell in cells:
            opponent, colour, result = cell.split() if cell else (" ", " ", " ")
            opponent = "0000" if opponent == "-" else opponent
            line += f"  {opponent:>4} {colour} {result.replace('?', ' ')}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def generate_trf(
    seed: int, *, players: int = 20, rounds: int = 7, method: str = "dutch", forfeits: float = 0.05
) -> str:
    """Return a file of a tournament that gacrux drew and paired, with byes and forfeits."""
    generator = tournamentgenerator()
    generator.params = {
        "number_of_rounds": rounds, "current_round": rounds, "players": str(players), "members": "1", "rating": [],
        "method": [method], "statistics": ["0.02", "0.08", str(forfeits)], "experimental": [], "acceleration": False,
        "maxmeets": "0", "verbose": 0, "top_color": " ", "unpaired": [],
    }  # fmt: skip
    generator.statistics.set_sigma(50.0)
    generator.statistics.set_team(1)
    generator.statistics.set_seed(seed * 10000 + 4711)
    text: str = trf2json().output_file(generator.gen_tournament(seed), 1, True)
    return text


#: Two rounds of five players. Points by hand: 1 and 5 have 1½, 2 and 3 have 1, 4 has ½.
FIVE = build_trf(
    "1 1.5 1 | 3 w 1 | 2 b =",
    "2 1.0 2 | 4 b = | 1 w =",
    "3 1.0 2 | 1 b 0 | - - U",
    "4 0.5 5 | 2 w = | 5 b -",
    "5 1.5 1 | - - H | 4 w +",
)

#: Warnings about what a file does not state, and about pairings that do not follow.
UNSTATED = frozenset((
    "title_assumed", "swiss_assumed", "round_robin_assumed", "rounds_open", "white_assumed", "black_assumed",
    "tie_breaks_assumed", "points_assumed", "byes_assumed", "times_assumed", "pairing_differs", "colours_differ",
    "no_pairing", "not_checked",
))  # fmt: skip


def list_stated(answer: Mapping[str, Any]) -> list[str]:
    """Return the codes of an import's warnings about what the file states."""
    return [one["code"] for one in answer["warnings"] if one["code"] not in UNSTATED]
