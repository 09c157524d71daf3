"""A rating system in plain JSON types, for the API and for the page "How this rating works"."""

from collections.abc import Iterable, Sequence
from typing import Any

from ratings.contract.parameters import Parameterised
from ratings.contract.system import (
    MOST_PLAYERS,
    Check,
    Figure,
    GameField,
    Part,
    Preset,
    RatingSystem,
    Ruling,
    State,
    StateField,
    WorkedExample,
    by_key,
    players_phrase,
    whole_state,
)
from ratings.contract.worksheet import Worksheet
from ratings.describe.explaining import explain
from ratings.run.replay import rate_game
from ratings.texts import say


def describe(system: type[RatingSystem], rules: RatingSystem | None = None) -> dict[str, Any]:
    """Return everything that a system says of itself, its worked examples computed now.

    The texts are those of the parameters of ``rules`` (None: of the defaults). Of ``players`` the
    ``max`` is None where any number may play (up to the most that a sheet holds).
    """
    words = (rules or system()).wording()
    return {
        "key": system.key,
        "title": system.title,
        "summary": words.summary,
        "source": system.source,
        "formula": words.formula,
        "players": describe_players(system),
        "result_fields": {
            "score": system.score,
            "place": system.place,
            "ties": system.ties,
            "lowest_score": system.lowest_score,
        },
        "game_fields": game_schema(system.game_fields),
        "worksheet": describe_worksheet(system.worksheet),
        "state": describe_state(system),
        "parts": [{**spec, "help": part.help} for spec, part in zip(named(words.parts), words.parts, strict=True)],
        "figures": named(words.figures),
        "pairs": named(words.pairs),
        "parameters": system.json_schema(),
        **describe_sources(system),
        "performance": {"key": system.performance, "label": system.performance_label},
        "score": {"label": system.score_label, "help": words.score_help, "difference": system.score_difference},
        "lowest_rating": system.lowest_rating,
        "highest_rating": system.highest_rating,
        "decimals": system.decimals,
        "seat_order_matters": system.seat_order_matters,
    }


def describe_worksheet(worksheet: Worksheet | None) -> dict[str, Any] | None:
    """Return the columns of which a score is made; ``required`` are those that the others' columns do not give."""
    if worksheet is None:
        return None
    required = [spec.key for spec in worksheet.required()]
    return {
        "formula": worksheet.formula,
        "fields": [
            {"key": spec.key, "label": spec.label, "help": spec.help, "required": spec.key in required}
            for spec in worksheet.fields
        ],
    }


def describe_sources(system: type[RatingSystem]) -> dict[str, Any]:
    """Return what the source says and how it is read: presets, rulings, examples, checks and laws."""
    return {
        "presets": describe_presets(system),
        "rulings": describe_rulings(system.rulings),
        "examples": [describe_example(system, example) for example in system.examples],
        "checks": describe_checks(system.checks),
        "laws": [{"key": law.key, "sentence": law.sentence} for law in system.laws],
    }


def describe_presets(declared: type[Parameterised]) -> list[dict[str, Any]]:
    """Return the named sets of parameters: what they say, and ``values``, every parameter with them."""
    presets: Sequence[Preset] = getattr(declared, "presets", ())
    return [
        {
            "key": preset.key,
            "title": preset.title,
            "since": preset.since,
            "parameters": dict(preset.parameters),
            "values": declared.from_json(preset.parameters).to_json(),
        }
        for preset in presets
    ]


def describe_rulings(rulings: Iterable[Ruling]) -> list[dict[str, str]]:
    """Return how the source is read where it contradicts itself or is silent."""
    return [
        {"number": ruling.number, "title": ruling.title, "text": ruling.text, "parameter": ruling.parameter}
        for ruling in rulings
    ]


