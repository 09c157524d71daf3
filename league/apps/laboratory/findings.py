"""The report of an experiment for display, in the reader's language.

A worker has written the report as JSON (``ratings.laboratory``); nothing is computed here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.laboratory.verdict import describe_verdict, name_entrants
from league.core.text.display_formats import format_exact, format_number, format_signed
from league.web.public.charts.intervals import IntervalDot, IntervalScale, build_interval_scale
from ratings.contract.parameters import ParameterError
from ratings.describe.values import label_of
from ratings.laboratory.report import EVEN, LOWER_IS_BETTER
from ratings.laboratory.sentences import parse_sentence
from ratings.laboratory.verdicts import LEVEL_CHANGE, ORDER_SHARE
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

    @property
    def factor(self) -> float:
        """What values are multiplied by when shown."""
        return 100.0 if self.percent else 1.0

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower value is better."""
        return LOWER_IS_BETTER[self.key]

    def format(self, value: float) -> str:
        """Return a value as text."""
        return format_number(self.factor * value, self.decimals)

    def format_difference(self, value: float) -> str:
        """Return a difference of two values as text."""
        return format_signed(self.factor * value, self.decimals)


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
class MeasureColumn:
    """A measure of at least one row; ``scale`` is None if its values cannot be compared."""

    measure: Measure
    scale: IntervalScale | None
    reference: float | None
    """The position of the first system."""
    unit: str | None = None
    """The unit of the scores; systems of other units have no value here."""


@dataclass(frozen=True)
class Cell:
    """A value with its interval; ``why`` gives the reason if one of them is missing."""

    column: MeasureColumn
    figure: str
    interval: str
    why: str
    dot: IntervalDot | None = None
    """The value and its interval on the scale of the column."""


@dataclass(frozen=True)
class FindingRow:
    """The results of one system or baseline; ``name`` is short, ``label`` has the parameters."""

    name: str
    note: str
    """The parameters if another system has the same title."""
    label: str
    baseline: bool
    cells: Sequence[Cell]
    sentences: Sequence[str]
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

    verdict: str
    rows: Sequence[FindingRow]
    refused: Sequence[tuple[str, str]]
    between: Sequence[str]
    """Sentences that compare the other systems with the first one."""
    baseline: Sequence[str]
    """Sentences that compare the baselines with the first system."""
    notes: Sequence[str]
    facts: Sequence[tuple[str, str]]
    columns: Sequence[MeasureColumn]
    fits: Sequence[FitRow] = ()
    unfitted: Sequence[tuple[str, str]] = ()
    """Systems that could not be fitted, with the reason."""

    @property
    def missing(self) -> list[str]:
        """Reasons why values or intervals are missing, without duplicates."""
        return list(dict.fromkeys(cell.why for row in self.rows for cell in row.cells if cell.why))


def build_findings(
    report: Mapping[str, Any], *, short_names: bool = True, own: tuple[str, Any] | None = None
) -> ReportFindings:
    """Return a report in the reader's language; sentences have the systems' short names, or their full labels.

    With short names, only what can be compared shares a column, and sentences do not repeat the columns. ``own`` is
    the key and the parameters of the league's own system.
    """
    names = name_entrants(report)
    if not short_names:
        names = {label: label for label in names}
    baselines = {entry["label"] for entry in report["measured"] if entry["baseline"]}
    differences = [(entry["label"], _format_sentence(entry["sentence"], names)) for entry in report["differences"]]
    own_label = next((entry["label"] for entry in report["measured"] if (entry["key"], entry["parameters"]) == own), "")
    columns = _build_columns(report["measured"], by_unit=short_names)
    return ReportFindings(
        verdict=describe_verdict(report, names, own_label),
        rows=[_build_row(entry, names, columns, brief=short_names) for entry in report["measured"]],
        refused=[(names[entry["label"]], _format_sentence(entry["sentence"], names)) for entry in report["refused"]],
        between=[sentence for label, sentence in differences if label not in baselines],
        baseline=[sentence for label, sentence in differences if label in baselines],
        notes=[_format_sentence(entry, names) for entry in report["notes"]],
        facts=[(label, format_number(report[name])) for name, label in _list_counts(fits="fits" in report)],
        columns=columns,
        fits=[_build_fit_row(entry, names) for entry in report.get("fits", []) if entry["found"]],
        unfitted=[
            (_format_label(entry), _format_sentence(entry["why_not"], names))
            for entry in report.get("fits", [])
            if entry["why_not"]
        ],
    )


