"""Compares systems on a league's own games: each game is predicted from the ratings before it, in order of time.

Everything is computed from the arguments. ``progress`` receives the share done, and cancels by raising.
"""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from ratings.laboratory.checking import check_pairs, check_wish
from ratings.laboratory.findings import Entrant, EntrantFigures
from ratings.laboratory.forecasting import build_even_forecast, build_points_forecast, compute_forecast
from ratings.laboratory.judging import DECIDED, PAIRS, JudgedPairs, judge, select_judged_pairs
from ratings.laboratory.refusing import find_refusal_reason
from ratings.laboratory.report import (
    BASELINES,
    EVEN,
    POINTS,
    Candidate,
    ExperimentReport,
    LaboratoryGames,
    RefusedCandidate,
    Unjudgeable,
    serialize_report,
)
from ratings.laboratory.resampling import MIN_EVENINGS
from ratings.laboratory.running import Step
from ratings.laboratory.sentences import Sentence, build_sentence, build_whole_number
from ratings.laboratory.standing import compute_inflation, compute_stability
from ratings.laboratory.tables import SideTables, build_side_tables
from ratings.laboratory.verdicts import describe_too_few_evenings
from ratings.texts import N_

__all__ = ["Candidate", "ExperimentReport", "LaboratoryGames", "Unjudgeable", "compare", "serialize_report"]

#: Shares of the work done after preparing the pairs, and before the bootstrap.
PREPARED, RUN = 0.05, 0.95


def compare(
    candidates: Sequence[Candidate],
    dataset: LaboratoryGames,
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
    check_wish(candidates, dataset, warm_up)
    tables = build_side_tables(dataset)
    judged = select_judged_pairs(tables, warm_up)
    check_pairs(tables, judged, warm_up)
    progress(PREPARED)
    entrants, refused = [], []
    for number, candidate in enumerate(candidates):
        step = _make_candidate_progress(progress, number, len(candidates))
        reason = find_refusal_reason(candidate.system, tables)
        if reason is None:
            entrants.append(_evaluate_candidate(candidate, tables, judged, warm_up, step, compiled))
        else:
            parameters = candidate.system.to_json()
            refused.append(RefusedCandidate(candidate.system.key, candidate.label, parameters, reason))
        step(1.0)
    entrants += _evaluate_baselines(tables, judged, warm_up)
    report = report_of(tables, judged, entrants, refused, warm_up, (draws, seed))
    progress(1.0)
    return report


def _make_candidate_progress(progress: Callable[[float], None], number: int, count: int) -> Step:
    """Return the progress function of one candidate of ``count``."""
    return lambda share: progress(PREPARED + (RUN - PREPARED) * (number + share) / count)


def _evaluate_candidate(
    candidate: Candidate, tables: SideTables, judged: JudgedPairs, warm_up: int, step: Step, compiled: bool
) -> Entrant:
    """Run a candidate over the games and evaluate it."""
    system = candidate.system
    forecast, run = compute_forecast(system, tables, lambda share: step(0.6 * share), compiled=compiled)
    return Entrant(
        key=system.key,
        label=candidate.label,
        parameters=system.to_json(),
        title=system.title,
        sums=judge(forecast, tables, judged, warm_up),
        score_unit={figure.key: figure.label for figure in system.figures}.get(system.expectation, ""),
        # Errors can be compared only between systems that predict the same numbers.
        foretells="" if run.came is None else hashlib.sha256(run.came.tobytes()).hexdigest(),
        stability=compute_stability(run, tables),
        inflation=compute_inflation(run, tables),
    )


def _evaluate_baselines(tables: SideTables, judged: JudgedPairs, warm_up: int) -> list[Entrant]:
    """Return the baselines: always even, and points per game."""
    forecasts = {EVEN: build_even_forecast(tables), POINTS: build_points_forecast(tables)}
    return [
        Entrant(key, BASELINES[key], {}, BASELINES[key], judge(forecast, tables, judged, warm_up), baseline=True)
        for key, forecast in forecasts.items()
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
    notes = []
    if evenings < MIN_EVENINGS:
        notes.append(describe_too_few_evenings(evenings))
    dataset = tables.played
    first = int(dataset.offsets[warm_up])
    table = len(np.unique(dataset.players[first:]))
    if (np.diff(dataset.offsets[warm_up:]) == table).all():
        template = N_("All games were played by the same {players} players; the results apply only to them.")
        notes.append(build_sentence(template, players=build_whole_number(table)))
    return notes