def describe_checks(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Return the single figures, each beside what is computed now."""
    return [
        {
            "title": check.title,
            "expected": check.expected,
            "computed": check.actual(),
            "tolerance": check.tolerance,
            "printed": check.printed,
        }
        for check in checks
    ]


def describe_players(system: type[RatingSystem]) -> dict[str, Any]:
    """Return how many players a game may have, in numbers and in words."""
    most = None if system.most_players >= MOST_PLAYERS else system.most_players
    return {"min": system.fewest_players, "max": most, "words": players_phrase(system)}


def describe_state(system: type[RatingSystem]) -> list[dict[str, Any]]:
    """Return the floats of a player's state, the rating first, each with bounds and the decimals that pages show."""
    bounds = [(system.lowest_rating, system.highest_rating), *((spec.low, spec.high) for spec in system.state[1:])]
    return [
        {
            **words,
            "help": spec.help,
            "low": low,
            "high": high,
            "decimals": system.decimals if spec.decimals is None else spec.decimals,
        }
        for words, spec, (low, high) in zip(named(system.state), system.state, bounds, strict=True)
    ]


def named(specs: Iterable[StateField | Part | Figure]) -> list[dict[str, str]]:
    """Return key, symbol and label of numbers that a system knows."""
    return [{"key": spec.key, "symbol": spec.symbol, "label": spec.label} for spec in specs]


def game_schema(specs: Sequence[GameField]) -> dict[str, Any]:
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
                ("exclusiveMinimum" if spec.low_excluded else "minimum"): spec.low,
                "maximum": spec.high,
                "examples": [spec.example],
            }
            for spec in specs
        },
    }


def describe_example(system: type[RatingSystem], example: WorkedExample) -> dict[str, Any]:
    """Return an example: what goes in, what the source prints, and what the kernel answers now."""
    sheet = example.sheet
    rules = system.from_json(example.parameters)
    games = list(example.games) or [0] * sheet.size
    before = [whole_state(rules, given) for given in example.before]
    rated = rate_game(rules, before, games, sheet, started=sum(map(bool, games)))
    return {
        "title": example.title,
        "note": example.note,
        "printed": example.printed,
        "parameters": dict(example.parameters),
        "details": dict(sheet.fields),
        "inputs": example_inputs(rules, example, games, before),
        "expected": {
            "after": [rating_of(given) for given in example.after],
            "states": [by_key(rules, [given] if isinstance(given, int | float) else given) for given in example.after],
            "changes": list(example.changes),
            "tolerance": example.tolerance,
            "tolerances": dict(example.tolerances),
            "figures": expected_values(example, example.figures),
            "pairs": expected_values(example, example.pairs),
        },
        "computed": explain(rules, sheet, rated),
    }


def rating_of(given: State) -> float:
    """Return the rating of what an example gives: it is the first of a state."""
    return given if isinstance(given, int | float) else given[0]


def example_inputs(
    system: RatingSystem, example: WorkedExample, games: Sequence[int], before: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    """Return each seat of an example as it goes into the sum."""
    sheet = example.sheet
    names = list(example.names) or [say("Seat {seat}", seat=seat + 1) for seat in range(sheet.size)]
    if sheet.sides:
        said = zip(names, sheet.sides, strict=True)
        names = [say("{player}, side {side}", player=name, side=side) for name, side in said]
    columns = zip(names, example.before, before, games, sheet.scores, sheet.places, strict=True)
    return [
        {
            "seat": seat,
            "name": name,
            "rating": rating_of(given),
            "state": by_key(system, state),
            "games": count,
            "score": score,
            "place": place,
        }
        for seat, (name, given, state, count, score, place) in enumerate(columns, 1)
    ]


def expected_values(example: WorkedExample, given: Any) -> dict[str, Any]:
    """Return the intermediates that the source prints, each with half a unit of its last digit."""
    return {
        key: {"values": list(row), "tolerance": example.figure_tolerances.get(key, example.figure_tolerance)}
        for key, row in given.items()
    }
