"""Reads a league's rated games for the laboratory, in one snapshot and without locks."""

from dataclasses import dataclass, replace

import numpy as np

from league.apps.laboratory.services.questions import ExperimentQuestion
from league.core.db.columns import Column, convert_to_micros
from league.core.db.isolation import long_snapshot
from league.core.replay.services.history import GameLog, read_log
from league.core.replay.services.played_games import build_game_columns, compute_day_start_micros
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.models import League
from ratings.laboratory.experiments import LaboratoryGames


@dataclass(frozen=True, eq=False)
class GameSpan:
    """The rated games of a span, with the keys of their P players.

    ``played`` numbers the players in the order of ``keys``. ``last_number`` is the number of the last game (None: no
    games), ``log_sha256`` the head of the log with these games.
    """

    played: LaboratoryGames
    keys: Column
    last_number: int | None
    log_sha256: str


def read_games(league: League, question: ExperimentQuestion) -> GameSpan:
    """Read the rated games of a question's span, in rating order.

    Games before the league's first rule are not rated. Initial ratings belong to the league's system and are ignored.
    """
    keys = {spec.key: None for candidate in question.candidates for spec in candidate.rating_system.game_fields}
    with long_snapshot():
        head = League.objects.values_list("log_sha256", flat=True).get(pk=league.pk)
        rules = load_rules(league)
        # The league's own systems too, so that sides are read even if no candidate uses them.
        log = read_log(
            league,
            None,
            [*(candidate.rating_system for candidate in question.candidates), *map(build_rule_system, rules)],
        )
    rules_start = convert_to_micros(rules[0].starts_at) if rules else None
    first, last = _find_span(log, league, question, rules_start)
    lab_games = build_game_columns(log, first, last, league.time_zone, list(keys))
    lowest_wins = bool(rules) and build_rule_system(rules[-1]).lowest_score_wins()
    players = np.unique(log.players[log.offsets[first] : log.offsets[last]])
    number = int(log.numbers[last - 1]) if last > first else None
    return GameSpan(replace(lab_games, lowest_wins=lowest_wins), players, number, head)


def _find_span(log: GameLog, league: League, question: ExperimentQuestion, rules_start: int | None) -> tuple[int, int]:
    if rules_start is None:
        return 0, 0
    start = rules_start
    if question.first is not None:
        start = max(start, compute_day_start_micros(question.first, league.time_zone))
    first = int(np.searchsorted(log.moments, start))
    if question.before is None:
        return first, len(log.games)
    end = compute_day_start_micros(question.before, league.time_zone)
    return first, max(first, int(np.searchsorted(log.moments, end)))
