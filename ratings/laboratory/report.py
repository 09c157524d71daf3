"""The laboratory's reports: measures with intervals, differences and sentences, also as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratings.contract.system import RatingSystem
from ratings.laboratory.sentences import Sentence
from ratings.texts import N_

#: The keys of the baselines, used in place of a system's key.
EVEN, POINTS = "even", "points"
BASELINES = {EVEN: N_("Always even"), POINTS: N_("Points per game")}
#: Whether a lower value of each measure is better.
LOWER_IS_BETTER = {"log_loss": True, "brier": True, "score_error": True, "order_accuracy": False}


class Unjudgeable(Exception):
    """The games or the request allow no conclusion; ``sentence`` states the reason.

    of_warm_up: whether the warm-up leaves too few games.
    """

    def __init__(self, why: Sentence, *, of_warm_up: bool = False) -> None:
        self.of_warm_up = of_warm_up
        super().__init__(why.english())
        self.sentence = why


class NotMeasured(Unjudgeable):
    """This system does not make the predictions that the measure needs."""


@dataclass(frozen=True)
class Candidate:
    """A system with its parameters, under a label such as "Elo, K = 20"."""

    label: str
    system: RatingSystem


@dataclass(frozen=True, eq=False)
class LaboratoryGames:
    """A league's rated games in rating order: G games with N results of P players.

    offsets: G+1, results of game g are offsets[g] … offsets[g+1]-1, in seat order. players: N, from 0 to P-1. scores,
    places: N, NaN if there is none. sides: N numbers, NaN if a game has none; None if no game has any.
    weights: G. days: G, days since 1970-01-01 00:00 UTC. evenings: G, equal for games of the same local day.
    fields: game fields by their keys, G each, NaN if a game has none. lowest_wins: whether the lower score is better in
    the league's own system; systems that count the other way receive negated scores.
    """

    offsets: NDArray[np.int64]
    players: NDArray[np.int64]
    scores: NDArray[np.float64]
    places: NDArray[np.float64]
    weights: NDArray[np.float64]
    days: NDArray[np.float64]
    evenings: NDArray[np.int64]
    count: int
    """The number of players, P."""
    sides: NDArray[np.float64] | None = None
    fields: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    lowest_wins: bool = False

    @property
    def games(self) -> int:
        """The number of games, G."""
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval (95 %, by evenings); ``why_not`` says why the figure, or the interval, is missing."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why_not: Sentence | None = None


@dataclass(frozen=True)
class Bin:
    """Pairs with similar probabilities: the favourite's mean probability, the actual share, its interval."""

    promised: float
    came: float
    low: float | None
    high: float | None
    pairs: int


@dataclass(frozen=True)
class Stability:
    """How much the order of players changed over the last quarter of the games.

    moved: mean absolute change of rank. kept: Spearman's coefficient of the ratings before and after, 1 for the same
    order. players: the number of players who had played before.
    """

    moved: float
    kept: float
    players: int


@dataclass(frozen=True)
class LevelPoint:
    """The mean rating, after a part of the games, of its players; ``day`` is the day of its last game."""

    day: float
    mean: float
    players: int


@dataclass(frozen=True)
class Newness:
    """Order accuracy of pairs whose newer player was in game ``first`` to ``last``; last 0: unlimited."""

    first: int
    last: int
    accuracy: float | None
    pairs: int


@dataclass(frozen=True)
class MeasuredEntrant:
    """The figures of a candidate or baseline; translate its label with ``say`` when displaying it."""

    key: str
    label: str
    parameters: Mapping[str, Any]
    baseline: bool
    order_accuracy: Estimate
    log_loss: Estimate
    brier: Estimate
    score_error: Estimate
    score_unit: str = ""
    """The label of the predicted score, if one is predicted."""
    calibration: tuple[Bin, ...] = ()
    calibration_error: float | None = None
    stability: Stability | None = None
    inflation: tuple[LevelPoint, ...] = ()
    newcomers: tuple[Newness, ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True)
class RefusedCandidate:
    """A candidate that cannot rate these games, with the reason."""

    key: str
    label: str
    parameters: Mapping[str, Any]
    sentence: Sentence


@dataclass(frozen=True)
class MeasureDifference:
    """A candidate's measure minus the first candidate's, over the same draws of evenings.

    better: the label of the one that predicts better, empty if the interval holds 0.
    """

    label: str
    against: str
    measure: str
    value: float
    low: float | None
    high: float | None
    better: str
    sentence: Sentence


@dataclass(frozen=True)
class FittedParameter:
    """A parameter before and after the fit."""

    parameter: str
    label: str
    before: float
    after: float


@dataclass(frozen=True)
class ExperimentReport:
    """The result of a comparison."""

    games: int
    warm_up: int
    judged: int
    evenings: int
    players: int
    pairs: int
    decided: int
    draws: int
    seed: int
    measured: tuple[MeasuredEntrant, ...]
    refused: tuple[RefusedCandidate, ...]
    differences: tuple[MeasureDifference, ...]
    notes: tuple[Sentence, ...] = ()


@dataclass(frozen=True)
class ParameterFit:
    """Parameters fitted on the games from ``warm_up`` to ``until``, and evaluated on the later games.

    earlier_before, earlier_after: the measure on the earlier games with the original and the fitted parameters.
    later: the difference between fitted and original on the later games, None if the measure is unavailable there.
    parameters: the complete set. report: the comparison on the later games, the original first.
    """

    measure: str
    warm_up: int
    until: int
    runs: int
    fitted: tuple[FittedParameter, ...]
    parameters: Mapping[str, Any]
    earlier_before: float
    earlier_after: float
    later: MeasureDifference | None
    sentences: tuple[Sentence, ...]
    report: ExperimentReport


def serialize_report(thing: Any) -> Any:
    """Return a report, or a part of one, as JSON: English sentences with the data to translate them."""
    if isinstance(thing, Sentence):
        return thing.as_json()
    if is_dataclass(thing) and not isinstance(thing, type):
        return {item.name: serialize_report(getattr(thing, item.name)) for item in fields(thing)}
    if isinstance(thing, Mapping):
        return {str(name): serialize_report(value) for name, value in thing.items()}
    if isinstance(thing, tuple | list):
        return [serialize_report(item) for item in thing]
    return str.__str__(thing) if isinstance(thing, str) else thing
