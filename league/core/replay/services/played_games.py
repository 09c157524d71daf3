"""Converts games of a log to columns, and finds games that another system cannot rate."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import isnan

import numpy as np

from league.core.calendar import start_of_day
from league.core.db.columns import MICROS_A_DAY, Column, convert_column_to_days, convert_to_micros
from league.core.replay.services.history import GameLog
from league.models.recorded import RESERVED
from ratings.contract.system import GameSheet, RatingSystem
from ratings.laboratory.refusing import find_refusal_reason
from ratings.laboratory.report import LaboratoryGames
from ratings.laboratory.tables import build_side_tables
from ratings.run.replay import NAN, read_sheet

EPOCH = date(1970, 1, 1)


def compute_day_start_micros(day: date, time_zone: str) -> int:
    """Return the start of a day in a time zone, in microseconds."""
    return convert_to_micros(start_of_day(day, time_zone))


def build_game_columns(log: GameLog, first: int, last: int, time_zone: str, keys: Sequence[str]) -> LaboratoryGames:
    """Return a range of games of a log as columns, with which systems are tried."""
    start, end = int(log.offsets[first]), int(log.offsets[last])
    ids, players = np.unique(log.players[start:end], return_inverse=True)
    times = log.moments[first:last]
    details = (log.details or [])[first:last]
    sides = None if log.sides is None else log.sides[start:end]
    return LaboratoryGames(
        offsets=log.offsets[first : last + 1] - start,
        players=players.astype(np.int64),
        scores=log.results[start:end, 0],
        places=log.results[start:end, 1],
        weights=np.ones(last - first) if log.weights is None else log.weights[first:last],
        sides=None if sides is None or np.isnan(sides).all() else sides,
        days=convert_column_to_days(times),
        evenings=_compute_local_days(times, time_zone),
        fields={
            key: np.array([float(game_details.get(key, NAN)) for game_details in details], dtype=np.float64)
            for key in keys
        },
        count=len(ids),
    )


def _compute_local_days(times: Column, time_zone: str) -> Column:
    """Return the calendar day of each time in a time zone, as an ascending number.

    Only days with games and their neighbours are looked up, as zones differ from UTC by less than two days.
    """
    near = np.unique(times // MICROS_A_DAY)
    days = np.unique(np.concatenate([near - 1, near, near + 1])).tolist()
    starts = np.array(
        [compute_day_start_micros(EPOCH + timedelta(days=day), time_zone) for day in days], dtype=np.int64
    )
    local: Column = np.array(days, dtype=np.int64)[np.searchsorted(starts, times, side="right") - 1]
    return local


def _iter_sheets(log: GameLog, first: int, last: int) -> Iterator[tuple[int, GameSheet]]:
    """Yield number and sheet of a range of games of a log."""
    days = convert_column_to_days(log.moments)
    for game in range(first, last):
        rows = slice(int(log.offsets[game]), int(log.offsets[game + 1]))
        scores, places = log.results[rows].T.tolist()
        sides = [] if log.sides is None else _convert_nan_to_none(log.sides[rows].tolist())
        details = {} if log.details is None else log.details[game]
        yield (
            int(log.numbers[game]),
            GameSheet(
                scores=[None if isnan(score) else score for score in scores],
                places=_convert_nan_to_none(places),
                fields={name: value for name, value in details.items() if name not in RESERVED},
                sides=() if sides.count(None) == len(sides) else sides,
                weight=1.0 if log.weights is None else float(log.weights[game]),
                day=float(days[game]),
            ),
        )


def _convert_nan_to_none(values: Sequence[float]) -> list[int | None]:
    return [None if isnan(value) else int(value) for value in values]


def find_unratable(system: RatingSystem, log: GameLog, first: int, last: int) -> list[tuple[int, str]]:
    """Return number and message of each game in a range of a log that a system cannot rate as recorded."""
    sheets = ((number, system.check(sheet)) for number, sheet in _iter_sheets(log, first, last))
    return [(number, refusals[0].sentence) for number, refusals in sheets if refusals]


def find_unreadable(system: RatingSystem, log: GameLog, first: int, last: int, time_zone: str) -> list[tuple[int, str]]:
    """Return number and message of each game in a range of a log that a system cannot replay: see ``read_sheet``."""
    keys = [spec.key for spec in system.game_fields]
    columns = replace(build_game_columns(log, first, last, time_zone, keys), lowest_wins=system.lowest_score_wins())
    if first == last or find_refusal_reason(system, build_side_tables(columns)) is None:
        return []
    sheets = ((number, system.check(read_sheet(system, sheet))) for number, sheet in _iter_sheets(log, first, last))
    return [(number, refusals[0].sentence) for number, refusals in sheets if refusals]
