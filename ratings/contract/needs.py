"""What players need to pass the leader of a ladder, found by trying further games with the method itself."""

from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from ratings.columns.tallies import Floats, RatedLineColumns, Records, Truths, Wholes
from ratings.contract.method import Method

#: Maximum number of further games, and of wins, that are tried.
MAX_GAMES, MAX_WINS = 3, 20
#: The lowest score that is tried; if even this suffices, any result does.
LOWEST = -(2**20)


class Need(NamedTuple):
    """The further games that a player needs, and the score or performance in each; None if any (or a win) suffices."""

    games: int
    figure: int | None


def find_needs(method: Method, records: Records, target: float) -> list[Need | None] | None:
    """Return what each record needs for a score above ``target``: the lowest whole figure, in the fewest games.

    Tries up to ``MAX_WINS`` wins, or up to ``MAX_GAMES`` games as good as the best of these records, then a single one
    that is better by up to half of what lies between the best and the worst. An entry is None if this does not suffice.
    The result is None if a game's worth depends on the opponents.
    """
    counted = method.deciding_figure()
    if counted is None or not len(records):
        return None
    values = method.scores_in(records) if counted == "score" else records.lines.performance
    if counted != "win" and np.isnan(values).all():
        return None
    if counted == "win":
        attempts = [(games, 1) for games in range(1, MAX_WINS + 1)]
    else:
        highest = int(np.ceil(np.nanmax(values)))
        record = highest + int(np.nanmax(values) - np.nanmin(values)) // 2
        attempts = [*((games, highest) for games in range(1, MAX_GAMES + 1)), (1, record)]
    sign = -1 if counted == "score" and (method.lowest_score_wins() or bool(records.lines.lowest[-1])) else 1
    needs: list[Need | None] = [None] * len(records)
    for games, limit in attempts:
        figures, reached = _find_lowest_figures(method, records, target, games, limit)
        for index in np.flatnonzero(reached).tolist():
            if needs[index] is None:
                any_result = counted == "win" or figures[index] == LOWEST
                needs[index] = Need(games, None if any_result else sign * int(figures[index]))
    return needs


def _find_lowest_figures(
    method: Method, records: Records, target: float, games: int, highest: int
) -> tuple[Wholes, Truths]:
    """Return each record's lowest sufficient figure in each of some games, and whether the highest one suffices."""
    low = np.full(len(records), LOWEST, dtype=np.int64)
    high = np.full(len(records), highest, dtype=np.int64)
    reached = _pass(method, records, high, games, target)
    if method.deciding_figure() == "win" or not reached.any():
        return high, reached
    high = np.where(_pass(method, records, low, games, target), low, high)
    while ((high - low) > 1).any():
        middle = (low + high) // 2
        passing = _pass(method, records, middle, games, target)
        low, high = np.where(passing, low, middle), np.where(passing, middle, high)
    return high, reached


def _pass(method: Method, records: Records, figures: Wholes, games: int, target: float) -> Truths:
    """Return which records exceed a score and qualify after further games with these figures."""
    tallies = method.tabulate(_add_games(method, records, figures.astype(np.float64), games))
    size = len(records)
    passed: Truths = (tallies.score[:size] > target) & (tallies.why_not[:size] == 0)
    return passed


def _add_games(method: Method, records: Records, figures: Floats, games: int) -> Records:
    """Return the records with further games of each, won against a player without other games, or with one line."""
    size, counted = len(records), method.deciding_figure()
    lines = 2 if counted == "win" else 1
    record_index = np.repeat(np.tile(np.arange(size), games), lines)
    number = np.repeat(np.arange(size * games), lines) + 1 + records.lines.number.max()
    absent = np.full(len(record_index), np.nan)
    added = RatedLineColumns(
        number=number,
        at=np.full(len(record_index), records.lines.at.max()),
        player=records.player[record_index],
        score=absent,
        place=absent,
        performance=absent,
        after=absent,
        games=np.zeros(len(record_index), dtype=np.int64),
        side=absent,
        deviation=np.zeros(len(record_index)),
        lowest=np.full(len(record_index), records.lines.lowest[-1]),
    )
    if counted == "win":
        record_index[1::2] = size
        added = replace(added, place=np.tile([1.0, 2.0], size * games))
    elif counted == "performance":
        added = replace(added, performance=figures[record_index])
    else:
        turned = method.lowest_score_wins() or bool(records.lines.lowest[-1])
        added = replace(added, score=(0.0 - figures if turned else figures)[record_index])
    columns = {
        field.name: np.concatenate((getattr(records.lines, field.name), getattr(added, field.name)))
        for field in fields(RatedLineColumns)
    }
    opponent = [1] if counted == "win" else []
    return Records(
        lines=RatedLineColumns(**columns),
        of=np.concatenate((records.of, record_index)),
        period=np.append(records.period, [0] * len(opponent)),
        player=np.append(records.player, [records.player.max() + 1] * len(opponent)),
        before=np.append(records.before, [np.nan] * len(opponent)),
        rating=np.append(records.rating, [0.0] * len(opponent)),
    )
