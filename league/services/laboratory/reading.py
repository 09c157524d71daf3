"""A league's rated games as the laboratory takes them: one snapshot is read, nothing is locked or written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from league.calendar import start_of_day
from league.db.columns import Column
from league.db.isolation import long_snapshot
from league.db.times import MICROS_A_DAY, days_of, micros
from league.models import League
from league.selectors.rules import rules_of, system_of
from league.services.laboratory.questions import Question
from league.services.replay.history import GameLog, read_log
from ratings.laboratory.experiments import Played
from ratings.run.replay import NAN

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, eq=False)
class Reading:
    """The games of a span; P players, whose keys are in the order in which ``played`` numbers them.

    last_number: of the last game; None where there is none. log_sha256: the head of the log as of these games.
    """

    played: Played
    keys: Column
    last_number: int | None
    log_sha256: str


def read_games(league: League, question: Question) -> Reading:
    """Read the games of a question's span that the league rates, in rating order.

    Games before the league's first rule are not rated; initial ratings are another system's, and left aside.
    """
    keys = {spec.key: None for one in question.candidates for spec in one.built.game_fields}
    with long_snapshot():
        head = League.objects.values_list("log_sha256", flat=True).get(pk=league.pk)
        rules = rules_of(league)
        # The league's own systems too: what its games say of sides must not be lost on systems that know none.
        log = read_log(league, None, [*(one.built for one in question.candidates), *map(system_of, rules)])
    start = micros(rules[0].starts_at) if rules else None
    first, last = span_of(log, league, question, start)
    played = played_of(log, first, last, league.time_zone, list(keys))
    lowest_wins = bool(rules) and system_of(rules[-1]).lowest_score_wins()
    seated = np.unique(log.players[log.offsets[first] : log.offsets[last]])
    number = int(log.numbers[last - 1]) if last > first else None
    return Reading(replace(played, lowest_wins=lowest_wins), seated, number, head)


def span_of(log: GameLog, league: League, question: Question, start: int | None) -> tuple[int, int]:
    """Return the positions of the first game of a span, and of the first one after it."""
    if start is None:
        return 0, 0
    opens = start if question.first is None else max(start, first_micros(question.first, league.time_zone))
    first = int(np.searchsorted(log.moments, opens))
    if question.before is None:
        return first, len(log.games)
    return first, max(first, int(np.searchsorted(log.moments, first_micros(question.before, league.time_zone))))


def first_micros(day: date, time_zone: str) -> int:
    """Return the first instant of a day of a zone as a column has it."""
    return micros(start_of_day(day, time_zone))


def played_of(log: GameLog, first: int, last: int, time_zone: str, keys: Sequence[str]) -> Played:
    """Return some games of a log as the laboratory takes them."""
    start, end = int(log.offsets[first]), int(log.offsets[last])
    ids, players = np.unique(log.players[start:end], return_inverse=True)
    moments = log.moments[first:last]
    details = (log.details or [])[first:last]
    sides = None if log.sides is None else log.sides[start:end]
    return Played(
        offsets=log.offsets[first : last + 1] - start,
        players=players.astype(np.int64),
        scores=log.results[start:end, 0],
        places=log.results[start:end, 1],
        weights=np.ones(last - first) if log.weights is None else log.weights[first:last],
        sides=None if sides is None or np.isnan(sides).all() else sides,
        days=days_of(moments),
        evenings=local_days(moments, time_zone),
        fields={key: np.array([float(one.get(key, NAN)) for one in details], dtype=np.float64) for key in keys},
        count=len(ids),
    )


def local_days(moments: Column, time_zone: str) -> Column:
    """Return for each moment the calendar day of a zone as a number, ascending with the days.

    Only the days on which somebody played, and their neighbours, are looked up: zones differ from UTC by less than two.
    """
    near = np.unique(moments // MICROS_A_DAY)
    days = np.unique(np.concatenate([near - 1, near, near + 1])).tolist()
    starts = np.array([first_micros(EPOCH + timedelta(days=day), time_zone) for day in days], dtype=np.int64)
    found: Column = np.array(days, dtype=np.int64)[np.searchsorted(starts, moments, side="right") - 1]
    return found
