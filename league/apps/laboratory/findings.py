"""The report of an experiment for display, in the reader's language.

A worker has written the report as JSON (``ratings.laboratory``); nothing is computed here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.text.display_formats import format_exact, format_number, format_signed
from ratings.contract.parameters import ParameterError
from ratings.describe.values import label_of
from ratings.laboratory.report import LOWER_IS_BETTER
from ratings.laboratory.sentences import parse_sentence
from ratings.registry import UnknownSystem, get_system
from ratings.texts import say


@dataclass(frozen=True)
class Measure:
    """A measure of predictions: its key in a report, title, meaning and number format."""

    key: str
    title: Any
    help: Any
    decimals: int
    percent: bool = False

    def format(self, value: float) -> str:
        """Return a value as text."""
        return format_number(100.0 * value if self.percent else value, self.decimals)

    def format_difference(self, value: float) -> str:
        """Return a difference of two values as text."""
        return format_signed(100.0 * value if self.percent else value, self.decimals)


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
    """A value with its interval; ``why`` gives the reason if one of them is missing."""

    measure: Measure
    figure: str
    interval: str
    why: str


@dataclass(frozen=True)
class FindingRow:
    """The results of one system or baseline."""

    label: str
    baseline: bool
    cells: Sequence[Cell]
    sentences: Sequence[str]
    unit: str
    """The unit of predicted scores, if scores are predicted."""
    data: Mapping[str, Any] = field(repr=False)

    @property
    def bins(self) -> list[tuple[str, str, str, str]]:
        """The calibration: predicted and actual in per cent, interval of the actual, pairs."""
        return [
            (
                format_number(100.0 * bin_["promised"], 1),
                format_number(100.0 * bin_["came"], 1),
                ""
                if bin_["low"] is None
                else f"{format_number(100.0 * bin_['low'], 1)} – {format_number(100.0 * bin_['high'], 1)}",
                format_number(bin_["pairs"]),
            )
            for bin_ in self.data["calibration"]
        ]


@dataclass(frozen=True)
class FitRow:
    """The result of a fit by one measure.

    ``parameters`` are all fitted parameters; ``values`` lists the label, old and new value of those that were fitted.
    ``earlier`` is the measure on the earlier games, before and after. ``gain`` is the improvement on the later games
    with its interval ("" if not evaluated); ``holds`` is true if it is statistically significant.
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
    """A complete report."""

    rows: Sequence[FindingRow]
    refused: Sequence[tuple[str, str]]
    between: Sequence[str]
    """Sentences that compare the other systems with the first one."""
    baseline: Sequence[str]
    """Sentences that compare the baselines with the first system."""
    notes: Sequence[str]
    facts: Sequence[tuple[str, str]]
    measures: Sequence[Measure]
    fits: Sequence[FitRow] = ()
    unfitted: Sequence[tuple[str, str]] = ()
    """Systems that could not be fitted, with the reason."""

    @property
    def missing(self) -> list[str]:
        """Reasons why values or intervals are missing, without duplicates."""
        cells = (cell for row in self.rows for cell in row.cells if cell.measure in self.measures)
        return list(dict.fromkeys(cell.why for cell in cells if cell.why))


def build_findings(report: Mapping[str, Any]) -> ReportFindings:
    """Return a report in the reader's language."""
    rows = [_build_row(entry) for entry in report["measured"]]
    baselines = {entry["label"] for entry in report["measured"] if entry["baseline"]}
    measures = [
        entry for entry in MEASURES if any(cell.figure for row in rows for cell in row.cells if cell.measure is entry)
    ]
    return ReportFindings(
        rows=rows,
        refused=[(_format_label(entry), _format_sentence(entry["sentence"])) for entry in report["refused"]],
        between=[
            _format_sentence(entry["sentence"]) for entry in report["differences"] if entry["label"] not in baselines
        ],
        baseline=[
            _format_sentence(entry["sentence"]) for entry in report["differences"] if entry["label"] in baselines
        ],
        notes=[_format_sentence(entry) for entry in report["notes"]],
        facts=[(label, format_number(report[name])) for name, label in _list_counts(fits="fits" in report)],
        measures=measures,
        fits=[_build_fit_row(entry) for entry in report.get("fits", []) if entry["found"]],
        unfitted=[
            (_format_label(entry), _format_sentence(entry["why_not"]))
            for entry in report.get("fits", [])
            if entry["why_not"]
        ],
    )


def _build_fit_row(entry: Mapping[str, Any]) -> FitRow:
    fit = entry["found"]
    measure = next(parameter for parameter in MEASURES if parameter.key == fit["measure"])
    later, label = fit["later"], _format_label(entry)
    gain, interval = "", ""
    if later:
        sign = -1.0 if LOWER_IS_BETTER[fit["measure"]] else 1.0
        gain = measure.format_difference(sign * later["value"])
        if later["low"] is not None:
            low, high = sorted((sign * later["low"], sign * later["high"]))
            interval = f"{measure.format_difference(low)} – {measure.format_difference(high)}"
    return FitRow(
        label=label,
        parameters=fit["parameters"],
        measure=measure.title,
        values=[
            (say(parameter["label"]), format_exact(parameter["before"]), format_exact(parameter["after"]))
            for parameter in fit["fitted"]
        ],
        earlier=(measure.format(fit["earlier_before"]), measure.format(fit["earlier_after"])),
        gain=gain,
        interval=interval,
        holds=bool(later and later["better"] == later["label"]),
        sentences=[_format_sentence(parameter) for parameter in fit["sentences"]],
    )


def _list_counts(*, fits: bool) -> list[tuple[str, str]]:
    return [
        ("games", _("Games")),
        ("warm_up", _("Earlier games") if fits else _("Warm-up")),
        ("judged", _("Games evaluated")),
        ("evenings", _("Days of play evaluated")),
        ("players", _("Players")),
        ("pairs", _("Pairs evaluated")),
    ]


def _build_row(entry: Mapping[str, Any]) -> FindingRow:
    return FindingRow(
        label=_format_label(entry),
        baseline=entry["baseline"],
        cells=[_build_cell(measure, entry[measure.key]) for measure in MEASURES],
        sentences=[_format_sentence(sentence) for sentence in entry["sentences"]],
        unit=say(entry["score_unit"]) if entry["score_unit"] else "",
        data=entry,
    )


def _build_cell(measure: Measure, estimate: Mapping[str, Any]) -> Cell:
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    figure = "" if value is None else measure.format(value)
    interval = "" if low is None or high is None else f"{measure.format(low)} – {measure.format(high)}"
    return Cell(measure, figure, interval, _format_sentence(estimate["why_not"]) if estimate["why_not"] else "")


def _format_sentence(sentence: Mapping[str, Any]) -> str:
    return str(parse_sentence(sentence))


def _format_label(entry: Mapping[str, Any]) -> str:
    try:
        return label_of(get_system(entry["key"]).from_json(entry["parameters"]))
    except (UnknownSystem, ParameterError):  # a baseline, or a system that was removed
        return say(entry["label"])
