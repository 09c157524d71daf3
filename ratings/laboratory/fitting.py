"""Fits parameters on the earlier games and evaluates them on the later ones, where a gain may turn out to be noise."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.contract.parameters import NumberParameter
from ratings.laboratory.checking import check_pairs, check_wish
from ratings.laboratory.experiments import compare
from ratings.laboratory.findings import MEASURES, PROMISING, compute_quotients
from ratings.laboratory.forecasting import compute_forecast
from ratings.laboratory.judging import judge, select_judged_pairs
from ratings.laboratory.refusing import find_refusal_reason
from ratings.laboratory.report import (
    LOWER_IS_BETTER,
    Candidate,
    ExperimentReport,
    FittedParameter,
    LaboratoryGames,
    MeasureDifference,
    NotMeasured,
    ParameterFit,
    Unjudgeable,
)
from ratings.laboratory.sentences import Sentence, build_sentence, format_exact
from ratings.laboratory.tables import build_side_tables
from ratings.laboratory.verdicts import explain_missing_probabilities, explain_missing_score_error
from ratings.texts import N_

#: The label of the system with the fitted parameters.
FITTED = N_("Fitted")
#: Most runs over the earlier games: for one parameter, and for each further one.
MAX_RUNS, MAX_RUNS_PER_FURTHER = 24, 24
#: Points on the scale to evaluate before a one-parameter search starts around the best of them.
LOOKS = 9
#: The tolerance of a search on the scale, and the size of the first steps with several parameters.
CLOSE, FIRST_STEP = 0.02, 0.7
#: The search's share of the work; evaluation is the rest.
SEARCHED = 0.75
#: From this ratio of the bounds a parameter has a logarithmic scale.
WIDE = 50.0
#: A range from 0 has a logarithmic scale from this share of it on, and a linear one below.
FINEST = 1e-4


@dataclass(frozen=True)
class ParameterScale:
    """The scale of one parameter: linear if ``unit`` is 0, logarithmic if below 0, else logarithmic above that unit."""

    kind: NumberParameter
    unit: float

    def to(self, value: float) -> float:
        """Return a value's position."""
        if self.unit < 0.0:
            return math.log(value)
        return math.log1p(value / self.unit) if self.unit else value

    def back(self, place: float) -> float:
        """Return the value at a position, within bounds, to four digits, rounded if it must be whole."""
        if self.unit < 0.0:
            value = math.exp(place)
        elif self.unit:
            value = math.expm1(place) * self.unit
        else:
            value = place
        value = min(max(float(f"{value:.4g}"), self.kind.low), self.kind.high)
        return float(round(value)) if self.kind.whole else value

    @property
    def bounds(self) -> tuple[float, float]:
        """The positions of the parameter's bounds."""
        return self.to(self.kind.low), self.to(self.kind.high)


def scale_of(kind: NumberParameter) -> ParameterScale:
    """Choose the scale of a parameter from its bounds."""
    if kind.low > 0.0 and kind.high >= WIDE * kind.low:
        return ParameterScale(kind, -1.0)
    return ParameterScale(kind, kind.high * FINEST if kind.low == 0.0 else 0.0)


def ignore_progress(share: float) -> None:
    """Ignore the progress."""