def _build_fit_row(entry: Mapping[str, Any], names: Mapping[str, str]) -> FitRow:
    fit = entry["found"]
    measure = next(parameter for parameter in MEASURES if parameter.key == fit["measure"])
    later, label = fit["later"], _format_label(entry)
    gain, interval = "", ""
    if later:
        sign = -1.0 if measure.lower_is_better else 1.0
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
        sentences=[_format_sentence(parameter, names) for parameter in fit["sentences"]],
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


def _build_columns(entries: Sequence[Mapping[str, Any]], *, by_unit: bool) -> list[MeasureColumn]:
    """Return the columns of the measures that have values.

    Each system predicts scores in units of its own: ``by_unit`` leaves the most frequent one, if two systems have it.
    """
    columns = []
    for measure in MEASURES:
        known = [entry for entry in entries if entry[measure.key]["value"] is not None]
        unit = None
        if known and measure.key == "score_error" and by_unit:
            ((unit, count),) = Counter(entry["score_unit"] for entry in known).most_common(1)
            known = [entry for entry in known if entry["score_unit"] == unit and count > 1]
        if known:
            columns.append(_build_column(measure, known, unit))
    return columns


def _build_column(measure: Measure, known: Sequence[Mapping[str, Any]], unit: str | None) -> MeasureColumn:
    """Return a measure's column; score errors of different units have no scale."""
    drawn = [entry for entry in known if entry["key"] != EVEN]
    if not drawn or (measure.key == "score_error" and unit is None):
        return MeasureColumn(measure, None, None)
    values = [
        measure.factor * entry[measure.key][end]
        for entry in drawn
        for end in ("value", "low", "high")
        if entry[measure.key][end] is not None
    ]
    scale = build_interval_scale(values, measure.decimals)
    reference = _place_dot(measure, scale, drawn[0][measure.key])
    return MeasureColumn(measure, scale, reference.x if reference and not drawn[0]["baseline"] else None, unit)


def _place_dot(measure: Measure, scale: IntervalScale | None, estimate: Mapping[str, Any]) -> IntervalDot | None:
    if scale is None or estimate["value"] is None:
        return None
    ends = [None if estimate[end] is None else measure.factor * estimate[end] for end in ("low", "high")]
    return scale.place(measure.factor * estimate["value"], *ends)


def _build_row(
    entry: Mapping[str, Any], names: Mapping[str, str], columns: Sequence[MeasureColumn], *, brief: bool
) -> FindingRow:
    name, label = names[entry["label"]], _format_label(entry)
    title = label.partition(", ")[0]
    shares_title = not entry["baseline"] and name not in (title, label)
    return FindingRow(
        name=name,
        note=(label.removeprefix(title).lstrip(", ") or _("default parameters")) if shares_title else "",
        label=label,
        baseline=entry["baseline"],
        cells=[_build_cell(column, entry) for column in columns],
        sentences=[
            _format_sentence(sentence, names)
            for sentence in entry["sentences"]
            if not (brief and _is_superfluous(sentence))
        ],
        data=entry,
    )


def _is_superfluous(sentence: Mapping[str, Any]) -> bool:
    """Return whether a sentence repeats the table, or states a change of nothing."""
    values = dict(sentence["values"])
    stays = sentence["text"] == LEVEL_CHANGE and values["first"] == values["last"]
    return stays or bool(sentence["text"] == ORDER_SHARE)


def _build_cell(column: MeasureColumn, entry: Mapping[str, Any]) -> Cell:
    estimate = entry[column.measure.key]
    if column.unit not in (None, entry["score_unit"]):
        estimate = dict.fromkeys(("value", "low", "high", "why_not"))
    measure, value, low, high = column.measure, estimate["value"], estimate["low"], estimate["high"]
    figure = "" if value is None else measure.format(value)
    interval = "" if low is None or high is None else f"{measure.format(low)} – {measure.format(high)}"
    why = _format_sentence(estimate["why_not"], {}) if estimate["why_not"] else ""
    return Cell(column, figure, interval, why, _place_dot(measure, column.scale, estimate))


def _format_sentence(stored: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return a sentence with the systems' short names in place of their labels."""
    sentence = parse_sentence(stored)
    values = tuple(
        (name, names.get(value, value) if isinstance(value, str) else value) for name, value in sentence.values
    )
    return str(replace(sentence, values=values))


def _format_label(entry: Mapping[str, Any]) -> str:
    try:
        return label_of(get_system(entry["key"]).from_json(entry["parameters"]))
    except (UnknownSystem, ParameterError):  # a baseline, or a system that was removed
        return say(entry["label"])
