"""Ladder methods as JSON, for the API and the page "How this ladder works"."""

from typing import Any

from ratings.contract.method import Method, MethodExample, build_tallies, index_figures_by_key
from ratings.describe.describing import RULING, describe_checks, describe_presets, select_attributes


def describe_method(method: type[Method]) -> dict[str, Any]:
    """Return a method's full description, with its examples recomputed."""
    wording = method().wording()
    return {
        "key": method.key,
        "title": method.title,
        "summary": wording.opening,
        "source": method.source,
        "formula": wording.formula,
        "score": {"label": method.score_label},
        "columns": [select_attributes(column, "key", "label", "help", "decimals") for column in method.columns],
        "tie_breaks": list(method.tie_breaks),
        "parameters": method.json_schema(),
        "presets": describe_presets(method),
        "rulings": [select_attributes(ruling, *RULING) for ruling in method.rulings],
        "examples": [describe_method_example(method, example) for example in method.examples],
        "checks": describe_checks(method.checks),
        "decimals": method.decimals,
    }


def describe_method_example(method: type[Method], example: MethodExample) -> dict[str, Any]:
    """Return an example: the expected figures and the figures computed now."""
    rules = method.from_json(example.parameters)
    computed = index_figures_by_key(rules, build_tallies(rules, example.records())[example.player])
    return {
        **select_attributes(example, "title", "note", "printed"),
        "parameters": dict(example.parameters),
        "expected": dict(example.expected),
        "tolerance": example.tolerance,
        "computed": {key: computed[key] for key in example.expected},
    }