class Search:
    """Runs a system with different parameters over the earlier games, and caches the results."""

    def __init__(
        self, candidate: Candidate, names: Sequence[str], measure: str, earlier: LaboratoryGames, warm_up: int
    ) -> None:
        check_wish([candidate], earlier, warm_up)
        self.candidate, self.names, self.measure = candidate, list(names), measure
        self.tables, self.warm_up = build_side_tables(earlier), warm_up
        self.judged = select_judged_pairs(self.tables, warm_up)
        check_pairs(self.tables, self.judged, warm_up)
        refusal = find_refusal_reason(candidate.system, self.tables)
        if refusal is not None:
            raise Unjudgeable(refusal)
        kinds = type(candidate.system).parameters()
        self.scales: list[ParameterScale] = [
            scale_of(kind) for name in names if isinstance(kind := kinds[name], NumberParameter)
        ]
        self.found: dict[tuple[float, ...], float] = {}
        self.compiled = False
        self.progress: Callable[[float], None] = ignore_progress

    @property
    def most(self) -> int:
        """The maximum number of runs."""
        return MAX_RUNS + MAX_RUNS_PER_FURTHER * (len(self.names) - 1)

    def start(self) -> tuple[float, ...]:
        """Return the current values."""
        return tuple(float(getattr(self.candidate.system, name)) for name in self.names)

    def with_values(self, values: Sequence[float]) -> Candidate:
        """Return the candidate with other values."""
        integer_flags = [scale.kind.whole for scale in self.scales]
        parameters = {
            name: int(value) if is_integer else value
            for name, value, is_integer in zip(self.names, values, integer_flags, strict=True)
        }
        return Candidate(FITTED, replace(self.candidate.system, **parameters))

    def cost(self, values: tuple[float, ...]) -> float:
        """Return the measure on the earlier games with these values, negated if higher is better."""
        if values not in self.found:
            self.found[values] = self.judge(values)
            self.progress(SEARCHED * min(len(self.found) / self.most, 1.0))
        return self.found[values]

    def judge(self, values: tuple[float, ...]) -> float:
        """Run the earlier games and evaluate them."""
        system = self.with_values(values).system
        try:
            forecast = compute_forecast(system, self.tables, ignore_progress, compiled=self.compiled, times=self.most)[
                0
            ]
        except ArithmeticError:
            return float("inf")
        sums = judge(forecast, self.tables, self.judged, self.warm_up)
        (value,) = compute_quotients(
            self.measure, self.judged.evenings.sum(axis=0)[None], sums.evenings.sum(axis=0)[None]
        )
        if not sums.promises and self.measure in PROMISING:
            raise NotMeasured(explain_missing_probabilities(self.candidate.system.title))
        if np.isnan(value):
            raise NotMeasured(explain_missing_score_error(self.candidate.system.title))
        return float(value if LOWER_IS_BETTER[self.measure] else -value)

    def at(self, places: NDArray[np.float64]) -> float:
        """Return the cost at positions on the scales."""
        return self.cost(tuple(scale.back(float(place)) for scale, place in zip(self.scales, places, strict=True)))

    def best(self) -> tuple[float, ...]:
        """Return the values with the lowest cost, the first tried if several."""
        return min(self.found, key=self.found.__getitem__)


def search_one(search: Search) -> None:
    """Evaluate points across one parameter's scale, then search around the best."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.optimize import minimize_scalar

    (scale,) = search.scales
    low, high = scale.bounds
    places = np.linspace(low, high, LOOKS)
    best = int(np.argmin([search.at(places[number : number + 1]) for number in range(LOOKS)]))
    around = (float(places[max(best - 1, 0)]), float(places[min(best + 1, LOOKS - 1)]))
    remaining = max(search.most - len(search.found), 1)
    options = {"maxiter": remaining, "xatol": CLOSE * (high - low) / 10.0}
    minimize_scalar(lambda place: search.at(np.array([place])), bounds=around, method="bounded", options=options)


def search_many(search: Search) -> None:
    """Search several parameters' scales with a simplex (Nelder and Mead, 1965), starting at the current values."""
    # Imported here: only laboratories need it, and it is large.
    from scipy.optimize import minimize

    bounds = [scale.bounds for scale in search.scales]
    start = np.array([scale.to(value) for scale, value in zip(search.scales, search.start(), strict=True)])
    simplex = np.tile(start, (len(start) + 1, 1))
    for number, (low, high) in enumerate(bounds):
        step = min(FIRST_STEP, (high - low) / 4.0)
        simplex[number + 1, number] += step if start[number] + step <= high else -step
    options: dict[str, Any] = {"maxfev": search.most, "xatol": CLOSE, "fatol": 1e-6, "initial_simplex": simplex}
    minimize(search.at, start, method="Nelder-Mead", bounds=bounds, options=options)


def _select_first_games(dataset: LaboratoryGames, until: int) -> LaboratoryGames:
    """Return only the first games."""
    rows = int(dataset.offsets[until])
    return replace(
        dataset,
        offsets=dataset.offsets[: until + 1],
        players=dataset.players[:rows],
        scores=dataset.scores[:rows],
        places=dataset.places[:rows],
        weights=dataset.weights[:until],
        days=dataset.days[:until],
        evenings=dataset.evenings[:until],
        sides=None if dataset.sides is None else dataset.sides[:rows],
        fields={key: values[:until] for key, values in dataset.fields.items()},
    )


