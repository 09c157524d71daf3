"""A league's rated games as the laboratory takes them: one snapshot is read, nothing is locked or written."""

from dataclasses import dataclass, replace

import numpy as np

from league.apps.laboratory.services.questions import ExperimentQuestion
from league.core.db.columns import Column, to_micros
from league.core.db.isolation import long_snapshot
from league.core.leagues.selectors.rules import rules_of, system_of
from league.core.replay.services.history import GameLog, read_log
from league.core.replay.services.played_games import first_micros, played_of
from league.models import League
from ratings.laboratory.experiments import LaboratoryGames


@dataclass(frozen=True, eq=False)
class GameSpan:
    """The games of a span; P players, whose keys are in the order in which ``played`` numbers them.

    last_number: of the last game; None if there is none. log_sha256: the head of the log as of these games.
    """

    played: LaboratoryGames
    keys: Column
    last_number: int | None
    log_sha256: str


def read_games(league: League, question: ExperimentQuestion) -> GameSpan:
    """Read the games of a question's span that the league rates, in rating order.

    Games before the league's first rule are not rated; initial ratings are another system's, and left aside.
    """
    keys = {spec.key: None for one in question.candidates for spec in one.built.game_fields}
    with long_snapshot():
        head = League.objects.values_list("log_sha256", flat=True).get(pk=league.pk)
        rules = rules_of(league)
        # The league's own systems too: what its games say of sides must not be lost on systems that know none.
        log = read_log(league, None, [*(one.built for one in question.candidates), *map(system_of, rules)])
    start = to_micros(rules[0].starts_at) if rules else None
    first, last = span_of(log, league, question, start)
    played = played_of(log, first, last, league.time_zone, list(keys))
    lowest_wins = bool(rules) and system_of(rules[-1]).lowest_score_wins()
    seated = np.unique(log.players[log.offsets[first] : log.offsets[last]])
    number = int(log.numbers[last - 1]) if last > first else None
    return GameSpan(replace(played, lowest_wins=lowest_wins), seated, number, head)


def span_of(log: GameLog, league: League, question: ExperimentQuestion, start: int | None) -> tuple[int, int]:
    """Return the positions of the first game of a span, and of the first one after it."""
    if start is None:
        return 0, 0
    opens = start if question.first is None else max(start, first_micros(question.first, league.time_zone))
    first = int(np.searchsorted(log.moments, opens))
    if question.before is None:
        return first, len(log.games)
    return first, max(first, int(np.searchsorted(log.moments, first_micros(question.before, league.time_zone))))
