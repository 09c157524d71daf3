"""Compares systems on a league's own games: each game is predicted from the ratings before it, in order of time.

Everything is computed from the arguments. ``progress`` receives the share done, and cancels by raising.
"""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from ratings.laboratory.checking import check_pairs, check_wish
from ratings.laboratory.findings import Entrant, EntrantFigures
from ratings.laboratory.forecasting import even_forecast, forecast_of, points_per_game
from ratings.laboratory.judging import DECIDED, PAIRS, JudgedPairs, judge, judged_pairs
from ratings.laboratory.refusing import why_refused
from ratings.laboratory.report import (
    BASELINES,
    EVEN,
    POINTS,
    Candidate,
    ExperimentReport,
    LaboratoryGames,
    RefusedCandidate,
    Unjudgeable,
    as_json,
)
from ratings.laboratory.resampling import MIN_EVENINGS
from ratings.laboratory.running import Step
from ratings.laboratory.sentences import Sentence, sentence, whole
from ratings.laboratory.standing import inflation, stability
from ratings.laboratory.tables import SideTables, tables_of
from ratings.laboratory.verdicts import too_few_evenings
from ratings.texts import N_

__all__ = ["Candidate", "ExperimentReport", "LaboratoryGames", "Unjudgeable", "as_json", "compare"]

#: Shares of the work done after preparing the pairs, and before the bootstrap.
PREPARED, RUN = 0.05, 0.95


def compare(
    candidates: Sequence[Candidate],
    played: LaboratoryGames,
    *,
    warm_up: int,
    draws: int = 200,
    seed: int = 0,
    progress: Callable[[float], None] = lambda share: None,
    compiled: bool = False,
) -> ExperimentReport:
    """Return how well the candidates and baselines predict the games from number ``warm_up`` (from 0) on.

    draws: number of bootstrap draws of evenings for the intervals. progress: receives shares from 0 to 1 and may raise.
    compiled: kernels may be compiled (by workers) if there are enough games; the figures are the same.
    Raises Unjudgeable with a message if the games allow no conclusion. A system that cannot rate them is reported
    with the reason.
    """
    check_wish(candidates, played, warm_up)
    tables = tables_of(played)
    judged = judged_pairs(tables, warm_up)
    check_pairs(tables, judged, warm_up)
    progress(PREPARED)
    entrants, refused = [], []
    for number, candidate in enumerate(candidates):
        step = progress_of_candidate(progress, number, len(candidates))
        why = why_refused(candidate.system, tables)
        if why is None:
            entrants.append(entrant_of(candidate, tables, judged, warm_up, step, compiled))
        else:
            parameters = candidate.system.to_json()
            refused.append(RefusedCandidate(candidate.system.key, candidate.label, parameters, why))
        step(1.0)
    entrants += baselines(tables, judged, warm_up)
    report = report_of(tables, judged, entrants, refused, warm_up, (draws, seed))
    progress(1.0)
    return report


def progress_of_candidate(progress: Callable[[float], None], number: int, count: int) -> Step:
    """Return the progress function of one candidate of ``count``."""
    return lambda share: progress(PREPARED + (RUN - PREPARED) * (number + share) / count)


def entrant_of(
    candidate: Candidate, tables: SideTables, judged: JudgedPairs, warm_up: int, step: Step, compiled: bool
) -> Entrant:
    """Run a candidate over the games and evaluate it."""
    system = candidate.system
    forecast, found = forecast_of(system, tables, lambda share: step(0.6 * share), compiled=compiled)
    return Entrant(
        key=system.key,
        label=candidate.label,
        parameters=system.to_json(),
        title=system.title,
        sums=judge(forecast, tables, judged, warm_up),
        score_unit={figure.key: figure.label for figure in system.figures}.get(system.expectation, ""),
        # Errors can be compared only between systems that predict the same numbers.
        foretells="" if found.came is None else hashlib.sha256(found.came.tobytes()).hexdigest(),
        stability=stability(found, tables),
        inflation=inflation(found, tables),
    )


def baselines(tables: SideTables, judged: JudgedPairs, warm_up: int) -> list[Entrant]:
    """Return the baselines: always even, and points per game."""
    found = {EVEN: even_forecast(tables), POINTS: points_per_game(tables)}
    return [
        Entrant(key, BASELINES[key], {}, BASELINES[key], judge(forecast, tables, judged, warm_up), baseline=True)
        for key, forecast in found.items()
    ]


def report_of(
    tables: SideTables,
    judged: JudgedPairs,
    entrants: Sequence[Entrant],
    refused: Sequence[RefusedCandidate],
    warm_up: int,
    wish: tuple[int, int],
) -> ExperimentReport:
    """Draw the evenings and assemble the report; wish: draws and seed."""
    draws, seed = wish
    findings = EntrantFigures(entrants, judged, draws, seed)
    return ExperimentReport(
        games=tables.played.games,
        warm_up=warm_up,
        judged=tables.played.games - warm_up,
        evenings=findings.count,
        players=len(np.unique(tables.played.players[tables.played.offsets[warm_up] :])),
        pairs=int(judged.evenings[:, PAIRS].sum()),
        decided=int(judged.evenings[:, DECIDED].sum()),
        draws=draws,
        seed=seed,
        measured=tuple(findings.measured(entrant) for entrant in entrants),
        refused=tuple(refused),
        differences=tuple(findings.differences()),
        notes=tuple(report_notes(tables, findings.count, warm_up)),
    )


def report_notes(tables: SideTables, evenings: int, warm_up: int) -> list[Sentence]:
    """Return the notes on the whole report."""
    found = []
    if evenings < MIN_EVENINGS:
        found.append(too_few_evenings(evenings))
    played = tables.played
    first = int(played.offsets[warm_up])
    table = len(np.unique(played.players[first:]))
    if (np.diff(played.offsets[warm_up:]) == table).all():
        template = N_("All games were played by the same {players} players; the results apply only to them.")
        found.append(sentence(template, players=whole(table)))
    return found
