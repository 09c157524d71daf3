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
from ratings.laboratory.findings import MEASURES, PROMISING, quotients
from ratings.laboratory.forecasting import forecast_of
from ratings.laboratory.judging import judge, judged_pairs
from ratings.laboratory.refusing import why_refused
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
from ratings.laboratory.sentences import Sentence, format_exact, sentence
from ratings.laboratory.tables import tables_of
from ratings.laboratory.verdicts import no_promises, no_scores
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
        self.tables, self.warm_up = tables_of(earlier), warm_up
        self.judged = judged_pairs(self.tables, warm_up)
        check_pairs(self.tables, self.judged, warm_up)
        refusal = why_refused(candidate.system, self.tables)
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
        whole = [scale.kind.whole for scale in self.scales]
        given = {name: int(one) if w else one for name, one, w in zip(self.names, values, whole, strict=True)}
        return Candidate(FITTED, replace(self.candidate.system, **given))

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
            forecast = forecast_of(system, self.tables, ignore_progress, compiled=self.compiled, times=self.most)[0]
        except ArithmeticError:
            return float("inf")
        sums = judge(forecast, self.tables, self.judged, self.warm_up)
        (value,) = quotients(self.measure, self.judged.evenings.sum(axis=0)[None], sums.evenings.sum(axis=0)[None])
        if not sums.promises and self.measure in PROMISING:
            raise NotMeasured(no_promises(self.candidate.system.title))
        if np.isnan(value):
            raise NotMeasured(no_scores(self.candidate.system.title))
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
    left = max(search.most - len(search.found), 1)
    options = {"maxiter": left, "xatol": CLOSE * (high - low) / 10.0}
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


def first_games(played: LaboratoryGames, until: int) -> LaboratoryGames:
    """Return only the first games."""
    rows = int(played.offsets[until])
    return replace(
        played,
        offsets=played.offsets[: until + 1],
        players=played.players[:rows],
        scores=played.scores[:rows],
        places=played.places[:rows],
        weights=played.weights[:until],
        days=played.days[:until],
        evenings=played.evenings[:until],
        sides=None if played.sides is None else played.sides[:rows],
        fields={key: values[:until] for key, values in played.fields.items()},
    )


def check_names(candidate: Candidate, names: Sequence[str], measure: str) -> None:
    """Refuse an empty list, unknown parameters, parameters that are not numbers, and an unknown measure."""
    kinds = type(candidate.system).parameters()
    if not names:
        raise Unjudgeable(sentence(N_("Choose at least one parameter to fit.")))
    for name in names:
        if not isinstance(kinds.get(name), NumberParameter):
            template = N_("“{name}” is not a numeric parameter of {title}; choose one that is.")
            label = kinds[name].label if name in kinds else name
            raise Unjudgeable(sentence(template, name=label, title=candidate.system.title))
    if measure not in MEASURES:
        raise Unjudgeable(sentence(N_("There is no measure “{measure}”."), measure=measure))


def changes(search: Search) -> list[FittedParameter]:
    """Return the parameters before and after the fit."""
    rows = zip(search.names, search.scales, search.start(), search.best(), strict=True)
    return [FittedParameter(name, str.__str__(scale.kind.label), before, after) for name, scale, before, after in rows]


def explain_fit(search: Search, later: Sequence[MeasureDifference]) -> list[Sentence]:
    """Return sentences that interpret the fit."""
    found = []
    if search.best() == search.start():
        found.append(sentence(N_("The current values predict the earlier games best of all those tried.")))
    for scale, value in zip(search.scales, search.best(), strict=True):
        if value in (scale.kind.low, scale.kind.high):
            template = N_("{label} ended at its bound, {value}, so the result is unreliable.")
            found.append(sentence(template, label=scale.kind.label, value=format_exact(value)))
    if search.best() != search.start() and later:
        found += [later[0].sentence, verdict(later[0])]
    return found


def verdict(later: MeasureDifference) -> Sentence:
    """Return a sentence saying whether the later games confirm the gain."""
    if later.better == later.label:
        return sentence(N_("The gain also holds on later games, which were not used for fitting."))
    if later.better:
        return sentence(N_("The fitted values predict later games worse: keep the current values."))
    return sentence(N_("On later games the gain could be chance: there is no reason to change the current values."))


def fit(
    candidate: Candidate,
    played: LaboratoryGames,
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
    check_wish([candidate], played, until)
    search = Search(candidate, parameters, measure, first_games(played, until), warm_up)
    search.compiled, search.progress = compiled, progress
    before = search.cost(search.start())
    (search_one if len(parameters) == 1 else search_many)(search)
    report = compare(
        [candidate, search.with_values(search.best())],
        played,
        warm_up=until,
        draws=draws,
        seed=seed,
        progress=lambda share: progress(SEARCHED + (1.0 - SEARCHED) * share),
        compiled=compiled,
    )
    return make_fit(search, report, before)


def make_fit(search: Search, report: ExperimentReport, before: float) -> ParameterFit:
    """Return the fit; before: the measure on the earlier games with the original values."""
    sign = 1.0 if LOWER_IS_BETTER[search.measure] else -1.0
    later = [one for one in report.differences if one.label == FITTED and one.measure == search.measure]
    return ParameterFit(
        measure=search.measure,
        warm_up=search.warm_up,
        until=report.warm_up,
        runs=len(search.found),
        fitted=tuple(changes(search)),
        parameters=search.with_values(search.best()).system.to_json(),
        earlier_before=sign * before,
        earlier_after=sign * search.cost(search.best()),
        later=later[0] if later else None,
        sentences=tuple(explain_fit(search, later)),
        report=report,
    )


def fit_by_what_it_promises(candidate: Candidate, played: LaboratoryGames, **options: Any) -> ParameterFit:
    """Fit by log loss; if the system predicts no probabilities, by the error of scores, else by order accuracy."""
    for measure in ("log_loss", "score_error"):
        try:
            return fit(candidate, played, measure=measure, **options)
        except NotMeasured:
            continue
    return fit(candidate, played, measure="order_accuracy", **options)
