"""The headline of an experiment, short names of systems, and what its charts leave out; all from reports by hand."""

from typing import Any

import pytest

from league.apps.laboratory.experiment_plots import draw_calibration, draw_level, draw_newcomers
from league.apps.laboratory.findings import build_findings
from league.apps.laboratory.verdict import name_systems
from league.models import League
from league.web.public.charts.intervals import build_interval_scale

NOTHING = {"value": None, "low": None, "high": None, "why_not": None}


def entry(key: str, label: str = "", **more: Any) -> dict[str, Any]:
    """Return a system of a report that ordered 60% of pairs correctly."""
    figures = dict.fromkeys(("log_loss", "brier", "score_error"), NOTHING)
    order = {"value": 0.6, "low": 0.5, "high": 0.7, "why_not": None}
    return {
        "key": key, "label": label or key, "parameters": {}, "baseline": False, "sentences": [], "score_unit": "",
        "order_accuracy": order, "calibration": [], "newcomers": [], "inflation": [], **figures, **more,
    }  # fmt: skip


def difference(
    label: str, better: str = "", low: float | None = -1.0, measure: str = "order_accuracy"
) -> dict[str, Any]:
    """Return a difference from Elo."""
    sentence = {"text": "", "values": []}
    return {"label": label, "against": "elo", "measure": measure, "low": low, "better": better, "sentence": sentence}


