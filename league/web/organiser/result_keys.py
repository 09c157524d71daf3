"""Keys on a score pad that enter the result of a game of two with one press."""

from collections.abc import Sequence
from typing import NamedTuple

from league.core.finish import rates_results_alone
from league.core.text.game_results import DRAW, LOSS, WIN
from league.web.organiser.score_sheets import IncomingSheet


class PadKey(NamedTuple):
    """A key: the result as it is written, and what it enters for the first and the second player."""

    label: str
    results: str


def build_pad_keys(sheet: IncomingSheet, columns: Sequence[str], usual: int) -> list[PadKey]:
    """Return the keys of a sheet for ``usual`` players; none for larger tables, teams, and where scores are rated."""
    if usual != 2 or sheet.sides:
        return []
    if "set_1" in columns:
        needed = sheet.rule.sets["best_of"] // 2 + 1
        won = [(needed, lost) for lost in range(needed)]
        pairs = [*won, *((lost, won) for won, lost in reversed(won))]
        if "score" in columns:
            return [PadKey(f"{first}–{second}", f"{first} {second}") for first, second in pairs]
    elif not rates_results_alone(sheet.system):
        return []
    if "score" in columns:
        better, worse, level = ("0", "1", "0.5") if sheet.system.lowest_score_wins() else ("1", "0", "0.5")
    else:
        better, worse, level = "1", "2", "1"
    draw = [PadKey(DRAW, f"{level} {level}")] if sheet.system.ties and "set_1" not in columns else []
    return [PadKey(WIN, f"{better} {worse}"), *draw, PadKey(LOSS, f"{worse} {better}")]
