"""The report of an experiment as people read it: figures with their intervals, and sentences in the reader's language.

A report is JSON that a worker has written (``ratings.laboratory``); nothing is computed here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.text.numbers import exact, number, signed
from ratings.contract.parameters import ParameterError
from ratings.describe.values import label_of
from ratings.laboratory.report import LOWER_IS_BETTER
from ratings.laboratory.sentences import sentence_of
from ratings.registry import UnknownSystem, get_system
from ratings.texts import say


@dataclass(frozen=True)
class Measure:
    """What is measured: its key in a report, what it is called and means, and how its figures are written."""

    key: str
    title: Any
    help: Any
    decimals: int
    percent: bool = False

    def written(self, value: float) -> str:
        """Return a figure of it."""
        return number(100.0 * value if self.percent else value, self.decimals)

    def gained(self, value: float) -> str:
        """Return a difference of two figures of it."""
        return signed(100.0 * value if self.percent else value, self.decimals)


#: In the order of the columns.
MEASURES = (
    Measure(
        "order_accuracy",
        gettext_lazy("Correct order, %"),
        gettext_lazy("How often the higher-rated of two players in a game finished ahead, ties aside."),
        1,
        percent=True,
    ),
    Measure(
        "log_loss",
        gettext_lazy("Prediction error (log loss)"),
        gettext_lazy(
            "Measures how far the predicted probabilities were from the results; lower is "
            "better. Always predicting 50% gives 0.693."
        ),
        4,
    ),
    Measure(
        "brier",
        gettext_lazy("Squared error (Brier score)"),
        gettext_lazy("The mean squared difference between predicted probability and result; lower is better."),
        4,
    ),
    Measure(
        "score_error",
        gettext_lazy("Score error"),
        gettext_lazy("The average difference between predicted and actual scores, in the system's own units."),
        3,
    ),
)


@dataclass(frozen=True)
class Cell:
    """A figure with its interval; ``why`` says why it, or its interval, is missing."""

    measure: Measure
    figure: str
    interval: str
    why: str


@dataclass(frozen=True)
class FindingRow:
    """What was found of one system or baseline."""

    label: str
    baseline: bool
    cells: Sequence[Cell]
    sentences: Sequence[str]
    unit: str
    """What is foretold where a score is."""
    data: Mapping[str, Any] = field(repr=False)

    @property
    def bins(self) -> list[tuple[str, str, str, str]]:
        """Return the calibration: promised and came in per cent, its interval, pairs."""
        return [
            (
                number(100.0 * one["promised"], 1),
                number(100.0 * one["came"], 1),
                "" if one["low"] is None else f"{number(100.0 * one['low'], 1)} – {number(100.0 * one['high'], 1)}",
                number(one["pairs"]),
            )
            for one in self.data["calibration"]
        ]


@dataclass(frozen=True)
class FitRow:
    """What came of a fit: of which system, by which measure.

    ``parameters``: all of them as found; ``values``: those that were sought by their labels, before and after.
    ``earlier``: the measure on the earlier games before and after; ``gain``: what the fitted values gain on the later
    ones, with its interval, "" if they were not judged; ``holds``: whether that is more than noise.
    """

    label: str
    parameters: Mapping[str, Any]
    measure: Any
    values: Sequence[tuple[str, str, str]]
    earlier: tuple[str, str]
    gain: str
    interval: str
    holds: bool
    sentences: Sequence[str]


@dataclass(frozen=True)
class ReportFindings:
    """A whole report."""

    rows: Sequence[FindingRow]
    refused: Sequence[tuple[str, str]]
    between: Sequence[str]
    """How the systems differ from the first one, in sentences."""
    baseline: Sequence[str]
    """How the baselines do."""
    notes: Sequence[str]
    facts: Sequence[tuple[str, str]]
    measures: Sequence[Measure]
    fits: Sequence[FitRow] = ()
    unfitted: Sequence[tuple[str, str]] = ()
    """What could not be fitted, and why."""

    @property
    def missing(self) -> list[str]:
        """Return why figures, or their intervals, are missing, each sentence once."""
        cells = (cell for row in self.rows for cell in row.cells if cell.measure in self.measures)
        return list(dict.fromkeys(cell.why for cell in cells if cell.why))


def findings_of(report: Mapping[str, Any]) -> ReportFindings:
    """Return a report in the language of who reads."""
    rows = [row_of(one) for one in report["measured"]]
    plain = {one["label"] for one in report["measured"] if one["baseline"]}
    seen = [one for one in MEASURES if any(cell.figure for row in rows for cell in row.cells if cell.measure is one)]
    return ReportFindings(
        rows=rows,
        refused=[(name_of(one), format_finding(one["sentence"])) for one in report["refused"]],
        between=[format_finding(one["sentence"]) for one in report["differences"] if one["label"] not in plain],
        baseline=[format_finding(one["sentence"]) for one in report["differences"] if one["label"] in plain],
        notes=[format_finding(one) for one in report["notes"]],
        facts=[(label, number(report[name])) for name, label in facts(fits="fits" in report)],
        measures=seen,
        fits=[fit_of(one) for one in report.get("fits", []) if one["found"]],
        unfitted=[(name_of(one), format_finding(one["why_not"])) for one in report.get("fits", []) if one["why_not"]],
    )


def fit_of(kept: Mapping[str, Any]) -> FitRow:
    """Return what came of a fit."""
    found = kept["found"]
    measure = next(one for one in MEASURES if one.key == found["measure"])
    later, label = found["later"], name_of(kept)
    gain, interval = "", ""
    if later:
        turned = -1.0 if LOWER_IS_BETTER[found["measure"]] else 1.0
        gain = measure.gained(turned * later["value"])
        if later["low"] is not None:
            low, high = sorted((turned * later["low"], turned * later["high"]))
            interval = f"{measure.gained(low)} – {measure.gained(high)}"
    return FitRow(
        label=label,
        parameters=found["parameters"],
        measure=measure.title,
        values=[(say(one["label"]), exact(one["before"]), exact(one["after"])) for one in found["fitted"]],
        earlier=(measure.written(found["earlier_before"]), measure.written(found["earlier_after"])),
        gain=gain,
        interval=interval,
        holds=bool(later and later["better"] == later["label"]),
        sentences=[format_finding(one) for one in found["sentences"]],
    )


def facts(*, fits: bool) -> list[tuple[str, str]]:
    """Return what a report counts, with what it is called; ``fits``: what is not judged is what was fitted on."""
    return [
        ("games", _("Games")),
        ("warm_up", _("Earlier games") if fits else _("Warm-up")),
        ("judged", _("Games evaluated")),
        ("evenings", _("Days of play evaluated")),
        ("players", _("Players")),
        ("pairs", _("Pairs evaluated")),
    ]


def row_of(one: Mapping[str, Any]) -> FindingRow:
    """Return what was found of one system or baseline."""
    return FindingRow(
        label=name_of(one),
        baseline=one["baseline"],
        cells=[cell_of(measure, one[measure.key]) for measure in MEASURES],
        sentences=[format_finding(sentence) for sentence in one["sentences"]],
        unit=say(one["score_unit"]) if one["score_unit"] else "",
        data=one,
    )


def cell_of(measure: Measure, estimate: Mapping[str, Any]) -> Cell:
    """Return a figure with its interval."""
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    figure = "" if value is None else measure.written(value)
    interval = "" if low is None or high is None else f"{measure.written(low)} – {measure.written(high)}"
    return Cell(measure, figure, interval, format_finding(estimate["why_not"]) if estimate["why_not"] else "")


def format_finding(kept: Mapping[str, Any]) -> str:
    """Return a sentence of a report."""
    return str(sentence_of(kept))


def name_of(one: Mapping[str, Any]) -> str:
    """Return what a system with its parameters is called, or a baseline."""
    try:
        return label_of(get_system(one["key"]).from_json(one["parameters"]))
    except (UnknownSystem, ParameterError):  # a baseline, or a system that is not there any more
        return say(one["label"])