def report(*measured: dict[str, Any], differences: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """Return a report of some systems."""
    counts = dict.fromkeys(("games", "warm_up", "judged", "evenings", "players", "pairs"), 9)
    return {**counts, "measured": list(measured), "refused": [], "differences": list(differences), "notes": []}


@pytest.mark.parametrize(
    ("keys", "differences", "verdict"),
    [
        ((), (), "No system can rate these games"),
        (("elo",), (), "Elo predicts 60.0% of the pairs correctly"),
        (("elo", "glicko2"), (difference("glicko2", low=None),), "Too few games to compare Elo and Glicko-2"),
        (("elo", "glicko2"), (difference("glicko2"),), "Glicko-2 and Elo cannot be told apart"),
        (("elo", "glicko2"), (difference("glicko2", "glicko2"),), "Glicko-2 predicts better than Elo"),
        (("elo", "glicko2"), (difference("glicko2", "elo"),), "Elo predicts better than Glicko-2"),
        (
            ("elo", "glicko2", "weng_lin"),
            (difference("glicko2"), difference("weng_lin")),
            "Glicko-2 and Weng–Lin cannot be told apart from Elo",
        ),
        (
            ("elo", "glicko2", "weng_lin"),
            (difference("glicko2", "elo"), difference("weng_lin")),
            "No system predicts clearly better than Elo",
        ),
        (
            ("elo", "glicko2", "weng_lin"),
            (difference("glicko2", "elo"), difference("weng_lin", "elo")),
            "Elo predicts best",
        ),
        (
            ("elo", "glicko2", "weng_lin"),
            (difference("glicko2", "glicko2"), difference("weng_lin", "weng_lin")),
            "Glicko-2 and Weng–Lin predict better than Elo",
        ),
    ],
)
def test_the_headline_is_the_result(
    keys: tuple[str, ...], differences: tuple[dict[str, Any], ...], verdict: str
) -> None:
    assert build_findings(report(*map(entry, keys), differences=differences)).verdict == verdict


def test_the_prediction_error_decides_if_both_systems_have_one() -> None:
    differences = difference("glicko2", "elo"), difference("glicko2", "glicko2", measure="log_loss")
    found = build_findings(report(entry("elo"), entry("glicko2"), differences=differences))
    assert found.verdict == "Glicko-2 predicts better than Elo"
    assert len(found.between) == 2


def test_the_headline_begins_with_the_leagues_own_system() -> None:
    own: tuple[str, Any] = "elo", {}
    three = entry("elo"), entry("glicko2"), entry("weng_lin")
    better = difference("glicko2", "glicko2"), difference("weng_lin")
    assert build_findings(report(*three, differences=better), own=own).verdict == "Elo predicts worse than Glicko-2"
    alike = difference("glicko2"), difference("weng_lin")
    found = build_findings(report(*three, differences=alike), own=own)
    assert found.verdict == "Elo cannot be told apart from Glicko-2 and Weng–Lin"
    found = build_findings(report(*three, differences=better), own=("weng_lin", {}))
    assert found.verdict == "Weng–Lin cannot be told apart from Elo; Glicko-2 predicts better than Elo"
    found = build_findings(report(*three, differences=better), own=("weng_lin", {"beta": 1}))
    assert found.verdict == "Glicko-2 predicts better than Elo"


def test_only_score_errors_of_one_unit_share_a_column() -> None:
    error = {"value": 0.3, "low": 0.2, "high": 0.4, "why_not": None}
    elo, lin = (entry(key, score_error=error, score_unit="Share") for key in ("elo", "weng_lin"))
    barbu = entry("barbu", score_error={**error, "value": 59.0}, score_unit="Points")
    found = build_findings(report(barbu, elo, lin))
    assert [[cell.figure for cell in row.cells] for row in found.rows] == [
        ["60.0", ""],
        ["60.0", "0.300"],
        ["60.0", "0.300"],
    ]
    assert found.columns[1].scale is not None
    assert [column.measure.key for column in build_findings(report(barbu, elo)).columns] == ["order_accuracy"]


def test_a_system_does_not_repeat_the_table_or_report_a_change_of_nothing() -> None:
    order = "It predicted {share}% of decided pairs correctly ({low} to {high})."
    level = "The average rating of active players changed from {first} to {last}."
    ends = [["first", {"written": "0.0"}], ["last", {"written": "0.0"}]]
    share = [[name, {"written": "60.0"}] for name in ("share", "low", "high")]
    sentences = [{"text": order, "values": share}, {"text": level, "values": ends}]
    moved = {"text": level, "values": [["first", {"written": "0.0"}], ["last", {"written": "0.2"}]]}
    (row,) = build_findings(report(entry("elo", sentences=[*sentences, moved]))).rows
    assert row.sentences == ["The average rating of active players changed from 0.0 to 0.2."]
    (row,) = build_findings(report(entry("elo", sentences=sentences)), short_names=False).rows
    assert len(row.sentences) == 2


def test_systems_of_the_same_title_are_lettered_and_have_their_parameters() -> None:
    assert name_systems([("Elo", "elo"), ("Elo, K = 40", "elo"), ("Durak", "durak"), ("gone", "gone")]) == {
        "Elo": "Elo A",
        "Elo, K = 40": "Elo B",
        "Durak": "Durak",
        "gone": "gone",
    }
    forty = {"k": 40}
    found = build_findings(report(entry("elo", "Elo"), entry("elo", "Elo, K = 40", parameters=forty), entry("durak")))
    assert [(row.name, row.note) for row in found.rows] == [
        ("Elo A", "default parameters"),
        ("Elo B", "K = 40"),
        ("Durak", ""),
    ]


def test_intervals_lie_on_a_scale_between_round_values() -> None:
    scale = build_interval_scale([57.9, 61.2], 1)
    assert (scale.low, scale.high, scale.ends) == (57.0, 62.0, ("57", "62"))
    # 3 per cent are left at both sides: 59.5 is in the middle, 57 at 3, 62 at 97.
    dot = scale.place(59.5, 57.0, 99.0)
    assert dot is not None
    assert (dot.x, dot.low, dot.high) == (50.0, 3.0, 97.0)
    assert scale.place(50.0, 50.0, 50.0) is None
    assert build_interval_scale([0.6665], 4).low < 0.6665 < build_interval_scale([0.6665], 4).high


def test_bins_of_few_pairs_are_hollow_and_left_out_of_the_line() -> None:
    bins = [
        {"promised": 0.55, "came": 0.5, "low": None, "high": None, "pairs": 30},
        {"promised": 0.65, "came": 0.7, "low": None, "high": None, "pairs": 31},
        {"promised": 0.75, "came": 0.9, "low": None, "high": None, "pairs": 29},
        {"promised": 0.85, "came": 0.0, "low": None, "high": None, "pairs": 1},
    ]
    plot = draw_calibration(build_findings(report(entry("elo", calibration=bins))).rows)
    assert plot is not None
    assert [dot.kind for dot in plot.dots] == ["first", "first", "hollow first"], "below the scale nothing is drawn"
    assert [note.words for note in plot.notes] == ["29"]
    (line,) = [path for kind, path in plot.paths if kind == "first"]
    assert len(line.split()) == 4, "two points"


def test_few_groups_of_newcomers_are_a_table_without_a_chart() -> None:
    groups = [
        {"first": 1, "last": 1, "accuracy": None, "pairs": 2},
        {"first": 2, "last": 9, "accuracy": 0.55, "pairs": 80},
        {"first": 10, "last": 0, "accuracy": 0.6, "pairs": 900},
    ]
    drawn = draw_newcomers(build_findings(report(entry("elo", newcomers=groups))).rows)
    assert drawn is not None
    plot, table = drawn
    assert plot is None
    assert [(line.name, line.pairs, line.figures) for line in table] == [
        ("2–9", "80", ["55.0"]),
        ("10 +", "900", ["60.0"]),
    ]
    more = [*groups, {"first": 99, "last": 0, "accuracy": 0.7, "pairs": 50}]
    drawn = draw_newcomers(build_findings(report(entry("elo", newcomers=more))).rows)
    assert drawn is not None
    assert drawn[0] is not None
    assert [step.figure for step in drawn[0].steps] == ["50", "55", "60", "65", "70"]
    assert draw_newcomers(build_findings(report(entry("elo", newcomers=groups[:1]))).rows) is None


def test_a_constant_average_is_not_drawn_and_others_have_two_grid_lines() -> None:
    levels = [{"day": 19000.0 + day, "mean": 1500.0 + day / 1000, "players": 4} for day in range(3)]
    (row,) = build_findings(report(entry("elo", inflation=levels))).rows
    level = draw_level(League(time_zone="UTC"), row)
    assert level is not None
    assert level.plot is None
    assert [mean for _when, mean, _players in level.lines] == ["1500.0"] * 3
    levels[1]["mean"] = 1500.06
    level = draw_level(League(time_zone="UTC"), build_findings(report(entry("elo", inflation=levels))).rows[0])
    assert level is not None
    assert level.plot is not None
    assert [step.figure for step in level.plot.steps] == ["1500.0", "1500.1"]
