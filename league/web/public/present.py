"""Converts results of the core for templates."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.template.defaultfilters import capfirst

from league.core.games.selectors.games import ShownGame
from league.core.games.services.explain import ExplainedGame
from league.core.ladders.selectors.ladders import Row
from league.core.rules.selectors.rules import build_state_after
from league.core.text.display_formats import MAX_EXTRA_DIGITS, format_exact_column, round_shares
from league.core.text.game_results import format_figure, split_result_of_two
from ratings.contract.method import Method, parse_games_missing
from ratings.contract.parameters import ParameterSet
from ratings.contract.system import RatingSystem, index_state_by_key
from ratings.describe.describing import describe, describe_state
from ratings.describe.explaining import explain
from ratings.describe.values import format_parameter
from ratings.texts import round_as_printed


def build_explanation(explained: ExplainedGame) -> dict[str, Any]:
    """Return the steps of a game's calculation, with the names of players and pairs."""
    explanation = explain(explained.system, explained.sheet, explained.rated)
    players = zip(explanation["seats"], explained.names, explained.handles, strict=True)
    add_column_texts(explanation)
    return {
        "seats": [{**seat, "name": name, "handle": handle} for seat, name, handle in players],
        "pairs": [
            {**pair, "names": [explained.names[seat - 1] for seat in pair["seats"]]} for pair in explanation["pairs"]
        ],
        "shift": explanation["shift"],
        "formula": explained.system.wording().formula,
        "beside": list_extra_state_fields(explained.system, detailed=True),
    }


def list_extra_state_fields(system: RatingSystem, *, detailed: bool = False) -> list[dict[str, Any]]:
    """Return the fields of the system's state that pages show next to the rating; ``detailed``: in calculations."""
    fields = zip(describe_state(type(system)), system.state, strict=True)
    return [field for field, spec in list(fields)[1:] if not spec.inner and (detailed or not spec.detail)]


def add_column_texts(explanation: Mapping[str, Any]) -> None:
    """Add the text of each part and figure, and of each rating and change: as exact as the others of its column."""
    seats, pairs = explanation["seats"], explanation["pairs"]
    for rows in (
        [seat["parts"] for seat in seats],
        [seat["figures"] for seat in seats],
        [one["figures"] for one in pairs],
    ):
        for column in zip(*rows, strict=True):
            for figure, text in zip(column, format_exact_column([one["value"] for one in column]), strict=True):
                figure["text"] = text
    for key in ("rating_before", "change", "rating_after"):
        for seat, text in zip(seats, format_exact_column([one[key] for one in seats]), strict=True):
            seat[f"{key}_text"] = text


def list_columns(method: Method) -> list[dict[str, Any]]:
    """Return the columns of a ladder's method, and whether each is a tie-break and its label an abbreviation."""
    chain = method.chain()
    return [
        {
            "key": column.key,
            "label": column.label,
            "help": column.help,
            "decides": column.key in chain,
            "is_short": bool(column.words),
        }
        for column in method.columns
    ]


