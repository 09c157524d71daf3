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
from ratings.laboratory.resampling import MIN_EVENINGS, draw_totals, interval, ratio
from ratings.laboratory.standing import newcomers
from ratings.laboratory.verdicts import (
    difference,
    interpret_entrant,
    no_promises,
    no_scores,
    nothing_decided,
    with_interval,
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


def quotients(measure: str, shared: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute a measure from rows of totals: of all pairs (× 2), and of one entrant (× COLUMNS)."""
    above, below = {
        "order_accuracy": (RIGHT, shared[:, DECIDED]),
        "log_loss": (LOSS, shared[:, PAIRS]),
        "brier": (BRIER, shared[:, PAIRS]),
        "score_error": (ERROR, own[:, ERRORS]),
    }[measure]
    return ratio(own[:, above], below)


class EntrantFigures:
    """The figures of all entrants over the same draws of evenings."""

    def __init__(self, entrants: Sequence[Entrant], judged: JudgedPairs, draws: int, seed: int) -> None:
        played = judged.evenings[:, PAIRS] > 0.0
        self.entrants, self.judged, self.count = entrants, judged, int(played.sum())
        sums = np.column_stack([judged.evenings, *(entrant.sums.evenings for entrant in entrants)])[played]
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
        return quotients(measure, self.totals, self.columns(entrant, 0, COLUMNS))

    def estimate(self, entrant: Entrant, measure: str) -> Estimate:
        """Return an entrant's measure with its interval, or the reason why there is none."""
        found = self.values(entrant, measure)
        if np.isnan(found[0]):
            why = {"order_accuracy": nothing_decided(), "score_error": no_scores(entrant.title)}
            return Estimate(None, why_not=why.get(measure) or no_promises(entrant.title))
        return with_interval(float(found[0]), interval(found[1:]), self.count)

    def calibration(self, entrant: Entrant) -> tuple[Bin, ...]:
        """Return predicted and actual shares of pairs in bins; empty bins are omitted."""
        if not entrant.sums.promises:
            return ()
        count = self.columns(entrant, COUNT, BINS)
        promised = ratio(self.columns(entrant, PROMISED, BINS), count)
        came = ratio(self.columns(entrant, CAME, BINS), count)
        found = []
        for number in np.flatnonzero(count[0]).tolist():
            bounds = interval(came[1:, number]) if self.count >= MIN_EVENINGS else None
            low, high = bounds or (None, None)
            pairs = int(count[0, number])
            found.append(Bin(float(promised[0, number]), float(came[0, number]), low, high, pairs))
        return tuple(found)

    def measured(self, entrant: Entrant) -> MeasuredEntrant:
        """Return all figures of an entrant."""
        calibration = self.calibration(entrant)
        pairs = sum(one.pairs for one in calibration)
        off = sum(abs(one.promised - one.came) * one.pairs for one in calibration)
        found = MeasuredEntrant(
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
            newcomers=newcomers(entrant.sums.newness, self.judged.newness),
        )
        return replace(found, sentences=interpret_entrant(found))

    @cached_property
    def first(self) -> Entrant | None:
        """The entrant to compare the others with: the first that is not a baseline."""
        return next((entrant for entrant in self.entrants if not entrant.baseline), None)

    def differences(self) -> list[MeasureDifference]:
        """Return the differences of the others from the first entrant, by measure."""
        first = self.first
        if first is None:
            return []
        others = [entrant for entrant in self.entrants if entrant is not first]
        pairs = [(entrant, measure) for entrant in others for measure in MEASURES]
        found = [self.difference(entrant, first, measure) for entrant, measure in pairs]
        return [one for one in found if one is not None]

    def difference(self, entrant: Entrant, first: Entrant, measure: str) -> MeasureDifference | None:
        """Return the difference of a measure; None if the two cannot be compared."""
        if measure == "score_error" and (not entrant.foretells or entrant.foretells != first.foretells):
            return None
        apart = self.values(entrant, measure) - self.values(first, measure)
        if np.isnan(apart[0]):
            return None
        value, bounds = float(apart[0]), interval(apart[1:]) if self.count >= MIN_EVENINGS else None
        low, high = bounds or (None, None)
        better, said = difference(measure, entrant.label, first.label, (value, low, high), self.count)
        return MeasureDifference(entrant.label, first.label, measure, value, low, high, better, said)
