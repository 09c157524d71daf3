"""The cells of a tournament report, read by columns: shares nothing with the reader of the product."""

from typing import NamedTuple


class ReportCell(NamedTuple):
    """A player's round; ``opponent`` 0 is nobody."""

    opponent: int
    colour: str
    result: str


def list_player_lines(text: str) -> dict[int, int]:
    """Return the index of the line of each player, by number."""
    return {int(line[4:8]): index for index, line in enumerate(text.splitlines()) if line.startswith("001")}


def read_cells(text: str) -> dict[int, list[ReportCell]]:
    """Return the rounds of each player by number."""
    lines = text.splitlines()
    return {
        number: [
            ReportCell(int(line[at : at + 4].strip() or 0), line[at + 5 : at + 6].strip(), line[at + 7 : at + 8])
            for at in range(91, len(line), 10)
        ]
        for number, index in list_player_lines(text).items()
        for line in [lines[index]]
    }


def write_cell(text: str, player: int, number: int, cell: ReportCell) -> str:
    """Return the file with another cell."""
    lines = text.splitlines()
    index, at = list_player_lines(text)[player], 91 + 10 * (number - 1)
    written = f"{cell.opponent:4} {cell.colour} {cell.result}" if cell.opponent else f"0000 - {cell.result}"
    lines[index] = lines[index][:at] + written + lines[index][at + 8 :]
    return "\n".join(lines) + "\n"


def write_field(text: str, player: int, first: int, field: str) -> str:
    """Return the file with another field of a player, from a column on."""
    lines = text.splitlines()
    index = list_player_lines(text)[player]
    lines[index] = lines[index][: first - 1] + field + lines[index][first - 1 + len(field) :]
    return "\n".join(lines) + "\n"


def build_line(number: int, points: str, rank: int, cells: str) -> str:
    """Return a player's line; ``cells`` begin at column 92."""
    return (
        f"001 {number:>4}      {'Player ' + str(number):33} {2000 - number:>4} {'':3} {'':11} {'':10} "
        f"{points:>4} {rank:>4}  {cells}"
    )
