"""What a rule meant that told only some of its parameters: the defaults of the day since when rules tell all of them.

Until then a rule was stored, logged and exported with what its organiser had chosen, and the rest stood in the code.
These literals never change, whatever the code's defaults become: the migration that made the stored rules whole reads
them, and so does whoever holds a stored rule to its entry in the log, which is not rewritten.

A parameter that a system or a method gains later goes into ADDED, with the value under which older rules stay what
they were; a test asks for it. The rules that stand are not rewritten (``0021_added_parameters`` did, once): code of the
release before, which may run beside, refuses a parameter that it does not know.
"""

from collections.abc import Mapping
from typing import Any

from ratings.contract.parameters import Parameterised

Parameters = dict[str, Any]

SYSTEMS: Mapping[str, Parameters] = {
    "barbu": {
        "half_life": 100.0, "strength": "halving", "j": 1.04, "score_transform": "none", "newcomer_count": "before",
        "newcomer_games": 5, "zero_sum": "table", "demand_total": "no", "total": 0.0,
    },
    "durak": {
        "inflation": 2, "k": 40, "scale": 400, "order_strength": 0.25, "order_power": 1.15, "durak_strength": 0.5,
        "evidence_penalty": 180, "initial": 1000,
    },
    "elo": {"k": 20, "scale": 400, "provisional_games": 0, "provisional_k": 40, "initial": 1500},
    "preferans": {
        "winner": "highest", "tie_bonus": "none", "intermediate_decimals": "3", "magic_number": 2.8, "initial": 1000,
    },
    "serpentine": {"most": 16, "full_swing": 1, "rounding": "half_away", "initial": 1200},
}  # fmt: skip
METHODS: Mapping[str, Parameters] = {
    "best_scores": {"best": 10, "minimum": 10, "of": "score"},
    "erf_mean": {"factor": "erf", "games": 20, "base": 1000},
    "fide_performance": {
        "rank_by": "tpr", "unrated": "drop", "perfect_score_bonus": 800, "ties": "break", "minimum": 1,
    },
    "points": {"count": "outcomes", "win": 1, "draw": 0.5, "loss": 0, "ties": "break", "minimum": 1},
    "rating_score": {"evidence_penalty": 180, "evidence": "league", "rounding": "whole", "minimum": 1},
}  # fmt: skip

#: What has come since, and what a rule means that was adopted before.
ADDED: Mapping[str, Parameters] = {
    "elo": {"top_rating": 0, "top_k": 10, "margin": "none", "first_seat": 0},
    "preferans": {"demand_total": "no", "total": 0.0},
}


def completed(payload: Mapping[str, Any]) -> Parameters:
    """Return the parameters that an entry of the log, an export's line or a stored rule means.

    ``payload`` has ``parameters`` and the key of a ``system`` or of a ladder's ``method``. One that has come since
    the freeze, and so has only rules that tell everything, is taken at its word.
    """
    chosen, defaults = (payload["method"], METHODS) if "method" in payload else (payload["system"], SYSTEMS)
    return {**defaults.get(chosen, {}), **ADDED.get(chosen, {}), **payload["parameters"]}


def whole(payload: Mapping[str, Any], chosen: type[Parameterised]) -> Parameters:
    """Return all parameters of a rule that an export tells, for the system or method as it is now; ParameterError."""
    given, known = payload["parameters"], chosen.parameters()
    # What the code has lost since is not brought back; what a file says all the same is refused.
    return chosen.whole({name: value for name, value in completed(payload).items() if name in given or name in known})


def means(payload: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Tell whether an entry of the log tells of a rule that is stored with these parameters.

    It tells of all of them, or (from before the freeze) only of those that the organiser chose.
    """
    # To the letter first: once the code has lost a parameter, completing would bring it back. A rule that has stood
    # since before a parameter came means what it always meant.
    added = ADDED.get(payload.get("method") or payload["system"], {})
    return payload["parameters"] == parameters or completed(payload) == {**added, **parameters}
