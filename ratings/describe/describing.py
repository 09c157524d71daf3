"""Rating systems as JSON, for the API and the page "How this rating works"."""

from collections.abc import Iterable, Sequence
from typing import Any

from ratings.contract.parameters import ParameterSet
from ratings.contract.system import (
    MAX_PLAYERS,
    ChangePart,
    Check,
    FormulaFigure,
    GameField,
    Preset,
    RatingSystem,
    State,
    StateField,
    WorkedExample,
    complete_state,
    format_player_count,
    index_state_by_key,
)
from ratings.contract.worksheet import Worksheet
from ratings.describe.explaining import explain
from ratings.run.replay import rate_game
from ratings.texts import say

#: The attributes of a ruling that are described.
RULING = ("number", "title", "text", "parameter")


def describe(system: type[RatingSystem], rules: RatingSystem | None = None) -> dict[str, Any]:
    """Return the full description of a system, with its examples recomputed.

    The texts are for the parameters of ``rules`` (None: the defaults). ``players.max`` is None if any number may
    play, up to the largest sheet.
    """
    wording = (rules or system()).wording()
    return {
        "key": system.key,
        "title": system.title,
        "summary": wording.opening,
        "source": system.source,
        "formula": wording.formula,
        "players": {
            "min": system.min_players,
            "max": None if system.max_players >= MAX_PLAYERS else system.max_players,
            "words": format_player_count(system),
        },
        "result_fields": select_attributes(system, "score", "place", "ties", "lowest_score"),
        "game_fields": build_game_schema(system.game_fields),
        "worksheet": describe_worksheet(system.worksheet),
        "state": describe_state(system),
        "parts": [
            {**spec, "help": part.help}
            for spec, part in zip(describe_numbers(wording.parts), wording.parts, strict=True)
        ],
        "figures": describe_numbers(wording.figures),
        "pairs": describe_numbers(wording.pairs),
        "parameters": system.json_schema(),
        "presets": describe_presets(system),
        "rulings": [select_attributes(ruling, *RULING) for ruling in system.rulings],
        "examples": [describe_example(system, example) for example in system.examples],
        "checks": describe_checks(system.checks),
        "laws": [select_attributes(law, "key", "sentence") for law in system.laws],
        "performance": {"key": system.performance, "label": system.performance_label},
        "score": {"label": system.score_label, "help": wording.score_help, "difference": system.score_difference},
        **select_attributes(system, "lowest_rating", "highest_rating", "decimals", "seat_order_matters"),
    }


def select_attributes(thing: Any, *names: str) -> dict[str, Any]:
    """Return the named attributes of a declaration."""
    return {name: getattr(thing, name) for name in names}


def describe_worksheet(worksheet: Worksheet | None) -> dict[str, Any] | None:
    """Return the columns of a worksheet; those that cannot be derived are ``required``."""
    if worksheet is None:
        return None
    required = [spec.key for spec in worksheet.required()]
    return {
        "formula": worksheet.formula,
        "fields": [
            {**select_attributes(spec, "key", "label", "help"), "required": spec.key in required}
            for spec in worksheet.fields
        ],
    }


def describe_presets(declared: type[ParameterSet]) -> list[dict[str, Any]]:
    """Return the presets with their own parameters and ``values``, the complete set."""
    presets: Sequence[Preset] = getattr(declared, "presets", ())
    return [
        {
            **select_attributes(preset, "key", "title", "since"),
            "parameters": dict(preset.parameters),
            "values": declared.from_json(preset.parameters).to_json(),
        }
        for preset in presets
    ]


def describe_checks(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Return the checks with their recomputed values."""
    return [
        {
            **select_attributes(check, "title", "expected"),
            "computed": check.actual(),
            **select_attributes(check, "tolerance", "printed"),
        }
        for check in checks
    ]


def describe_state(system: type[RatingSystem]) -> list[dict[str, Any]]:
    """Return the fields of a player's state, the rating first, with bounds and the decimals shown on pages."""
    bounds = [(system.lowest_rating, system.highest_rating), *((spec.low, spec.high) for spec in system.state[1:])]
    return [
        {
            **description,
            "help": spec.help,
            "low": low,
            "high": high,
            "decimals": system.decimals if spec.decimals is None else spec.decimals,
        }
        for description, spec, (low, high) in zip(describe_numbers(system.state), system.state, bounds, strict=True)
    ]


def describe_numbers(specs: Iterable[StateField | ChangePart | FormulaFigure]) -> list[dict[str, Any]]:
    """Return key, symbol and label of each number."""
    return [select_attributes(spec, "key", "symbol", "label") for spec in specs]


def build_game_schema(specs: Sequence[GameField]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a game's ``details``."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [spec.key for spec in specs],
        "properties": {
            spec.key: {
                "title": spec.label,
                "description": spec.help,
                "type": "number",
                "minimum": spec.low,
                "maximum": spec.high,
                "examples": [spec.example],
            }
            for spec in specs
        },
    }


def describe_example(system: type[RatingSystem], example: WorkedExample) -> dict[str, Any]:
    """Return an example: input, expected values and the values computed now."""
    sheet = example.sheet
    rules = system.from_json(example.parameters)
    games = list(example.games) or [0] * sheet.size
    states = [complete_state(rules, state) for state in example.before]
    rated = rate_game(rules, states, games, sheet, started=sum(map(bool, games)))
    return {
        **select_attributes(example, "title", "note", "printed"),
        "parameters": dict(example.parameters),
        "details": dict(sheet.fields),
        "inputs": _build_example_inputs(rules, example, games, states),
        "expected": {
            "after": [_get_rating(state) for state in example.after],
            "states": [
                index_state_by_key(rules, [state] if isinstance(state, int | float) else state)
                for state in example.after
            ],
            "changes": list(example.changes),
            "tolerance": example.tolerance,
            "tolerances": dict(example.tolerances),
            "figures": _serialize_expected_values(example, example.figures),
            "pairs": _serialize_expected_values(example, example.pairs),
        },
        "computed": explain(rules, sheet, rated),
    }


def _get_rating(state: State) -> float:
    """Return the rating, given a rating or a state."""
    return state if isinstance(state, int | float) else state[0]


def _build_example_inputs(
    system: RatingSystem, example: WorkedExample, games: Sequence[int], states: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    """Return the input of each seat of an example."""
    sheet = example.sheet
    names = list(example.names) or [say("Seat {seat}", seat=seat + 1) for seat in range(sheet.size)]
    if sheet.sides:
        named_sides = zip(names, sheet.sides, strict=True)
        names = [say("{player}, team {side}", player=name, side=side) for name, side in named_sides]
    columns = zip(names, example.before, states, games, sheet.scores, sheet.places, strict=True)
    return [
        {
            "seat": seat,
            "name": name,
            "rating": _get_rating(example_state),
            "state": index_state_by_key(system, state),
            "games": count,
            "score": score,
            "place": place,
        }
        for seat, (name, example_state, state, count, score, place) in enumerate(columns, 1)
    ]


def _serialize_expected_values(example: WorkedExample, values_by_key: Any) -> dict[str, Any]:
    """Return the expected intermediates with their tolerances."""
    return {
        key: {"values": list(row), "tolerance": example.figure_tolerances.get(key, example.figure_tolerance)}
        for key, row in values_by_key.items()
    }
