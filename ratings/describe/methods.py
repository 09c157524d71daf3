"""Ladder methods as JSON, for the API and the page "How this ladder works"."""

from typing import Any

from ratings.contract.method import Method, MethodExample, figures, tallies_of
from ratings.describe.describing import RULING, describe_checks, describe_presets, members


def describe_method(method: type[Method]) -> dict[str, Any]:
    """Return a method's full description, with its examples recomputed."""
    words = method().wording()
    return {
        "key": method.key,
        "title": method.title,
        "summary": words.opening,
        "source": method.source,
        "formula": words.formula,
        "score": {"label": method.score_label},
        "columns": [members(column, "key", "label", "help", "decimals") for column in method.columns],
        "tie_breaks": list(method.tie_breaks),
        "parameters": method.json_schema(),
        "presets": describe_presets(method),
        "rulings": [members(ruling, *RULING) for ruling in method.rulings],
        "examples": [describe_method_example(method, example) for example in method.examples],
        "checks": describe_checks(method.checks),
        "decimals": method.decimals,
    }


def describe_method_example(method: type[Method], example: MethodExample) -> dict[str, Any]:
    """Return an example: the expected figures and the figures computed now."""
    rules = method.from_json(example.parameters)
    found = figures(rules, tallies_of(rules, example.records())[example.player])
    return {
        **members(example, "title", "note", "printed"),
        "parameters": dict(example.parameters),
        "expected": dict(example.expected),
        "tolerance": example.tolerance,
        "computed": {key: found[key] for key in example.expected},
    }
