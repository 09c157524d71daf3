"""A ladder's method in plain JSON types, for the API and for the page "How this ladder works"."""

from typing import Any

from ratings.contract.method import Column, Method, MethodExample, figures, tallies_of
from ratings.describe.describing import describe_checks, describe_presets, describe_rulings


def describe_method(method: type[Method]) -> dict[str, Any]:
    """Return everything that a method says of itself, its examples computed now."""
    words = method().wording()
    return {
        "key": method.key,
        "title": method.title,
        "summary": words.summary,
        "source": method.source,
        "formula": words.formula,
        "score": {"label": method.score_label},
        "columns": [describe_column(column) for column in method.columns],
        "tie_breaks": list(method.tie_breaks),
        "parameters": method.json_schema(),
        "presets": describe_presets(method),
        "rulings": describe_rulings(method.rulings),
        "examples": [describe_method_example(method, example) for example in method.examples],
        "checks": describe_checks(method.checks),
        "decimals": method.decimals,
    }


def describe_column(column: Column) -> dict[str, Any]:
    """Return a figure that stands beside the score."""
    return {"key": column.key, "label": column.label, "help": column.help, "decimals": column.decimals}


def describe_method_example(method: type[Method], example: MethodExample) -> dict[str, Any]:
    """Return an example: what the source prints, and the same figures as the method computes them now."""
    rules = method.from_json(example.parameters)
    found = figures(rules, tallies_of(rules, example.records())[example.player])
    return {
        "title": example.title,
        "note": example.note,
        "printed": example.printed,
        "parameters": dict(example.parameters),
        "expected": dict(example.expected),
        "tolerance": example.tolerance,
        "computed": {key: found[key] for key in example.expected},
    }
