"""A made-up report, which shows an empty laboratory's visitors what an experiment looks like."""

from typing import Any

from league.apps.laboratory.findings import ReportFindings, build_findings
from ratings.laboratory.report import BASELINES, EVEN

#: By system: value, low and high of the correct order and of the prediction error.
FIGURES = {
    "elo": ((0.612, 0.598, 0.626), (0.6601, 0.6532, 0.667)),
    "glicko2": ((0.634, 0.62, 0.647), (0.6455, 0.639, 0.6521)),
    EVEN: ((0.5, 0.5, 0.5), (0.6931, 0.6931, 0.6931)),
}


def build_example() -> ReportFindings:
    """Return the made-up report of Elo and Glicko-2."""
    measured = [_build_entry(key, *figures) for key, figures in FIGURES.items()]
    difference = {
        "label": "glicko2",
        "against": "elo",
        "measure": "log_loss",
        "low": -0.022,
        "better": "glicko2",
        "sentence": {"text": "", "values": []},
    }
    return build_findings(
        {
            **dict.fromkeys(("games", "warm_up", "judged", "evenings", "players", "pairs"), 0),
            "measured": measured,
            "refused": [],
            "differences": [difference],
            "notes": [],
        }
    )


def _build_entry(key: str, order: tuple[float, ...], loss: tuple[float, ...]) -> dict[str, Any]:
    return {
        "key": key,
        "label": BASELINES.get(key, key),
        "parameters": {},
        "baseline": key in BASELINES,
        "sentences": [],
        "score_unit": "",
        "order_accuracy": _build_estimate(*order),
        "log_loss": _build_estimate(*loss),
        "brier": _build_estimate(None, None, None),
        "score_error": _build_estimate(None, None, None),
    }


def _build_estimate(value: float | None, low: float | None, high: float | None) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "why_not": None}
