"""The games of a league as CSV, for spreadsheets and the import: one line per result.

It has no void games, rules, ladders or editions, which do not fit into one table; the NDJSON export has them.
"""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from league.core.db.isolation import long_snapshot
from league.core.fields.selectors.fields import PREFIX, collect_game_values, load_readable_fields
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.core.text.instants import format_instant
from league.core.text.spreadsheet_cells import quote_cell
from league.models import DeclaredField, Game, League, Rule
from league.models.recorded import SETS, WORKSHEET
from ratings.contract.system import RatingSystem

COLUMNS = ("game_id", "played_at", "player", "score", "place", "kind")
#: Columns that are in a file only if a game needs them.
OPTIONAL_COLUMNS = ("side", "weight", "sets", "retired")
CHUNK = 1000


class CsvBuffer:
    """Stores the line written by a CSV writer."""

    text = ""

    def write(self, text: str) -> None:
        """Store a line."""
        self.text = text


def iter_csv_lines(league_id: int) -> Iterator[str]:
    """Yield the lines of a league's games by order key, in which an import numbers them."""
    line = CsvBuffer()
    writer = csv.writer(line, lineterminator="")
    with long_snapshot(limited=True):
        league = League.objects.get(pk=league_id)
        rules = load_rules(league)
        systems = [build_rule_system(rule) for rule in rules]
        fields = list(dict.fromkeys(spec.key for system in systems for spec in system.game_fields))
        keys = list(dict.fromkeys(key for system in systems for key in list_worksheet_keys(league, system)))
        games = Game.objects.counting().filter(league=league)
        used = (
            games.filter(results__side__isnull=False).exists(),
            games.exclude(weight=1.0).exists(),
            *_find_used_columns_of_sets(games, rules),
        )
        optional = [name for name, is_used in zip(OPTIONAL_COLUMNS, used, strict=True) if is_used]
        declared = [one for one in load_readable_fields(league, None) if one.of != DeclaredField.Of.PLAYER]
        names = [f"{PREFIX}{one.key}" for one in declared]
        writer.writerow([*COLUMNS, *optional, *fields, *(f"{WORKSHEET}_{key}" for key in keys), *names])
        yield line.text
        prefix = choose_prefix(league)
        for game in games.order_by("order_key").prefetch_related("results__player").iterator(chunk_size=CHUNK):
            name = game.external_id or f"{prefix}{game.number}"
            values = list_value_rows(game, declared)
            for row, cells in zip(list_rows(game, name, optional, fields, keys), values, strict=True):
                writer.writerow([quote_cell(value) for value in (*row, *cells)])
                yield line.text


def _find_used_columns_of_sets(games: QuerySet[Game], rules: Sequence[Rule]) -> tuple[bool, bool]:
    """Return whether a game has sets, and whether a side may have retired."""
    has_sets = any(rule.sets for rule in rules) and games.filter(details__has_key=SETS).exists()
    return has_sets, has_sets and any(rule.sets.get("retired") == "allowed" for rule in rules)


def list_worksheet_keys(league: League, system: RatingSystem) -> list[str]:
    """Return the worksheet's columns if a game has a worksheet."""
    if system.worksheet is None:
        return []
    has_worksheets = Game.objects.counting().filter(league=league, details__has_key=WORKSHEET).exists()
    return [spec.key for spec in system.worksheet.fields] if has_worksheets else []


def choose_prefix(league: League) -> str:
    """Return a prefix for game ids that no external id of the league has."""
    prefix = "#"
    while league.games.filter(external_id__startswith=prefix).exists():
        prefix += "#"
    return prefix


def list_value_rows(game: Game, declared: Sequence[DeclaredField]) -> list[list[Any]]:
    """Return the values of declared fields of a game on each of its lines, in seat order."""
    count = len(game.results.all())
    if not declared:
        return [[]] * count
    values = collect_game_values(game, declared)
    seats = values.seats or [{}] * count
    return [[_format_cell({**values.game, **seat}.get(one.key)) for one in declared] for seat in seats]


def _format_cell(value: Any) -> Any:
    """Return a value for a cell, as the import reads it."""
    return ("no", "yes")[value] if isinstance(value, bool) else value


def list_rows(
    game: Game, name: str, optional: Sequence[str], fields: list[str], keys: list[str]
) -> Iterator[list[Any]]:
    """Yield the lines of a game in seat order; ``repr`` keeps all digits of a score."""
    details = [game.details.get(key) for key in fields]
    results = sorted(game.results.all(), key=lambda result: result.seat)
    empty: list[dict[str, Any]] = [{}] * len(results)
    rows = zip(results, game.worksheets or empty, game.set_rows or empty, strict=True)
    for result, row, sets in rows:
        score = None if result.score is None else repr(result.score)
        points, retired = " ".join(map(str, sets.get("sets", []))), "yes" if sets.get("retired") else ""
        unusual = {"side": result.side, "weight": repr(game.weight), "sets": points, "retired": retired}
        extra_values = [game.kind, *(unusual[name] for name in optional), *details, *map(row.get, keys)]
        yield [name, format_instant(game.played_at), result.player.handle, score, result.place, *extra_values]
