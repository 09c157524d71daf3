"""The games of a league that are not void as CSV: what a spreadsheet opens, and what the import reads again.

One line a result, as the import takes it. It holds no void game, rule, ladder or edition: those cannot be told in
one table, and NDJSON tells all of them. A zip of tables would be a second form of the same that nothing reads.
"""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from league.core.db.isolation import long_snapshot
from league.core.leagues.selectors.rules import rules_of, system_of
from league.core.log.chain import instant
from league.core.text.spreadsheet_cells import cell
from league.models import Game, League
from league.models.facts import WORKSHEET
from ratings.contract.system import RatingSystem

COLUMNS = ("game_id", "played_at", "player", "score", "place", "kind")
#: Columns that are in a file only where it would not tell all without them.
OPTIONAL_COLUMNS = ("side", "weight")
CHUNK = 1000


class CsvBuffer:
    """Keeps what a writer of CSV writes."""

    text = ""

    def write(self, text: str) -> None:
        """Take a line without its end."""
        self.text = text


def csv_lines(league_id: int) -> Iterator[str]:
    """Yield the lines of a league's games in the order of their order keys: an import numbers them in that order."""
    line = CsvBuffer()
    writer = csv.writer(line, lineterminator="")
    with long_snapshot(limited=True):
        league = League.objects.get(pk=league_id)
        rules = rules_of(league)
        systems = [system_of(rule) for rule in rules]
        fields = list(dict.fromkeys(spec.key for system in systems for spec in system.game_fields))
        keys = list(dict.fromkeys(key for system in systems for key in worksheet_keys(league, system)))
        games = Game.objects.filter(league=league, voided_at=None)
        there = games.filter(results__side__isnull=False).exists(), games.exclude(weight=1.0).exists()
        beside = [name for name, is_there in zip(OPTIONAL_COLUMNS, there, strict=True) if is_there]
        writer.writerow([*COLUMNS, *beside, *fields, *(f"{WORKSHEET}_{key}" for key in keys)])
        yield line.text
        prefix = free_prefix(league)
        for game in games.order_by("order_key").prefetch_related("results__player").iterator(chunk_size=CHUNK):
            name = game.external_id or f"{prefix}{game.number}"
            for row in rows_of(game, name, beside, fields, keys):
                writer.writerow([cell(value) for value in row])
                yield line.text


def worksheet_keys(league: League, system: RatingSystem) -> list[str]:
    """Return the columns of the worksheets; none if no game has any."""
    if system.worksheet is None:
        return []
    written = Game.objects.filter(league=league, voided_at=None, details__has_key=WORKSHEET).exists()
    return [spec.key for spec in system.worksheet.fields] if written else []


def free_prefix(league: League) -> str:
    """Return what makes a game_id of a number that no game of the league has by itself."""
    prefix = "#"
    while league.games.filter(external_id__startswith=prefix).exists():
        prefix += "#"
    return prefix


def rows_of(game: Game, name: str, beside: Sequence[str], fields: list[str], keys: list[str]) -> Iterator[list[Any]]:
    """Yield the lines of a game in seat order; repr keeps every digit of a score."""
    details = [game.details.get(key) for key in fields]
    results = sorted(game.results.all(), key=lambda result: result.seat)
    for result, row in zip(results, game.worksheets or [{}] * len(results), strict=True):
        score = None if result.score is None else repr(result.score)
        unusual = {"side": result.side, "weight": repr(game.weight)}
        more = [game.kind, *(unusual[name] for name in beside), *details, *map(row.get, keys)]
        yield [name, instant(game.played_at), result.player.handle, score, result.place, *more]