def build_standing_rows(
    method: Method,
    rows: Iterable[Row],
    ranks: Mapping[str, int | None] | None = None,
    needs: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Return rows of a ranking with their values in the order of the columns, and the deciding tie-break.

    ``ranks``: handle -> rank before the last evening; players without one are new. ``needs``: handle -> what the player
    needs to lead. ``filler``: the digits that a score lacks in its column, to be left blank.
    """
    labels = {column.key: column.label for column in method.columns}
    all_rows = list(rows)
    decimals_of_rows = list_score_decimals(method, all_rows)
    most_decimals = max(decimals_of_rows, default=0)
    return [
        {
            **row,
            "decimals": decimals,
            "filler": ("" if decimals else ".") + "0" * (most_decimals - decimals) if decimals < most_decimals else "",
            "figures": [(row["columns"].get(column.key), column.decimals, column.label) for column in method.columns],
            "decided": labels.get(row["decided_by"], ""),
            "missing": parse_games_missing(row["why_not"]),
            "need": (needs or {}).get(row["player"], ""),
            "before": (ranks or {}).get(row["player"]),
            "cut": previous is not None and previous["qualified"] and not row["qualified"],
        }
        for previous, row, decimals in zip([None, *all_rows], all_rows, decimals_of_rows, strict=False)
    ]


def list_score_decimals(method: Method, rows: Sequence[Row]) -> list[int]:
    """Return the number of decimals of each row's score: more than the method's where the next score prints alike."""
    decimals = {row["score"]: method.decimals for row in rows if row["score"] is not None}
    for first, second in pairwise(list(decimals)):
        needed = _count_separating_decimals(first, second, method.decimals)
        decimals[first], decimals[second] = max(decimals[first], needed), needed
    return [decimals.get(row["score"], method.decimals) for row in rows]


def _count_separating_decimals(first: float, second: float, least: int) -> int:
    """Return the number of decimals with which two scores print differently; the least one if they never do."""
    places = range(least, least + MAX_EXTRA_DIGITS + 1)
    return next(
        (digits for digits in places if round_as_printed(first, digits) != round_as_printed(second, digits)), least
    )


def split_repeats(
    columns: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return columns and rows without the columns that repeat the score in each of several rows."""
    kept = [
        index
        for index in range(len(columns))
        if len(rows) < 2 or any(row["figures"][index][0] != row["score"] for row in rows)
    ]
    return (
        [columns[index] for index in kept],
        [{**row, "figures": [row["figures"][index] for index in kept]} for row in rows],
    )


def list_parameters(system: ParameterSet) -> list[dict[str, Any]]:
    """Return each parameter of a system or method with its value and whether that is the default."""
    defaults = type(system).defaults()
    return [
        {
            "name": name,
            "label": kind.label,
            "help": kind.help,
            "value": getattr(system, name),
            "text": format_parameter(kind, getattr(system, name)),
            "meaning": kind.meaning(getattr(system, name)),
            "default": getattr(system, name) == defaults[name],
        }
        for name, kind in type(system).parameters().items()
    ]


def label_presets(rules: type[ParameterSet], presets: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return presets with their parameters' labels and formatted values."""
    kinds = rules.parameters()
    return [
        {
            **preset,
            "shown": [
                (kinds[name].label, format_parameter(kinds[name], value))
                for name, value in preset["parameters"].items()
            ],
        }
        for preset in presets
    ]


def label_fields(system: type[RatingSystem] | None, fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return a game's fields with the system's labels; unknown ones with their keys."""
    labels = {spec.key: spec.label for spec in system.game_fields} if system else {}
    return [(labels.get(key) or capfirst(key), value) for key, value in fields.items()]


def get_state_after(view: ShownGame, player_id: int, system: RatingSystem | None) -> dict[str, float] | None:
    """Return the state of a player after a game by key, None if the game is not rated."""
    change = next(line.change for line in view.results if line.result.player_id == player_id)
    if change is None or system is None or view.status != "rated":
        return None
    return index_state_by_key(system, build_state_after(change))


def build_description(system: RatingSystem) -> dict[str, Any]:
    """Return a system's description with its parameters, and its examples with their pairs."""
    description = describe(type(system), system)
    description["presets"] = label_presets(type(system), description["presets"])
    description["beside"] = list_extra_state_fields(system, detailed=True)
    for example in description["examples"]:
        example["fields"] = label_fields(type(system), example["details"])
        rules = type(system).from_json(example["parameters"])
        names = [line["name"] for line in example["inputs"]]
        for seat in example["computed"]["seats"]:
            shown = round_shares(2, [part["value"] for part in seat["parts"]], seat["change"])
            seat["result"] = format_figure((seat["score"], seat["place"]))
            seat["shown"] = list(zip(seat["parts"], shown, strict=True))
        if len(names) == 2:
            seats = example["computed"]["seats"]
            results = split_result_of_two(*((seat["score"], seat["place"]) for seat in seats))
            for seat, result in zip(seats, results or (), strict=False):
                seat["result"] = result
        add_column_texts(example["computed"])
        states = example["expected"]["states"] or [None] * len(names)
        key = system.state[0].key
        expected = format_exact_column([state and state.get(key) for state in states])
        for seat, text in zip(example["computed"]["seats"], expected, strict=True):
            seat["expected_text"] = text
        example["seats"] = list(zip(names, example["computed"]["seats"], states, strict=True))
        example["decimals"] = 0 if all(_has_whole_ratings(seat) for seat in example["computed"]["seats"]) else 2
        example["pairs"] = [
            _build_pair(rules, example["computed"], names, pair) for pair in example["computed"]["pairs"]
        ]
        example["has_points"] = any(pair["points"] is not None for pair in example["pairs"])
    return description


def _has_whole_ratings(seat: Mapping[str, Any]) -> bool:
    """Return whether a player's rating is a whole number before and after a game."""
    return all(float(seat[key]).is_integer() for key in ("rating_before", "rating_after"))


def _build_pair(
    system: RatingSystem, explanation: Mapping[str, Any], names: Sequence[str], pair: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a pair of an example with its names and the first player's points from it."""
    first, second = (seat - 1 for seat in pair["seats"])
    values = {figure["key"]: figure["value"] for figure in explanation["seats"][first]["figures"]}
    points = system.points_of_pair(values, {figure["key"]: figure["value"] for figure in pair["figures"]})
    return {**pair, "names": (names[first], names[second]), "points": points}


def list_worksheets(system: RatingSystem, view: ShownGame) -> list[dict[str, Any]]:
    """Return each seat's worksheet with its values in the order of the columns; empty if there is none."""
    keys = [spec.key for spec in system.worksheet.fields] if system.worksheet else []
    return [
        {"name": line.result.player.name, "score": line.result.score, "values": [row.get(key) for key in keys]}
        for line, row in zip(view.results, view.game.worksheets, strict=False)
    ]
