"""Computes figures with intervals and differences from sums per evening, with one set of draws for all entrants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.laboratory.judging import (
    BINS,
    BRIER,
    CAME,
    COLUMNS,
    COUNT,
    DECIDED,
    ERROR,
    ERRORS,
    LOSS,
    PAIRS,
    PROMISED,
    RIGHT,
    JudgedPairs,
    Sums,
)
from ratings.laboratory.report import (
    LOWER_IS_BETTER,
    Bin,
    Estimate,
    LevelPoint,
    MeasuredEntrant,
    MeasureDifference,
    Stability,
)
from ratings.laboratory.resampling import MIN_EVENINGS, compute_interval, divide_or_nan, draw_totals
from ratings.laboratory.standing import compute_newcomer_accuracy
from ratings.laboratory.verdicts import (
    build_estimate,
    describe_difference,
    explain_missing_accuracy,
    explain_missing_probabilities,
    explain_missing_score_error,
    interpret_entrant,
)

#: In the order in which differences are reported.
MEASURES = tuple(LOWER_IS_BETTER)
#: Measures that need probabilities.
PROMISING = ("log_loss", "brier")


@dataclass(frozen=True, eq=False)
class Entrant:
    """A candidate or baseline with its sums; entrants that predict the same score have the same ``foretells``."""

    key: str
    label: str
    parameters: Mapping[str, Any]
    title: str
    sums: Sums
    score_unit: str = ""
    foretells: str = ""
    stability: Stability | None = None
    inflation: tuple[LevelPoint, ...] = ()
    baseline: bool = False


def compute_quotients(measure: str, shared: NDArray[np.float64], own_sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute a measure from rows of totals: of all pairs (× 2), and of one entrant (× COLUMNS)."""
    above, below = {
        "order_accuracy": (RIGHT, shared[:, DECIDED]),
        "log_loss": (LOSS, shared[:, PAIRS]),
        "brier": (BRIER, shared[:, PAIRS]),
        "score_error": (ERROR, own_sums[:, ERRORS]),
    }[measure]
    return divide_or_nan(own_sums[:, above], below)


class EntrantFigures:
    """The figures of all entrants over the same draws of evenings."""

    def __init__(self, entrants: Sequence[Entrant], judged: JudgedPairs, draws: int, seed: int) -> None:
        has_pairs = judged.evenings[:, PAIRS] > 0.0
        self.entrants, self.judged, self.count = entrants, judged, int(has_pairs.sum())
        sums = np.column_stack([judged.evenings, *(entrant.sums.evenings for entrant in entrants)])[has_pairs]
        #: The actual totals in the first row, the drawn ones below.
        self.totals = np.vstack([sums.sum(axis=0), draw_totals(sums, draws, seed)])

    def columns(self, entrant: Entrant, first: int, count: int = 1) -> NDArray[np.float64]:
        """Return columns of an entrant's totals: 1 + draws rows."""
        start = 2 + self.entrants.index(entrant) * COLUMNS + first
        return self.totals[:, start : start + count]

    def values(self, entrant: Entrant, measure: str) -> NDArray[np.float64]:
        """Return an entrant's measure, actual and drawn (1 + draws); NaN if unavailable."""
        if measure in PROMISING and not entrant.sums.promises:
            return np.full(len(self.totals), np.nan)
        return compute_quotients(measure, self.totals, self.columns(entrant, 0, COLUMNS))

    def estimate(self, entrant: Entrant, measure: str) -> Estimate:
        """Return an entrant's measure with its interval, or the reason why there is none."""
        values = self.values(entrant, measure)
        if np.isnan(values[0]):
            reasons = {
                "order_accuracy": explain_missing_accuracy(),
                "score_error": explain_missing_score_error(entrant.title),
            }
            return Estimate(None, why_not=reasons.get(measure) or explain_missing_probabilities(entrant.title))
        return build_estimate(float(values[0]), compute_interval(values[1:]), self.count)

    def calibration(self, entrant: Entrant) -> tuple[Bin, ...]:
        """Return predicted and actual shares of pairs in bins; empty bins are omitted."""
        if not entrant.sums.promises:
            return ()
        count = self.columns(entrant, COUNT, BINS)
        promised = divide_or_nan(self.columns(entrant, PROMISED, BINS), count)
        actual = divide_or_nan(self.columns(entrant, CAME, BINS), count)
        bins = []
        for number in np.flatnonzero(count[0]).tolist():
            bounds = compute_interval(actual[1:, number]) if self.count >= MIN_EVENINGS else None
            low, high = bounds or (None, None)
            pairs = int(count[0, number])
            bins.append(Bin(float(promised[0, number]), float(actual[0, number]), low, high, pairs))
        return tuple(bins)

    def measured(self, entrant: Entrant) -> MeasuredEntrant:
        """Return all figures of an entrant."""
        calibration = self.calibration(entrant)
        pairs = sum(bucket.pairs for bucket in calibration)
        off = sum(abs(bucket.promised - bucket.came) * bucket.pairs for bucket in calibration)
        result = MeasuredEntrant(
            key=entrant.key,
            label=entrant.label,
            parameters=entrant.parameters,
            baseline=entrant.baseline,
            order_accuracy=self.estimate(entrant, "order_accuracy"),
            log_loss=self.estimate(entrant, "log_loss"),
            brier=self.estimate(entrant, "brier"),
            score_error=self.estimate(entrant, "score_error"),
            score_unit=entrant.score_unit,
            calibration=calibration,
            calibration_error=off / pairs if pairs else None,
            stability=entrant.stability,
            inflation=entrant.inflation,
            newcomers=compute_newcomer_accuracy(entrant.sums.newness, self.judged.newness),
        )
        return replace(result, sentences=interpret_entrant(result))

    @cached_property
    def first(self) -> Entrant | None:
        """The entrant to compare the others with: the first that is not a baseline."""
        return next((entrant for entrant in self.entrants if not entrant.baseline), None)

    def differences(self) -> list[MeasureDifference]:
        """Return the differences of the others from the first entrant, by measure."""
        first = self.first
        if first is None:
            return []
        other_entrants = [entrant for entrant in self.entrants if entrant is not first]
        pairs = [(entrant, measure) for entrant in other_entrants for measure in MEASURES]
        differences = [self.difference(entrant, first, measure) for entrant, measure in pairs]
        return [difference for difference in differences if difference is not None]

    def difference(self, entrant: Entrant, first: Entrant, measure: str) -> MeasureDifference | None:
        """Return the difference of a measure; None if the two cannot be compared."""
        if measure == "score_error" and (not entrant.foretells or entrant.foretells != first.foretells):
            return None
        differences = self.values(entrant, measure) - self.values(first, measure)
        if np.isnan(differences[0]):
            return None
        value, bounds = float(differences[0]), compute_interval(differences[1:]) if self.count >= MIN_EVENINGS else None
        low, high = bounds or (None, None)
        better, message = describe_difference(measure, entrant.label, first.label, (value, low, high), self.count)
        return MeasureDifference(entrant.label, first.label, measure, value, low, high, better, message)