def check_names(candidate: Candidate, names: Sequence[str], measure: str) -> None:
    """Refuse an empty list, unknown parameters, parameters that are not numbers, and an unknown measure."""
    kinds = type(candidate.system).parameters()
    if not names:
        raise Unjudgeable(build_sentence(N_("Choose at least one parameter to fit.")))
    for name in names:
        if not isinstance(kinds.get(name), NumberParameter):
            template = N_("“{name}” is not a numeric parameter of {title}; choose one that is.")
            label = kinds[name].label if name in kinds else name
            raise Unjudgeable(build_sentence(template, name=label, title=candidate.system.title))
    if measure not in MEASURES:
        raise Unjudgeable(build_sentence(N_("There is no measure “{measure}”."), measure=measure))


def _list_fitted_parameters(search: Search) -> list[FittedParameter]:
    """Return the parameters before and after the fit."""
    rows = zip(search.names, search.scales, search.start(), search.best(), strict=True)
    return [FittedParameter(name, str.__str__(scale.kind.label), before, after) for name, scale, before, after in rows]


def explain_fit(search: Search, later: Sequence[MeasureDifference]) -> list[Sentence]:
    """Return sentences that interpret the fit."""
    explanation = []
    if search.best() == search.start():
        explanation.append(build_sentence(N_("The current values predict the earlier games best of all those tried.")))
    for scale, value in zip(search.scales, search.best(), strict=True):
        if value in (scale.kind.low, scale.kind.high):
            template = N_("{label} ended at its bound, {value}, so the result is unreliable.")
            explanation.append(build_sentence(template, label=scale.kind.label, value=format_exact(value)))
    if search.best() != search.start() and later:
        explanation += [later[0].sentence, _describe_verdict(later[0])]
    return explanation


def _describe_verdict(later: MeasureDifference) -> Sentence:
    """Return a sentence saying whether the later games confirm the gain."""
    if later.better == later.label:
        return build_sentence(N_("The gain also holds on later games, which were not used for fitting."))
    if later.better:
        return build_sentence(N_("The fitted values predict later games worse: keep the current values."))
    return build_sentence(
        N_("On later games the gain could be chance: there is no reason to change the current values.")
    )


def fit(
    candidate: Candidate,
    dataset: LaboratoryGames,
    *,
    parameters: Sequence[str],
    until: int,
    warm_up: int = 0,
    measure: str = "log_loss",
    draws: int = 200,
    seed: int = 0,
    progress: Callable[[float], None] = ignore_progress,
    compiled: bool = False,
) -> ParameterFit:
    """Return the parameters that best predict the games from ``warm_up`` to ``until``, evaluated on the later games.

    parameters: names of numeric parameters; all others stay. measure: ``log_loss``, ``brier``, ``order_accuracy`` or
    ``score_error``. The later games are evaluated by ``compare``, with the unchanged candidate first.
    Raises Unjudgeable with a message if nothing can be fitted.
    """
    check_names(candidate, parameters, measure)
    check_wish([candidate], dataset, until)
    search = Search(candidate, parameters, measure, _select_first_games(dataset, until), warm_up)
    search.compiled, search.progress = compiled, progress
    original_cost = search.cost(search.start())
    (search_one if len(parameters) == 1 else search_many)(search)
    report = compare(
        [candidate, search.with_values(search.best())],
        dataset,
        warm_up=until,
        draws=draws,
        seed=seed,
        progress=lambda share: progress(SEARCHED + (1.0 - SEARCHED) * share),
        compiled=compiled,
    )
    return make_fit(search, report, original_cost)


def make_fit(search: Search, report: ExperimentReport, original_cost: float) -> ParameterFit:
    """Return the fit; before: the measure on the earlier games with the original values."""
    sign = 1.0 if LOWER_IS_BETTER[search.measure] else -1.0
    later = [
        difference
        for difference in report.differences
        if difference.label == FITTED and difference.measure == search.measure
    ]
    return ParameterFit(
        measure=search.measure,
        warm_up=search.warm_up,
        until=report.warm_up,
        runs=len(search.found),
        fitted=tuple(_list_fitted_parameters(search)),
        parameters=search.with_values(search.best()).system.to_json(),
        earlier_before=sign * original_cost,
        earlier_after=sign * search.cost(search.best()),
        later=later[0] if later else None,
        sentences=tuple(explain_fit(search, later)),
        report=report,
    )


def fit_by_what_it_promises(candidate: Candidate, dataset: LaboratoryGames, **options: Any) -> ParameterFit:
    """Fit by log loss; if the system predicts no probabilities, by the error of scores, else by order accuracy."""
    for measure in ("log_loss", "score_error"):
        try:
            return fit(candidate, dataset, measure=measure, **options)
        except NotMeasured:
            continue
    return fit(candidate, dataset, measure="order_accuracy", **options)
